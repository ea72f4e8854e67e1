"""How large a difference between two rankers is, whatever the number of queries."""

from __future__ import annotations

import math

import numpy as np

from aboutness.evaluate.values import Values, average_ranks, differences, numbers, paired


def cohens_dz(a: Values, b: Values) -> float:
    """Return the mean of the differences by their standard deviation (Cohen's d for pairs).

    It is infinite where all differences are the same and not 0.

    >>> round(cohens_dz([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.0, 0.25]), 3)
    1.167
    """
    sizes = differences(*paired(a, b))
    if len(sizes) == 1 or not sizes.any():
        return 0.0
    mean = math.fsum(sizes) / len(sizes)
    if sizes.min() == sizes.max():  # their deviation may be more than 0 by rounding
        return math.copysign(math.inf, mean)
    return mean / float(sizes.std(ddof=1))


def rank_biserial(a: Values, b: Values) -> float:
    """Return the share of Wilcoxon's ranks for the first ranker less that for the second, from -1 to 1.

    >>> rank_biserial([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.0, 0.75])
    0.6
    """
    sizes = differences(*paired(a, b))
    sizes = sizes[sizes != 0]
    ranks, _ = average_ranks(np.abs(sizes))
    return float((ranks * np.sign(sizes)).sum() / ranks.sum()) if len(ranks) else 0.0


def cliffs_delta(a: Values, b: Values) -> float:
    """Return how much more often a value of the first ranker is higher than one of the second than lower.

    All values of one are compared with all of the other: they need not be pairs. It is from -1 to 1.

    >>> cliffs_delta([1, 2, 3], [0, 2, 2])
    0.3333333333333333
    """
    first, second = (numbers(list(one.values()) if hasattr(one, "values") else one) for one in (a, b))
    ordered = np.sort(second)
    below, not_above = np.searchsorted(ordered, first, "left"), np.searchsorted(ordered, first, "right")
    return float((below.sum() - (len(second) - not_above).sum()) / (len(first) * len(second)))
