"""Numbers of things, as people read them."""

from __future__ import annotations


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number with what is counted.

    >>> counted(1, "ranker"), counted(1200, "query", "queries")
    ('1 ranker', '1,200 queries')
    """
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
