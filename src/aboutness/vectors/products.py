"""The products of rows with words, block by block, each summed in one order: what is beside it changes no bit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

ROWS, WORDS = 512, 2048  # of a block: its products fit a core's cache


def products(rows: F32, words: F32) -> Iterator[tuple[slice, F32]]:
    """Yield for each block which rows it is of, and the products, which may be changed.

    >>> [(here.stop, found.tolist()) for here, found in products(np.eye(2, 3, dtype="f4"), np.ones((1, 3), "f4"))]
    [(2, [[1.0], [1.0]])]
    """
    from aboutness.kernels import products as kernel

    dim = rows.shape[1]
    block = np.zeros((_upwards(ROWS, kernel.ROWS), _upwards(dim, kernel.DIMENSIONS)), np.float32)
    columns = np.zeros((block.shape[1], WORDS), np.float32)
    out = np.empty((len(block), WORDS), np.float32)
    for start in range(0, len(words), WORDS):
        some = words[start : start + WORDS]
        columns[:dim, : len(some)] = some.T
        for first in range(0, len(rows), ROWS):
            here = rows[first : first + ROWS]
            block[: len(here), :dim] = here
            together = _upwards(len(here), kernel.ROWS)
            kernel.multiply(block[:together], columns, out[:together])
            yield slice(first, first + len(here)), out[: len(here), : len(some)]


def _upwards(number: int, step: int) -> int:
    """Return the multiple of a step that is not below a number."""
    return -(-number // step) * step
