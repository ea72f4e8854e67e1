"""Products of many vectors, each summed in the order of its dimensions: nothing beside it can change a bit.

BLAS is faster, but on some processors what it gives for a row depends on the row's place among the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled

F32 = NDArray[np.float32]

ROWS, DIMENSIONS = 2, 4  # worked on together: their numbers must be multiples of these
TILE = 1024  # columns whose sums stay in the processor's first cache


@compiled
def multiply(rows: F32, columns: F32, out: F32) -> None:
    """Put the products of rows (n x dim) with columns (dim x m) into `out` (n x m)."""
    for start in range(0, columns.shape[1], TILE):
        stop = min(start + TILE, columns.shape[1])
        for row in range(0, len(rows), ROWS):
            first, second = out[row, start:stop], out[row + 1, start:stop]
            first[:] = 0
            second[:] = 0
            for at in range(0, len(columns), DIMENSIONS):
                a0, a1, a2, a3 = rows[row, at], rows[row, at + 1], rows[row, at + 2], rows[row, at + 3]
                b0, b1, b2, b3 = (
                    rows[row + 1, at],
                    rows[row + 1, at + 1],
                    rows[row + 1, at + 2],
                    rows[row + 1, at + 3],
                )
                c0, c1 = columns[at, start:stop], columns[at + 1, start:stop]
                c2, c3 = columns[at + 2, start:stop], columns[at + 3, start:stop]
                for i in range(stop - start):
                    first[i] = first[i] + a0 * c0[i] + a1 * c1[i] + a2 * c2[i] + a3 * c3[i]
                    second[i] = second[i] + b0 * c0[i] + b1 * c1[i] + b2 * c2[i] + b3 * c3[i]
