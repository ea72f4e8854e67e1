from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import moments
from kernels.conftest import near


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 7), st.integers(1, 9))
def test_add_moments(seed, rows, size):
    chance = np.random.default_rng(seed)
    matrix, weights = chance.normal(size=(rows, size)).astype(np.float32), chance.random(rows)
    before = chance.normal(size=(size, size))
    _, (*_, out) = near(moments.add_moments, matrix, weights, before.copy(), within=1e-12)
    wide = matrix.astype(np.float64)
    np.testing.assert_allclose(out, before + (wide * weights[:, None]).T @ wide, rtol=1e-10, atol=1e-12)
