"""Training by shards, in rounds: between two of them the shards' word matrices become one.

Everything that has been reached is a file, so that a training that was interrupted goes on with the shards that
are not done. What is trained depends on the seed, the shards and the rounds, and not on who trains them, or how
often somebody failed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import Diverged
from aboutness.index.arrays import Array, Blocks
from aboutness.index.snapshot import Snapshot
from aboutness.index.view import LayerView
from aboutness.scale import training_round as files
from aboutness.scale.bowl import Bowl
from aboutness.scale.engine import Engine
from aboutness.scale.training_plan import Plan, planned
from aboutness.scale.training_round import ROWS, load, words_before
from aboutness.vectors.documents import OWN
from aboutness.vectors.paragraphs import NORMALISERS
from aboutness.vectors.pv import ParagraphTrainer
from aboutness.vectors.trainer import Made, Progress, Tell, Trainer, plain
from aboutness.vectors.training import LARGEST
from aboutness.vectors.training_text import TrainingText, Whole
from aboutness.vectors.vocabulary import Vocabulary

TOGETHER = 1 << 10  # words whose rows are merged at a time


@dataclass(frozen=True)
class MadeByShards:
    """What has been trained: words in memory, rows of documents in the files of their shards."""

    plan: Plan
    words: Made
    arrivals: NDArray[np.int64]

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Return how it was trained."""
        return self.words.provenance

    def arrays(self, provenance: Mapping[str, Any]) -> dict[str, Array | Blocks]:
        """Return all that is to be kept; rows of documents are read while they are written."""
        plan, found = self.plan, dict[str, Array | Blocks](self.words.with_provenance(**provenance).arrays())
        if isinstance(plan.how, ParagraphTrainer):
            size = len(self.arrivals)
            found["arrivals"] = self.arrivals
            found[ROWS] = Blocks((size, plan.how.dim), np.dtype(np.float32), lambda: self._of_shards(ROWS))
            if plan.how.normalises:
                normalisers = Blocks((size,), np.dtype(np.float64), lambda: self._of_shards(NORMALISERS))
                found[OWN + NORMALISERS] = normalisers
        return found

    def _of_shards(self, name: str) -> Iterator[Array]:
        return (load(self.plan, files.end_of(shard))[name] for shard in range(self.plan.shards))


def train_by_shards(
    snapshot: Snapshot,
    view: LayerView,
    how: Trainer,
    folder: Path,
    engine: Engine,
    *,
    shards: int,
    rounds: int = 0,
    tell: Tell,
) -> MadeByShards:
    """Train on a view by shards, in so many rounds an epoch (0: by the text); `folder` keeps what is reached."""
    plan, vocabulary = planned(snapshot, view, how, folder, shards, rounds)
    training = plan.how.training(_nothing(plan, vocabulary), 1)
    words = {name: matrix for name, matrix in training.matrices().items() if name != ROWS}
    first = reached(plan)
    if first:
        load(plan, words_before(first))  # is it whole?
    else:
        files.save(plan, words_before(0), words)
    common, began = engine.share(plan), time.monotonic()
    for number in range(first, plan.last_round):
        done = number * plan.tokens // plan.rounds
        for _, tokens in engine.map(files.train_round, range(plan.shards), common, number):
            done += tokens
            speed = (done - first * plan.tokens // plan.rounds) / max(time.monotonic() - began, 1e-3)
            tell(Progress(done, plan.tokens * plan.how.epochs, speed))
        merge(plan, number)
    last = load(plan, words_before(plan.last_round))
    for name, matrix in words.items():
        matrix[:] = last[name]
    made: Made = training.made().with_provenance(
        parameters=plain(how), tokens=plan.tokens, shards=plan.shards, rounds=plan.rounds
    )
    if isinstance(how, ParagraphTrainer):
        for _ in engine.map(files.end, range(plan.shards), common):
            pass
    return MadeByShards(plan, made, view.arrivals[view.alive])


def reached(plan: Plan) -> int:
    """Return the round with which to go on."""
    rounds = range(plan.last_round, 0, -1)
    return next((number for number in rounds if plan.file(words_before(number)).path.exists()), 0)


def _nothing(plan: Plan, vocabulary: Vocabulary) -> TrainingText:
    """Return a text that has all words, and no document."""
    whole = Whole(vocabulary, plan.whole(0).df, 0, 1, 1)
    return TrainingText([], vocabulary.counts, list, np.zeros(0, np.int64), plan.analyzer, whole)


def merge(plan: Plan, number: int) -> None:
    """Make one of all shards' word matrices after a round, and remove what is not needed any more."""
    before = load(plan, words_before(number), verify=False)
    after = [load(plan, files.words_of(shard, number), verify=False) for shard in range(plan.shards)]
    rate = plan.how.rate + (plan.how.last_rate - plan.how.rate) * number / plan.last_round
    matrices = {name: np.empty_like(matrix) for name, matrix in before.items()}
    for name, matrix in matrices.items():
        bowl = Bowl.of([files.bend_of(of, name) for of in after], rate) if len(matrix) else None
        for first in range(0, len(matrix), TOGETHER):
            some = slice(first, first + TOGETHER)
            assert bowl
            matrix[some] = bowl.merged(before[name][some], [of[name][some] for of in after], some)
        if not (matrix.max(initial=0) <= LARGEST and matrix.min(initial=0) >= -LARGEST):  # so for NaN, too
            raise Diverged(
                f"the training diverged: vectors grew beyond all bounds with rate={plan.how.rate:g}, "
                f"{plan.shards} shards and {plan.rounds} rounds an epoch; choose more rounds (--rounds), or a "
                "lower rate"
            )
    files.save(plan, words_before(number + 1), matrices)
    for shard in range(plan.shards):
        plan.file(files.words_of(shard, number)).clear()
        plan.file(files.rows_of(shard, number - 1)).clear()
    plan.file(words_before(number)).clear()
