"""What is measured of each method, for each query: precision over recall and max F1, by both missions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aboutness.evaluate import formulas
from aboutness.evaluate.places import Places
from aboutness.papers.malina2016.modapte import SAME_GROUP, SAME_LABEL

Floats = NDArray[np.float64]

FIRST = tuple(np.linspace(0, 0.1, 10).tolist())  # the paper's points of recall
WHOLE = tuple((np.arange(101) / 100).tolist())
SEGMENTS = {"recall 0 to .1": (0.0, 0.1), "recall .1 to .5": (0.1, 0.5), "recall .5 to 1": (0.5, 1.0)}
EARLY = next(iter(SEGMENTS))
GROUPS = ("economy", "bulk", "acq", "earn", "currency", "metal", "fuel")  # in the paper's order


@dataclass(frozen=True)
class Mission:
    """One notion of relevance: by method, a value or a row of values for each query."""

    queries: tuple[str, ...]
    f1: Mapping[str, Floats] = field(repr=False)  # the highest over the whole ranking
    precision: Mapping[str, Floats] = field(repr=False)  # interpolated, at FIRST and then at WHOLE

    def of(self, chosen: Iterable[str]) -> Mission:
        """Return the same of some queries."""
        wanted = set(chosen)
        kept = np.array([query in wanted for query in self.queries], np.bool_)
        return Mission(
            tuple(query for query in self.queries if query in wanted),
            {name: values[kept] for name, values in self.f1.items()},
            {name: values[kept] for name, values in self.precision.items()},
        )

    def f1_of(self, names: Sequence[str]) -> dict[str, Floats]:
        """Return max F1 of some methods, in their order."""
        return {name: self.f1[name] for name in names}

    def curve(self, name: str) -> list[float]:
        """Return the mean interpolated precision at the paper's points of recall."""
        found: list[float] = self.precision[name][:, : len(FIRST)].mean(axis=0).tolist()
        return found

    def whole_curve(self, name: str) -> list[float]:
        """Return the mean interpolated precision at all points of recall from 0 to 1."""
        found: list[float] = self.precision[name][:, len(FIRST) :].mean(axis=0).tolist()
        return found

    def segment(self, name: str, segment: str) -> Floats:
        """Return for each query its mean interpolated precision over a part of the curve."""
        low, high = SEGMENTS[segment]
        points = np.array(WHOLE)
        inside = (points >= low) & (points <= high)
        found: Floats = self.precision[name][:, len(FIRST) :][:, inside].mean(axis=1)
        return found

    def segments(self, names: Sequence[str], segment: str) -> dict[str, Floats]:
        """Return the same of several methods."""
        return {name: self.segment(name, segment) for name in names}


@dataclass(frozen=True)
class Measured:
    """Both missions: documents with the query's label are relevant, or those with a label of its group."""

    same_label: Mission
    same_group: Mission
    group_of: Mapping[str, str]  # of each query

    @property
    def groups(self) -> dict[str, Mission]:
        """Return the second mission by the group of the queries, in the paper's order; those that have some."""
        found = {
            group: [query for query in self.same_group.queries if self.group_of[query] == group]
            for group in GROUPS
        }
        return {group: self.same_group.of(queries) for group, queries in found.items() if queries}


def mission(queries: Sequence[str], places: Mapping[str, Places], grade: int) -> Mission:
    """Return what is measured where documents of a grade or a higher one are relevant."""
    relevant = {"rel": grade}
    return Mission(
        tuple(queries),
        {name: formulas.max_f1(one, relevant) for name, one in places.items()},
        {name: formulas.precision_at(one, [*FIRST, *WHOLE], relevant) for name, one in places.items()},
    )


def measured(queries: Sequence[str], places: Mapping[str, Places], group_of: Mapping[str, str]) -> Measured:
    """Return both missions, from where the judged documents stand in each method's rankings."""
    return Measured(mission(queries, places, SAME_LABEL), mission(queries, places, SAME_GROUP), group_of)
