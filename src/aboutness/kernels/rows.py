"""Products and sums of a few rows with a few others: what training spends its time on.

`left` is a large matrix of which `chosen` rows are used; `right` a small one, made of copies. The number of its
rows is a multiple of `TOGETHER`, so that as many products are worked out at once; those that are not needed have
the factor 0.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled_loosely

F32 = NDArray[np.float32]
Rows = NDArray[np.int64]
Int: TypeAlias = int | np.signedinteger[Any]

TOGETHER = 6
STEEP = np.float32(5)  # where tanh is as good as 1
ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
A, B, C, D, E, F, G, H = (
    np.float32(x) for x in (34459425, 4729725, 135135, 990, 16216200, 945945, 13860, 45)
)  # fmt: skip


@compiled_loosely
def multiply(left: F32, chosen: Rows, count: Int, right: F32, width: Int, out: F32) -> None:
    """Write the products of the first `count` chosen rows of `left` with the first `width` rows of `right`."""
    size = right.shape[1]
    for i in range(count):
        a = left[chosen[i]]
        for j in range(0, width, TOGETHER):
            b0, b1, b2, b3, b4, b5 = right[j], right[j + 1], right[j + 2], right[j + 3], right[j + 4], right[j + 5]
            s0, s1, s2, s3, s4, s5 = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
            for x in range(size):
                s0 += a[x] * b0[x]
                s1 += a[x] * b1[x]
                s2 += a[x] * b2[x]
                s3 += a[x] * b3[x]
                s4 += a[x] * b4[x]
                s5 += a[x] * b5[x]
            out[i, j], out[i, j + 1], out[i, j + 2] = s0, s1, s2
            out[i, j + 3], out[i, j + 4], out[i, j + 5] = s3, s4, s5


@compiled_loosely
def multiply_two(a: F32, b: F32) -> np.float32:
    """Return the product of two rows."""
    total = ZERO
    for x in range(len(a)):
        total += a[x] * b[x]
    return total


@compiled_loosely
def multiply_row(left: F32, chosen: Rows, count: Int, row: F32, out: F32) -> None:
    """Write the products of the first `count` chosen rows of `left` with one row."""
    size = len(row)
    i = 0
    while i + 4 <= count:
        a0, a1, a2, a3 = left[chosen[i]], left[chosen[i + 1]], left[chosen[i + 2]], left[chosen[i + 3]]
        s0, s1, s2, s3 = ZERO, ZERO, ZERO, ZERO
        for x in range(size):
            s0 += a0[x] * row[x]
            s1 += a1[x] * row[x]
            s2 += a2[x] * row[x]
            s3 += a3[x] * row[x]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
        i += 4
    while i < count:
        out[i] = multiply_two(left[chosen[i]], row)
        i += 1


@compiled_loosely
def pull(left: F32, chosen: Rows, count: Int, factors: F32, row: F32) -> None:
    """Add to a row the sum of factor x row over the chosen rows of `left`."""
    size = len(row)
    i = 0
    while i + 4 <= count:
        a0, a1, a2, a3 = left[chosen[i]], left[chosen[i + 1]], left[chosen[i + 2]], left[chosen[i + 3]]
        f0, f1, f2, f3 = factors[i], factors[i + 1], factors[i + 2], factors[i + 3]
        for x in range(size):
            row[x] += f0 * a0[x] + f1 * a1[x] + f2 * a2[x] + f3 * a3[x]
        i += 4
    while i < count:
        add_row(row, factors[i], left[chosen[i]])
        i += 1


@compiled_loosely
def push(left: F32, chosen: Rows, count: Int, factors: F32, row: F32) -> None:
    """Add to each chosen row of `left` its factor x a row."""
    for i in range(count):
        add_row(left[chosen[i]], factors[i], row)


@compiled_loosely
def add_right(left: F32, chosen: Rows, count: Int, right: F32, width: Int, factors: F32) -> None:
    """Add to each chosen row of `left` the sum of factor x row over the rows of `right`."""
    size = right.shape[1]
    for i in range(count):
        a = left[chosen[i]]
        for j in range(0, width, TOGETHER):
            b0, b1, b2, b3, b4, b5 = right[j], right[j + 1], right[j + 2], right[j + 3], right[j + 4], right[j + 5]
            f0, f1, f2 = factors[i, j], factors[i, j + 1], factors[i, j + 2]
            f3, f4, f5 = factors[i, j + 3], factors[i, j + 4], factors[i, j + 5]
            for x in range(size):
                a[x] += f0 * b0[x] + f1 * b1[x] + f2 * b2[x] + f3 * b3[x] + f4 * b4[x] + f5 * b5[x]


@compiled_loosely
def add_left(target: F32, places: Rows, width: Int, left: F32, chosen: Rows, count: Int, factors: F32) -> None:
    """Add to rows `places` of `target` the sum of factor x row over the chosen rows of `left`."""
    size = left.shape[1]
    for j in range(width):
        b = target[places[j]]
        i = 0
        while i + 4 <= count:
            a0, a1, a2, a3 = left[chosen[i]], left[chosen[i + 1]], left[chosen[i + 2]], left[chosen[i + 3]]
            f0, f1, f2, f3 = factors[i, j], factors[i + 1, j], factors[i + 2, j], factors[i + 3, j]
            for x in range(size):
                b[x] += f0 * a0[x] + f1 * a1[x] + f2 * a2[x] + f3 * a3[x]
            i += 4
        while i + 2 <= count:
            a0, a1, f0, f1 = left[chosen[i]], left[chosen[i + 1]], factors[i, j], factors[i + 1, j]
            for x in range(size):
                b[x] += f0 * a0[x] + f1 * a1[x]
            i += 2
        if i < count:
            a0, f0 = left[chosen[i]], factors[i, j]
            for x in range(size):
                b[x] += f0 * a0[x]


@compiled_loosely
def add_row(target: F32, factor: np.float32, row: F32) -> None:
    """Add factor x row to a row."""
    for x in range(len(target)):
        target[x] += factor * row[x]


@compiled_loosely
def mean(left: F32, chosen: Rows, count: Int, out: F32) -> None:
    """Write the mean of the chosen rows of `left`."""
    size = len(out)
    for x in range(size):
        out[x] = ZERO
    i = 0
    while i + 4 <= count:
        a0, a1, a2, a3 = left[chosen[i]], left[chosen[i + 1]], left[chosen[i + 2]], left[chosen[i + 3]]
        for x in range(size):
            out[x] += (a0[x] + a1[x]) + (a2[x] + a3[x])
        i += 4
    while i < count:
        a0 = left[chosen[i]]
        for x in range(size):
            out[x] += a0[x]
        i += 1
    share = ONE / np.float32(count)
    for x in range(size):
        out[x] *= share


@compiled_loosely
def sigmoid(x: np.float32) -> np.float32:
    """Return 1 / (1 + exp(-x)) to 5e-5, and to 2e-7 between -8 and 8: by the continued fraction of tanh."""
    h = min(max(x * HALF, -STEEP), STEEP)
    s = h * h
    above = h * (A + s * (B + s * (C + s * (D + s))))
    under = A + s * (E + s * (F + s * (G + s * H)))
    return HALF + HALF * (above / under)


@compiled_loosely
def steps(products: F32, count: Int, width: Int, rate: np.float32) -> np.float32:
    """Turn the products of rows with negatives into the factors of their step, -rate x sigmoid, in place.

    Return the sum of the products: it is not finite where one of them is not.
    """
    total = ZERO
    flat = products.reshape(products.size)
    for x in range(count * width):
        total += flat[x]
        flat[x] = -rate * sigmoid(flat[x])
    return total
