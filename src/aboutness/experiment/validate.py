"""Cross-validation: each query is ranked with the parameters that are best for queries of other folds."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import checked
from aboutness.core.parameters import Parameter
from aboutness.evaluate.evaluation import Evaluation, evaluate
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import AT_ONCE, DEPTH, KeptRun, Progress, rankings
from aboutness.experiment.folds import Folds, split_queries
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Match, Model, checked_k
from aboutness.models.ranking import Ranking
from aboutness.rank.bound import Searcher, bind
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.pipelines import Pipeline

if TYPE_CHECKING:
    from ir_measures import Measure

Grid: TypeAlias = Mapping[str, Sequence[Any] | NDArray[Any]]
"""Values to be tried, by the name of a declared parameter."""

Candidates: TypeAlias = tuple[str | Ranker, int] | str | Ranker
"""A ranker and how many of its first documents are ranked anew: ("ql", 2000), or "ql % 2000"."""


@dataclass(frozen=True)
class Setting:
    """One choice of values for the parameters of a grid, and how good it is over all queries."""

    parameters: dict[str, Any]
    ranker: Ranker
    mean: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the setting and its means in plain values."""
        return {"parameters": self.parameters, "ranker": str(self.ranker), **self.mean}

    def __str__(self) -> str:
        shown_values = {n: f"{v:g}" if isinstance(v, float) else v for n, v in self.parameters.items()}
        return ",".join(f"{name}={value}" for name, value in shown_values.items())


@dataclass(frozen=True)
class Fold:
    """Some queries, the setting they are ranked with, and its mean over all others, by which it was chosen."""

    queries: tuple[str, ...]
    setting: Setting
    others_mean: float

    def to_json(self) -> dict[str, Any]:
        """Return the fold in plain values."""
        return {
            "queries": list(self.queries),
            "parameters": self.setting.parameters,
            "others_mean": self.others_mean,
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
            **({"note": self.note} if self.note else {}),
            **({"per_query": self.evaluation.per_query} if per_query else {}),
        }

    def __str__(self) -> str:
        means = ", ".join(f"{name} {mean:.4f}" for name, mean in self.evaluation.mean.items())
        often = Counter(str(fold.setting) for fold in self.folds)
        chosen = ", ".join(f"{setting} ({count}x)" for setting, count in often.most_common())
        return (
            f"{self.ranker} on {self.collection}: {means} over {self.evaluation.queries:,} queries; "
            f"{len(self.folds)} folds chose by {self.measure}: {chosen}"
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
    match: Match = "or",
    candidates: Candidates | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Validation:
    """Rank the judged queries of a collection, each with the setting that is best for the queries of other folds.

    Every setting of the grid is ranked once over all queries. For each fold, the one with the highest mean of
    `measure` over the queries that are not in it is chosen; of several, the first. So no judgement of a query has
    a say in how it is ranked (as in ai2016 §4). `measures` are measured besides. With `candidates`, the settings
    only rank anew what another ranker finds first.
    """
    every = measures_of(measure, measures)
    name = str(every[0])
    chosen = named_ranker(ranker)
    first = None if candidates is None else cut_ranker(candidates)
    planned = settings_of(chosen, grid, first)
    queries = [query for query in collection.judged_queries if collection.qrels[query.id]]
    parts = split_queries([query.id for query in queries], folds, seed)
    bound = _binder(snapshot, first)
    settings: list[Setting] = []
    best: dict[tuple[str, ...], Fold] = {}
    run: dict[str, Ranking] = {}
    for one, parameters in planned.items():
        found: dict[str, Ranking] = {}
        for query, ranking in rankings(bound(one), queries, checked_k(depth), match, threads):
            found[query] = ranking
            if progress and (len(found) % AT_ONCE == 0 or len(found) == len(queries)):
                progress(str(one), len(found), len(queries))
        evaluation = evaluate(collection.qrels, KeptRun(snapshot, found), every)
        settings.append(Setting(parameters, one, evaluation.mean))
        for part in parts:
            mean = _mean_of_others(evaluation, name, parts, part)
            if part not in best or mean > best[part].others_mean:
                best[part] = Fold(part, settings[-1], mean)
                run |= {query: found[query] for query in part}
    kept = KeptRun(snapshot, {query.id: run[query.id] for query in queries})
    return Validation(
        collection=collection.name,
        ranker=chosen if first is None else first >> chosen,
        measure=name,
        seed=seed,
        settings=tuple(settings),
        folds=tuple(best.values()),
        run=kept,
        evaluation=evaluate(collection.qrels, kept, every),
    )


def settings_of(ranker: Ranker, grid: Grid, first: Ranker | None = None) -> dict[Ranker, dict[str, Any]]:
    """Return the rankers that a grid makes of one, and each one's parameters; the last varies fastest.

    A parameter is set in every model and named pipeline of an expression that declares it, but not in `first`,
    which finds the documents that are ranked.
    """
    declared: dict[str, Parameter] = {}

    def look_at(one: Model | Pipeline) -> Ranker:
        declared.update({parameter.name: parameter for parameter in one.declared()})
        return one

    _with_parts(ranker, look_at)
    values = [
        [(name, checked(declared[name].kind, f"{ranker}: {name}", value)) for value in values]
        for name, values in _listed(grid, ranker, declared).items()
    ]
    made: dict[Ranker, dict[str, Any]] = {}
    for pairs in itertools.product(*values):
        parameters = dict(pairs)
        changed = _with_parts(ranker, partial(_changed, parameters))
        made[changed if first is None else first >> changed] = parameters
    return made


def cut_ranker(candidates: Candidates) -> Ranker:
    """Return the ranker that finds what is ranked anew."""
    if isinstance(candidates, tuple):
        if len(candidates) != 2:
            raise UsageError(
                f'candidates must be a ranker and a depth, such as ("ql", 2000), got {shown(candidates)}'
            )
        return named_ranker(candidates[0]) % candidates[1]
    return named_ranker(candidates)


def _listed(grid: object, ranker: Ranker, known: Mapping[str, object]) -> dict[str, list[Any]]:
    """Return the values of each parameter of a grid, or raise where it is none for this ranker."""
    if not isinstance(grid, Mapping) or not grid:
        raise UsageError(
            f'a grid must give values for parameters, such as {{"b": [0.3, 0.75]}}, got {shown(grid)}'
        )
    listed = {}
    for name, values in grid.items():
        if name not in known:
            raise UsageError(f"{ranker} has no parameter {shown(name)}. It has: {', '.join(known)}")
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
            raise UsageError(f"{ranker}: {name} must have a list of values to try, got {shown(values)}")
        listed[name] = list(values)
    return listed


def _with_parts(ranker: Ranker, change: Callable[[Model | Pipeline], Ranker]) -> Ranker:
    """Return a ranker whose models and named pipelines are changed."""
    if isinstance(ranker, Model | Pipeline):
        return change(ranker)
    return ranker.made_of([_with_parts(part, change) for part in ranker.rankers])


def _changed(parameters: Mapping[str, Any], one: Model | Pipeline) -> Ranker:
    own = {parameter.name for parameter in one.declared()}
    return replace(one, **{name: value for name, value in parameters.items() if name in own})


def _binder(snapshot: Snapshot, first: Ranker | None) -> Callable[[Ranker], Searcher]:
    """Return what binds settings to an index; the ranker that finds the documents is bound only once."""
    if first is None:
        return lambda one: bind(one, snapshot)
    kept = bind(first, snapshot)
    return lambda one: bind(one, snapshot, lambda part: kept if part == first else bind(part, snapshot))


def measures_of(measure: str | Measure, besides: str | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return all measures, first the one that settings are chosen by."""
    chosen = parse_measures([measure])
    if len(chosen) > 1:
        raise UsageError(f"settings are chosen by one measure, got {len(chosen)}: {shown(measure)}")
    return parse_measures([*chosen, *([besides] if isinstance(besides, str) else besides)])


def _mean_of_others(evaluation: Evaluation, measure: str, parts: Folds, part: tuple[str, ...]) -> float:
    """Return the mean of a measure over the queries of all parts but one."""
    values = [evaluation.per_query[query][measure] for other in parts if other is not part for query in other]
    return math.fsum(values) / len(values)
