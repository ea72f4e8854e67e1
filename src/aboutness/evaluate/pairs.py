"""All pairs of several rankers, tested at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from aboutness.core.errors import UsageError
from aboutness.core.finite import finite
from aboutness.core.registry import Registry
from aboutness.evaluate.corrections import CORRECTIONS
from aboutness.evaluate.effects import cliffs_delta, cohens_dz, rank_biserial
from aboutness.evaluate.rank_tests import ManyRankers, dunn_z, friedman, kruskal_wallis, nemenyi_p, one_sided_p
from aboutness.evaluate.significance import PERMUTATIONS, TESTS, fisher
from aboutness.evaluate.values import Floats, Values, all_paired

if TYPE_CHECKING:
    from aboutness.frames.frame import Frame


@dataclass(frozen=True, eq=False)
class Pairs:
    """Several rankers by one measure, each against each; the arrays have a row and a column for each ranker."""

    names: tuple[str, ...]
    measure: str
    test: str
    correction: str
    n: int
    """How many queries there are."""
    differences: Floats = field(repr=False)
    """The mean of the row's ranker less that of the column's."""
    p_values: Floats = field(repr=False)
    adjusted: Floats = field(repr=False)
    """The p-values, corrected for the number of pairs."""
    effects: Floats = field(repr=False)
    """How large the difference is, row less column, as `effect` names it."""
    why: str
    """Which test this is, and why one would choose it."""
    effect: str = "Cohen's d_z"
    statistics: Floats | None = field(default=None, repr=False)
    """The test's own numbers, row less column, where it has one for each pair: z or a difference of mean ranks."""
    omnibus: ManyRankers | None = None
    """The test of all rankers together that this one follows, where it follows one."""
    permutations: int = 0
    """How many were sampled for a pair of which not all could be tried."""
    sampled: int = 0
    """How many pairs were tested so."""

    def to_json(self) -> dict[str, Any]:
        """Return all in plain values; what is beyond all bounds is None."""
        return {
            "measure": self.measure,
            "test": self.test,
            "correction": self.correction,
            "queries": self.n,
            "why": self.why,
            "names": list(self.names),
            "differences": _plain(self.differences),
            "p_values": _plain(self.p_values),
            "adjusted": _plain(self.adjusted),
            "effect": self.effect,
            "effects": _plain(self.effects),
            **({"statistics": _plain(self.statistics)} if self.statistics is not None else {}),
            **({"omnibus": self.omnibus.to_json()} if self.omnibus is not None else {}),
            **({"permutations": self.permutations, "sampled": self.sampled} if self.sampled else {}),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each pair, the one that was named first before the other."""
        return [
            {
                "ranker": self.names[i],
                "other": self.names[j],
                "difference": float(self.differences[i, j]),
                "p": float(self.p_values[i, j]),
                "adjusted": float(self.adjusted[i, j]),
                "effect": float(self.effects[i, j]),
            }
            for i, j in combinations(range(len(self.names)), 2)
        ]

    def to_frame(self) -> Frame:
        """Return a data frame with a row for each pair."""
        from aboutness.frames.frame import frame_of

        return frame_of(self.rows(), ["ranker", "other", "difference", "p", "adjusted", "effect"])

    def __str__(self) -> str:
        cells = [
            [row["ranker"], row["other"], f"{row['difference']:+.4f}", f"{row['p']:.2g}", f"{row['adjusted']:.2g}",
             f"{row['effect']:+.2f}"]
            for row in self.rows()
        ]  # fmt: skip
        table = [["ranker", "other", "difference", "p", f"p ({self.correction})", self.effect], *cells]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table
        )
        return "\n".join([f"{self.measure or 'differences'} over {self.n:,} queries", *lines, self.why])


class Tested(NamedTuple):
    """What a test of all pairs gives."""

    p_values: Floats
    why: str
    effect: Callable[[Floats, Floats], float] = cohens_dz
    effect_name: str = "Cohen's d_z"
    statistics: Floats | None = None
    follows: Callable[[Mapping[str, Values]], ManyRankers] | None = None
    already_corrected: bool = False
    sampled: int = 0


class Options(NamedTuple):
    """What only some tests need."""

    permutations: int
    seed: int


PAIR_TESTS: Registry[Callable[[Floats, Options], Tested]] = Registry("test")


def all_pairs(
    values: Mapping[str, Values],
    *,
    measure: str = "",
    test: str = "fisher",
    correction: str = "holm",
    permutations: int = PERMUTATIONS,
    seed: int = 1,
) -> Pairs:
    """Test each ranker against each by one measure's values for the same queries, which `values` has by ranker.

    Tests: "fisher" (which alone needs permutations and seed), "t", "wilcoxon" and "sign" are paired; "nemenyi"
    follows Friedman's test, and corrects for the number of pairs itself; "dunn" follows that of Kruskal and
    Wallis, which takes values for the same queries for independent, and "dunn-one-sided" gives p as R's dunn.test
    prints it: for the side where the difference is. Corrections: "holm", "bonferroni", "none".

    >>> found = all_pairs({"a": [0.5, 0.75, 1.0], "b": [0.25, 0.5, 0.0], "c": [0.5, 0.75, 0.5]}, measure="AP")
    >>> print(found)  # doctest: +ELLIPSIS
    AP over 3 queries
    ranker  other  difference  p     p (holm)  Cohen's d_z
    a       b      +0.5000     0.25  0.75      +1.15
    a       c      +0.1667     1     1         +0.58
    b       c      -0.3333     0.25  0.75      -2.31
    Fisher's randomisation test, two-sided: paired, for ...
    """
    chosen, correct = PAIR_TESTS[test], CORRECTIONS[correction]
    rows = all_paired(values)
    k = len(rows)
    tested = chosen(rows, Options(permutations, seed))
    if tested.already_corrected:
        correction, correct = "none", CORRECTIONS["none"]
    upper = np.triu_indices(k, 1)
    adjusted, effects = np.ones((k, k)), np.zeros((k, k))
    adjusted[upper] = correct(tested.p_values[upper])
    effects[upper] = [tested.effect(rows[i], rows[j]) for i, j in zip(*upper, strict=True)]
    means = np.array([math.fsum(row) / len(row) for row in rows])
    return Pairs(
        names=tuple(values),
        measure=measure,
        test=test,
        correction=correction,
        n=rows.shape[1],
        differences=means[:, None] - means,
        p_values=tested.p_values,
        adjusted=np.minimum(adjusted, adjusted.T),
        effects=effects - effects.T,
        why=tested.why,
        effect=tested.effect_name,
        statistics=tested.statistics,
        omnibus=tested.follows(values) if tested.follows else None,
        permutations=permutations if tested.sampled else 0,
        sampled=tested.sampled,
    )


def r_table(pairs: Pairs) -> str:
    """Return Dunn's z and p in the form in which R's dunn.test prints them: column less row, below each other."""
    if pairs.statistics is None or not pairs.test.startswith("dunn"):
        raise UsageError(f"only Dunn's test has such a table, got {pairs.test!r}")
    width = max(10, *map(len, pairs.names)) + 2
    lines = ["".join(name.rjust(width) for name in ("", *pairs.names[:-1]))]
    for row, name in enumerate(pairs.names[1:], start=1):
        z = [f"{0 - pairs.statistics[row, column]:.6f}" for column in range(row)]
        p = [f"{pairs.adjusted[row, column]:.4f}" for column in range(row)]
        lines += ["".join(cell.rjust(width) for cell in cells).rstrip() for cells in ([name, *z], ["", *p])]
    return "\n".join(lines)


def _plain(numbers: Floats) -> list[list[float | None]]:
    return [[finite(one) for one in row] for row in numbers.tolist()]


def _one_by_one(name: str) -> Callable[[Floats, Options], Tested]:
    """Return what tests all pairs by a test of two rankers."""

    def test(rows: Floats, options: Options) -> Tested:
        k = len(rows)
        p_values, whys, sampled = np.ones((k, k)), dict[str, None](), 0
        for i, j in combinations(range(k), 2):
            if name == "fisher":
                found: Any = fisher(rows[i], rows[j], permutations=options.permutations, seed=options.seed)
                sampled += not found.exact
            else:
                found = TESTS[name](rows[i], rows[j])
            p_values[i, j] = p_values[j, i] = found.p_value
            whys[found.why] = None
        tested = Tested(p_values, "; or ".join(whys), sampled=sampled)
        if name == "wilcoxon":
            return tested._replace(effect=rank_biserial, effect_name="rank-biserial correlation")
        return tested

    return test


def _dunn(rows: Floats, _: Options) -> Tested:
    z = dunn_z(rows)
    p_values = np.minimum(2 * one_sided_p(z), 1.0)
    why = (
        "Dunn's test, two-sided: by ranks, it assumes no distribution, and follows a Kruskal-Wallis test; it "
        "takes the rankers' values for independent of each other, which those for the same queries are not"
    )
    return Tested(p_values, why, cliffs_delta, "Cliff's delta", z, kruskal_wallis)


def _dunn_one_sided(rows: Floats, options: Options) -> Tested:
    z = dunn_z(rows)
    p_values = one_sided_p(z)
    np.fill_diagonal(p_values, 1.0)
    why = _dunn(rows, options).why.replace("two-sided", "one-sided as in R's dunn.test")
    return Tested(p_values, why, cliffs_delta, "Cliff's delta", z, kruskal_wallis)


def _nemenyi(rows: Floats, _: Options) -> Tested:
    apart, p_values = nemenyi_p(rows)
    why = (
        "Nemenyi's test: paired, for all rankers answer the same queries, by the ranks of the rankers within each "
        "query; it follows a Friedman test, and its p-values hold for all pairs together"
    )
    return Tested(p_values, why, statistics=apart, follows=friedman, already_corrected=True)


for _name in TESTS:
    PAIR_TESTS.register(_name, _one_by_one(_name))
PAIR_TESTS.register("nemenyi", _nemenyi)
PAIR_TESTS.register("dunn", _dunn)
PAIR_TESTS.register("dunn-one-sided", _dunn_one_sided)
