"""Numbers as papers print them."""

from __future__ import annotations

import math

MINUS, NOTHING = "\u2212", "\u2013"


def signed(value: float, digits: int = 3) -> str:
    r"""Return a difference with its sign, and no zero before the point.

    >>> signed(-0.0312).encode(), signed(0.5), signed(0.0)
    (b'\xe2\x88\x92.031', '+.500', '.000')
    """
    if not math.isfinite(value):
        return NOTHING if math.isnan(value) else f"{'+' if value > 0 else MINUS}∞"
    told = f"{abs(value):.{digits}f}".removeprefix("0")
    return told if not float(told) else f"{'+' if value > 0 else MINUS}{told}"


def told_p(value: float) -> str:
    """Return a p-value.

    >>> told_p(0.0421), told_p(0.00001), told_p(0.0496), told_p(0.23), told_p(1.0)
    ('.042', '<.001', '.0496', '.23', '1')
    """
    if math.isnan(value):
        return NOTHING
    if value < 0.001:
        return "<.001"
    told = f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"
    if (float(told) < 0.05) != (value < 0.05):  # rounding must not move it over the usual level
        told = f"{value:.4f}"
    return "1" if float(told) >= 1 else told.removeprefix("0")
