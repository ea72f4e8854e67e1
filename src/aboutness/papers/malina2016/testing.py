"""Tests of max F1: as the paper made them, taking queries for independent, and paired, as it should have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aboutness.evaluate.corrections import adjusted
from aboutness.evaluate.pairs import Pairs, all_pairs
from aboutness.evaluate.rank_tests import ManyRankers, friedman, kruskal_wallis
from aboutness.evaluate.significance import fisher
from aboutness.papers.malina2016.measured import GROUPS, Floats, Measured
from aboutness.papers.malina2016.methods import (
    ALGORITHM1,
    BM25,
    DEEPWALK,
    DEEPWALK_WEIGHTED,
    DOC2VEC,
    DOC2VEC_WEIGHTED,
    TFIDF,
)
from aboutness.papers.printed import printed
from aboutness.report.numbers import LEVEL

PAPER = "malina2016"
ALL = "all"
FAMILY = LEVEL / len(GROUPS)  # for each group

# R sorts methods by the names that the paper gave them, which are others for all queries than for groups.
_FIRST = (ALGORITHM1, BM25, DOC2VEC)
ORDER_OF_ALL = tuple(one.name for one in (*_FIRST, DEEPWALK, DEEPWALK_WEIGHTED, DOC2VEC_WEIGHTED, TFIDF))
ORDER_OF_GROUPS = tuple(one.name for one in (*_FIRST, DOC2VEC_WEIGHTED, DEEPWALK, DEEPWALK_WEIGHTED, TFIDF))


@dataclass(frozen=True)
class Tests:
    """All tests of some queries' max F1 by the seven methods."""

    name: str  # all, or a group
    queries: int
    kruskal: ManyRankers
    friedman: ManyRankers
    dunn: Pairs  # one-sided and times 21, as R's dunn.test prints it
    fisher: Pairs  # paired, by Holm
    wilcoxon: Pairs  # paired, by Holm

    @property
    def level(self) -> float:
        """Return the level of the tests: .05, and for a group a seventh of that."""
        return LEVEL if self.name == ALL else FAMILY

    @property
    def level_told(self) -> str:
        """Return the level as the paper has it."""
        return ".05" if self.name == ALL else ".05/7"

    @property
    def order(self) -> tuple[str, ...]:
        """Return the methods in the paper's order."""
        return self.dunn.names

    def decided(self, pairs: Pairs, better: str, worse: str) -> bool:
        """Tell whether a test finds one method better than another."""
        row, column = pairs.names.index(better), pairs.names.index(worse)
        way = pairs.differences if pairs.statistics is None else pairs.statistics
        return bool(pairs.adjusted[row, column] < self.level and way[row, column] > 0)

    def decisions(self, pairs: Pairs) -> set[frozenset[str]]:
        """Return the pairs of methods that a test tells apart."""
        return {
            frozenset((one, other))
            for one in self.order
            for other in self.order
            if self.decided(pairs, one, other)
        }


def apply_tests(name: str, values: Mapping[str, Floats], seed: int) -> Tests:
    """Return all tests of max F1; `values` has those of the seven methods, for the same queries."""
    ordered = {one: values[one] for one in (ORDER_OF_ALL if name == ALL else ORDER_OF_GROUPS)}
    return Tests(
        name,
        len(next(iter(ordered.values()))),
        kruskal_wallis(ordered),
        friedman(ordered),
        all_pairs(ordered, measure="max F1", test="dunn-one-sided", correction="bonferroni"),
        all_pairs(ordered, measure="max F1", test="fisher", seed=seed),
        all_pairs(ordered, measure="max F1", test="wilcoxon"),
    )


def all_tests(found: Measured, seed: int) -> dict[str, Tests]:
    """Return the tests of all queries, same label being relevant, and of each group, same group being so."""
    missions = {ALL: found.same_label, **found.groups}
    return {name: apply_tests(name, one.f1, seed) for name, one in missions.items()}


@dataclass(frozen=True)
class Agreement:
    """In how many pairs of methods a table of the paper and ours agree."""

    pairs: int
    sign: int
    decision: int  # p below the level
    decision_of_r: int  # p not above half of the level: dunn.test's own rule
    significant: int
    significant_in_paper: int


@dataclass(frozen=True)
class DunnCell:
    """One pair of methods, column less row."""

    z: float
    p: float
    paper_z: float
    paper_p: float
    level: float

    @property
    def same_sign(self) -> bool:
        """Tell whether both prefer the same method."""
        return bool(np.sign(self.z) == np.sign(self.paper_z))

    @property
    def same_decision(self) -> bool:
        """Tell whether both call the difference significant, or neither does."""
        return (self.p < self.level) == (self.paper_p < self.level)

    @property
    def same_decision_of_r(self) -> bool:
        """Tell the same by the rule of R's dunn.test."""
        return (self.p <= self.level / 2) == (self.paper_p <= self.level / 2)


def dunn_cells(tests: Tests) -> dict[tuple[str, str], DunnCell]:
    """Return by row and column what the paper prints and what was found; empty where it has no such table."""
    table, pairs = printed(PAPER), tests.dunn
    assert pairs.statistics is not None
    found = {}
    for row, column in _below(tests.order):
        z, p = (table.get((f"dunn {one} {tests.name}", row, column)) for one in ("z", "p"))
        if z is None or p is None or z.paper is None or p.paper is None:
            continue
        place = pairs.names.index(row), pairs.names.index(column)
        found[row, column] = DunnCell(
            float(0.0 - pairs.statistics[place]), float(pairs.adjusted[place]), z.paper, p.paper, tests.level
        )
    return found


def agreement(cells: Mapping[tuple[str, str], DunnCell]) -> Agreement:
    """Count in how many pairs both agree."""
    every = cells.values()
    return Agreement(
        len(cells),
        sum(one.same_sign for one in every),
        sum(one.same_decision for one in every),
        sum(one.same_decision_of_r for one in every),
        sum(one.p < one.level for one in every),
        sum(one.paper_p < one.level for one in every),
    )


def _below(order: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of row and column of a table whose upper half is empty."""
    return [(row, column) for place, row in enumerate(order) for column in order[:place]]


def against_best(values: Mapping[str, Floats], seed: int) -> tuple[str, dict[str, float]]:
    """Return the method with the highest mean, and for each other p of the difference: Fisher, by Holm."""
    best = max(values, key=lambda one: float(values[one].mean()))
    return best, against(values, best, seed)


def against(values: Mapping[str, Floats], one: str, seed: int) -> dict[str, float]:
    """Return for each other method p of its difference to one: Fisher's paired test, corrected by Holm."""
    others = [name for name in values if name != one]
    found = [fisher(values[one], values[name], seed=seed).p_value for name in others]
    return dict(zip(others, adjusted(found).tolist(), strict=True))
