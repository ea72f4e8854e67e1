from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from aboutness.papers.malina2016.shapes import bimodality, critical_bandwidth, modes, more_modes


def two_hills(count: int = 400) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    chance = np.random.default_rng(1)
    return np.concatenate([chance.normal(0.3, 0.05, count // 2), chance.normal(0.8, 0.05, count // 2)])


def test_coefficient_by_scipy() -> None:
    values = np.random.default_rng(2).gamma(2, size=200)
    n = len(values)
    skewness, kurtosis = stats.skew(values, bias=False), stats.kurtosis(values, bias=False)
    wanted = (skewness**2 + 1) / (kurtosis + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)))
    assert bimodality(values) == pytest.approx(wanted)
    assert bimodality(np.full(10, 0.5)) == bimodality(np.array([0.1, 0.9])) == 0


def test_modes_are_counted() -> None:
    values = two_hills()
    assert modes(values, 0.05) == 2
    assert modes(values, 0.5) == 1
    width = critical_bandwidth(values, 1)
    assert modes(values, 1.01 * width) == 1
    assert modes(values, 0.98 * width) == 2


def test_one_hill_and_two() -> None:
    one = np.random.default_rng(3).normal(0.5, 0.1, 400)
    assert more_modes(one, samples=100) > 0.05
    assert more_modes(two_hills(), samples=100) == 1 / 101  # never 0
    assert more_modes(two_hills(), 2, samples=100) > 0.05
    assert more_modes(np.full(20, 0.5)) == 1


def test_the_same_seed_gives_the_same() -> None:
    values = np.random.default_rng(5).uniform(size=100)
    assert more_modes(values, samples=50, seed=7) == more_modes(values, samples=50, seed=7)
