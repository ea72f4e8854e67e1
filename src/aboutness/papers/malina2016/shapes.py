"""How many modes values have: Sarle's coefficient, and Silverman's test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EVEN = 5 / 9  # Sarle's coefficient of values that are spread evenly
GRID = 512
ROOM = 0.25  # on either side of the values, as a share of their range
STEPS = 30  # halvings by which a bandwidth is found
SAMPLES = 500


@dataclass(frozen=True)
class Shape:
    """How many modes a distribution has."""

    one_mode: float  # p of Silverman's test
    two_modes: float
    sarle: float  # the coefficient of bimodality


def shape_of(values: Floats, *, seed: int = 1, samples: int = SAMPLES) -> Shape:
    """Return what can be said of the modes of some values."""
    one, two = (more_modes(values, most, seed=seed, samples=samples) for most in (1, 2))
    return Shape(one, two, bimodality(values))


def bimodality(values: Floats) -> float:
    """Return Sarle's coefficient of bimodality, with the correction for few values; 0 where all are the same.

    b = (g^2 + 1) / (k + 3 (n - 1)^2 / ((n - 2) (n - 3))), g being the skewness and k the excess kurtosis of the
    sample. It is 1 for two values only, 1/3 for a normal and 5/9 for an even distribution.

    >>> round(bimodality(np.repeat([0.0, 1.0], 500)), 2), round(bimodality(np.linspace(0, 1, 1000)), 2)
    (1.0, 0.55)
    """
    n = len(values)
    if n < 4 or float(values.std()) < 1e-12:
        return 0.0
    centred = values - values.mean()
    second, third, fourth = (float((centred**power).mean()) for power in (2, 3, 4))
    skewness = third / second**1.5 * math.sqrt(n * (n - 1)) / (n - 2)
    kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (fourth / second**2 - 3) + 6)
    return float((skewness**2 + 1) / (kurtosis + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))))


def modes(values: Floats, bandwidth: float) -> int:
    """Return how many peaks a sum of normal curves, one at each value, has."""
    low, high = float(values.min()), float(values.max())
    room = ROOM * (high - low) + 3 * bandwidth
    edges = np.linspace(low - room, high + room, GRID + 1)
    counts = np.histogram(values, edges)[0].astype(np.float64)
    away = (np.arange(GRID) - GRID // 2) * (edges[1] - edges[0]) / bandwidth
    smooth = np.convolve(counts, np.exp(-(away**2) / 2), "same")
    slopes = np.sign(np.round(np.diff(smooth), 12))
    slopes = slopes[slopes != 0]
    return int(((slopes[:-1] > 0) & (slopes[1:] < 0)).sum())


def critical_bandwidth(values: Floats, most: int) -> float:
    """Return the smallest bandwidth at which there are at most so many peaks."""
    low, high = 1e-3 * float(np.ptp(values)), 2 * float(np.ptp(values))
    for _ in range(STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if modes(values, middle) <= most else (middle, high)
    return high


def more_modes(values: Floats, most: int = 1, *, seed: int = 1, samples: int = SAMPLES) -> float:
    """Return p of Silverman's test (1981) that values come from a distribution with at most so many modes.

    That is how often samples of the smoothest such distribution, as many as there are values, have more peaks at
    its bandwidth than that; the values themselves count as one that has. 1 where all values are the same.
    """
    spread = float(values.std())
    if spread < 1e-12:
        return 1.0
    chance = np.random.default_rng(seed)
    width = critical_bandwidth(values, most)
    shrunk = 1 / math.sqrt(1 + (width / spread) ** 2)  # so that samples are spread as the values are
    found = 0
    for _ in range(samples):
        drawn = chance.choice(values, len(values)) + width * chance.standard_normal(len(values))
        found += modes(values.mean() + shrunk * (drawn - values.mean()), width) > most
    return (found + 1) / (samples + 1)
