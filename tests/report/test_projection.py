from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.report.projection import neighbour_map, principal_axes


@given(st.integers(0, 1000), st.integers(1, 30), st.integers(1, 6))
@settings(max_examples=50)
def test_axes_are_those_of_the_singular_values(seed, count, dim):
    points = np.random.default_rng(seed).normal(size=(count, dim)) * np.arange(1, dim + 1)
    axes, shares = principal_axes(points.astype(np.float32))
    centred = (points - points.mean(axis=0)).astype(np.float64)
    sizes = np.linalg.svd(centred, compute_uv=False)
    wanted = np.zeros(2)
    wanted[: min(2, len(sizes))] = (sizes[:2] ** 2 / ((sizes**2).sum() or 1))[:2]
    assert shares == pytest.approx(wanted.tolist(), abs=1e-4)
    assert np.square(centred @ axes).sum(axis=0) == pytest.approx(wanted * (sizes**2).sum(), rel=1e-3, abs=1e-4)
    assert (axes[np.abs(axes).argmax(axis=0), [0, 1]] >= 0).all()


def test_no_points_and_the_same_points():
    assert principal_axes(np.zeros((0, 3)))[1] == (0.0, 0.0)
    axes, shares = principal_axes(np.ones((4, 3)))
    assert shares == (0.0, 0.0)
    assert np.isfinite(axes).all()


def test_clusters_stay_together_and_a_seed_gives_the_same_map():
    pytest.importorskip("openTSNE")
    chance = np.random.default_rng(1)
    centres = chance.normal(size=(3, 10)) * 10
    points = np.concatenate([centre + chance.normal(size=(12, 10)) for centre in centres])
    found = neighbour_map(points, seed=3)
    assert np.array_equal(found, neighbour_map(points, seed=3))
    means = found.reshape(3, 12, 2).mean(axis=1)
    spread = np.abs(found.reshape(3, 12, 2) - means[:, None]).max()
    apart = min(np.linalg.norm(means[a] - means[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
    assert apart > 2 * spread


def test_refusals(monkeypatch):
    with pytest.raises(UsageError, match="at least 5 documents, got 4; use pca"):
        neighbour_map(np.ones((4, 3)))
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with pytest.raises(UsageError, match=r"pip install 'aboutness\[figures\]'"):
        neighbour_map(np.ones((9, 3)))
