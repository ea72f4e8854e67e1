"""The usual measures, for all queries at once, with the digits that trec_eval gives.

Sums are made in the order of the ranks, as trec_eval makes them, and logarithms by the same library. Each formula
takes the places of the judged documents and the measure's parameters, and returns a value for each query.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.evaluate.places import NOWHERE, Ints, Places

Floats: TypeAlias = NDArray[np.float64]
Parameters: TypeAlias = Mapping[str, Any]
Formula: TypeAlias = Callable[[Places, Parameters], Floats]


@dataclass(frozen=True, slots=True)
class Hits:
    """The relevant documents that were found, by query and rank, and how many there are to find."""

    query: Ints
    rank: Ints  # from 0
    number: Ints  # of this hit in its query, from 1
    relevant: Ints  # for each query

    @property
    def precision(self) -> Floats:
        """Return the precision at the rank of each hit."""
        return self.number / (self.rank + 1)

    def count(self) -> Ints:
        """Return how many hits each query has."""
        return np.bincount(self.query, minlength=len(self.relevant))

    def sums(self, values: Floats) -> Floats:
        """Return the sum of the hits' values for each query, added one after another."""
        return _sums(self.query, values, len(self.relevant))


def hits(places: Places, parameters: Parameters) -> Hits:
    """Return the hits above the cut-off, if there is one."""
    is_relevant = places.grade >= parameters.get("rel", 1)
    relevant = np.bincount(places.query[is_relevant], minlength=places.queries)
    kept = is_relevant & (places.rank < parameters.get("cutoff", NOWHERE))
    query = places.query[kept]
    number = np.arange(1, len(query) + 1) - np.searchsorted(query, query)
    return Hits(query, places.rank[kept], number, relevant)


def _sums(query: Ints, values: Floats, queries: int) -> Floats:
    return np.bincount(query, values, minlength=queries).astype(np.float64, copy=False)


def shares(some: Floats | Ints, every: Floats | Ints) -> Floats:
    """Return one number divided by the other, 0 where that is 0."""
    return np.divide(some, every, out=np.zeros(len(some)), where=every > 0)


def discounts(count: int) -> Floats:
    """Return the logarithms that the gains of the first ranks are divided by."""
    return np.array([math.log2(rank + 2) for rank in range(count)])  # numpy's may differ in the last digit


def average_precision(places: Places, parameters: Parameters) -> Floats:
    """Return the sum of the precisions at the hits, by how many there are to find."""
    found = hits(places, parameters)
    return shares(found.sums(found.precision), found.relevant)


def reciprocal_rank(places: Places, parameters: Parameters) -> Floats:
    """Return 1 by the rank of the first hit."""
    found = hits(places, parameters)
    return found.sums(np.where(found.number == 1, 1 / (found.rank + 1), 0.0))


def precision(places: Places, parameters: Parameters) -> Floats:
    """Return the share of hits in the first documents, whether there are so many or not."""
    found: Floats = hits(places, parameters).count() / parameters["cutoff"]
    return found


def recall(places: Places, parameters: Parameters) -> Floats:
    """Return the share of the relevant documents that are among the first."""
    found = hits(places, parameters)
    return shares(found.count(), found.relevant)


def r_precision(places: Places, parameters: Parameters) -> Floats:
    """Return the precision of as many documents as there are to find."""
    found = hits(places, parameters)
    early = found.query[found.rank < found.relevant[found.query]]
    return shares(np.bincount(early, minlength=places.queries), found.relevant)


def success(places: Places, parameters: Parameters) -> Floats:
    """Return 1 where there is a hit among the first, else 0."""
    return (hits(places, parameters).count() > 0).astype(np.float64)


def set_precision(places: Places, parameters: Parameters) -> Floats:
    """Return the share of hits in the whole ranking."""
    return shares(hits(places, parameters).count(), places.ranked)


def set_f(places: Places, parameters: Parameters) -> Floats:
    """Return the weighted harmonic mean of precision and recall of the whole ranking."""
    beta = parameters.get("beta", 1.0)
    one, other = set_precision(places, parameters), recall(places, parameters)
    return shares((beta + 1.0) * one * other, other + beta * one)


def gain_of(parameters: Parameters) -> Callable[[Ints], Ints]:
    """Return what makes gains of grades, of which none is below 0."""
    table: dict[int, int] = parameters.get("gains", {})
    exponential = parameters.get("dcg") == "exp-log2"

    def gains(grades: Ints) -> Ints:
        changed = np.maximum(grades, 0)
        if exponential:
            return 2**changed - 1
        for grade, gain in table.items():
            changed[grades == grade] = gain
        return changed

    return gains


def ndcg(places: Places, parameters: Parameters) -> Floats:
    """Return the discounted sum of the gains by that of the best ranking there could be."""
    cutoff = parameters.get("cutoff", NOWHERE)
    gains = gain_of(parameters)(places.grade)
    best = np.lexsort((-gains, places.query))  # a query's judgements lie together, so it stays where it was
    place = np.arange(len(gains)) - np.searchsorted(places.query, places.query)
    seen = places.rank < cutoff
    logs = discounts(max(int(places.rank[seen].max(initial=-1)), int(place.max(initial=-1))) + 1)

    def sums(of: NDArray[np.bool_], gain: Ints, rank: Ints) -> Floats:
        return _sums(places.query[of], gain[of] / logs[rank[of]], places.queries)

    return shares(sums(seen, gains, places.rank), sums(place < cutoff, gains[best], place))


def interpolated_precision(places: Places, parameters: Parameters) -> Floats:
    """Return the best precision at or beyond a recall, as trec_eval has it."""
    return precision_at(places, [parameters["recall"]], parameters)[:, 0]


def precision_at(places: Places, points: list[float], parameters: Parameters) -> Floats:
    """Return interpolated precision at each point of recall, a row for each query.

    As in trec_eval, a point is reached with int(point * relevant + 0.9) hits.
    """
    found = hits(places, parameters)
    precisions = found.precision
    values = np.zeros((places.queries, len(points)))
    ends = np.cumsum(found.count())
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        if end > start:
            best = np.maximum.accumulate(precisions[start:end][::-1])[::-1]
            wanted = (np.array(points) * found.relevant[number] + 0.9).astype(np.int64) - 1
            reached = wanted < len(best)
            values[number, reached] = best[np.maximum(wanted[reached], 0)]
    return values


def max_f1(places: Places, parameters: Parameters) -> Floats:
    """Return the highest F1 at any rank."""
    found = hits(places, parameters)
    values = np.zeros(places.queries)
    np.maximum.at(values, found.query, 2 * found.number / (found.rank + 1 + found.relevant[found.query]))
    return values


FORMULAS: dict[str, Formula] = {
    "AP": average_precision,
    "IPrec": interpolated_precision,
    "MaxF1": max_f1,
    "P": precision,
    "R": recall,
    "RR": reciprocal_rank,
    "Rprec": r_precision,
    "SetF": set_f,
    "SetP": set_precision,
    "SetR": recall,
    "Success": success,
    "nDCG": ndcg,
}
