"""What is done for one shard of a training: a round, and the end. Pure functions over a plan and its files.

A shard-round reads the word matrices with which the round begins and the shard's document rows, and writes both.
It is done when the file of its words has its name, which comes last; done again, it gives the same bytes. Rows of
documents are read by tasks of their own shard only, until the end. They are on the disk before the words of the
next round are; a shard's words are not waited for: where a power cut damages them, the shard is trained again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.scale.bending import Bend, bends
from aboutness.scale.training_plan import Plan
from aboutness.vectors.normalisers import log_normalisers
from aboutness.vectors.paragraphs import NORMALISERS
from aboutness.vectors.pv import ParagraphTrainer
from aboutness.vectors.training import Training
from aboutness.vectors.training_text import joined
from aboutness.vectors.words import OUT

ROWS = "rows"
UPDATES, MOMENTS = "updates.", "moments."  # what the names of arrays begin with
Arrays = Mapping[str, NDArray[Any]]


def words_before(number: int) -> str:
    """Return the name of the file with the word matrices that a round begins with."""
    return f"words-{number}"


def words_of(shard: int, number: int) -> str:
    """Return the name of the file with the word matrices of a shard after a round."""
    return f"words-{number}-{shard}"


def rows_of(shard: int, number: int) -> str:
    """Return the name of the file with the document rows of a shard after a round."""
    return f"rows-{number}-{shard}"


def end_of(shard: int) -> str:
    """Return the name of the file with the document rows of a shard as they are kept."""
    return f"end-{shard}"


def load(plan: Plan, name: str, *, verify: bool = True) -> Arrays:
    """Return a file of a training that must be there; without `verify`, one that is known to be whole."""
    kept = plan.file(name).load(about(plan, name), verify=verify)
    if kept is None:
        raise DamagedIndex(f"{plan.folder} has lost the file {name}; start anew with restart (--restart)")
    return kept


def about(plan: Plan, name: str) -> dict[str, Any]:
    """Return what a file of a training says of itself."""
    return {**plan.about, "file": name}


def save(plan: Plan, name: str, arrays: Arrays, *, durable: bool = True) -> None:
    """Write a file of a training, in one step."""
    plan.file(name).save(about(plan, name), arrays, durable=durable)


def is_done(plan: Plan, name: str) -> bool:
    """Tell whether a file of a training is there, and whole."""
    try:
        return plan.file(name).load(about(plan, name)) is not None
    except UsageError:
        return False


def train_round(shard: int, plan: Plan, number: int) -> int:
    """Train a shard for one round, if it is not done; return its tokens."""
    tokens = plan.places[shard].tokens // plan.rounds
    if is_done(plan, words_of(shard, number)):
        return tokens
    training = plan.how.training(plan.text(shard), threads=1)
    start = load(plan, words_before(number), verify=False)
    own = load(plan, rows_of(shard, number - 1)) if number and ROWS in training.matrices() else {}
    for name, matrix in training.matrices().items():
        if name in own or name != ROWS:
            matrix[:] = own[name] if name == ROWS else start[name]
    epoch, part = divmod(number, plan.rounds)
    blocks = len(training.blocks)
    first, last = part * blocks // plan.rounds, (part + 1) * blocks // plan.rounds
    training.run_some(epoch * blocks + first, epoch * blocks + last)
    made: dict[str, NDArray[Any]] = dict(training.matrices())
    if ROWS in made:
        save(plan, rows_of(shard, number), {ROWS: made.pop(ROWS)})
    for name, bend in bends(training, seen(training, first, last)).items():
        made |= {UPDATES + name: bend.updates, MOMENTS + name: bend.moments}
    save(plan, words_of(shard, number), made, durable=False)
    return tokens


def bend_of(words: Arrays, name: str) -> Bend:
    """Return how a matrix was bent by a shard, of which these are the words."""
    return Bend(words[UPDATES + name], words[MOMENTS + name])


def seen(training: Training, first: int, last: int) -> NDArray[np.int64]:
    """Return how often each word stands in some blocks."""
    numbers = training.text.whole.vocabulary.number_of if training.text.whole else np.zeros(0, np.int32)
    counts = np.zeros(int(numbers.max(initial=-1)) + 1, np.int64)
    for block in training.blocks[first:last]:
        of = numbers[joined(block.tokens, block.starts, block.ends)]
        counts += np.bincount(of[of >= 0], minlength=len(counts))
    return counts


def end(shard: int, plan: Plan) -> int:
    """Bring a shard's document rows into the form in which they are kept, if that is not done."""
    place = plan.places[shard]
    if is_done(plan, end_of(shard)):
        return place.documents
    assert isinstance(plan.how, ParagraphTrainer)
    rows = load(plan, rows_of(shard, plan.last_round - 1))[ROWS]
    made: dict[str, NDArray[Any]] = {ROWS: np.ascontiguousarray(rows[:, : plan.how.dim])}
    if plan.how.normalises:
        words = load(plan, words_before(plan.last_round))[OUT]
        made[NORMALISERS] = log_normalisers(made[ROWS], np.ascontiguousarray(words[:, : plan.how.dim]))
    save(plan, end_of(shard), made)
    return place.documents
