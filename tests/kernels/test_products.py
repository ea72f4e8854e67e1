from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels.products import DIMENSIONS, ROWS, TILE, multiply


def drawn(seed, rows, dim, columns):
    chance = np.random.default_rng(seed)
    shapes = (ROWS * rows, DIMENSIONS * dim), (DIMENSIONS * dim, columns)
    first, second = (chance.normal(size=shape).astype(np.float32) for shape in shapes)
    return first, second, np.full((len(first), columns), np.nan, np.float32)


def in_order(rows, columns):
    """The definition: one dimension after the other, each product and each sum rounded."""
    sums = np.zeros((len(rows), columns.shape[1]), np.float32)
    for at in range(len(columns)):
        sums += rows[:, at, None] * columns[at]
    return sums


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 4), st.integers(0, 4), st.integers(0, 40))
def test_products_are_summed_in_order(run, seed, rows, dim, columns):
    first, second, out = drawn(seed, rows, dim, columns)
    _, (*_, found) = run(multiply, first, second, out)
    assert found.tobytes() == in_order(first, second).tobytes()


def test_where_tiles_end():
    for columns in (TILE - 1, TILE, TILE + 1, 2 * TILE + 5):
        first, second, out = drawn(columns, 2, 3, columns)
        multiply(first, second, out)
        assert out.tobytes() == in_order(first, second).tobytes()


@pytest.mark.parametrize("dim", [8, 52, 100, 300])
def test_a_row_does_not_depend_on_its_place(dim):
    """As it does with BLAS, on some processors."""
    first, second, out = drawn(dim, 100, dim // DIMENSIONS, TILE + 300)
    multiply(first, second, out)
    order = np.random.default_rng(1).permutation(len(first))
    again = np.empty_like(out)
    multiply(first[order], second, again)
    assert again.tobytes() == out[order].tobytes()
    some = np.empty_like(out[:ROWS])
    multiply(np.ascontiguousarray(first[[70, 31]]), second, some)
    assert some.tobytes() == out[[70, 31]].tobytes()
