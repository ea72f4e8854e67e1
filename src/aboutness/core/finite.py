"""Numbers as JSON can hold them."""

from __future__ import annotations

import math
from typing import TypeVar

Value = TypeVar("Value")


def finite(value: Value) -> Value | None:
    """Return a plain value, but None for a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
