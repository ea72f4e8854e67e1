"""The words of a query, found again in texts as the index reads both."""

from __future__ import annotations

from typing import TypeAlias

from aboutness.index.snapshot import Snapshot
from aboutness.text.analyzer import Analyzer
from aboutness.text.spans import spans

Marks: TypeAlias = "list[tuple[int, int]]"


def stopped_words(snapshot: Snapshot, query: str) -> list[str]:
    """Return the words of a query that are left out as too frequent, where nothing else is in it for any layer."""
    analyzers = [snapshot.analyzer(layer) for layer in snapshot.manifest.layers]
    if any(analyzer.terms(query) for analyzer in analyzers):
        return []
    return list(dict.fromkeys(word for analyzer in analyzers for word in analyzer.stopped(query)))


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
