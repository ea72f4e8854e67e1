"""The largest singular values of a sparse matrix, and their vectors.

Exact but for rounding: eigenvectors of X X' or X' X, whichever is smaller, by ARPACK's Lanczos method. Randomised
methods were measured to be no faster, and to miss the last of 200 directions.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

F64 = NDArray[np.float64]

NOTHING = 1e-9  # shorter vectors of columns are what rounding leaves of 0
ROUNDING = float(np.finfo(np.float64).eps)
DENSE = 300  # rows or columns up to which all eigenvectors are worked out
LOOKS = 4  # about as often as this, for each dimension, ARPACK reads the matrix


def largest(matrix: csr_array, dim: int, seed: int, look: Callable[[], None] = lambda: None) -> tuple[F64, F64]:
    """Return the `dim` largest singular values of a matrix, falling, and their vectors of its columns, as columns.

    They are fewer where fewer are not 0, but never none. The largest number of each vector is above 0. `look` is
    called each time the matrix is read.
    """
    across = matrix.T.tocsr()
    few, many = (matrix, across) if matrix.shape[0] <= matrix.shape[1] else (across, matrix)
    if not matrix.data.any():
        return np.zeros(1), np.zeros((matrix.shape[1], 1))
    squares, vectors = _eigenvectors(few, many, dim, seed, look)
    some = squares > squares[0] * ROUNDING * few.shape[0]
    values, vectors = np.sqrt(squares[some]), vectors[:, some]
    if few is matrix:
        vectors = across @ vectors / values
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
    vectors[np.sqrt(np.square(vectors).sum(axis=1)) < NOTHING] = 0
    return values, vectors


def _eigenvectors(
    few: csr_array, many: csr_array, dim: int, seed: int, look: Callable[[], None]
) -> tuple[F64, F64]:
    """Return the largest eigenvalues, falling, and eigenvectors of a matrix times its transpose."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    size = few.shape[0]
    if size <= max(DENSE, 2 * dim):
        values, vectors = np.linalg.eigh((few @ many).toarray())
        return values[::-1][:dim], vectors[:, ::-1][:, :dim]

    def multiply(vector: F64) -> F64:
        look()
        return np.asarray(few @ (many @ vector))

    chance = np.random.default_rng(seed)
    start = chance.normal(size=size)
    restarts = {"rng": chance} if "rng" in signature(eigsh).parameters else {}  # before scipy 1.17 it has its own
    operator = LinearOperator((size, size), matvec=multiply, dtype=np.float64)
    values, vectors = eigsh(operator, dim, v0=start, ncv=dim + max(50, dim // 2), **restarts)
    return values[::-1], vectors[:, ::-1]
