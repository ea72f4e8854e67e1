from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aboutness.kernels import rows
from kernels.conftest import near

quick = settings(max_examples=40, deadline=None)
counts = st.integers(0, 11)
sizes = st.integers(1, 19)
widths = st.integers(1, 3).map(lambda sixes: sixes * rows.TOGETHER)
seeds = st.integers(0, 1 << 32)
close = {"rtol": 2e-5, "atol": 2e-5}


@pytest.fixture(scope="module")
def run():
    """These kernels sum in any order: compiled and as Python they differ by rounding."""
    return near


class Case:
    """A large matrix with chosen rows, some of them twice, a small one, and factors for each pair."""

    def __init__(self, seed, count, width, size):
        draw = np.random.default_rng(seed)
        self.left = draw.normal(size=(9, size)).astype(np.float32)
        self.right = draw.normal(size=(width, size)).astype(np.float32)
        self.chosen = draw.integers(0, 9, count + 2)
        self.places = draw.permutation(width + 3)[:width]
        self.factors = draw.normal(size=(count + 1, width)).astype(np.float32)
        self.used = self.left[self.chosen[:count]].astype(np.float64)


@quick
@given(seeds, counts, widths, sizes)
def test_multiply(run, seed, count, width, size):
    case = Case(seed, count, width, size)
    room = np.full((count + 1, width), 7, np.float32)
    _, (*_, out) = run(rows.multiply, case.left, case.chosen, count, case.right, width, room)
    np.testing.assert_allclose(out[:count], case.used @ case.right.T, **close)
    assert (out[count:] == 7).all()


@quick
@given(seeds, sizes)
def test_multiply_two(run, seed, size):
    a, b = np.random.default_rng(seed).normal(size=(2, size)).astype(np.float32)
    assert run(rows.multiply_two, a, b)[0] == pytest.approx(a.astype(np.float64) @ b, abs=2e-5)


@quick
@given(seeds, counts, sizes)
def test_multiply_row(run, seed, count, size):
    case = Case(seed, count, 6, size)
    room = np.full(count + 1, 7, np.float32)
    _, (*_, out) = run(rows.multiply_row, case.left, case.chosen, count, case.right[0], room)
    np.testing.assert_allclose(out[:count], case.used @ case.right[0], **close)
    assert out[count] == 7


@quick
@given(seeds, counts, sizes)
def test_pull(run, seed, count, size):
    case = Case(seed, count, 6, size)
    factors = np.ascontiguousarray(case.factors[:, 0])
    _, (*_, row) = run(rows.pull, case.left, case.chosen, count, factors, case.right[0].copy())
    np.testing.assert_allclose(row, case.right[0] + factors[:count] @ case.used, **close)


@quick
@given(seeds, counts, sizes)
def test_push(run, seed, count, size):
    case = Case(seed, count, 6, size)
    factors = np.ascontiguousarray(case.factors[:, 0])
    _, (left, *_) = run(rows.push, case.left, case.chosen, count, factors, case.right[0])
    expected = case.left.astype(np.float64)
    for i in range(count):  # a row may be there twice
        expected[case.chosen[i]] += factors[i] * case.right[0].astype(np.float64)
    np.testing.assert_allclose(left, expected, **close)
    untouched = np.setdiff1d(np.arange(9), case.chosen[:count])
    np.testing.assert_array_equal(left[untouched], case.left[untouched])


@quick
@given(seeds, counts, widths, sizes)
def test_add_right(run, seed, count, width, size):
    case = Case(seed, count, width, size)
    _, (left, *_) = run(rows.add_right, case.left, case.chosen, count, case.right, width, case.factors)
    expected = case.left.astype(np.float64)
    for i in range(count):
        expected[case.chosen[i]] += case.factors[i] @ case.right
    np.testing.assert_allclose(left, expected, **close)
    untouched = np.setdiff1d(np.arange(9), case.chosen[:count])
    np.testing.assert_array_equal(left[untouched], case.left[untouched])


@quick
@given(seeds, counts, st.integers(0, 9), sizes)
def test_add_left(run, seed, count, width, size):
    case = Case(seed, count, max(width, 1), size)
    target = np.random.default_rng(seed + 1).normal(size=(width + 4, size)).astype(np.float32)
    places = np.concatenate([case.places[:width], [0]])
    places[width // 2] = places[0]  # a row may be there twice
    _, (found, *_) = run(rows.add_left, target, places, width, case.left, case.chosen, count, case.factors)
    expected = target.astype(np.float64)
    for j in range(width):
        expected[places[j]] += case.factors[:count, j] @ case.used
    np.testing.assert_allclose(found, expected, **close)
    untouched = np.setdiff1d(np.arange(width + 4), places[:width])
    np.testing.assert_array_equal(found[untouched], target[untouched])


@quick
@given(seeds, sizes)
def test_add_row(run, seed, size):
    target, row = np.random.default_rng(seed).normal(size=(2, size)).astype(np.float32)
    _, (found, *_) = run(rows.add_row, target, np.float32(-0.75), row)
    np.testing.assert_allclose(found, target - 0.75 * row.astype(np.float64), **close)


@quick
@given(seeds, st.integers(1, 11), sizes)
def test_mean(run, seed, count, size):
    case = Case(seed, count, 6, size)
    _, (*_, out) = run(rows.mean, case.left, case.chosen, count, np.full(size, 7, np.float32))
    np.testing.assert_allclose(out, case.used.mean(axis=0), **close)


# --- the function s ---------------------------------------------------------------------------------------------


@quick
@given(st.floats(-50, 50, width=32))
@example(8.0)
@example(-8.0)
@example(10.0)
@example(-10.0)
@example(0.0)
def test_sigmoid(run, x):
    found = run(rows.sigmoid, np.float32(x), within=1e-7)[0]
    assert found == pytest.approx(1 / (1 + math.exp(-x)), abs=2e-7 if abs(x) <= 8 else 5e-5, rel=0)
    assert 0 <= found <= 1


def sigmoid_of(values: np.ndarray) -> np.ndarray:
    """The kernel over many values: the factors of a step with rate -1."""
    flat = np.array(values, np.float32).reshape(1, -1)
    rows.steps(flat, 1, flat.shape[1], np.float32(-1))
    return flat[0]


def test_sigmoid_keeps_its_bounds_everywhere():
    x = np.linspace(-50, 50, 400_001).astype(np.float32)
    away = np.abs(sigmoid_of(x) - 1 / (1 + np.exp(-x.astype(np.float64))))
    assert away[np.abs(x) <= 8].max() <= 2e-7
    assert away.max() <= 5e-5


def test_sigmoid_rises_and_is_symmetric():
    x = np.linspace(-60, 60, 4001).astype(np.float32)
    found = sigmoid_of(x).astype(np.float64)
    assert np.diff(found).min() >= -1.2e-7
    np.testing.assert_allclose(found + found[::-1], 1, atol=1.2e-7)


@pytest.mark.parametrize(("x", "value"), [(math.inf, 1), (-math.inf, 0), (3e38, 1), (-3e38, 0)])
def test_sigmoid_far_out(run, x, value):
    assert run(rows.sigmoid, np.float32(x))[0] == pytest.approx(value, abs=5e-5)


@quick
@given(seeds, st.integers(0, 4), widths, st.floats(0, 10, width=32))
def test_steps(run, seed, count, width, rate):
    products = (9 * np.random.default_rng(seed).normal(size=(count + 1, width))).astype(np.float32)
    total, (found, *_) = run(rows.steps, products, count, width, np.float32(rate))
    used = products[:count].astype(np.float64)
    assert total == pytest.approx(used.sum(), abs=1e-3)
    np.testing.assert_allclose(found[:count], -rate / (1 + np.exp(-used)), atol=5e-5 * rate + 1e-7)
    np.testing.assert_array_equal(found[count:], products[count:])


@pytest.mark.parametrize("bad", [[math.nan], [math.inf], [-math.inf], [math.inf, -math.inf], [math.nan, math.inf]])
@pytest.mark.parametrize("width", [6, 12, 18])
@pytest.mark.parametrize("at", [0, 3, -1])
def test_a_product_that_is_not_finite_shows_in_the_sum(run, bad, width, at):
    products = np.ones((3, width), np.float32)
    places = np.roll(np.arange(3 * width), -at)[: len(bad)]
    products.reshape(-1)[places] = bad
    assert not math.isfinite(run(rows.steps, products, 3, width, np.float32(0.1))[0])
