"""What the search needs to know of posting lists whose impacts have been worked out: their largest ones."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled
from aboutness.kernels.search import BLOCK

Ends = NDArray[np.int64]
Impacts = NDArray[np.float32]
Real: TypeAlias = Any  # of the machine's


@compiled
def summarise(
    lists: Ends, starts: Ends, ends: Ends, levels: Ends, impacts: Impacts, block_most: Impacts, most: Impacts,
    reached: Impacts,
) -> None:  # fmt: skip
    """Write, for each of some lists, its largest impact, and that of each block wholly inside it.

    `reached[list, l]` is the impact that levels[l] of its postings reach, -1 where it has fewer. Levels ascend.
    """
    for i in lists:
        start, end = starts[i], ends[i]
        most[i] = largest(impacts[start:end])
        for block in range(-(-start // BLOCK), end // BLOCK):
            block_most[block] = largest(impacts[block * BLOCK : (block + 1) * BLOCK])
        top = impacts[start:end].copy()
        for level in range(len(levels) - 1, -1, -1):
            if len(top) < levels[level]:
                reached[i, level] = -1.0
                continue
            top_first(top, levels[level])
            top = top[: levels[level]]
            reached[i, level] = -largest(-top)


@compiled
def largest(values: Impacts) -> Real:
    """Return the largest value, or that of nothing: 0."""
    most = values[0] if len(values) else np.float32(0.0)
    for value in values:
        most = max(most, value)
    return most


@compiled
def top_first(values: Impacts, count: int) -> None:
    """Bring the `count` largest values to the front, in any order (Hoare's selection)."""
    low, high = 0, len(values) - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        left, right = low, high
        while left <= right:
            while values[left] > pivot:
                left += 1
            while values[right] < pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if count - 1 <= right:
            high = right
        elif count - 1 >= left:
            low = left
        else:
            return


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
