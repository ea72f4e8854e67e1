"""How good rankings are, by judgements: values for each query and their means."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aboutness.evaluate.computing import values
from aboutness.evaluate.judgements import Qrels, checked
from aboutness.evaluate.measures import DEFAULT_MEASURES
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.evaluate.places import places
from aboutness.evaluate.runs import Ranked

if TYPE_CHECKING:
    from ir_measures import Measure

    from aboutness.frames.frame import Frame


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `evaluate` found; every mapping has the measures' names as keys, in the order they were asked for."""

    measures: tuple[str, ...]
    per_query: dict[str, dict[str, float]]
    mean: dict[str, float]
    queries: int
    """How many queries the means are over: all that have judgements."""
    unanswered: tuple[str, ...]
    """Judged queries without a ranking; every measure of them is 0."""
    unjudged: tuple[str, ...]
    """Queries with a ranking but no judgements; they are left out."""
    without_relevant: tuple[str, ...]
    """Judged queries whose grades are all 0 or less: there is nothing to find, and yet the means are over them."""

    @property
    def deviation(self) -> dict[str, float]:
        """Return the standard deviation of each measure over the queries, as of a sample; 0 for a single query."""
        return {name: _deviation([row[name] for row in self.per_query.values()]) for name in self.measures}

    def to_frame(self) -> Frame:
        """Return a data frame with a row for each query: `qid`, and a column for each measure."""
        from aboutness.frames.frame import frame_of

        rows = ({"qid": query, **values} for query, values in self.per_query.items())
        return frame_of(rows, ["qid", *self.measures])


def evaluate(
    qrels: Qrels,
    run: Mapping[str, Ranked],
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str | None = None,
) -> Evaluation:
    """Measure rankings as `trec_eval -c` does: the mean is over all queries that have judgements.

    A ranking is a list of documents with their scores, or scores by document; its order is that of the scores,
    with ties broken as `best_first` says. A convention such as "galke2017" changes what some measures mean.

    >>> evaluate({"q": {"d1": 1, "d2": 1}}, {"q": {"d3": 2.0, "d2": 1.5}}, "AP,RR").mean
    {'AP': 0.25, 'RR': 0.5}
    """
    chosen = parse_measures(measures, convention)
    judged = checked(qrels)
    found = places(judged, run)
    columns = {name: column.tolist() for name, column in values(found, chosen).items()}
    rows = zip(*columns.values(), strict=True)
    return Evaluation(
        measures=tuple(columns),
        per_query={query: dict(zip(columns, row, strict=True)) for query, row in zip(judged, rows, strict=True)},
        # fsum, so that the order of the queries changes no digit.
        mean={name: math.fsum(column) / len(column) for name, column in columns.items()},
        queries=len(judged),
        unanswered=tuple(query for query, count in zip(judged, found.ranked.tolist(), strict=True) if not count),
        unjudged=tuple(query for query in run if query not in judged),
        without_relevant=tuple(query for query, grades in judged.items() if max(grades.values()) <= 0),
    )


def unknown_documents(qrels: Qrels, known: Container[str] | Callable[[str], bool]) -> dict[str, list[str]]:
    """Return, for each query that has some, the judged documents that a collection does not have.

    `evaluate` counts them as never found, which is right if the collection is whole and tells of a mistake if it
    is not.
    """
    is_known = known if callable(known) else known.__contains__
    missing = {query: [one for one in judged if not is_known(one)] for query, judged in qrels.items()}
    return {query: documents for query, documents in missing.items() if documents}


def _deviation(values: list[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1))
