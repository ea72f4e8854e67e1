"""Documents as sums of the vectors of their words, each weighted by how near it is to the document elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.centroids import add, sum_of_squares
from aboutness.kernels.compiled import compiled
from aboutness.kernels.dense import product

Bools = NDArray[np.bool_]
F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Numbers = NDArray[np.signedinteger[Any]]
Reals = NDArray[np.float64]


@compiled
def weighted_centroids(
    ends: Ints,
    terms: Numbers,
    counts: Reals,
    rows: Ints,
    matrix: F32,
    others: Ints,
    weighers: F32,
    shift: float,
    documents: F32,
    wanted: Bools,
    out: F32,
) -> None:
    """Write the sum of count x weight x vector over the words of each wanted document, in their order.

    Word t has the vector matrix[rows[t]]; its weight is `shift` more than the product of weighers[others[t]] with
    the document's row in `documents`, and may be below 0. Where one of both numbers is -1 it is left out. Sums are
    made to length 1; one whose length is 0 stays 0.
    """
    total = np.empty(matrix.shape[1], np.float64)
    start = np.int64(0)
    for document in range(len(ends)):
        end = ends[document]
        if wanted[document]:
            total[:] = 0.0
            own = documents[document].astype(np.float64)
            for place in range(start, end):
                row, other = rows[terms[place]], others[terms[place]]
                if row >= 0 and other >= 0 and counts[place] > 0.0:
                    weight = np.float64(product(own, weighers[other])) + shift
                    add(total, counts[place] * weight, matrix[row])
            length = np.sqrt(sum_of_squares(total))
            target = out[document]
            for x in range(len(total)):
                target[x] = np.float32(total[x] / length) if length > 0.0 else np.float32(0.0)
        start = end
