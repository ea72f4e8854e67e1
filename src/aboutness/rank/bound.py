"""Rankers bound to an index: a model's own scorer, or what is made of such."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from aboutness.core.algebra import Cut, Ranker, Rerank, Scaled, Sum
from aboutness.core.errors import UsageError, shown
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Allowed, Match, Model, Scorer, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.combination import Combination
from aboutness.rank.combined import Combined, Member
from aboutness.rank.pipelines import Pipeline
from aboutness.rank.searching import (
    F32,
    Asked,
    AskedTogether,
    Batch,
    Candidates,
    Composed,
    Explainer,
    Find,
    Ints,
    Searcher,
    explain,
    explainer,
    finder_of,
    floor_in,
    listed,
    listed_ranking,
)

__all__ = ["Searcher", "bind", "explain", "explainer"]

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
        return Combined(str(ranker), _members(ranker, inner), snapshot.size)
    raise UsageError(f"not a ranker: {shown(ranker)}")


def _members(ranker: Scaled | Sum, bound: Callable[[Ranker], Searcher]) -> list[Member]:
    """Return the rankers of a mixture; one on a scale, such as minmax(bm25), takes part with its scale."""
    if isinstance(ranker, Scaled):
        return [Member(ranker.weight, bound(ranker.ranker), str(ranker.ranker))]
    members = []
    for part in ranker.parts:
        (member,) = _members(part if isinstance(part, Scaled) else Scaled(1.0, part), bound)
        inner = member.searcher
        if (
            isinstance(inner, Combined)
            and len(inner.members) == 1
            and inner.members[0].scale
            and not inner.counted
        ):
            member = replace(member, searcher=inner.members[0].searcher, scale=inner.members[0].scale)
        members.append(member)
    return members


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

    def explainer(self, question: Question, match: Match = "or", allowed: Allowed = None) -> Explainer:
        """Return what explains scores: also those of documents that are cut."""
        return explainer(self.inner, question, match, allowed)

    def finder(self, batch: Batch) -> Find:
        """Return what finds the first documents for one question of a batch."""
        if isinstance(self.inner, Combined) and not self.inner.quick:  # it finds all, however few are wanted
            find = self.inner.finder(batch)

            def first(asked: Asked) -> Candidates:
                found = find(asked)
                return listed_ranking(found.best(self.depth), found.floor, found.explain)

            return first
        rankings = batch.ranked(self.inner, self.depth)
        return lambda asked: listed_ranking(
            rankings[asked.place],
            lambda: floor_in(self.inner, asked),
            lambda document: explain(self.inner, asked.question, document, asked.match, asked.allowed),
        )


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

    def explainer(self, question: Question, match: Match = "or", allowed: Allowed = None) -> Explainer:
        """Return what explains scores among the documents that the first ranker finds; a model needs no others."""
        if isinstance(self.second, Scorer):
            return partial(self.second.explain, question)
        return super().explainer(question, match, allowed)

    def finder(self, batch: Batch) -> Find:
        """Return what ranks all that the first ranker finds: the match step is the first one's."""
        first = finder_of(self.first, batch, self.size)

        def find(asked: Asked) -> Candidates:
            documents = first(asked).documents if self.second.knows(asked.question) else NOBODY
            alone = Batch([asked.question], "all", documents)
            found = finder_of(self.second, alone, self.size)(alone.asked(0))

            def scores(documents: Ints) -> F32:
                return listed(found.documents, found.own(), found.floor, found.explain).scores(documents)

            return replace(found, scores=scores)

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
