"""How good rankings are, by judgements: values for each query and their means."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aboutness.core.errors import BadInput, shown
from aboutness.evaluate.computing import values
from aboutness.evaluate.judgements import Qrels, checked
from aboutness.evaluate.measures import DEFAULT_MEASURES
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.evaluate.runs import Ranking, best_first

if TYPE_CHECKING:
    from ir_measures import Measure

AT_ONCE = 256  # queries measured at once: bounds the memory where a run makes its rankings when asked


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


def evaluate(
    qrels: Qrels, run: Mapping[str, Ranking], measures: str | Iterable[str | Measure] = DEFAULT_MEASURES
) -> Evaluation:
    """Measure rankings as `trec_eval -c` does: the mean is over all queries that have judgements.

    The order of a ranking is that of its scores, with ties broken as `best_first` says.
    """
    chosen = parse_measures(measures)
    judged = checked(qrels)
    found: dict[str, dict[str, float]] = {}
    queries = list(judged)
    for first in range(0, len(queries), AT_ONCE):
        ranked = {query: ranking for query in queries[first : first + AT_ONCE] if (ranking := run.get(query))}
        documents = [_documents(query, ranking) for query, ranking in ranked.items()]
        found |= zip(ranked, values([judged[query] for query in ranked], documents, chosen), strict=True)
    nothing = {str(measure): 0.0 for measure in chosen}
    per_query = {query: found.get(query) or dict(nothing) for query in judged}
    return Evaluation(
        measures=tuple(nothing),
        per_query=per_query,
        # fsum, so that the order of the queries changes no digit.
        mean={name: math.fsum(row[name] for row in per_query.values()) / len(per_query) for name in nothing},
        queries=len(per_query),
        unanswered=tuple(query for query in judged if query not in found),
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


def _documents(query: str, ranking: Ranking) -> list[str]:
    documents = [document for document, _ in best_first(query, ranking)]
    if len(set(documents)) < len(documents):
        twice = next(one for place, one in enumerate(documents) if one in documents[:place])
        raise BadInput(f"query {shown(query)}: document {shown(twice)} is ranked twice")
    return documents
