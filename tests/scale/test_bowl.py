"""One matrix of several: exact in a bowl, the sum for rare words, the mean for frequent ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.scale.bending import Bend
from aboutness.scale.bowl import LEAST, SLOPE, Bowl

WORDS, DIM, RATE = 4, 3, 0.05


def some_bend(draw, most=100_000.0):
    vectors = draw.normal(size=(7, DIM))
    return Bend(draw.random(WORDS) ** 8 * most, vectors.T @ vectors / 7)


def merged(bends, before, after):
    return Bowl.of(bends, RATE).merged(before, after, [of.updates for of in bends])


def rolled(rows, goals, updates, moments):
    """Return where rows are that have gone towards their goals, in a bowl."""
    bends, directions = np.linalg.eigh(moments)
    left = np.exp(-SLOPE * RATE * updates[:, None] * bends)
    return goals + ((rows - goals) @ directions * left) @ directions.T


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(2, 6))
def test_in_a_bowl_rows_end_where_one_process_brings_them(seed, shards):
    draw = np.random.default_rng(seed)
    moments = some_bend(draw).moments
    bends = [Bend(some_bend(draw).updates, moments) for _ in range(shards)]
    start, goals = draw.normal(size=(2, WORDS, DIM))
    after = [rolled(start, goals, of.updates, moments).astype(np.float32) for of in bends]
    found = merged(bends, start.astype(np.float32), after)
    expected = rolled(start, goals, sum(of.updates for of in bends), moments)
    np.testing.assert_allclose(found, expected, rtol=0, atol=LEAST * np.abs(goals - start).max())


def test_moves_of_rare_words_are_added():
    draw = np.random.default_rng(1)
    bends = [some_bend(draw, 1e-3) for _ in range(3)]
    before, *after = draw.normal(size=(4, WORDS, DIM)).astype(np.float32)
    found = merged(bends, before, after)
    np.testing.assert_allclose(found, before + sum(of - before for of in after), rtol=1e-5, atol=1e-5)


def test_moves_of_frequent_words_are_averaged_by_how_often_they_were_updated():
    draw = np.random.default_rng(1)
    bends = [Bend(np.full(WORDS, updates), np.eye(DIM)) for updates in (1e9, 3e9)]
    before, one, other = draw.normal(size=(3, WORDS, DIM)).astype(np.float32)
    found = merged(bends, before, [one, other])
    np.testing.assert_allclose(found, (one + 3 * other) / 4, rtol=1e-5, atol=1e-5)


def test_what_one_shard_made_is_taken_as_it_is():
    before, after = np.float32([[0.1, 0.2]]), np.float32([[0.3, 1e-8]])
    bends = [Bend(np.array([5.0]), np.eye(2))]
    assert merged(bends, before, [after]).tobytes() == after.tobytes()


def test_some_rows_are_merged_as_they_are_among_all():
    draw = np.random.default_rng(2)
    bends = [some_bend(draw) for _ in range(3)]
    before, *after = draw.normal(size=(4, WORDS, DIM)).astype(np.float32)
    some = slice(1, 3)
    found = merged([Bend(of.updates[some], of.moments) for of in bends], before[some], [of[some] for of in after])
    assert found.tobytes() == merged(bends, before, after)[some].tobytes()


def test_zeros_at_the_end_of_rows_stay_zeros():
    draw = np.random.default_rng(3)
    before, *after = draw.normal(size=(4, WORDS, DIM)).astype(np.float32)
    moments = some_bend(draw).moments
    for array in (before, *after, moments, moments.T):
        array[:, -1] = 0
    bends = [Bend(some_bend(draw).updates, moments) for _ in after]
    assert not merged(bends, before, after)[:, -1].any()
