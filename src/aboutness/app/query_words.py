"""The words of a query, found again in texts as the index reads both."""

from __future__ import annotations

from typing import TypeAlias

from aboutness.text.analyzer import Analyzer
from aboutness.text.spans import spans

Marks: TypeAlias = "list[tuple[int, int]]"


class QueryWords:
    """The words of a query, to be marked in texts.

    >>> QueryWords(Analyzer("plain"), "the moon").marks("Moon, and moons")
    [(0, 4)]
    """

    def __init__(self, analyzer: Analyzer, query: str) -> None:
        self._analyzer = analyzer
        self._terms = frozenset(analyzer.terms(query))

    def marks(self, text: str) -> Marks:
        """Return where words of the query stand in a text: from which character to before which."""
        if not self._terms:
            return []
        return [
            (one.start, one.end) for one in spans(self._analyzer, text) if not self._terms.isdisjoint(one.terms)
        ]
