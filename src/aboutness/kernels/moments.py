"""Second moments of the rows of a matrix, in one order: the same bytes on every machine of a kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled


@compiled
def add_moments(matrix: NDArray[np.float32], weights: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Add the sum over rows r of weights[r] * r r^T."""
    row = np.empty(matrix.shape[1], np.float64)
    for number in range(len(matrix)):
        for x in range(len(row)):
            row[x] = np.float64(matrix[number, x])
        for x in range(len(row)):
            factor, sums = weights[number] * row[x], out[x]
            for y in range(len(row)):
                sums[y] += factor * row[y]
