"""The nearest of a few vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import nearest
from kernels.conftest import both

quick = settings(max_examples=40, deadline=None)


@quick
@given(
    st.lists(st.tuples(st.sampled_from([-1.0, 0.0, 0.5, 0.5, 2.0]), st.integers(0, 9)), min_size=1, max_size=12),
    st.integers(1, 4),
)
def test_take_place(pairs, room):
    pairs = list(dict.fromkeys((value, number) for value, number in pairs))
    pairs = list({number: (value, number) for value, number in pairs}.values())
    values, places = np.full(room, -np.inf, np.float32), np.full(room, 99)
    for value, number in pairs:
        _, (*_, values, places) = both(nearest.take_place, np.float32(value), number, values, places)
    expected = sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[:room]
    assert places[: len(expected)].tolist() == [number for _, number in expected]
    assert values[: len(expected)].tolist() == [value for value, _ in expected]
    assert (places[len(expected) :] == 99).all()


@quick
@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 8), st.integers(1, 5))
def test_nearest(seed, count, room, size):
    """Whole numbers, so that products are exact and there are equal ones."""
    room = min(room, count - 1)
    rows = np.random.default_rng(seed).integers(-2, 3, (count, size)).astype(np.float32)
    made = np.empty((count, room), np.float32), np.empty((count, room), np.int64)
    _, (_, values, places) = both(nearest.nearest, np.ascontiguousarray(rows.T), *made)
    products = rows @ rows.T
    for i in range(count):
        others = sorted((j for j in range(count) if j != i), key=lambda j: (-products[i, j], j))[:room]
        assert places[i].tolist() == others
        assert values[i].tolist() == products[i, others].tolist()


def test_many_rows():
    """Five hundred rows are a question's candidates."""
    rows = np.random.default_rng(1).normal(size=(500, 150)).astype(np.float32)
    values, places = np.empty((500, 3), np.float32), np.empty((500, 3), np.int64)
    nearest.nearest(np.ascontiguousarray(rows.T), values, places)
    products = rows.astype(np.float64) @ rows.T
    np.fill_diagonal(products, -np.inf)
    assert values == pytest.approx(np.sort(products, axis=1)[:, :-4:-1], rel=1e-4)
