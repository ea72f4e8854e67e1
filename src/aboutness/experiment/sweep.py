"""A sweep over settings: the best for some queries is chosen, and reported on the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aboutness.core.algebra import Ranker
from aboutness.evaluate.evaluation import Evaluation, evaluate
from aboutness.experiment.asking import Step
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import DEPTH, KeptRun, Progress
from aboutness.experiment.folds import Split, training_split
from aboutness.experiment.grid import Candidates, Grid, plan
from aboutness.experiment.measuring import Measuring, Setting, Untuned, best_of, means, measures_of
from aboutness.index.snapshot import Snapshot

if TYPE_CHECKING:
    from ir_measures import Measure


@dataclass(frozen=True)
class SweptSetting(Setting):
    """A setting of a sweep; its means over the queries to choose by, and over the others."""

    train: dict[str, float]
    test: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the setting and its means in plain values."""
        return {
            "parameters": self.parameters,
            "ranker": str(self.ranker),
            "train": self.train,
            "test": self.test,
        }


@dataclass(frozen=True)
class Sweep:
    """All settings of a grid, the one that was chosen, and how good that is on queries that had no say in it."""

    collection: str
    ranker: Ranker
    measure: str  # by which the setting is chosen
    train: tuple[str, ...]  # the queries that it is chosen by
    test: tuple[str, ...]  # all others
    settings: tuple[SweptSetting, ...]  # in the order in which they were tried
    best: SweptSetting
    run: KeptRun  # of the chosen setting for the other queries
    evaluation: Evaluation
    untuned: Untuned | None  # the ranker as it was given, where it can be used so
    note: str | None = None  # what else one should know

    def to_json(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the sweep in plain values; the measures are those of the queries that it is reported on."""
        return {
            "collection": self.collection,
            "ranker": str(self.ranker),
            "measure": self.measure,
            "train": list(self.train),
            "test": list(self.test),
            "best": self.best.to_json(),
            **self.evaluation.mean,
            "settings": [setting.to_json() for setting in self.settings],
            **({"untuned": self.untuned.to_json()} if self.untuned else {}),
            **({"note": self.note} if self.note else {}),
            **({"per_query": self.evaluation.per_query} if per_query else {}),
        }

    @property
    def table(self) -> list[dict[str, Any]]:
        """Return the whole curve: a row for each setting, with its means over both parts of the queries."""
        return [
            {
                "setting": str(one),
                f"{self.measure} train": one.train[self.measure],
                **{f"{name} test": mean for name, mean in one.test.items()},
            }
            for one in self.settings
        ]

    def __str__(self) -> str:
        means_ = ", ".join(f"{name} {mean:.4f}" for name, mean in self.evaluation.mean.items())
        return (
            f"{self.ranker} on {self.collection}: {means_} over {len(self.test):,} queries with {self.best}, the "
            f"best of {len(self.settings):,} settings by {self.measure} over {len(self.train):,} others"
        )


def sweep(
    snapshot: Snapshot,
    collection: Collection,
    ranker: str | Ranker,
    grid: Grid,
    measure: str | Measure,
    *,
    measures: str | Iterable[str | Measure] = (),
    split: Split = 0.5,
    seed: int = 1,
    depth: int = DEPTH,
    match: Step = "or",
    candidates: Candidates | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    cache: str | Path | None = None,
) -> Sweep:
    """Choose the setting that is best for some judged queries of a collection, and report it on the others.

    Every setting of the grid is measured. The one with the highest mean of `measure` over the queries of the
    `split` is chosen; of several, the first. No judgement of another query has a say (as in mitra2016 §2.3). The
    rest is as in `cross_validate`.
    """
    every = measures_of(measure, measures)
    name = str(every[0])
    planned = plan(ranker, grid, candidates)
    measuring = Measuring(
        snapshot, collection, every, depth=depth, match=match, threads=threads, progress=progress, cache=cache
    )
    train, test = training_split([query.id for query in measuring.queries], split, seed)
    tried = measuring.values(planned.settings)
    settings = {
        one: SweptSetting(parameters, one, *(means(tried[one], queries) for queries in (tried[one], train, test)))
        for one, parameters in planned.settings.items()
    }
    best, _ = best_of(tried, name, train)
    run = measuring.run(dict.fromkeys(test, best), tried)
    evaluation = evaluate({query: collection.qrels[query] for query in test}, run, every)
    return Sweep(
        collection=collection.name,
        ranker=planned.given,
        measure=name,
        train=train,
        test=test,
        settings=tuple(settings.values()),
        best=settings[best],
        run=run,
        evaluation=evaluation,
        untuned=measuring.untuned(planned.given, tried, evaluation.per_query),
    )
