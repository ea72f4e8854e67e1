"""Where the judged documents of queries stand in their rankings: all that a measure needs to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import BadInput, shown
from aboutness.evaluate.runs import Ranked, Ranking, finite_scores

Ints: TypeAlias = NDArray[np.int64]

NOWHERE = np.iinfo(np.int64).max
"""The rank of a document that was not found."""


@dataclass(frozen=True, slots=True)
class Places:
    """One entry for each judgement, by query and then by rank; and one number for each query."""

    query: Ints
    """The number of the query."""
    rank: Ints
    """The rank of the document, from 0."""
    grade: Ints
    ranked: Ints
    """For each query, how many documents its ranking has."""

    @property
    def queries(self) -> int:
        """Return how many queries there are."""
        return len(self.ranked)

    def judged_only(self) -> Places:
        """Return the places in rankings from which all documents without a judgement were taken out.

        As in trec_eval, a grade below 0 is none.
        """
        seen = (self.rank < NOWHERE) & (self.grade >= 0)
        query = self.query[seen]
        rank = np.full(len(self.rank), NOWHERE)
        rank[seen] = np.arange(len(query)) - np.searchsorted(query, query)
        return Places(self.query, rank, self.grade, np.bincount(query, minlength=self.queries))


def places(judged: Mapping[str, Mapping[str, int]], run: Mapping[str, Ranked]) -> Places:
    """Find the judged documents of all queries that have some in their rankings, which may be lacking."""
    sizes = [len(grades) for grades in judged.values()]
    grade = np.fromiter((one for grades in judged.values() for one in grades.values()), np.int64, sum(sizes))
    rank = np.full(sum(sizes), NOWHERE)
    ranked = np.zeros(len(sizes), np.int64)
    first = 0
    for number, (query, grades) in enumerate(judged.items()):
        if ranking := run.get(query):
            ranked[number] = len(ranking)
            rank[first : first + len(grades)] = _ranks(query, ranking, grades)
        first += len(grades)
    query_of = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((rank, query_of))
    return Places(query_of, rank[order], grade[order], ranked)


def _ranks(query: str, ranking: Ranked, documents: Mapping[str, int]) -> Ints:
    """Return the ranks of some documents, in the order of `best_first`.

    A document's rank is how many have a higher score; ids are looked at only where scores are the same.
    """
    by_document = ranking if isinstance(ranking, Mapping) else _by_document(query, ranking)
    scores = finite_scores(query, by_document)
    with np.errstate(over="ignore", under="ignore"):
        own = np.array([by_document.get(document, np.nan) for document in documents], np.float32)
    ordered = np.sort(scores)
    higher = len(scores) - np.searchsorted(ordered, own, "right")
    tied = own[len(scores) - np.searchsorted(ordered, own, "left") - higher > 1]
    if len(tied):
        before = _before_equals(list(by_document), scores, tied)
        higher = higher + np.array([before.get(document, 0) for document in documents])
    return np.where(np.isnan(own), NOWHERE, higher)


def _before_equals(documents: list[str], scores: NDArray[np.float32], tied: NDArray[np.float32]) -> dict[str, int]:
    """Return, for documents with one of some scores, how many with the same score have a greater id."""
    groups: dict[float, list[str]] = {}
    for place in np.flatnonzero(np.isin(scores, tied)).tolist():
        groups.setdefault(float(scores[place]), []).append(documents[place])
    return {one: rank for group in groups.values() for rank, one in enumerate(sorted(group, reverse=True))}


def _by_document(query: str, ranking: Ranking) -> dict[str, float]:
    scores = dict(ranking)
    if len(scores) < len(ranking):
        twice = next(one for one, count in Counter(one for one, _ in ranking).items() if count > 1)
        raise BadInput(f"query {shown(query)}: document {shown(twice)} is ranked twice")
    return scores
