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

from aboutness.index.arrays import Array, Blocks
from aboutness.index.snapshot import Snapshot
from aboutness.index.view import LayerView
from aboutness.scale import training_round
from aboutness.scale.engine import Engine
from aboutness.scale.merging import merge
from aboutness.scale.training_files import ROWS, end_of, load, reached, save_start, started
from aboutness.scale.training_plan import Plan, planned
from aboutness.vectors.documents import OWN
from aboutness.vectors.paragraphs import NORMALISERS
from aboutness.vectors.pv import ParagraphTrainer
from aboutness.vectors.trainer import Made, Progress, Tell, Trainer, plain
from aboutness.vectors.training_text import TrainingText, Whole
from aboutness.vectors.vocabulary import Vocabulary


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
        return (load(self.plan, end_of(shard))[name] for shard in range(self.plan.shards))


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
        for _ in started(plan, first, verify=True):  # is it whole?
            pass
    else:
        save_start(plan, words)
    common, began = engine.share(plan), time.monotonic()
    for number in range(first, plan.last_round):
        done = plan.tokens_before(number)
        for _, tokens in engine.map(training_round.train_round, range(plan.shards), common, number):
            done += tokens
            speed = (done - plan.tokens_before(first)) / max(time.monotonic() - began, 1e-3)
            tell(Progress(done, plan.tokens * plan.how.epochs, speed))
        merge(plan, number, engine, common)
    for rows, last in started(plan, plan.last_round):
        for name, matrix in last.items():
            words[name][rows] = matrix
    made: Made = training.made().with_provenance(
        parameters=plain(how), tokens=plan.tokens, shards=plan.shards, rounds=_rounds(plan)
    )
    if isinstance(how, ParagraphTrainer):
        for _ in engine.map(training_round.end, range(plan.shards), common):
            pass
    return MadeByShards(plan, made, view.arrivals[view.alive])


def _rounds(plan: Plan) -> int | list[int]:
    """Return how often in an epoch word matrices became one, or in each where that differs."""
    return list(plan.rounds) if len(set(plan.rounds)) > 1 else plan.rounds[0]


def _nothing(plan: Plan, vocabulary: Vocabulary) -> TrainingText:
    """Return a text that has all words, and no document."""
    whole = Whole(vocabulary, plan.whole(0).df, 0, 1, 1)
    return TrainingText([], vocabulary.counts, list, np.zeros(0, np.int64), plan.analyzer, whole)
