"""Tests of the difference between two rankers' values for the same queries: is it more than chance?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np

from aboutness.core.kinds import Whole, checked
from aboutness.core.registry import Registry
from aboutness.evaluate.evaluation import Evaluation
from aboutness.evaluate.paired_tests import Difference, paired_t, sign_test, wilcoxon
from aboutness.evaluate.values import Floats, Values, paired

PERMUTATIONS = 100_000
MOST_EXACT = 32  # differences whose signs are all tried: two halves of 65,536 sums each
AT_ONCE = 1 << 16  # permutations sampled at once
TOGETHER = 8  # differences whose signs are one byte of chance
ROUNDING = 64 * 2.0**-52  # of the sum of all values: sums of differences that are nearer are the same
WHY = (
    "Fisher's randomisation test, two-sided: paired, for all rankers answer the same queries, and it assumes "
    "nothing about how the values are distributed"
)


@dataclass(frozen=True, slots=True)
class Randomisation:
    """What a randomisation test found."""

    difference: float
    """The mean of the first ranker's values less that of the second's."""
    p_value: float
    """How often chance alone makes a difference at least as large, whichever ranker is the better."""
    n: int
    """How many queries there are."""
    permutations: int
    """How many ways of swapping the rankers' values were looked at."""
    exact: bool
    """Whether these are all there are; queries without a difference are not swapped."""

    @property
    def why(self) -> str:
        """Return which test this is, and why one would choose it."""
        return WHY

    def to_json(self) -> dict[str, Any]:
        """Return the result in plain values."""
        return asdict(self)

    def __str__(self) -> str:
        tried = f"{'all ' if self.exact else ''}{self.permutations:,} permutations"
        return (
            f"{self.difference:+.4f}, p = {self.p_value:.2g} "
            f"(Fisher's randomisation test, {self.n:,} queries, {tried})"
        )


def fisher(a: Values, b: Values, *, permutations: int = PERMUTATIONS, seed: int = 1) -> Randomisation:
    """Test the difference of the means of two rankers' values by Fisher's randomisation, paired and two-sided.

    If the rankers did not differ, the values of each query could as well be swapped (Smucker, Allan and Carterette
    2007). All ways of swapping are tried where at most 32 queries differ. Else so many are sampled, and the
    observed one counts as one more, so that p is never 0. Neither the order of the queries nor that of the rankers
    changes p.

    >>> print(fisher({"q1": 0.5, "q2": 0.75, "q3": 1.0}, {"q1": 0.25, "q2": 0.5, "q3": 0.0}))
    +0.5000, p = 0.25 (Fisher's randomisation test, 3 queries, all 8 permutations)
    """
    permutations = checked(Whole(1, 10**12), "permutations", permutations)
    seed = checked(Whole(0, (1 << 63) - 1), "seed", seed)
    first, second = paired(a, b)
    differences = first - second
    total = math.fsum(differences)
    sizes = np.sort(np.abs(differences[differences != 0]))
    # Values are rounded when they are made, and sums when they are added: what is as extreme must count as such.
    least = abs(total) - ROUNDING * (math.fsum(np.abs(first)) + math.fsum(np.abs(second)))
    exact = len(sizes) <= MOST_EXACT
    if least <= 0:
        p_value = 1.0
    elif exact:
        p_value = _share_of_all(sizes, least)
    else:
        p_value = (1 + _sampled_as_extreme(sizes, least, permutations, seed)) / (1 + permutations)
    tried = 1 << len(sizes) if exact else permutations
    return Randomisation(total / len(first), p_value, len(first), tried, exact)


def _share_of_all(sizes: Floats, least: float) -> float:
    """Return the share of all sums with signs that are at least so far from 0.

    Each sum is one of the first half of the differences and one of the others; these are sorted, not paired.
    """
    half = len(sizes) // 2
    some, others = np.sort(_signed_sums(sizes[:half])), np.sort(_signed_sums(sizes[half:]))
    above = len(others) * len(some) - int(np.searchsorted(others, least - some).sum())
    return min(1.0, 2 * above / (1 << len(sizes)))  # as many are below; one near 0 may seem to be both


def _sampled_as_extreme(sizes: Floats, least: float, permutations: int, seed: int) -> int:
    """Return how many of some sums with signs by chance are at least so far from 0."""
    chance = np.random.default_rng(seed)
    tables = [_signed_sums(sizes[first : first + TOGETHER]) for first in range(0, len(sizes), TOGETHER)]
    found = 0
    for first in range(0, permutations, AT_ONCE):
        sums = np.zeros(min(AT_ONCE, permutations - first))
        for table in tables:
            sums += table[chance.integers(len(table), size=len(sums), dtype=np.uint8)]
        found += int(np.count_nonzero(np.abs(sums) >= least))
    return found


def _signed_sums(sizes: Floats) -> Floats:
    """Return the sum of some numbers for each way of giving them signs."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


Tested: TypeAlias = Randomisation | Difference
TESTS: Registry[Callable[[Values, Values], Tested]] = Registry("test")
TESTS.register("fisher", fisher)
TESTS.register("t", paired_t)
TESTS.register("wilcoxon", wilcoxon)
TESTS.register("sign", sign_test)


def compare_evaluations(one: Evaluation, baseline: Evaluation, test: str = "fisher") -> dict[str, Tested]:
    """Test one ranker against another by each measure that both have; the difference is what it is better by."""
    chosen = TESTS[test]
    names = [name for name in one.measures if name in baseline.measures]
    return {name: chosen(values_of(one, name), values_of(baseline, name)) for name in names}


def values_of(evaluation: Evaluation, measure: str) -> dict[str, float]:
    """Return the values of one measure by query."""
    return {query: values[measure] for query, values in evaluation.per_query.items()}
