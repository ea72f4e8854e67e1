"""Intervals in which a mean, or a difference of means, lies: by drawing the queries again and again."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aboutness.core.errors import UsageError
from aboutness.core.kinds import Choice, Number, Whole, checked
from aboutness.evaluate.values import Floats, Values, numbers, paired

SAMPLES = 10_000
AT_ONCE = 1 << 21  # values drawn at once
METHODS = Choice(("percentile", "bca"))


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and where it lies with so much confidence if the queries are a sample of all queries."""

    mean: float
    low: float
    high: float
    level: float
    method: str
    samples: int
    n: int
    """How many queries there are."""

    def to_json(self) -> dict[str, Any]:
        """Return the interval in plain values."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.mean:.4f} [{self.low:.4f}, {self.high:.4f}]"


def bootstrap(
    a: Values,
    b: Values | None = None,
    *,
    level: float = 0.95,
    method: str = "percentile",
    samples: int = SAMPLES,
    seed: int = 1,
) -> Interval:
    """Return the interval of a ranker's mean or, with two rankers, of the mean of their differences, by query.

    `percentile` takes the middle of the means of samples as large as the queries, drawn with replacement; `bca`
    corrects it for bias and skew (Efron 1987).

    >>> print(bootstrap([0.0, 0.25, 0.5, 1.0, 1.0, 0.5], seed=1))
    0.5417 [0.2500, 0.8333]
    """
    level = checked(Number(0.5, 0.9999), "level", level)
    method = checked(METHODS, "method", method)
    samples = checked(Whole(100, 10**7), "samples", samples)
    seed = checked(Whole(0, (1 << 63) - 1), "seed", seed)
    values = _values(a, b)
    mean = math.fsum(values) / len(values)
    if values.min() == values.max():
        return Interval(mean, mean, mean, level, method, samples, len(values))
    means = _means(values, samples, seed)
    shares = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        shares = _corrected(shares, values, means, mean)
    low, high = np.quantile(means, shares)
    return Interval(mean, float(low), float(high), level, method, samples, len(values))


def _values(a: Values, b: Values | None) -> Floats:
    if b is not None:
        first, second = paired(a, b)
        return first - second
    found = numbers(list(a.values()) if hasattr(a, "values") else a)
    if not len(found):
        raise UsageError("there must be at least one query to have a mean, got none")
    return found


def _means(values: Floats, samples: int, seed: int) -> Floats:
    """Return the means of samples, in the order in which they come; how many are drawn at once changes none."""
    chance = np.random.default_rng(seed)
    ordered = np.sort(values)  # so that the order of the queries changes nothing
    means = []
    some = max(1, AT_ONCE // len(values))
    for first in range(0, samples, some):
        size = (min(some, samples - first), len(values))
        means.append(ordered[chance.integers(len(values), size=size)].mean(axis=1))
    return np.concatenate(means)


def _corrected(shares: Floats, values: Floats, means: Floats, mean: float) -> Floats:
    """Return the shares of the means to look at, moved by the bias of the means and the skew of the values."""
    from scipy.special import ndtr, ndtri

    below = (np.count_nonzero(means < mean) + np.count_nonzero(means <= mean)) / (2 * len(means))
    bias = float(ndtri(min(max(below, 0.5 / len(means)), 1 - 0.5 / len(means))))
    apart = values - mean
    skew = float((apart**3).sum() / (6 * (apart**2).sum() ** 1.5))
    moved = bias + ndtri(shares)
    corrected: Floats = ndtr(bias + moved / (1 - skew * moved))
    return corrected
