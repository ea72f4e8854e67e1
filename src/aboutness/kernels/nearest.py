"""The nearest of a few rows, each to all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled, compiled_loosely
from aboutness.kernels.rows import multiply_two

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]


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


@compiled_loosely
def nearest(rows: F32, values: F32, places: I64) -> None:
    """Write for each row the places of those whose products with it are largest, as many as there is room for.

    There are at least one row more than places.
    """
    count = len(rows)
    for i in range(count):
        for x in range(values.shape[1]):
            values[i, x], places[i, x] = -np.float32(np.inf), count
    for i in range(count):
        for j in range(i):
            product = multiply_two(rows[i], rows[j])
            take_place(product, j, values[i], places[i])
            take_place(product, i, values[j], places[j])
