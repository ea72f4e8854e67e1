"""Topics of texts, where the words of topics are known."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.centroids import add
from aboutness.kernels.compiled import compiled
from aboutness.kernels.dense import product

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Int: TypeAlias = int | np.signedinteger[Any]


@compiled
def fold_in(words: I64, counts: F64, ends: I64, phi: F32, alpha: float, most: Int, near: float, out: F32) -> None:
    """Write the shares of topics of each text, `words[ends[t - 1]:ends[t]]` with their counts.

    They are gamma / sum of gamma, where gamma solves

        gamma_k = alpha + sum over words w of  count_w phi_wk gamma_k / sum over topics j of phi_wj gamma_j

    It is put in again until all of it changes by no more than a share `near`, or `most` times. A word that no
    topic has counts for nothing.
    """
    topics = phi.shape[1]
    gamma, found = np.empty(topics, np.float64), np.empty(topics, np.float64)
    start = np.int64(0)
    for text in range(len(ends)):
        end = ends[text]
        total = 0.0
        for place in range(start, end):
            total += counts[place]
        gamma[:] = alpha + total / topics
        for _ in range(most):
            found[:] = 0.0
            for place in range(start, end):
                row = phi[words[place]]
                likely = np.float64(product(gamma, row))
                if likely > 0.0:
                    add(found, counts[place] / likely, row)
            size, change = 0.0, 0.0
            for k in range(topics):
                new = alpha + gamma[k] * found[k]
                change += abs(new - gamma[k])
                gamma[k] = new
                size += new
            if change <= near * size:
                break
        size = 0.0
        for k in range(topics):
            size += gamma[k]
        shares = out[text]
        for k in range(topics):
            shares[k] = np.float32(gamma[k] / size)
        start = end
