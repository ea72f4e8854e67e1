"""Queries split into folds, for cross-validation, or into those to choose by and the others."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from numbers import Real
from pathlib import Path
from typing import TypeAlias

from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Number, Whole, checked
from aboutness.corpus.files import lines, utf8

Ids: TypeAlias = tuple[str, ...]
Folds: TypeAlias = tuple[Ids, ...]

Split: TypeAlias = float | str | Path | Iterable[str]
"""Which queries parameters are chosen by: a share of them, a file with an id in each line, or their ids."""


def split_queries(queries: Iterable[str], folds: int = 5, seed: int = 1) -> Folds:
    """Split query ids into so many folds, whose sizes differ by at most one.

    Which query goes where depends on the ids and the seed alone, not on the order of the queries.

    >>> split_queries(["q1", "q2", "q3", "q4", "q5"], folds=2)
    (('q1', 'q3', 'q4'), ('q2', 'q5'))
    """
    ids = _once_each(queries)
    if len(ids) < 2:
        raise UsageError(f"there must be at least two queries to be split into folds, got {len(ids)}")
    count = checked(Whole(2, len(ids)), f"the number of folds of {len(ids)} queries", folds)
    dealt = _dealt(ids, seed)
    return tuple(tuple(sorted(dealt[first::count])) for first in range(count))


def training_split(queries: Iterable[str], split: Split = 0.5, seed: int = 1) -> tuple[Ids, Ids]:
    """Return the ids of the queries to choose by, and those of the others.

    Of a share, which ones are drawn depends on the ids and the seed alone, not on the order of the queries.

    >>> training_split(["q1", "q2", "q3", "q4", "q5"], 0.4)
    (('q2', 'q4'), ('q1', 'q3', 'q5'))
    """
    ids = _once_each(queries)
    if isinstance(split, Real):
        share = checked(Number(0, 1), "the share of queries to choose by", split)
        chosen = set(_dealt(ids, seed)[: round(share * len(ids))])
    else:
        if not isinstance(split, str | Path | Iterable):
            raise UsageError(f"queries to choose by are a share, a file of ids, or ids, got {shown(split)}")
        wanted = _read(split) if isinstance(split, str | Path) else _once_each(split)
        chosen, known = set(wanted), set(ids)
        if unknown := [one for one in wanted if one not in known]:
            raise UsageError(f"there is no judged query {shown(unknown[0])} to choose parameters by")
    if not 0 < len(chosen) < len(ids):
        raise UsageError(
            f"there must be queries to choose by and others to report on, got {len(chosen)} and "
            f"{len(ids) - len(chosen)} of {len(ids)}: choose another share, or other ids"
        )
    return tuple(sorted(chosen)), tuple(sorted(set(ids) - chosen))


def _read(path: str | Path) -> list[str]:
    """Return the ids of a file, one in each line."""
    return _once_each(utf8(line.strip()) for _, line in lines(path) if line.strip())


def _once_each(queries: Iterable[str]) -> list[str]:
    """Return query ids as a list, or raise where one stands there twice."""
    ids = list(queries)
    if len(set(ids)) < len(ids):
        twice = Counter(ids).most_common(1)[0][0]
        raise UsageError(f"each query must stand there once, but {shown(twice)} does twice")
    return ids


def _dealt(ids: Iterable[str], seed: int) -> list[str]:
    """Return query ids in an order by chance."""
    start = checked(Whole(0, (1 << 63) - 1), "seed", seed)
    return sorted(ids, key=lambda one: _drawn(start, one))


def _drawn(seed: int, query: str) -> bytes:
    """Return the query's place in the draw: the same with every version of every library."""
    return hashlib.sha256(f"{seed} {query}".encode(errors="surrogatepass")).digest()
