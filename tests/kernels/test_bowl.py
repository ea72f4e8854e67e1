from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import bowl
from aboutness.kernels.rows import TOGETHER
from kernels.conftest import near


def exactly(x):
    """x / (1 - exp(-x)), which is 1 at 0."""
    safe = np.maximum(np.asarray(x, np.float64), 1e-9)
    return safe / -np.expm1(-safe)


@pytest.mark.parametrize("x", [0, 1e-9, 1e-3, 0.5, 1, 7.9, 9.9, 10, 10.1, 30, 1e6])
def test_per_share(x):
    found, _ = near(bowl.per_share, np.float32(x), within=1e-6)
    assert found == pytest.approx(float(exactly(np.float32(x))), rel=5e-5)


def naive(before, after, updates, bends, directions, least):
    """All moves in the directions that hardly bend, and shares of them in the others."""
    made = before.astype(np.float64)
    for row in range(len(before)):
        together = updates[:, row].sum()
        for moved, times in zip(after[:, row], updates[:, row], strict=True):
            move = moved.astype(np.float64) - before[row]
            made[row] += move
            for bend, direction in zip(bends, directions, strict=False):
                if together * bend > least:
                    share = exactly(times * bend) / exactly(together * bend)
                    made[row] += (share - 1) * (move @ direction) * direction
    return made


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 5), st.integers(1, 4), st.integers(1, 9))
def test_merge_rows(seed, rows, who, size):
    chance = np.random.default_rng(seed)
    before = chance.normal(size=(rows, size)).astype(np.float32)
    after = before + chance.normal(size=(who, rows, size)).astype(np.float32)
    updates = (chance.random((who, rows)) ** 8 * 1e4).astype(np.float32)
    bends = np.sort(chance.random(size).astype(np.float32) ** 4)[::-1].copy()
    directions = np.zeros((-(-size // TOGETHER) * TOGETHER, size), np.float32)
    directions[:size] = np.linalg.qr(chance.normal(size=(size, size)))[0]
    least = np.float32(0.03)
    arguments = before, after, updates, bends, directions, least
    _, (*_, out) = near(bowl.merge_rows, *arguments, np.empty_like(before), within=1e-4)
    np.testing.assert_allclose(out, naive(*arguments), rtol=1e-3, atol=1e-3)
