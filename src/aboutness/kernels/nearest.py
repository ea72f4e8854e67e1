"""The nearest of a few vectors, each to all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]

ZERO = np.float32(0)


@compiled
def take_place(value: np.float32, number: int, values: F32, places: I64) -> None:
    """Put a number in its place among the best so far, the largest value first; of equal ones the least number."""
    last = len(values) - 1
    if value < values[last] or (value == values[last] and number > places[last]):
        return
    at = last
    while at > 0 and (value > values[at - 1] or (value == values[at - 1] and number < places[at - 1])):
        values[at], places[at] = values[at - 1], places[at - 1]
        at -= 1
    values[at], places[at] = value, number


@compiled
def nearest(across: F32, values: F32, places: I64) -> None:
    """Write for each column the places of those whose products with it are largest, as many as there is room for.

    There is at least one column more than there are places. Numbers are added from the first row to the last,
    those of several columns at once.
    """
    size, count = across.shape
    sums = np.zeros(count, np.float32)
    for i in range(count):
        for at in range(values.shape[1]):
            values[i, at], places[i, at] = -np.float32(np.inf), count
    for i in range(1, count):
        sums[:i] = ZERO
        for x in range(size):
            row = across[x]
            factor = row[i]
            for j in range(i):
                sums[j] += factor * row[j]
        for j in range(i):
            take_place(sums[j], j, values[i], places[i])
            take_place(sums[j], i, values[j], places[j])
