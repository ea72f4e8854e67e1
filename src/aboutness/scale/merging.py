"""Between two rounds: the word matrices of all shards become one, piece by piece, by whoever has a free core."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from aboutness.core.errors import Diverged
from aboutness.scale.bending import Bend
from aboutness.scale.bowl import Bowl
from aboutness.scale.engine import Engine
from aboutness.scale.training_files import Arrays, bowl_of, is_done, load, rows_of, save, start_of, words_of
from aboutness.scale.training_plan import Plan
from aboutness.vectors.training import LARGEST

UPDATES, MOMENTS = "updates.", "moments."  # what the names of arrays begin with
BENDS, DIRECTIONS = "bends.", "directions."


def merge(plan: Plan, number: int, engine: Engine, common: Plan) -> None:
    """Make one of all shards' word matrices after a round, and remove what is not needed any more.

    `common` is the plan as the engine takes it.
    """
    _save_bowl(plan, number)
    for _ in engine.map(merge_piece, range(plan.pieces), common, number):
        pass
    for shard in range(plan.shards):
        plan.file(words_of(shard, number)).clear()
        plan.file(rows_of(shard, number - 1)).clear()
    for piece in range(plan.pieces):
        plan.file(start_of(number, piece)).clear()
    plan.file(bowl_of(number)).clear()


def _save_bowl(plan: Plan, number: int) -> None:
    """Work out once what all pieces need of all shards."""
    shards = [load(plan, words_of(shard, number), verify=False) for shard in range(plan.shards)]
    first, last = plan.how.rate, min(plan.how.rate, plan.how.last_rate)
    rate = first + (last - first) * plan.tokens_before(number) / (plan.tokens * plan.how.epochs)
    found: dict[str, NDArray[Any]] = {}
    for name in _merged(shards[0]):
        bowl = Bowl.of([_bend_of(of, name) for of in shards], rate)
        found |= {BENDS + name: bowl.bends, DIRECTIONS + name: bowl.directions}
    save(plan, bowl_of(number), found, durable=False)


def merge_piece(piece: int, plan: Plan, number: int) -> int:
    """Make one of some rows of all shards' word matrices, if that is not done; return which piece it is."""
    if is_done(plan, start_of(number + 1, piece)):
        return piece
    rows = plan.rows(piece)
    before, bowls = load(plan, start_of(number, piece), verify=False), load(plan, bowl_of(number))
    shards = [load(plan, words_of(shard, number), verify=False) for shard in range(plan.shards)]
    made = dict(before)
    for name in _merged(shards[0]):
        bowl = Bowl(bowls[BENDS + name], bowls[DIRECTIONS + name])
        after, updates = ([of[start + name][rows] for of in shards] for start in ("", UPDATES))
        made[name] = bowl.merged(before[name], after, updates)
        if not (made[name].max(initial=0) <= LARGEST and made[name].min(initial=0) >= -LARGEST):  # so for NaN, too
            raise Diverged(
                f"the training diverged: vectors grew beyond all bounds with rate={plan.how.rate:g}, "
                f"{plan.shards} shards and {plan.last_round} rounds in {plan.how.epochs} epochs; choose more "
                "rounds (--rounds), or a lower rate"
            )
    save(plan, start_of(number + 1, piece), made)
    return piece


def bent(name: str, bend: Bend) -> Arrays:
    """Return how a shard bent a matrix, as it is kept with its words."""
    return {UPDATES + name: bend.updates, MOMENTS + name: bend.moments}


def _merged(words: Arrays) -> list[str]:
    """Return the matrices that were trained; those without rows were not."""
    return [name.removeprefix(UPDATES) for name in sorted(words) if name.startswith(UPDATES)]


def _bend_of(words: Arrays, name: str) -> Bend:
    return Bend(words[UPDATES + name], words[MOMENTS + name])
