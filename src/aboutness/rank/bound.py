"""Rankers bound to an index: a model's own scorer, or a pipeline of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from aboutness.core.algebra import Cut, Ranker, Rerank
from aboutness.core.errors import UsageError, shown
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Allowed, Match, Model, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking


class Searcher(Protocol):
    """What can be asked of a bound ranker; the scorers of models are such."""

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the k best documents for each question, among those that match and are allowed."""
        ...

    def explain(self, question: Question, document: int) -> Explanation:
        """Return why a document has its score."""
        ...


def bind(ranker: Ranker, snapshot: Snapshot, part: Callable[[Ranker], Searcher] | None = None) -> Searcher:
    """Return a ranker bound to one generation of an index: read-only and safe to use from several threads.

    `part` binds the rankers that it is made of, where the caller keeps such.
    """
    inner = part or (lambda one: bind(one, snapshot))
    if isinstance(ranker, Model):
        return ranker.bind(snapshot)
    if isinstance(ranker, Cut):
        return _BoundCut(inner(ranker.ranker), ranker.depth)
    if isinstance(ranker, Rerank):
        return _BoundRerank(inner(ranker.first), inner(ranker.second), snapshot.size)
    raise UsageError(f"not a ranker: {shown(ranker)}")


class _BoundCut:
    """The first documents of a ranker."""

    def __init__(self, inner: Searcher, depth: int) -> None:
        self.inner = inner
        self.depth = depth

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the k best documents for each question."""
        k = min(checked_k(k), self.depth)
        return self.inner.top_many(questions, k, match=match, allowed=allowed, threads=threads)

    def explain(self, question: Question, document: int) -> Explanation:
        """Return why a document has its score."""
        return self.inner.explain(question, document)


class _BoundRerank:
    """What one ranker finds, ranked by another; the score is the second one's."""

    def __init__(self, first: Searcher, second: Searcher, size: int) -> None:
        self.first = first
        self.second = second
        self.size = size

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the k best documents for each question; the match step is the first ranker's."""
        k = checked_k(k)
        found = self.first.top_many(questions, self.size or 1, match=match, allowed=allowed, threads=threads)
        return [
            self.second.top_many([question], k, match="all", allowed=np.sort(ranking.documents), threads=1)[0]
            for question, ranking in zip(questions, found, strict=True)
        ]

    def explain(self, question: Question, document: int) -> Explanation:
        """Return why a document has its score."""
        return self.second.explain(question, document)
