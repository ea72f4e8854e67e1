"""What the search needs to know of posting lists whose impacts have been worked out: their largest ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled
from aboutness.kernels.keys import Real, best_first
from aboutness.kernels.search import BLOCK

Ends = NDArray[np.int64]
Impacts = NDArray[np.float32]
Numbers = NDArray[np.int32]
Reals = NDArray[np.float64]


@compiled
def summarise(
    lists: Ends,
    starts: Ends,
    ends: Ends,
    levels: Ends,
    documents: Numbers,
    impacts: Impacts,
    priors: Reals,
    block_most: Impacts,
    most: Impacts,
    reached: Impacts,
    lowest: Reals,
) -> None:
    """Write, for each of some lists, its largest impact, and that of each block wholly inside it.

    `reached[list, l]` is the impact that levels[l] of its postings reach, -1 where it has fewer, and
    `lowest[list, l]` the lowest prior of the documents that reach it (0 without priors). Levels ascend.
    """
    for i in lists:
        start, end = starts[i], ends[i]
        most[i] = largest(impacts[start:end])
        for block in range(-(-start // BLOCK), end // BLOCK):
            block_most[block] = largest(impacts[block * BLOCK : (block + 1) * BLOCK])
        least_first = -impacts[start:end]
        for level in range(len(levels) - 1, -1, -1):
            lowest[i, level] = 0.0
            if len(least_first) < levels[level]:
                reached[i, level] = -1.0
                continue
            best_first(least_first, levels[level])
            least_first = least_first[: levels[level]]
            reached[i, level] = -largest(least_first)
            if len(priors):
                low = np.inf
                for place in range(start, end):
                    if impacts[place] >= reached[i, level]:
                        low = min(low, priors[documents[place]])
                lowest[i, level] = low


@compiled
def largest(values: Impacts) -> Real:
    """Return the largest value, or that of nothing: 0."""
    most = values[0] if len(values) else np.float32(0.0)
    for value in values:
        most = max(most, value)
    return most


@compiled
def sum_rows(ends: Ends, values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """Write the sum of each row's values, one after the other: row r ends at ends[r]."""
    start = np.int64(0)
    for row in range(len(ends)):
        total = 0.0
        for i in range(start, ends[row]):
            total += values[i]
        sums[row] = total
        start = ends[row]
