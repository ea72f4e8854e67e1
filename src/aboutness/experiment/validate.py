"""Cross-validation: each query is ranked with the parameters that are best for queries of other folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aboutness.core.algebra import Ranker
from aboutness.evaluate.evaluation import Evaluation, evaluate
from aboutness.experiment.asking import Step
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import DEPTH, KeptRun, Progress
from aboutness.experiment.folds import split_queries
from aboutness.experiment.grid import Candidates, Grid, plan
from aboutness.experiment.measuring import Measuring, Setting, Untuned, best_of, means, measures_of
from aboutness.index.snapshot import Snapshot

if TYPE_CHECKING:
    from ir_measures import Measure


@dataclass(frozen=True)
class Fold:
    """Some queries, the setting they are ranked with, and its mean over all others, by which it was chosen."""

    queries: tuple[str, ...]
    setting: Setting
    others_mean: float
    mean: dict[str, float]  # of each measure over these queries

    def to_json(self) -> dict[str, Any]:
        """Return the fold in plain values."""
        return {
            "queries": list(self.queries),
            "parameters": self.setting.parameters,
            "others_mean": self.others_mean,
            "mean": self.mean,
        }


@dataclass(frozen=True)
class Validation:
    """A cross-validated ranker: what each fold chose, and the rankings that were made so."""

    collection: str
    ranker: Ranker
    measure: str  # by which settings are chosen
    seed: int
    settings: tuple[Setting, ...]  # in the order in which they were tried
    folds: tuple[Fold, ...]
    run: KeptRun
    evaluation: Evaluation
    untuned: Untuned | None  # the ranker as it was given, where it can be used so
    note: str | None = None  # what else one should know

    def to_json(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the validation in plain values."""
        return {
            "collection": self.collection,
            "ranker": str(self.ranker),
            "measure": self.measure,
            "seed": self.seed,
            "queries": self.evaluation.queries,
            **self.evaluation.mean,
            "folds": [fold.to_json() for fold in self.folds],
            "settings": [setting.to_json() for setting in self.settings],
            **({"untuned": self.untuned.to_json()} if self.untuned else {}),
            **({"note": self.note} if self.note else {}),
            **({"per_query": self.evaluation.per_query} if per_query else {}),
        }

    @property
    def table(self) -> list[dict[str, Any]]:
        """Return a row for each fold: what it chose, and the means over its queries."""
        return [
            {"fold": str(number), "queries": len(fold.queries), "chosen": str(fold.setting), **fold.mean}
            for number, fold in enumerate(self.folds, 1)
        ]

    @property
    def chosen(self) -> str:
        """Return the settings that were chosen, each with how many folds chose it."""
        often = Counter(str(fold.setting) for fold in self.folds)
        return "; ".join(f"{one} ({count} of {len(self.folds)} folds)" for one, count in often.most_common())

    def __str__(self) -> str:
        means = ", ".join(f"{name} {mean:.4f}" for name, mean in self.evaluation.mean.items())
        return (
            f"{self.ranker} on {self.collection}: {means} over {self.evaluation.queries:,} queries; "
            f"chosen by {self.measure}: {self.chosen}"
        )


def cross_validate(
    snapshot: Snapshot,
    collection: Collection,
    ranker: str | Ranker,
    grid: Grid,
    measure: str | Measure,
    *,
    measures: str | Iterable[str | Measure] = (),
    folds: int = 5,
    seed: int = 1,
    depth: int = DEPTH,
    match: Step = "or",
    candidates: Candidates | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    cache: str | Path | None = None,
) -> Validation:
    """Rank the judged queries of a collection, each with the setting that is best for the queries of other folds.

    Every setting of the grid is measured over all queries. For each fold, the one with the highest mean of
    `measure` over the queries that are not in it is chosen; of several, the first. So no judgement of a query has
    a say in how it is ranked (as in ai2016 §4). `measures` are measured besides. With `candidates`, the settings
    only rank anew what another ranker finds first. With a folder (`cache`), what is measured is kept there, and
    not measured again.
    """
    every = measures_of(measure, measures)
    name = str(every[0])
    planned = plan(ranker, grid, candidates)
    measuring = Measuring(
        snapshot, collection, every, depth=depth, match=match, threads=threads, progress=progress, cache=cache
    )
    parts = split_queries([query.id for query in measuring.queries], folds, seed)
    tried = measuring.values(planned.settings)
    settings = {
        one: Setting(parameters, one, means(tried[one], tried[one]))
        for one, parameters in planned.settings.items()
    }
    found = []
    for part in parts:
        others = [query for other in parts if other is not part for query in other]
        best, others_mean = best_of(tried, name, others)
        found.append(Fold(part, settings[best], others_mean, means(tried[best], part)))
    run = measuring.run({query: fold.setting.ranker for fold in found for query in fold.queries}, tried)
    evaluation = evaluate(collection.qrels, run, every)
    return Validation(
        collection=collection.name,
        ranker=planned.given,
        measure=name,
        seed=seed,
        settings=tuple(settings.values()),
        folds=tuple(found),
        run=run,
        evaluation=evaluation,
        untuned=measuring.untuned(planned.given, tried, evaluation.per_query),
    )
