"""Settings of a ranker measured over the judged queries of a collection, one after another."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.evaluate.evaluation import evaluate
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.evaluate.significance import Randomisation, fisher
from aboutness.experiment.asking import Asking, Step
from aboutness.experiment.collection import Collection as TestCollection
from aboutness.experiment.compare import AT_ONCE, DEPTH, KeptRun, Progress, rankings
from aboutness.experiment.grid import shown_setting
from aboutness.experiment.kept_values import KeptValues, Values
from aboutness.experiment.shared import SharedParts
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import checked_k
from aboutness.models.ranking import Ranking

if TYPE_CHECKING:
    from ir_measures import Measure


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
        return shown_setting(self.parameters)


@dataclass(frozen=True)
class Untuned:
    """The ranker with the parameters that it was given, over the queries that the tuned one is reported on."""

    ranker: Ranker
    values: Values
    tuned: Values

    @property
    def mean(self) -> dict[str, float]:
        """Return the mean of each measure."""
        return means(self.values, self.values)

    @cached_property
    def tests(self) -> dict[str, Randomisation]:
        """Return by measure how much better the tuned one is, and whether by more than chance (Fisher's test)."""
        return {
            name: fisher(
                *({query: one[name] for query, one in side.items()} for side in (self.tuned, self.values))
            )
            for name in self.mean
        }

    def to_json(self) -> dict[str, Any]:
        """Return the means and the tests in plain values."""
        return {
            "ranker": str(self.ranker),
            **self.mean,
            "fisher": {name: test.to_json() for name, test in self.tests.items()},
        }


class Measuring:
    """Measures rankers over the judged queries of a collection; with a folder, values are kept there."""

    def __init__(
        self,
        snapshot: Snapshot,
        collection: TestCollection,
        measures: Sequence[Measure],
        *,
        depth: int = DEPTH,
        match: Step = "or",
        threads: int | None = None,
        progress: Progress | None = None,
        cache: str | Path | None = None,
    ) -> None:
        self.asking = Asking(snapshot, collection, match)
        self.snapshot = snapshot
        self.qrels = collection.qrels
        self.parts = SharedParts(snapshot)
        self.queries = [query for query in collection.judged_queries if collection.qrels[query.id]]
        self.measures = measures
        self.depth = checked_k(depth)
        self.threads = threads
        self.progress = progress
        names = [str(measure) for measure in measures]
        self.kept = (
            None
            if cache is None
            else KeptValues(cache, snapshot, self.queries, self.qrels, names, self.depth, self.asking.plain)
        )

    def values(self, rankers: Collection[Ranker]) -> dict[Ranker, Values]:
        """Return the values of each ranker for all judged queries."""
        self.parts.expect(rankers)
        return {one: self._values(one) for one in rankers}

    def _values(self, ranker: Ranker) -> Values:
        values = self.kept.get(ranker) if self.kept else None
        if values is None:
            found = self._ranked(ranker, [query.id for query in self.queries], self.progress)
            values = evaluate(self.qrels, KeptRun(self.snapshot, found), self.measures).per_query
            if self.kept:
                self.kept.put(ranker, values)
        elif self.progress:
            self.progress(str(ranker), len(self.queries), len(self.queries))
        return values

    def run(self, chosen: Mapping[str, Ranker], tried: Mapping[Ranker, Values]) -> KeptRun:
        """Return the rankings of some queries, each by the ranker chosen for it, in the collection's order."""
        found: dict[str, Ranking] = {}
        for one in dict.fromkeys(chosen.values()):
            found |= self._ranked(one, [query for query, ranker in chosen.items() if ranker == one])
        run = KeptRun(self.snapshot, {query.id: found[query.id] for query in self.queries if query.id in found})
        if self.kept:
            measured = evaluate({query: self.qrels[query] for query in run}, run, self.measures).per_query
            if any(measured[query] != tried[one][query] for query, one in chosen.items()):
                raise UsageError(
                    f"the values kept in {self.kept.folder} are not those that the ranker has now, as if its code "
                    "had changed: choose another folder, or delete this one"
                )
        return run

    def untuned(self, ranker: Ranker, tried: Mapping[Ranker, Values], tuned: Values) -> Untuned | None:
        """Return a ranker as it was given, over the queries of the tuned one; None where it cannot be used so."""
        try:
            values = tried[ranker] if ranker in tried else self.values([ranker])[ranker]
        except (NotFound, UsageError):  # such as where the grid says which of several vectors
            return None
        return Untuned(ranker, {query: values[query] for query in tuned}, tuned)

    def _ranked(
        self, ranker: Ranker, queries: Iterable[str], progress: Progress | None = None
    ) -> dict[str, Ranking]:
        wanted = set(queries)
        some = [query for query in self.queries if query.id in wanted]
        found: dict[str, Ranking] = {}
        for query, ranking in rankings(
            self.parts.bind(ranker), some, self.depth, self.asking.match, self.threads, self.asking
        ):
            found[query] = ranking
            if progress and (len(found) % AT_ONCE == 0 or len(found) == len(some)):
                progress(str(ranker), len(found), len(some))
        return found


def means(values: Values, queries: Iterable[str]) -> dict[str, float]:
    """Return the mean of each measure over some queries; fsum, so that their order changes no digit."""
    rows = [values[query] for query in queries]
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]}


def best_of(tried: Mapping[Ranker, Values], measure: str, queries: Sequence[str]) -> tuple[Ranker, float]:
    """Return the ranker with the highest mean over some queries, the first of several, and that mean.

    No value of any other query is looked at.
    """
    found = {one: means(values, queries)[measure] for one, values in tried.items()}
    best = max(found, key=found.__getitem__)
    return best, found[best]


def measures_of(measure: str | Measure, besides: str | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return all measures, first the one that settings are chosen by."""
    chosen = parse_measures([measure])
    if len(chosen) > 1:
        raise UsageError(f"settings are chosen by one measure, got {len(chosen)}: {shown(measure)}")
    return parse_measures([*chosen, *([besides] if isinstance(besides, str) else besides)])
