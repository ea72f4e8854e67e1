"""Numbers as papers print them."""

from __future__ import annotations

import math

MINUS, NOTHING = "\u2212", "\u2013"
SMALLEST = 1e-6  # differences that are nearer to 0 are none
LEVEL = 0.05  # of p, the usual one


def signed(value: float, digits: int = 3) -> str:
    r"""Return a difference with its sign, and no zero before the point; on which side of 0 it is can be seen.

    >>> signed(-0.0312).encode(), signed(0.5), signed(0.0), signed(0.0004)
    (b'\xe2\x88\x92.031', '+.500', '.000', '+.0004')
    """
    if not math.isfinite(value):
        return NOTHING if math.isnan(value) else f"{'+' if value > 0 else MINUS}∞"
    if abs(value) < SMALLEST:
        value = 0.0
    while value and not float(f"{value:.{digits}f}"):
        digits += 1
    told = f"{abs(value):.{digits}f}".removeprefix("0")
    return told if not value else f"{'+' if value > 0 else MINUS}{told}"


def told_p(value: float, level: float = LEVEL) -> str:
    """Return a p-value; on which side of the level it is can be seen.

    >>> told_p(0.0421), told_p(0.00001), told_p(0.0496), told_p(0.23), told_p(1.0)
    ('.042', '<.001', '.0496', '.23', '1')
    """
    if math.isnan(value):
        return NOTHING
    if value < 0.001:
        return "<.001"
    told = f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"
    digits = 4
    while (float(told) < level) != (value < level):  # rounding must not move it over the level
        told, digits = f"{value:.{digits}f}", digits + 1
    return "1" if float(told) >= 1 else told.removeprefix("0")
