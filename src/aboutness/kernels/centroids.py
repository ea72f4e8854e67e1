"""Documents as weighted sums of the vectors of their words: a sparse matrix times a dense one, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled

Bools = NDArray[np.bool_]
F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Numbers = NDArray[np.signedinteger[Any]]
Reals = NDArray[np.float64]


@compiled
def centroids(
    ends: Ints,
    terms: Numbers,
    counts: Reals,
    rows: Ints,
    factors: Reals,
    matrix: F32,
    wanted: Bools,
    mean: bool,
    divisors: Reals,
    out: F32,
) -> None:
    """Write the sum of count x factor x vector over the words of each wanted document, in their order.

    Word t has the vector matrix[rows[t]], or none where that is -1. Sums are made to length 1, or with `mean`
    divided by the counts of the words that have vectors; then by `divisors`, if there are any. A sum of nothing,
    or whose length is 0, stays 0.
    """
    dim = matrix.shape[1]
    total = np.empty(dim, np.float64)
    start = np.int64(0)
    for document in range(len(ends)):
        end = ends[document]
        if wanted[document]:
            total[:] = 0.0
            length = 0.0
            for place in range(start, end):
                row = rows[terms[place]]
                if row >= 0 and counts[place] > 0.0:
                    add(total, counts[place] * factors[row], matrix[row])
                    length += counts[place]
            size = length if mean else np.sqrt(sum_of_squares(total))
            if len(divisors):
                size *= divisors[document]
            target = out[document]
            for x in range(dim):
                target[x] = np.float32(total[x] / size) if size > 0.0 else np.float32(0.0)
        start = end


@compiled
def add(total: Reals, factor: float, vector: F32) -> None:
    """Add factor x vector to a sum."""
    for x in range(len(total)):
        total[x] += factor * np.float64(vector[x])


@compiled
def sum_of_squares(values: Reals) -> float:
    """Return the sum of the squares, one after the other."""
    found = 0.0
    for value in values:
        found += value * value
    return found
