"""Rows of a matrix that several have moved from the same start, made one: see `scale/bowl.py` for what and why.

It is written here, and not as products of matrices, as those give other last bits with another number of threads:
what is trained must not depend on who merges it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled_loosely
from aboutness.kernels.rows import HALF, ONE, STEEP, TOGETHER, ZERO, A, B, C, D, E, F, G, H, add_row

F32 = NDArray[np.float32]


@compiled_loosely
def per_share(x: np.float32) -> np.float32:
    """Return x / (1 - exp(-x)) for x >= 0, to 5e-5: it is h + h / tanh(h) with h = x / 2 (see `rows.sigmoid`)."""
    half = x * HALF
    near = min(half, STEEP)  # beyond, tanh is as good as 1
    s = near * near
    above = A + s * (E + s * (F + s * (G + s * H)))
    under = A + s * (B + s * (C + s * (D + s)))
    return half + above / under + (half - near)


@compiled_loosely
def merge_rows(
    before: F32, after: F32, updates: F32, bends: F32, directions: F32, least: np.float32, out: F32
) -> None:
    """Write rows after the moves of all: `after` is by mover, row and number, `updates` by mover and row.

    Bends fall; a direction (a row each, their number a multiple of `TOGETHER`) makes a difference to a row only
    where its bend, times all updates of the row, is above `least`.
    """
    who, rows, size = after.shape
    move, whole = np.zeros(size, np.float32), np.zeros(len(bends), np.float32)
    less, products = np.zeros(len(bends), np.float32), np.zeros(len(directions), np.float32)
    for i in range(rows):
        row = out[i]
        together = ZERO
        for s in range(who):
            together += updates[s, i]
        count = 0
        while count < len(bends) and together * bends[count] > least:
            count += 1
        for j in range(count):
            whole[j], less[j] = ONE / per_share(together * bends[j]), ZERO
        for x in range(size):
            row[x] = before[i, x]
        for s in range(who):
            for x in range(size):
                move[x] = after[s, i, x] - before[i, x]
                row[x] += move[x]
            for j in range(0, count, TOGETHER):
                b0, b1, b2 = directions[j], directions[j + 1], directions[j + 2]
                b3, b4, b5 = directions[j + 3], directions[j + 4], directions[j + 5]
                s0, s1, s2, s3, s4, s5 = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
                for x in range(size):
                    s0 += move[x] * b0[x]
                    s1 += move[x] * b1[x]
                    s2 += move[x] * b2[x]
                    s3 += move[x] * b3[x]
                    s4 += move[x] * b4[x]
                    s5 += move[x] * b5[x]
                products[j], products[j + 1], products[j + 2] = s0, s1, s2
                products[j + 3], products[j + 4], products[j + 5] = s3, s4, s5
            times = updates[s, i]
            for j in range(count):
                less[j] += (per_share(times * bends[j]) * whole[j] - ONE) * products[j]
        for j in range(count):
            add_row(row, less[j], directions[j])
