"""An experiment that is running: each ranker under each condition once, unless its run is kept from earlier."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from aboutness.app.by_shards import ByShards
from aboutness.app.kept_indexes import KeptIndexes
from aboutness.app.needed import Training, Vectors, check_vectors
from aboutness.app.over_shards import engine_at
from aboutness.app.training import trainer
from aboutness.app.under_condition import Opened, UnderCondition
from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound
from aboutness.experiment.collection import collection, data_of
from aboutness.experiment.compare import Comparison
from aboutness.experiment.declared import Experiment
from aboutness.experiment.folds import split_queries, training_split
from aboutness.experiment.hashes import file_checksum
from aboutness.experiment.kept_runs import KeptRuns
from aboutness.experiment.labels import by_label
from aboutness.experiment.samples import SampledScores
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import Progress as IndexProgress
from aboutness.rank.bound import Searcher, bind
from aboutness.scale.engine import Engine
from aboutness.scale.spread import Spread
from aboutness.scale.training_plan import is_sharded
from aboutness.vectors.array_files import beside
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.trainer import Trainer

INDEXES = "indexes"  # a folder of a cache, besides the runs


class Pace(NamedTuple):
    """How far an experiment is."""

    what: str  # is being done: the collection, the condition and the ranker
    done: int  # runs that are there
    total: int
    part: float  # of the run that is being made
    seconds_left: float | None  # None: nobody knows yet


Tell: TypeAlias = Callable[[Pace], None]


@dataclass
class Running:
    """Runs an experiment; with kept runs, those that are there are taken, and new ones are kept at once."""

    experiment: Experiment
    kept: KeptRuns | None = None
    threads: int | None = None
    tell: Tell | None = None
    indexing: IndexProgress | None = None
    training: Training | None = None
    by: ByShards | None = None  # makes indexes, and searches them where it names a cluster
    data: dict[str, Any] = field(default_factory=dict)  # of each collection: what results are made of
    samples: list[SampledScores] = field(default_factory=list)
    note: str | None = None  # of word vectors that do not fit the documents
    times: list[float] = field(default_factory=list)  # seconds of the runs that were made
    done: int = 0
    token: str = field(default_factory=lambda: os.urandom(16).hex())  # no other experiment has it
    _engine: Engine | None = None
    _spread: tuple[Snapshot, Spread] | None = None  # the last one

    def comparisons(self) -> list[Comparison]:
        """Return one comparison for each collection and condition."""
        check_vectors(self.vectors)
        conditions = list(self.experiment.conditions)
        every = [self._opened(source) for source in self.experiment.collections]
        planned = [
            UnderCondition(self, opened, one) for opened in every for one in conditions
        ]  # which checks them
        try:
            with engine_at(self.by.ray if self.by else None) as self._engine:
                found = [one.comparison() for one in planned]
        except BaseException:
            self.indexes.release()  # it will go on with them
            raise
        self.indexes.remove()
        return found

    @cached_property
    def indexes(self) -> KeptIndexes:
        """Return the indexes that runs are made with."""
        return KeptIndexes(self.kept.folder / INDEXES if self.kept else None)

    @cached_property
    def vectors(self) -> Vectors | None:
        """Return the word vectors as rankers are given them."""
        given = self.experiment.vectors
        if isinstance(given, str) and given in TRAINERS:
            return trainer(given, {})
        if not isinstance(given, Mapping):
            return given
        parameters = dict(given)
        return trainer(parameters.pop("train"), parameters)

    @cached_property
    def vectors_checksum(self) -> Any:  # noqa: ANN401 - plain values
        """Return what word vectors depend on: a file's content, or how they are trained."""
        given = self.experiment.vectors
        if not isinstance(given, str) or given in TRAINERS:
            return [given, self.trained_by(self.vectors)]
        try:
            return [file_checksum(given), file_checksum(beside(Path(given)))]
        except NotFound:
            return file_checksum(given)

    def bind(self, ranker: Ranker, snapshot: Snapshot) -> Searcher:
        """Return a ranker bound to an index, or to the shards of it that an engine holds."""
        if self._engine is None or self.by is None:
            return bind(ranker, snapshot)
        if self._spread is None or self._spread[0] is not snapshot:
            self._spread = snapshot, Spread(snapshot, self._engine, self.by.shards)
        return self._spread[1].bind(ranker)

    def trained_by(self, way: object) -> int:
        """Return by how many shards something is trained; 0 where this process trains it as one."""
        return self.by.made if self.by and isinstance(way, Trainer) and is_sharded(way) else 0

    def told(self, what: str, part: float = 0.0) -> None:
        """Tell how far the experiment is."""
        if self.tell:
            left = self.experiment.units - self.done - part
            each = sum(self.times) / len(self.times) if self.times else None
            self.tell(Pace(what, self.done, self.experiment.units, part, None if each is None else each * left))

    def _opened(self, source: str) -> Opened:
        labels, seed = self.experiment.labels, self.experiment.seed
        if labels is None:
            whole = collection(source)
        else:
            whole = by_label(
                source, labels.field, groups=labels.groups, queries=labels.queries, single=labels.single, seed=seed
            )
        if whole.name in self.data:  # another folder of the same name
            whole = replace(whole, name=f"{whole.name} ({whole.source})")
        judged = [query.id for query in whole.judged_queries if whole.qrels[query.id]]
        tune = self.experiment.tune
        chosen_by: tuple[str, ...] = ()
        if tune.train is not None:
            chosen_by, _ = training_split(judged, tune.train, seed)
        elif any(one.grid for one in self.experiment.rankers):
            split_queries(judged, tune.folds, seed)
        opened = Opened(whole, chosen_by)
        self.data[opened.reported.name] = data_of(opened.reported, opened.checksum)
        return opened
