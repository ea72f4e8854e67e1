"""What is done with one shard: the single-machine code, called with the shard's documents and what all know."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import DamagedIndex
from aboutness.index.manifest import Manifest
from aboutness.index.shard import Shard, ViewKey
from aboutness.index.snapshot import Snapshot
from aboutness.index.statistics import Counts, Statistics
from aboutness.models.dense import DenseScorer
from aboutness.models.model import Allowed, Match, Scorer
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation
from aboutness.rank.bound import Searcher, bind, explain
from aboutness.rank.bound_rankers import BoundRankers
from aboutness.scale.rankings import Rankings

Ints = NDArray[np.int64]
F32 = NDArray[np.float32]

MOST_HELD = 1 << 30  # bytes that the rankers of a shard hold; a node may have several shards


@dataclass(frozen=True)
class ShardFiles:
    """Where a shard lies: a folder that every node sees under this path, and which of the segments it has."""

    folder: str
    manifest: Manifest  # of the generation that is searched, whatever comes later
    segments: range


@dataclass(frozen=True)
class Unbound:
    """The answer of a shard that does not know a ranker (yet, or no more, as it was made again): bind it first."""


class ShardWork:
    """An opened shard and the rankers that were bound to it; takes and gives what can be sent."""

    def __init__(self, files: ShardFiles) -> None:
        try:
            whole = Snapshot.of_manifest(Path(files.folder), files.manifest)
        except FileNotFoundError as error:
            raise DamagedIndex(
                f"{error.filename} is not there: the index was changed since it was opened, or this machine does "
                "not see its folder; every node must see it under the same path"
            ) from None
        self.shard = Shard(whole, files.segments)
        self._rankers = BoundRankers(MOST_HELD)

    def ready(self) -> int:
        """Tell that the shard is opened: by which process."""
        return os.getpid()

    def counts(self, layer: str, weights: Sequence[float]) -> Counts:
        """Return the counts of the shard's own documents, which add up to the statistics of the index."""
        return counts_of(self.shard, layer, weights)

    def bind(self, ranker: Ranker, views: Sequence[ViewKey], *statistics: Statistics) -> bool:
        """Bind a ranker to the shard, with the statistics of the whole index for the views that it reads."""
        self.shard.given.update(zip(views, statistics, strict=True))
        self._bound(ranker)
        return True

    def _bound(self, ranker: Ranker) -> Searcher:
        return self._rankers.get(ranker, lambda one: bind(one, self.shard, self._bound))

    def call(self, ranker: Ranker, method: str, *arguments: Any) -> Any:  # noqa: ANN401 - as the method has it
        """Do one of the following with a ranker, if it is bound."""
        searcher = self._rankers.there(ranker)
        return Unbound() if searcher is None else getattr(self, f"_{method}")(searcher, *arguments)

    # --- what can be asked of a bound ranker; arrays that were sent cannot be written to, and are copied ---------

    def _top_many(
        self, searcher: Searcher, questions: Sequence[Question], k: int, match: Match, allowed: Allowed
    ) -> Rankings:
        among: Allowed = None if allowed is None else allowed.copy()
        some = [_received(one) for one in questions]
        return Rankings.of(searcher.top_many(some, k, match=match, allowed=among, threads=1))

    def _top_each(
        self, searcher: Searcher, questions: Sequence[Question], k: int, ends: Ints, documents: Ints
    ) -> Rankings:
        """Return for each question the k best of some documents of its own."""
        among = np.split(np.array(documents), ends[:-1])
        return Rankings.of(
            [
                searcher.top_many([_received(one)], k, match="all", allowed=some, threads=1)[0]
                for one, some in zip(questions, among, strict=True)
            ]
        )

    def _scores(self, searcher: Searcher, question: Question, documents: Ints) -> F32:
        return searcher.scores(_received(question), np.array(documents))

    def _explain(self, searcher: Searcher, question: Question, documents: Ints) -> Explanation:
        return explain(searcher, _received(question), int(documents[0]))

    def _extremes(self, searcher: Scorer) -> tuple[float, ...]:
        return searcher.extremes

    def _rows(self, searcher: DenseScorer, documents: Ints) -> F32:
        return searcher.rows.some(np.array(documents))


def counts_of(shard: Shard, layer: str, weights: Sequence[float]) -> Counts:
    """Return the counts of a shard's own documents."""
    return Counts.of(shard.view(layer, dict(zip(shard.fields, weights, strict=True))))


def _received(question: Question) -> Question:
    return question if question.vector is None else replace(question, vector=np.array(question.vector))
