from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aboutness.kernels import chance

quick = settings(max_examples=60, deadline=None)
bits = st.integers(0, (1 << 64) - 1)
BIT_64 = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def state_of(seed: int) -> np.ndarray:
    return np.array([seed], np.uint64)


def scrambled(value: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea, Flood 2014), in whole numbers."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & BIT_64
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & BIT_64
    return value ^ (value >> 31)


def table_of(run, weights):
    weights = np.array(weights, np.float64)
    room = np.zeros(len(weights), np.int64), np.zeros(len(weights)), np.zeros(len(weights), np.uint64)
    return run(chance.fill_alias, weights, *room)[1][-1]


def probabilities(table) -> list[Fraction]:
    """With which probability an alias table gives each number, exactly."""
    found = [Fraction(0)] * len(table)
    for place, entry in enumerate(table.tolist()):
        own = Fraction(entry >> 32, 1 << 32)
        found[place] += own / len(table)
        found[entry & 0xFFFFFFFF] += (1 - own) / len(table)
    return found


@quick
@given(bits)
def test_scramble(run, value):
    assert run(chance.scramble, np.uint64(value))[0] == scrambled(value)


def test_scramble_loses_nothing(run):
    """It is a bijection, so single bits that differ lead to numbers that differ."""
    values = [run(chance.scramble, np.uint64(1 << bit))[0] for bit in range(64)]
    assert len(set(values)) == 64
    differing = [(int(values[bit]) ^ int(values[0])).bit_count() for bit in range(1, 64)]
    assert 28 < np.mean(differing) < 36


def test_next_random_is_splitmix64(run):
    state, found = state_of(0), []
    for _ in range(3):
        value, (state,) = run(chance.next_random, state)
        found.append(value)
    assert found == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@quick
@given(bits)
def test_next_random(run, seed):
    value, (state,) = run(chance.next_random, state_of(seed))
    assert state.tolist() == [(seed + STEP) & BIT_64]
    assert value == scrambled((seed + STEP) & BIT_64)


@quick
@given(bits, st.integers(1, 1 << 32))
@example(BIT_64, 1 << 32)
@example(BIT_64, 1)
@example(0, 1 << 32)
def test_below(run, value, limit):
    found = run(chance.below, np.uint64(value), np.uint64(limit))[0]
    assert found == (value >> 32) * limit // (1 << 32)
    assert 0 <= found < limit


@quick
@given(
    bits,
    st.integers(0, 5),
    st.integers(0, 4),
    st.integers(0, 3),
    st.sampled_from([0.0, 2.0**-20, 0.01, 1.0, 100.0]),
)
def test_fill_evenly(run, seed, rows, width, more, reach):
    _, (state, *_, out) = run(
        chance.fill_evenly, state_of(seed), np.float32(reach), width, np.zeros((rows, width + more), np.float32)
    )
    numbers = [scrambled(seed + (i + 1) * STEP & BIT_64) >> 40 for i in range(rows * width)]
    shares = np.array(numbers, np.float64).reshape(rows, width) / (1 << 24)
    np.testing.assert_allclose(out[:, :width], (2 * shares - 1) * reach, rtol=1e-6, atol=1e-6 * reach)
    assert not out[:, width:].any()
    assert state.tolist() == [(seed + rows * width * STEP) & BIT_64]


def test_what_is_filled_lies_evenly_between_the_bounds():
    out = np.zeros((1000, 24), np.float32)
    chance.fill_evenly(state_of(5), np.float32(0.25), 20, out)
    drawn = out[:, :20]
    assert drawn.min() >= -0.25
    assert drawn.max() < 0.25
    counts = np.histogram(drawn, 10, (-0.25, 0.25))[0]
    assert square(counts, np.full(10, 0.1)) < limit_of(10)
    assert abs(drawn.mean()) < 4 * 0.25 / np.sqrt(3 * drawn.size)


weights_drawn = st.lists(
    st.one_of(st.just(0.0), st.integers(1, 5).map(float), st.floats(1e-300, 1e300)), min_size=1, max_size=30
).filter(any)


@settings(max_examples=200, deadline=None)
@given(weights_drawn)
@example([1.0])
@example([1e-300])
@example([1.0] * 7)
@example([1e300, 1e-300])
@example([1e-300, 1e300, 1e-300])
@example([0.0, 3.0, 0.0])
@example([0.0, 0.0, 1.0, 1.0])
@example([1.0, 2.0, 3.0, 4.0])
@example([0.1] * 10)
def test_fill_alias(run, weights):
    table = table_of(run, weights)
    total = sum(map(Fraction, weights))
    for found, weight in zip(probabilities(table), weights, strict=True):
        assert abs(found - Fraction(weight) / total) <= Fraction(1, 1 << 31)
        if not weight:
            assert found <= Fraction(len(weights), 1 << 52)


@pytest.mark.parametrize("power", [0.75, 0, 3])
def test_a_table_as_large_as_a_vocabulary(run, power):
    counts = 1e6 / np.arange(1, 20_001)
    weights = counts**power
    room = np.zeros(len(weights), np.int64), np.zeros(len(weights)), np.zeros(len(weights), np.uint64)
    chance.fill_alias(weights, *room)
    found = np.array([float(share) for share in probabilities(room[-1])])
    np.testing.assert_allclose(found, weights / weights.sum(), atol=2.0**-31, rtol=0)


@quick
@given(weights_drawn, bits)
@example([1.0, 1.0, 2.0], BIT_64)
@example([1.0, 1.0, 2.0], 0)
@example([0.0, 3.0, 0.0], 0)
def test_draw(run, weights, value):
    table = table_of(run, weights)
    place = (value >> 32) * len(table) // (1 << 32)
    entry = int(table[place])
    expected = place if (value & 0xFFFFFFFF) < entry >> 32 else entry & 0xFFFFFFFF
    assert run(chance.draw, table, np.uint64(value))[0] == expected
    assert 0 <= expected < len(weights)


def square(counts, shares):
    """The chi-square statistic."""
    expected = shares * counts.sum()
    return float(((counts - expected) ** 2 / expected).sum())


def limit_of(cells):
    """What the statistic is hardly ever above, where the distribution is right: five deviations."""
    return cells - 1 + 5 * np.sqrt(2 * (cells - 1))


@pytest.mark.parametrize("seed", [0, 1, 12345])
@pytest.mark.parametrize("weights", [[1] * 20, list(range(1, 21)), [1000, 1, 1, 50, 2], [5, 0, 3]], ids=str)
def test_draws_follow_the_distribution(run, weights, seed):
    table, state = table_of(run, weights), state_of(seed)
    draws = [chance.draw(table, np.uint64(chance.next_random(state))) for _ in range(20_000)]
    counts, shares = np.bincount(draws, minlength=len(weights)), np.array(weights) / sum(weights)
    assert not counts[shares == 0].any()
    possible = shares > 0
    assert square(counts[possible], shares[possible]) < limit_of(possible.sum())


def test_neighbouring_seeds_draw_apart():
    first = [chance.next_random(state_of(seed)) for seed in range(2000)]
    counts = np.bincount([int(value) >> 60 for value in first], minlength=16)
    assert square(counts, np.full(16, 1 / 16)) < limit_of(16)
