"""Rankers bound to an index: a model's own scorer, or what is made of such."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from aboutness.core.algebra import Cut, Ranker, Rerank, Scaled, Sum
from aboutness.core.errors import UsageError, shown
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Allowed, Match, Model, Scorer, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking, best
from aboutness.rank.combination import Combination
from aboutness.rank.combined import Combined, Member
from aboutness.rank.pipelines import Pipeline
from aboutness.rank.searching import (
    F32,
    Asked,
    AskedTogether,
    Batch,
    Composed,
    Find,
    Found,
    Ints,
    Searcher,
    explain,
    finder_of,
    floor_in,
    listed,
    listed_ranking,
)

__all__ = ["Searcher", "bind", "explain"]

NOBODY = np.zeros(0, np.int64)


def bind(ranker: Ranker, snapshot: Snapshot, part: Callable[[Ranker], Searcher] | None = None) -> Searcher:
    """Return a ranker bound to one generation of an index: read-only and safe to use from several threads.

    `part` binds the rankers that it is made of, where the caller keeps such.
    """
    inner = part or (lambda one: bind(one, snapshot))
    if isinstance(ranker, Model):
        return ranker.bind(snapshot)
    if isinstance(ranker, Pipeline):
        return inner(ranker.for_index(snapshot))
    if isinstance(ranker, Combination):
        return ranker.bound([inner(one) for one in ranker.rankers], snapshot)
    if isinstance(ranker, Cut):
        return BoundCut(inner(ranker.ranker), ranker.depth)
    if isinstance(ranker, Rerank):
        return BoundRerank(inner(ranker.first), inner(ranker.second), snapshot.size)
    if isinstance(ranker, (Scaled, Sum)):
        terms = [
            one if isinstance(one, Scaled) else Scaled(1.0, one)
            for one in (ranker.parts if isinstance(ranker, Sum) else [ranker])
        ]
        members = [Member(term.weight, inner(term.ranker), str(term.ranker)) for term in terms]
        return Combined(str(ranker), members, snapshot.size)
    raise UsageError(f"not a ranker: {shown(ranker)}")


class BoundCut(Composed):
    """The first documents of a ranker."""

    def __init__(self, inner: Searcher, depth: int) -> None:
        self.inner = inner
        self.depth = depth
        self.scores, self.floor, self.knows = inner.scores, inner.floor, inner.knows

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

    def explain(
        self, question: Question, document: int, match: Match = "or", allowed: Allowed = None
    ) -> Explanation:
        """Return why a document has its score."""
        return explain(self.inner, question, document, match, allowed)

    def finder(self, batch: Batch) -> Find:
        """Return what finds the first documents for one question of a batch."""
        if isinstance(self.inner, Combined) and not self.inner.quick:  # it finds all, however few are wanted
            find = self.inner.finder(batch)

            def first(asked: Asked) -> Found:
                found = find(asked)
                return listed_ranking(best(found.documents, found.own(), self.depth), found.floor)

            return first
        rankings = batch.ranked(self.inner, self.depth)
        return lambda asked: listed_ranking(rankings[asked.place], lambda: floor_in(self.inner, asked))


class BoundRerank(Composed):
    """What one ranker finds, ranked by another; the score is the second one's."""

    def __init__(self, first: Searcher, second: Searcher, size: int) -> None:
        self.first = first
        self.second = second
        self.size = size
        self.scores, self.floor = second.scores, second.floor

    def knows(self, question: Question) -> bool:
        """Tell whether the question means anything to both."""
        return self.first.knows(question) and self.second.knows(question)

    def explain(
        self, question: Question, document: int, match: Match = "or", allowed: Allowed = None
    ) -> Explanation:
        """Return why a document has its score, among those that the first ranker finds."""
        if isinstance(self.second, Scorer):
            return self.second.explain(question, document)
        alone = Batch([question], match, allowed)
        found = finder_of(self.first, alone, self.size)(alone.asked(0))
        return explain(self.second, question, document, "all", found.documents)

    def finder(self, batch: Batch) -> Find:
        """Return what ranks all that the first ranker finds: the match step is the first one's."""
        first = finder_of(self.first, batch, self.size)

        def find(asked: Asked) -> Found:
            documents = first(asked).documents if self.second.knows(asked.question) else NOBODY
            alone = Batch([asked.question], "all", documents)
            found = finder_of(self.second, alone, self.size)(alone.asked(0))

            def scores(documents: Ints) -> F32:
                return listed(found.documents, found.own(), found.floor).scores(documents)

            return Found(found.documents, scores, found.floor)

        return find

    def _prepared(self, batch: Batch, k: int) -> Callable[[int], Ranking]:
        """Return what asks the second ranker for the best alone."""
        first = finder_of(self.first, batch, self.size)
        if isinstance(self.second, AskedTogether):
            found = [first(batch.asked(place)).documents for place in range(len(batch.questions))]
            return self.second.top_each(batch.questions, found, k).__getitem__

        def answer(place: int) -> Ranking:
            allowed = first(batch.asked(place)).documents
            return self.second.top_many([batch.questions[place]], k, match="all", allowed=allowed, threads=1)[0]

        return answer
