"""Tests of two rankers' values for the same queries that are older than computers: t, Wilcoxon, sign."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aboutness.core.finite import finite
from aboutness.evaluate.values import Floats, Values, average_ranks, differences, paired

MOST_EXACT = 50  # differences whose signs are all counted by Wilcoxon's test


@dataclass(frozen=True, slots=True)
class Difference:
    """What a test of two rankers found."""

    difference: float
    """The mean of the first ranker's values less that of the second's."""
    p_value: float
    """How often chance alone makes a difference at least as large, whichever ranker is the better."""
    n: int
    """How many queries there are."""
    statistic: float
    """The test's own number: t, the smaller of Wilcoxon's sums of ranks, or how many queries the first wins."""
    why: str
    """Which test this is, and why one would choose it."""

    def to_json(self) -> dict[str, Any]:
        """Return the result in plain values; a statistic beyond all bounds is None."""
        return asdict(self) | {"statistic": finite(self.statistic)}

    def __str__(self) -> str:
        test = self.why.partition(":")[0]
        return f"{self.difference:+.4f}, p = {self.p_value:.2g} ({test}, {self.n:,} queries)"


def paired_t(a: Values, b: Values) -> Difference:
    """Test the difference of two means by Student's t for pairs, two-sided.

    A single query shows nothing: p is 1. Where all differences are the same, and not 0, p is 0. What is only
    rounding is no difference.

    >>> print(paired_t([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.0, 0.25]))
    +0.4375, p = 0.1 (paired t-test, two-sided, 4 queries)
    """
    first, second = paired(a, b)
    n, mean = len(first), math.fsum(first - second) / len(first)
    sizes = differences(first, second)
    if n == 1 or not sizes.any():
        statistic, p_value = 0.0, 1.0
    elif sizes.min() == sizes.max():
        statistic, p_value = math.copysign(math.inf, mean), 0.0
    else:
        from scipy.special import stdtr

        statistic = mean / (float((first - second).std(ddof=1)) / math.sqrt(n))
        p_value = float(2 * stdtr(n - 1, -abs(statistic)))
    why = (
        "paired t-test, two-sided: paired, for all rankers answer the same queries; it takes the differences for "
        "normally distributed, which matters little over many queries"
    )
    return Difference(mean, p_value, n, statistic, why)


def wilcoxon(a: Values, b: Values) -> Difference:
    """Test two rankers by Wilcoxon's signed ranks, two-sided.

    Queries without a difference are left out, as Wilcoxon did, and differences of the same size share the mean of
    their ranks. With at most 50 differences p is exact, also where some are of the same size; with more it is that
    of the normal distribution, with the variance corrected for such ties and no correction for continuity.

    >>> print(wilcoxon([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.0, 0.25]))
    +0.4375, p = 0.12 (Wilcoxon's signed-rank test, two-sided, exact, 4 queries)
    """
    first, second = paired(a, b)
    sizes = differences(first, second)
    sizes = sizes[sizes != 0]
    ranks, ties = average_ranks(np.abs(sizes))
    won = float(ranks[sizes > 0].sum())
    exact = len(sizes) <= MOST_EXACT
    p_value = _exact_p(ranks, won) if exact else _normal_p(ties, won)
    why = (
        f"Wilcoxon's signed-rank test, two-sided, {'exact' if exact else 'normal approximation'}: paired, for all "
        "rankers answer the same queries; it looks at the order of the differences, not at their sizes; queries "
        "without a difference are left out"
    )
    mean = math.fsum(first - second) / len(first)
    return Difference(mean, p_value, len(first), min(won, float(ranks.sum()) - won), why)


def sign_test(a: Values, b: Values) -> Difference:
    """Test whether one ranker wins more queries than the other, two-sided and exact; ties are left out.

    >>> print(sign_test([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.0, 0.5]))
    +0.3750, p = 0.25 (sign test, two-sided, exact, 4 queries)
    """
    first, second = paired(a, b)
    signs = np.sign(differences(first, second))
    won, lost = int((signs > 0).sum()), int((signs < 0).sum())
    ways, some = 0, 1  # of some wins out of all, from none on
    for wins in range(min(won, lost) + 1):
        ways += some
        some = some * (won + lost - wins) // (wins + 1)
    p_value = min(1.0, 2 * ways / 2 ** (won + lost)) if won + lost else 1.0
    why = (
        "sign test, two-sided, exact: paired, for all rankers answer the same queries; it looks only at which of "
        "two rankers is better, and leaves out queries without a difference"
    )
    return Difference(math.fsum(first - second) / len(first), p_value, len(first), float(won), why)


def _exact_p(ranks: Floats, won: float) -> float:
    """Return how often the sum of the ranks with a sign is as far from its mean, of all ways of giving signs."""
    doubled = np.round(2 * ranks).astype(np.int64)  # a mean of ranks may end in .5
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    smaller = min(round(2 * won), len(ways) - 1 - round(2 * won))
    return min(1.0, float(2 * ways[: smaller + 1].sum() / 2.0 ** len(ranks)))


def _normal_p(ties: np.ndarray[Any, np.dtype[np.int64]], won: float) -> float:
    n = int(ties.sum())
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    return math.erfc(abs(won - n * (n + 1) / 4) / math.sqrt(2 * variance))
