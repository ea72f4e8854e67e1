"""p-values when several differences are tested at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from aboutness.core.errors import UsageError, shown
from aboutness.core.registry import Registry
from aboutness.evaluate.values import Floats


def _bonferroni(p_values: Floats) -> Floats:
    return np.minimum(p_values * len(p_values), 1.0)


def _holm(p_values: Floats) -> Floats:
    """Take the smallest times their number, the next times one less, and so on; none is below one before it."""
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


CORRECTIONS: Registry[Callable[[Floats], Floats]] = Registry("correction")
CORRECTIONS.register("holm", _holm)
CORRECTIONS.register("bonferroni", _bonferroni)
CORRECTIONS.register("none", np.copy)


def adjusted(p_values: Sequence[float] | Floats, correction: str = "holm") -> Floats:
    """Return p-values such that each may be compared with the level at which all tests together shall be wrong.

    >>> adjusted([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    found = np.array(p_values, np.float64)
    if found.ndim != 1 or not ((found >= 0) & (found <= 1)).all():
        raise UsageError(f"p-values must be numbers from 0 to 1, got {shown(p_values)}")
    return CORRECTIONS[correction](found)
