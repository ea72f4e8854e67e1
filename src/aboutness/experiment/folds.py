"""Queries split into folds, for cross-validation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TypeAlias

from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Whole, checked

Folds: TypeAlias = tuple[tuple[str, ...], ...]


def split_queries(queries: Iterable[str], folds: int = 5, seed: int = 1) -> Folds:
    """Split query ids into so many folds, whose sizes differ by at most one.

    Which query goes where depends on the ids and the seed alone, not on the order of the queries.

    >>> split_queries(["q1", "q2", "q3", "q4", "q5"], folds=2)
    (('q1', 'q3', 'q4'), ('q2', 'q5'))
    """
    ids = list(queries)
    if len(set(ids)) < len(ids):
        twice = next(one for place, one in enumerate(ids) if one in ids[:place])
        raise UsageError(f"each query must stand there once, but {shown(twice)} does twice")
    if len(ids) < 2:
        raise UsageError(f"there must be at least two queries to be split into folds, got {len(ids)}")
    count = checked(Whole(2, len(ids)), f"the number of folds of {len(ids)} queries", folds)
    start = checked(Whole(0, (1 << 63) - 1), "seed", seed)
    dealt = sorted(ids, key=lambda one: _drawn(start, one))
    return tuple(tuple(sorted(dealt[first::count])) for first in range(count))


def _drawn(seed: int, query: str) -> bytes:
    """Return the query's place in the draw: the same with every version of every library."""
    return hashlib.sha256(f"{seed} {query}".encode(errors="surrogatepass")).digest()
