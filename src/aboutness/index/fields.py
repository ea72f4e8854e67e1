"""The text fields of an index: how many there may be, and how much each counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from aboutness.core.errors import BadInput, UsageError, shown

MOST_FIELDS = 64  # of an index: postings hold one count for each


def checked_weights(weights: Mapping[str, Any]) -> dict[str, float]:
    """Return the weights of fields as numbers, or raise where one is not a number above 0."""
    for name, weight in weights.items():
        number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not number or not 0 < weight < math.inf:
            raise UsageError(f"the weight of field {name!r} must be a number above 0, got {shown(weight)}")
    return {name: float(weight) for name, weight in weights.items()}


def with_new_fields(fields: Mapping[str, float], new: Iterable[str]) -> dict[str, float]:
    """Return the fields and, behind them, new ones of weight 1; raise where they become too many."""
    grown = {**fields, **dict.fromkeys(new, 1.0)}
    if len(grown) > MOST_FIELDS:
        some = ", ".join(repr(name) for name in list(grown)[:5])
        raise BadInput(
            f"an index must have at most {MOST_FIELDS} text fields, got {len(grown)} ({some}, …); "
            "keep what is not text as metadata"
        )
    return grown
