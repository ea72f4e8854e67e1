"""Tests of several rankers at once by ranks: Kruskal-Wallis, Friedman, and what Dunn and Nemenyi add for pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aboutness.core.errors import UsageError
from aboutness.core.kinds import Number, Whole, checked
from aboutness.evaluate.values import Floats, Values, all_paired, average_ranks, numbers


@dataclass(frozen=True, slots=True)
class ManyRankers:
    """Whether several rankers differ at all."""

    statistic: float
    """Distributed as chi-squared if they do not."""
    df: int
    p_value: float
    rankers: int
    n: int
    """How many values, or queries, there are."""
    why: str
    """Which test this is, and why one would choose it."""

    def to_json(self) -> dict[str, Any]:
        """Return the result in plain values."""
        return asdict(self)

    def __str__(self) -> str:
        test = self.why.partition(":")[0]
        return f"chi-squared = {self.statistic:.4f}, df = {self.df}, p = {self.p_value:.2g} ({test})"


def kruskal_wallis(values: Mapping[str, Values]) -> ManyRankers:
    """Test whether values of several rankers come from one distribution, as if each had queries of its own.

    Equal values share the mean of their ranks, and the statistic is corrected for them.

    >>> print(kruskal_wallis({"a": [1, 2, 3], "b": [2, 3, 4], "c": [6, 7, 8]}))
    chi-squared = 6.0565, df = 2, p = 0.048 (Kruskal-Wallis test)
    """
    rows = _independent(values)
    ranks, ties = average_ranks(np.concatenate(rows))
    n = len(ranks)
    parts = np.split(ranks, np.cumsum([len(row) for row in rows])[:-1])
    between = math.fsum(part.sum() ** 2 / len(part) for part in parts)
    corrected = 1 - float((ties**3 - ties).sum()) / (n**3 - n) if n > 1 else 0.0
    statistic = (12 / (n * (n + 1)) * between - 3 * (n + 1)) / corrected if corrected > 0 else 0.0
    why = (
        "Kruskal-Wallis test: by ranks, it assumes no distribution; it takes the values of the rankers for "
        "independent of each other, which those for the same queries are not: Friedman's is for these"
    )
    return ManyRankers(statistic, len(rows) - 1, _chi_squared(statistic, len(rows) - 1), len(rows), n, why)


def friedman(values: Mapping[str, Values]) -> ManyRankers:
    """Test whether several rankers differ by their ranks within each query; equal values share their mean rank.

    >>> print(friedman({"a": [1, 2, 3, 1], "b": [2, 3, 4, 2], "c": [6, 7, 8, 0]}))
    chi-squared = 3.5000, df = 2, p = 0.17 (Friedman test)
    """
    ranks, ties = _ranks_by_query(all_paired(values))
    k, n = ranks.shape
    corrected = 1 - ties / (n * k * (k * k - 1))
    spread = 12 / (n * k * (k + 1)) * float((ranks.sum(axis=1) ** 2).sum()) - 3 * n * (k + 1)
    statistic = spread / corrected if corrected > 0 else 0.0
    why = (
        "Friedman test: paired, for all rankers answer the same queries, and by the ranks of the rankers within "
        "each query, so that it assumes no distribution"
    )
    return ManyRankers(statistic, k - 1, _chi_squared(statistic, k - 1), k, n, why)


def dunn_z(rows: Floats) -> Floats:
    """Return Dunn's z for all pairs of rows, row less column, with the variance corrected for ties."""
    k, n = rows.shape
    ranks, ties = average_ranks(rows.ravel())
    means = ranks.reshape(k, n).mean(axis=1)
    every = k * n
    variance = every * (every + 1) / 12 - float((ties**3 - ties).sum()) / (12 * (every - 1))
    if variance <= 0 or len(ties) == 1:
        return np.zeros((k, k))
    z: Floats = (means[:, None] - means) / math.sqrt(variance * 2 / n)
    return z


def one_sided_p(z: Floats) -> Floats:
    """Return how often a normal number is at least so far from 0 on the side where z is."""
    from scipy.special import ndtr

    p: Floats = ndtr(-np.abs(z))
    return p


def nemenyi_p(rows: Floats) -> tuple[Floats, Floats]:
    """Return the differences of mean ranks, row less column, and Nemenyi's p for all pairs together."""
    from scipy.stats import studentized_range

    k, n = rows.shape
    means = _ranks_by_query(rows)[0].mean(axis=1)
    apart = means[:, None] - means
    q = np.abs(apart) * math.sqrt(2) / math.sqrt(k * (k + 1) / (6 * n))
    upper = np.triu_indices(k, 1)
    p = np.ones((k, k))
    p[upper] = np.clip(studentized_range.sf(q[upper], k, np.inf), 0, 1)
    return apart, np.minimum(p, p.T)


def critical_difference(rankers: int, queries: int, level: float = 0.05) -> float:
    """Return by how much mean ranks must differ to be significant by Nemenyi's test (Demsar 2006).

    >>> round(critical_difference(4, 14, 0.1), 2)
    1.12
    """
    from scipy.stats import studentized_range

    rankers = checked(Whole(2, 10_000), "rankers", rankers)
    queries = checked(Whole(1, 10**9), "queries", queries)
    level = checked(Number(0, 0.5, open=True), "level", level)
    q = float(studentized_range.ppf(1 - level, rankers, np.inf)) / math.sqrt(2)
    return q * math.sqrt(rankers * (rankers + 1) / (6 * queries))


def _ranks_by_query(rows: Floats) -> tuple[Floats, float]:
    """Return the ranks of the rankers within each query, and the sum that corrects for ties."""
    found = [average_ranks(column) for column in rows.T]
    ties = math.fsum(float((counts**3 - counts).sum()) for _, counts in found)
    return np.stack([ranks for ranks, _ in found], axis=1), ties


def _independent(values: Mapping[str, Values]) -> list[Floats]:
    if len(values) < 2:
        raise UsageError(f"there must be at least two rankers to compare, got {len(values)}")
    rows = [numbers(list(one.values()) if isinstance(one, Mapping) else one) for one in values.values()]
    if empty := [name for name, row in zip(values, rows, strict=True) if not len(row)]:
        raise UsageError(f"each ranker must have at least one value, got none for {empty[0]}")
    return rows


def _chi_squared(statistic: float, df: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, max(statistic, 0.0)))
