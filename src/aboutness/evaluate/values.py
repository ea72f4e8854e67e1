"""One value of a measure for each query, by which rankers are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError, shown

LARGEST = 1e100  # value: sums of larger ones may be infinite
GRAIN = 2.0**-40  # of the largest value: differences that are nearer are the same, but for rounding

Floats: TypeAlias = NDArray[np.float64]
Values: TypeAlias = Mapping[str, float] | Sequence[float] | Floats
"""One value for each query: by the query's id, or in an order that all rankers share."""


def paired(a: Values, b: Values) -> tuple[Floats, Floats]:
    """Return the values of both rankers in one order of the queries, or raise where they are not pairs."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if alone := [query for query in a if query not in b] or [query for query in b if query not in a]:
            raise UsageError(
                "both rankers must have values for the same queries, "
                f"but only one has some for {len(alone):,} of them, such as {shown(alone[0])}"
            )
        first, second = numbers(list(a.values())), numbers([b[query] for query in a])
    elif isinstance(a, Mapping) or isinstance(b, Mapping):
        raise UsageError("give both rankers' values by query, or both as lists in the same order")
    else:
        first, second = numbers(a), numbers(b)
    if len(first) != len(second):
        raise UsageError(f"both rankers must have a value for each query, got {len(first)} and {len(second)}")
    if not len(first):
        raise UsageError("there must be at least one query to test a difference, got none")
    return first, second


def all_paired(values: Mapping[str, Values]) -> Floats:
    """Return the values of several rankers, a row for each, in one order of the queries."""
    if len(values) < 2:
        raise UsageError(f"there must be at least two rankers to compare, got {len(values)}")
    names = list(values)
    rows = []
    for name in names:
        try:
            first, row = paired(values[names[0]], values[name])
        except UsageError as error:
            raise UsageError(f"{names[0]} and {name}: {error}") from None
        rows.append(row)
    return np.stack([first, *rows[1:]])


def numbers(values: Sequence[float] | Floats) -> Floats:
    """Return values as an array, or raise where they are not one number for each query."""
    try:
        found = np.array(values, np.float64)
    except (TypeError, ValueError):
        found = np.array(math.nan)
    if found.ndim != 1 or not (np.abs(found) < LARGEST).all():
        raise UsageError(f"the values of a ranker must be one number for each query, got {shown(values)}")
    return found


def differences(first: Floats, second: Floats) -> Floats:
    """Return the differences, without what is only rounding: such are 0, or the same as others."""
    return _coarser(first - second, max(np.abs(first).max(), np.abs(second).max()))


def average_ranks(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return ranks from 1, where equal values share the mean of theirs, and how many values share each."""
    grouped = _coarser(values, np.abs(values).max(initial=0))
    _, inverse, counts = np.unique(grouped, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse], counts


def _coarser(values: Floats, largest: float) -> Floats:
    return np.round(values / (GRAIN * largest)) * (GRAIN * largest) if GRAIN * largest else values
