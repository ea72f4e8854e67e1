"""What is done for one shard of a training: a round, and the end. Pure functions over a plan and its files.

A shard-round reads the word matrices with which the round begins and the shard's document rows, and writes both.
It is done when the file of its words has its name, which comes last; done again, it gives the same bytes. Rows of
documents are read by tasks of their own shard only, until the end. They are on the disk before the words of the
next round are; a shard's words are not waited for: where a power cut damages them, the shard is trained again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.scale.bending import bends
from aboutness.scale.merging import bent
from aboutness.scale.training_files import ROWS, end_of, is_done, load, rows_of, save, started, words_of
from aboutness.scale.training_plan import Plan
from aboutness.vectors.normalisers import log_normalisers
from aboutness.vectors.paragraphs import NORMALISERS
from aboutness.vectors.pv import ParagraphTrainer
from aboutness.vectors.training import Training
from aboutness.vectors.training_text import joined
from aboutness.vectors.words import OUT


def train_round(shard: int, plan: Plan, number: int) -> int:
    """Train a shard for one round, if it is not done; return its tokens."""
    tokens = len(plan.within(number, plan.places[shard].tokens))
    if is_done(plan, words_of(shard, number)):
        return tokens
    training = plan.how.training(plan.text(shard, begins=not number), threads=1)
    own = load(plan, rows_of(shard, number - 1)) if number and ROWS in training.matrices() else {}
    matrices = training.matrices()
    if own:
        matrices[ROWS][:] = own[ROWS]
    for rows, words in started(plan, number):
        for name, matrix in words.items():
            matrices[name][rows] = matrix
    blocks = plan.within(number, len(training.blocks))
    training.run_some(blocks.start, blocks.stop)
    made: dict[str, NDArray[Any]] = dict(matrices)
    if ROWS in made:
        save(plan, rows_of(shard, number), {ROWS: made.pop(ROWS)})
    for name, bend in bends(training, seen(training, blocks)).items():
        made |= bent(name, bend)
    save(plan, words_of(shard, number), made, durable=False)
    return tokens


def seen(training: Training, blocks: Iterable[int]) -> NDArray[np.int64]:
    """Return how often each word stands in some blocks, which are counted over all epochs."""
    numbers = training.text.whole.vocabulary.number_of if training.text.whole else np.zeros(0, np.int32)
    counts = np.zeros(int(numbers.max(initial=-1)) + 1, np.int64)
    for number, times in Counter(block % len(training.blocks) for block in blocks).items():
        block = training.blocks[number]
        of = numbers[joined(block.tokens, block.starts, block.ends)]
        counts += times * np.bincount(of[of >= 0], minlength=len(counts))
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
        words = np.concatenate([words[OUT][:, : plan.how.dim] for _, words in started(plan, plan.last_round)])
        made[NORMALISERS] = log_normalisers(made[ROWS], words)
    save(plan, end_of(shard), made)
    return place.documents
