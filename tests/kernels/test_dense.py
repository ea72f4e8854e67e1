from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aboutness.kernels import dense
from aboutness.kernels.dense import SLAB

quick = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 1 << 32)
sizes = st.integers(1, 150)
F32 = np.float32


def drawn(seed: int, count: int, size: int) -> np.ndarray:
    """Rows of different lengths, some of them 0, some equal, some with a few numbers only."""
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(count, size)) * 10.0 ** chance.integers(-3, 4, (count, 1))
    rows[chance.random(count) < 0.2] = 0
    rows[chance.random((count, size)) < 0.3] = 0
    return rows[chance.integers(0, count, count)].astype(F32)


def encoded(run, rows):
    """What `encode` writes: codes, scales, rests and the error."""
    slabs = -(-rows.shape[1] // SLAB)
    codes = np.full((slabs, len(rows), SLAB), 7, np.int8)
    scales, rests = np.full(len(rows), 7, F32), np.full((slabs, len(rows)), 7, F32)
    error, (_, _, codes, scales, rests) = run(dense.encode, rows, 0, codes, scales, rests)
    return codes, scales, rests, error


# --- the score -----------------------------------------------------------------------------------------------------


def naive_product(vector, row) -> np.float32:
    lanes = [0.0] * 8
    for x, (a, b) in enumerate(zip(vector.tolist(), row.tolist(), strict=True)):
        lanes[x % 8] += a * b
    a, b, c, d, e, f, g, h = lanes
    return F32(((a + e) + (c + g)) + ((b + f) + (d + h)))


@quick
@given(seeds, sizes)
def test_product(run, seed, size):
    row = drawn(seed, 1, size)[0]
    vector = np.random.default_rng(seed).normal(size=size)
    found = run(dense.product, vector, row)[0]
    assert found == naive_product(vector, row)
    exact = math.fsum(a * b for a, b in zip(vector.tolist(), row.tolist(), strict=True))
    assert found == pytest.approx(exact, rel=1e-6, abs=1e-9 * float(np.abs(row).max()))


@quick
@given(seeds, sizes)
def test_dot(run, seed, size):
    """What is rounded to a product, before it is."""
    row = drawn(seed, 1, size)[0]
    vector = np.random.default_rng(seed).normal(size=size)
    found = run(dense.dot, vector, row)[0]
    assert np.float32(found) == naive_product(vector, row)
    exact = math.fsum(a * b for a, b in zip(vector.tolist(), row.tolist(), strict=True))
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-12 * float(np.abs(row).max() * size))


def test_a_product_is_summed_in_its_order(run):
    """Numbers that cancel each other out, or swallow the small ones, in one order only."""
    chance = np.random.default_rng(1)
    found = set()
    for _ in range(60):
        row = chance.permutation(np.array([1e16, -1e16, 1, 2, 4, 3e16, -3e16, 8, 16], F32))
        value = run(dense.product, np.ones(9), row)[0]
        assert value == naive_product(np.ones(9), row)
        found.add(float(value))
    assert len(found) > 2


def test_a_product_is_never_minus_zero(run):
    found = run(dense.product, np.array([-1.0, 0.0]), np.array([0.0, 5.0], F32))[0]
    assert found == 0
    assert not np.signbit(found)


@quick
@given(seeds, st.integers(1, 9), sizes)
def test_products(run, seed, count, size):
    rows = drawn(seed, count, size)
    chance = np.random.default_rng(seed)
    vector, documents = chance.normal(size=size), np.sort(chance.integers(0, count, 5))
    _, (*_, out) = run(dense.products, vector, rows, documents, np.full(5, 7, F32))
    assert out.tolist() == [naive_product(vector, rows[d]) for d in documents]


# --- rows in whole numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("square", [1.0, 2.0, 1e-80, 1e-30, 3e-88, 1e60, 0.1, 1 + 2.0**-30, 5e-324])
def test_a_length_is_rounded_up(run, square):
    found = float(run(dense.rounded_up, square)[0])
    assert found > math.sqrt(square)
    assert found <= math.sqrt(square) * (1 + 2.0**-22) + 2.0**-148


def test_no_length_stays_0(run):
    assert run(dense.rounded_up, 0.0)[0] == 0


@quick
@given(seeds, st.integers(1, 9), sizes)
def test_measure(run, seed, count, size):
    rows = drawn(seed, count, size)
    _, (_, lengths) = run(dense.measure, rows, np.full(count, 7, F32))
    exact = np.linalg.norm(rows.astype(np.float64), axis=1)
    assert (lengths >= exact).all()
    np.testing.assert_allclose(lengths, exact, rtol=1e-6)
    np.testing.assert_array_equal(lengths > 0, rows.any(axis=1))


@quick
@given(seeds, st.integers(1, 9), sizes)
@example(0, 3, SLAB)
@example(0, 3, SLAB + 1)
def test_encode(run, seed, count, size):
    rows = drawn(seed, count, size)
    codes, scales, rests, error = encoded(run, rows)
    flat = codes.transpose(1, 0, 2).reshape(count, -1).astype(np.float64)
    assert not flat[:, size:].any()
    assert (np.abs(flat) <= 127).all()
    missed = np.linalg.norm(rows - scales[:, None].astype(np.float64) * flat[:, :size], axis=1)
    assert (missed <= error * scales.astype(np.float64)).all()
    assert error <= 0.51 * math.sqrt(size)
    np.testing.assert_array_equal(np.abs(flat).max(axis=1), np.where(rows.any(axis=1), 127, 0))
    for slab in range(len(codes)):
        exact = np.linalg.norm(rows[:, (slab + 1) * SLAB :].astype(np.float64), axis=1)
        assert (rests[slab] >= exact).all()
        np.testing.assert_allclose(rests[slab], exact, rtol=1e-6)


def test_encoding_goes_on_from_a_row(run):
    rows = drawn(1, 9, 70)
    codes, scales, rests, _ = encoded(run, rows)
    room = np.full_like(codes, 7), np.full_like(scales, 7), np.full_like(rests, 7)
    _, (_, _, some, _, _) = run(dense.encode, rows[4:7].copy(), 4, *room)
    np.testing.assert_array_equal(some[:, 4:7], codes[:, 4:7])
    assert (some[:, :4] == 7).all()
    assert (some[:, 7:] == 7).all()


def test_rows_too_short_for_a_scale_have_no_error_to_rely_on(run):
    codes, scales, _, error = encoded(run, np.array([[1e-45, 0], [1, 2]], F32))
    assert scales[0] == 0
    assert not codes[0, 0].any()
    assert error == np.inf


def test_rows_with_a_rough_scale_are_cut_at_127(run):
    rows = np.array([[2e-43, 1e-43]], F32)  # the scale is the least number there is
    codes, scales, _, error = encoded(run, rows)
    missed = rows[0].astype(np.float64) - float(scales[0]) * codes[0, 0, :2]
    assert np.linalg.norm(missed) <= float(error) * float(scales[0])


# --- bounds --------------------------------------------------------------------------------------------------------


@quick
@given(seeds, st.integers(1, 20))
@example(0, 1)
def test_adding_slabs(run, seed, count):
    chance = np.random.default_rng(seed)
    codes = chance.integers(-127, 128, (count, SLAB)).astype(np.int8)
    asked = chance.integers(-32767, 32768, SLAB).astype(np.int16)
    before = chance.integers(-99, 99, count).astype(np.int32)
    exact = codes.astype(np.int64) @ asked.astype(np.int64)
    _, (*_, dots) = run(dense.add_slab, codes, asked, before)
    np.testing.assert_array_equal(dots, before + exact)
    some = np.flatnonzero(chance.random(count) < 0.5)
    _, (*_, dots) = run(dense.add_slab_of, codes, asked, some, before)
    expected = before.astype(np.int64)
    expected[some] += exact[some]
    np.testing.assert_array_equal(dots, expected)


@quick
@given(seeds, st.integers(1, 40))
def test_bound(run, seed, count):
    chance = np.random.default_rng(seed)
    dots = chance.integers(-(2**30), 2**30, count).astype(np.int32)
    scales, rests = chance.random((2, count)).astype(F32)
    factor, error, tail, slack, least = chance.random(5).astype(F32)
    arguments = dots, scales, rests, factor / F32(2**30), error, tail, slack, least
    hits, (*_, uppers) = run(dense.bound, *arguments, np.full(count, 7, F32))
    exact = scales * (factor / 2**30 * dots + np.float64(error)) + (np.float64(tail) * rests + slack)
    np.testing.assert_allclose(uppers, exact, atol=2e-6)
    assert hits == (uppers >= least).sum()


@quick
@given(seeds, st.integers(0, 40), st.booleans())
def test_list_hits(run, seed, count, masked):
    chance = np.random.default_rng(seed)
    uppers = chance.integers(0, 5, count).astype(F32)
    allowed = chance.random(count) < 0.6 if masked else np.zeros(0, np.bool_)
    number, (*_, out) = run(dense.list_hits, uppers, F32(2), allowed, np.full(count, -1))
    expected = np.flatnonzero((uppers >= 2) & (allowed if masked else True))
    np.testing.assert_array_equal(out[:number], expected)


@quick
@given(seeds, st.integers(0, 30), st.integers(1, 12))
def test_sift(run, seed, size, k):
    chance = np.random.default_rng(seed)
    lowers = chance.integers(0, 9, size + 2).astype(F32)
    uppers = lowers + chance.integers(0, 3, size + 2).astype(F32)
    (left, least), (_, _, documents, *_) = run(dense.sift, uppers, lowers, np.arange(size + 2), size, k)
    if size < k:
        assert (left, least) == (size, -np.inf)
        return
    assert least == np.sort(lowers[:size])[-k]
    np.testing.assert_array_equal(documents[:left], np.flatnonzero(uppers[:size] >= least))


# --- the search ----------------------------------------------------------------------------------------------------


def asked_for(codes, error, longest, vector):
    """The arguments of `scan` that are made from a vector of length 1."""
    slabs = len(codes)
    padded = np.zeros(slabs * SLAB)
    padded[: len(vector)] = vector
    factor = np.abs(padded).max() / 32767
    asked = np.rint(padded / factor)
    missed = np.linalg.norm(padded - asked * factor)
    tails = np.array([np.linalg.norm(padded[(slab + 1) * SLAB :]) for slab in range(slabs)])
    return (
        asked.astype(np.int16).reshape(slabs, SLAB), F32(factor), F32((1 + missed) * error), tails.astype(F32),
        F32(longest * (missed + 2.0**-16)),
    )  # fmt: skip


def everything(count):
    """The arguments of `scan` by which it reads all rows, which stand by number."""
    return np.zeros(1, np.int64), np.array([count]), np.zeros(0, np.int64)


def clustered(seed, count, size):
    """Rows of length 1 whose first numbers are the largest, near to a vector or far from it."""
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(count, size)) / np.arange(1, size + 1) ** 0.7
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[chance.random(count) < 0.02] = rows[0]
    return rows.astype(F32), rows[1]


def best_of(rows, vector, k, allowed):
    scores = np.array([naive_product(vector, row) for row in rows])
    numbers = np.flatnonzero(allowed) if len(allowed) else np.arange(len(rows))
    return numbers[np.argsort(-scores[numbers], kind="stable")[:k]]


@pytest.mark.parametrize(
    ("count", "size", "k", "masked"),
    [
        (2500, 130, 10, False),
        (2500, 130, 3, True),
        (1030, 64, 200, True),
        (40, 7, 50, False),
        (2100, 200, 1, False),
    ],
)
def test_scan_finds_the_best(run, count, size, k, masked):
    rows, vector = clustered(count, count, size)
    codes, scales, rests, error = encoded(lambda kernel, *a: (kernel(*a), a), rows)
    allowed = np.random.default_rng(k).random(count) < 0.5 if masked else np.zeros(0, np.bool_)
    asked = asked_for(codes, error, 1.0, vector)
    number, (*_, found) = run(
        dense.scan, codes, scales, rests, *asked, *everything(count), allowed, k, np.full(2 * count, -1)
    )
    found = found[:number].tolist()
    assert found == sorted(set(found))
    assert set(best_of(rows, vector, k, allowed)) <= set(found)
    if masked:
        assert allowed[found].all()
    if count > 2000:
        assert len(found) < count // 10


@pytest.mark.parametrize("room", [256, 300, 599])
def test_scan_says_where_too_many_could_be_best(run, room):
    rows = np.ones((600, 3), F32)
    codes, scales, rests, error = encoded(lambda kernel, *a: (kernel(*a), a), rows)
    asked = asked_for(codes, error, 2.0, np.array([1.0, 0, 0]))
    number, _ = run(
        dense.scan, codes, scales, rests, *asked, *everything(600), np.zeros(0, np.bool_), 5, np.full(room, -1)
    )
    assert number == -1


def test_scan_of_nothing(run):
    codes, scales, rests, error = encoded(lambda kernel, *a: (kernel(*a), a), np.zeros((0, 3), F32))
    asked = asked_for(codes, error, 1.0, np.array([1.0, 0, 0]))
    nothing = np.zeros(0, np.bool_)
    assert run(dense.scan, codes, scales, rests, *asked, *everything(0), nothing, 5, np.full(9, -1))[0] == 0


@pytest.mark.parametrize("masked", [False, True])
def test_scan_of_pieces(run, masked):
    """Only rows of the pieces are found, and by the numbers of their documents they are allowed."""
    rows, vector = clustered(5, 2500, 130)
    codes, scales, rests, error = encoded(lambda kernel, *a: (kernel(*a), a), rows)
    chance = np.random.default_rng(1)
    numbers = chance.permutation(2500)
    allowed = chance.random(2500) < 0.5 if masked else np.zeros(0, np.bool_)
    starts, ends = np.array([1100, 0, 2300]), np.array([2250, 70, 2300])
    inside = np.zeros(2500, np.bool_)
    inside[1100:2250] = inside[:70] = True
    if masked:
        inside &= allowed[numbers]
    asked = asked_for(codes, error, 1.0, vector)
    number, (*_, found) = run(
        dense.scan, codes, scales, rests, *asked, starts, ends, numbers, allowed, 10, np.full(2500, -1)
    )
    found = found[:number].tolist()
    assert len(found) == len(set(found)) < 200
    assert inside[found].all()
    assert set(best_of(rows, vector, 10, inside)) <= set(found)


def test_drop_not_allowed(run):
    allowed = np.array([True, False, True, False])
    left, (some, *_) = run(dense.drop_not_allowed, np.array([0, 2, 3, 4]), np.array([3, 9, 2, 0, 1]), allowed)
    assert some[:left].tolist() == [2, 3]


@pytest.mark.parametrize("look", [0, 1, 9])
def test_bound_block_stops_when_few_are_left(run, look):
    rows, vector = clustered(3, 64, 3 * SLAB)
    rows[1:] -= rows[1:] @ vector[:, None] * vector
    rows[1:] /= np.linalg.norm(rows[1:], axis=1, keepdims=True)
    rows[0] = vector
    codes, scales, rests, error = encoded(lambda kernel, *a: (kernel(*a), a), rows)
    asked, factor, error, tails, slack = asked_for(codes, error, 1.0, vector)
    room = np.full(64, 9, np.int32), np.full(64, 7, F32)
    (slab, hits), (*_, uppers) = run(
        dense.bound_block, codes, scales, rests, asked, factor, error, tails, slack, 0, 64, look, F32(0.9), *room
    )
    assert slab == min(look, 2)
    assert hits == (uppers >= F32(0.9)).sum() == 1
    exact = rows[:, : (slab + 1) * SLAB].astype(np.float64) @ vector[: (slab + 1) * SLAB]
    away = np.linalg.norm(rows[:, (slab + 1) * SLAB :], axis=1) * np.linalg.norm(vector[(slab + 1) * SLAB :])
    assert (uppers >= exact + away).all()
    np.testing.assert_allclose(uppers, exact + away, atol=0.03)


@pytest.mark.parametrize(("count", "k", "masked", "room"), [(2500, 10, False, 300), (1500, 3, True, 256)])
def test_pick_finds_the_best(run, count, k, masked, room):
    chance = np.random.default_rng(count)
    exact = chance.normal(size=(3, count), scale=0.1)
    exact[:, 7] = exact[:, 5]
    values = (exact + chance.choice([-0.01, 0.01], exact.shape)).astype(F32)
    allowed = chance.random(count) < 0.5 if masked else np.zeros(0, np.bool_)
    found = [np.zeros(3, np.int64), np.full(3, -np.inf, F32)]
    found += [np.full((3, room), 7, F32), np.full((3, room), 7, F32), np.full((3, room), -1)]
    for first in range(0, count, 1100):
        here = slice(first, first + 1100)
        arguments = values[:, here].copy(), F32(0.0101), allowed[here], first, k
        _, (*_, sizes, leasts, uppers, lowers, documents) = run(dense.pick, *arguments, *found)
        found = [sizes, leasts, uppers, lowers, documents]
    _, (_, sizes, _, _, documents) = run(dense.finish_picking, k, sizes, uppers, lowers, documents)
    for v in range(3):
        numbers = np.flatnonzero(allowed) if masked else np.arange(count)
        best = numbers[np.argsort(-exact[v, numbers], kind="stable")[:k]]
        some = documents[v, : sizes[v]].tolist()
        assert set(best) <= set(some) <= set(numbers)
        assert some == sorted(set(some))
        assert len(some) < 10 * k


def test_pick_says_where_too_many_could_be_best(run):
    found = np.zeros(2, np.int64), np.full(2, -np.inf, F32), *np.zeros((2, 2, 20), F32), np.full((2, 20), -1)
    values = np.array([np.ones(50), np.arange(50)], F32)
    _, (*_, sizes, _, uppers, lowers, documents) = run(
        dense.pick, values, F32(0.1), np.zeros(0, np.bool_), 0, 3, *found
    )
    assert sizes[0] == -1
    _, (_, sizes, *_) = run(dense.finish_picking, 3, sizes, uppers, lowers, documents)
    assert sizes.tolist() == [-1, 3]
    _, (*_, sizes, _, _, _, _) = run(
        dense.pick, values, F32(0.1), np.zeros(0, np.bool_), 50, 3, sizes, found[1], uppers, lowers, documents
    )
    assert sizes[0] == -1


def test_pick_keeps_what_may_reach_the_least_bound(run):
    found = np.zeros(1, np.int64), np.array([0.5], F32), *np.zeros((2, 1, 20), F32), np.full((1, 20), -1)
    values = np.array([[0.45, 0.39, 0.41, 0.7]], F32)
    _, (*_, sizes, _, uppers, lowers, documents) = run(
        dense.pick, values, F32(0.1), np.zeros(0, np.bool_), 10, 3, *found
    )
    assert documents[0, : sizes[0]].tolist() == [10, 12, 13]
    np.testing.assert_allclose(uppers[0, :3], [0.55, 0.51, 0.8], rtol=1e-6)
    np.testing.assert_allclose(lowers[0, :3], [0.35, 0.31, 0.6], rtol=1e-6)
