"""Rankers bound to an index: a model's own scorer, or a pipeline of them."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Cut, Ranker, Rerank, Scaled, Sum
from aboutness.core.errors import UsageError, shown
from aboutness.core.threads import checked_threads
from aboutness.index.snapshot import Snapshot
from aboutness.index.view import LayerView
from aboutness.models.bags import matching
from aboutness.models.model import Allowed, Match, Model, Scorer, allowed_mask, check_match, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import LARGEST, Explanation, Part, Ranking, best
from aboutness.rank.combination import Combination
from aboutness.rank.pipelines import Pipeline

TOGETHER = 256  # questions of a batch whose first rankings are kept at once
WORTH = 1e-3  # seconds of a question that are worth a thread: Python's own share of shorter ones is too large
SHARES = 4  # into which a thread's questions are cut, as some take longer than others

Ints = NDArray[np.int64]
F32 = NDArray[np.float32]


class Searcher(Protocol):
    """What can be asked of a bound ranker; the scorers of models are such."""

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents by number, which ascend, whether or not it is found."""
        ...

    def knows(self, question: Question) -> bool:
        """Tell whether any part of a question means anything here: if not, its ranking is empty."""
        ...

    def floor(self, question: Question) -> float:
        """Return a score that no document is below: what one that was left out counts as in a mixture."""
        ...

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


def explain(
    searcher: Searcher, question: Question, document: int, match: Match = "or", allowed: Allowed = None
) -> Explanation:
    """Return why a document has its score in a search among documents that match and are allowed."""
    if isinstance(searcher, Scorer):
        return searcher.explain(question, document)
    assert isinstance(searcher, _BoundCut | _Composed)
    return searcher.explain(question, document, match, allowed)


def bind(ranker: Ranker, snapshot: Snapshot, part: Callable[[Ranker], Searcher] | None = None) -> Searcher:
    """Return a ranker bound to one generation of an index: read-only and safe to use from several threads.

    `part` binds the rankers that it is made of, where the caller keeps such.
    """
    inner = part or (lambda one: bind(one, snapshot))
    if isinstance(ranker, Model):
        return ranker.bind(snapshot)
    if isinstance(ranker, Pipeline):
        return inner(ranker.expression)
    if isinstance(ranker, Combination):
        return ranker.bound([inner(one) for one in ranker.rankers], snapshot)
    if isinstance(ranker, Cut):
        return _BoundCut(inner(ranker.ranker), ranker.depth)
    if isinstance(ranker, Rerank):
        return _BoundRerank(inner(ranker.first), inner(ranker.second), snapshot.size)
    if isinstance(ranker, (Scaled, Sum)):
        terms = [
            one if isinstance(one, Scaled) else Scaled(1.0, one)
            for one in (ranker.parts if isinstance(ranker, Sum) else [ranker])
        ]
        parts = [_Part(term.weight, inner(term.ranker), str(term.ranker)) for term in terms]
        return _BoundMixture(str(ranker), parts, snapshot.size)
    raise UsageError(f"not a ranker: {shown(ranker)}")


class _BoundCut:
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


@dataclass(frozen=True)
class _Batch:
    """Some questions, and among which documents they look."""

    questions: Sequence[Question]
    match: Match
    allowed: Allowed
    threads: int

    def ranked(self, searcher: Searcher, k: int) -> list[Ranking]:
        """Return the rankings by another ranker."""
        return searcher.top_many(self.questions, k, match=self.match, allowed=self.allowed, threads=self.threads)


class _Composed(ABC):
    """A ranker that answers question by question, in several threads, after it has prepared some together."""

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the k best documents for each question; the same whatever the number of threads."""
        k, threads = checked_k(k), checked_threads(threads)
        check_match(match)
        rankings: list[Ranking] = []
        for first in range(0, len(questions), TOGETHER):
            some = questions[first : first + TOGETHER]
            answer = self._prepared(_Batch(some, match, allowed, threads), k)
            rankings.extend(_in_threads(answer, len(some), threads))
        return rankings

    @abstractmethod
    def explain(
        self, question: Question, document: int, match: Match = "or", allowed: Allowed = None
    ) -> Explanation:
        """Return why a document has its score."""

    @abstractmethod
    def _prepared(self, batch: _Batch, k: int) -> Callable[[int], Ranking]:
        """Return what gives the ranking of the question at a place."""


class _BoundRerank(_Composed):
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
        (found,) = self.first.top_many([question], self.size or 1, match=match, allowed=allowed, threads=1)
        return explain(self.second, question, document, "all", np.sort(found.documents))

    def _prepared(self, batch: _Batch, k: int) -> Callable[[int], Ranking]:
        """Return what ranks all that the first ranker finds: the match step is the first one's."""
        found = batch.ranked(self.first, self.size or 1)

        def answer(place: int) -> Ranking:
            asked, allowed = batch.questions[place : place + 1], np.sort(found[place].documents)
            return self.second.top_many(asked, k, match="all", allowed=allowed, threads=1)[0]

        return answer


@dataclass(frozen=True)
class _Asked:
    """One question of a batch; the documents of a view that match it are found once."""

    place: int
    question: Question
    match: Match
    allowed: Allowed
    _found: dict[LayerView, Ints] = field(default_factory=dict)

    def matching(self, view: LayerView) -> Ints:
        """Return the documents of a view that match and are allowed, ascending."""
        if view not in self._found:
            self._found[view] = self._matching(view)
        return self._found[view]

    def _matching(self, view: LayerView) -> Ints:
        if self.allowed is None or np.asarray(self.allowed).dtype == np.bool_:
            mask = allowed_mask(view, self.allowed)
            return np.flatnonzero(
                mask if self.match == "all" else mask & matching(view, self.question, self.match)
            )
        numbers = np.asarray(self.allowed, np.int64)  # few, mostly
        living = numbers[view.alive[numbers]]
        return living if self.match == "all" else living[matching(view, self.question, self.match)[living]]


@dataclass(frozen=True)
class _Found:
    """What a part of a mixture finds for one question, ascending, and what any documents count there."""

    documents: Ints
    scores: Callable[[Ints], F32]


Find: TypeAlias = Callable[[_Asked], _Found]


@dataclass(frozen=True)
class _Part:
    """A bound part of a mixture, with its weight and its text."""

    weight: float
    searcher: Searcher
    text: str


class _BoundMixture(_Composed):
    """What any of the parts finds, by the sum of weight x score, which is rounded at the end.

    A model gives every document its own score. A document that a cut or a re-ranking did not find counts as the
    lowest score there. A part that does not know a question finds nothing, and adds nothing to any document.
    """

    def __init__(self, text: str, parts: Sequence[_Part], size: int) -> None:
        self.text = text
        self.parts = parts
        self.size = size

    def knows(self, question: Question) -> bool:
        """Tell whether the question means anything to any part."""
        return any(part.searcher.knows(question) for part in self.parts)

    def floor(self, question: Question) -> float:
        """Return the sum of the parts' lowest scores."""
        lowest = [
            (part.weight, np.array([part.searcher.floor(question)], np.float32)) for part in self._known(question)
        ]
        return float(_mixed(lowest, 1)[0])

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the sum for each of some documents, as if every part had found them."""
        known = self._known(question)
        scores = ((part.weight, part.searcher.scores(question, documents)) for part in known)
        return _mixed(scores, len(documents))

    def explain(
        self, question: Question, document: int, match: Match = "or", allowed: Allowed = None
    ) -> Explanation:
        """Return the parts of the parts that know the question, times their weights."""
        found, scores = [], []
        for part in self._known(question):
            why = self._explained(part.searcher, question, document, match, allowed)
            scores.append((part.weight, np.array([why.score], np.float32)))
            found += [
                replace(one, value=part.weight * one.value, by=one.by or part.text)
                for one in why.parts or [Part(why.formula, why.score)]
            ]
        return Explanation(float(_mixed(scores, 1)[0]), tuple(found), self.text)

    def _explained(
        self, searcher: Searcher, question: Question, document: int, match: Match, allowed: Allowed
    ) -> Explanation:
        """Return why a document counts what it does in a part: as the lowest where the part does not find it."""
        if not isinstance(searcher, Scorer | _BoundMixture):
            (found,) = searcher.top_many([question], self.size or 1, match=match, allowed=allowed, threads=1)
            if document not in found.documents:
                return Explanation(searcher.floor(question), (), "not among the documents that it finds")
        return explain(searcher, question, document, match, allowed)

    def finder(self, batch: _Batch) -> Find:
        """Return what finds documents for one question of a batch."""
        finders = [(part, self._finder_of(part.searcher, batch)) for part in self.parts]

        def find(asked: _Asked) -> _Found:
            known = [(part.weight, one(asked)) for part, one in finders if part.searcher.knows(asked.question)]

            def scores(documents: Ints) -> F32:
                return _mixed(((weight, found.scores(documents)) for weight, found in known), len(documents))

            return _Found(_union([found.documents for _, found in known]), scores)

        return find

    def _finder_of(self, searcher: Searcher, batch: _Batch) -> Find:
        if isinstance(searcher, Scorer):
            return lambda asked: _Found(
                asked.matching(searcher.view), lambda documents: searcher.scores(asked.question, documents)
            )
        if isinstance(searcher, _BoundMixture):
            return searcher.finder(batch)
        rankings = batch.ranked(searcher, self.size or 1)
        return lambda asked: _listed(rankings[asked.place], searcher.floor(asked.question))

    def _prepared(self, batch: _Batch, k: int) -> Callable[[int], Ranking]:
        """Return what ranks all documents that any part finds."""
        find = self.finder(batch)

        def answer(place: int) -> Ranking:
            found = find(_Asked(place, batch.questions[place], batch.match, batch.allowed))
            return best(found.documents, found.scores(found.documents), k)

        return answer

    def _known(self, question: Question) -> list[_Part]:
        return [part for part in self.parts if part.searcher.knows(question)]


def _in_threads(answer: Callable[[int], Ranking], count: int, threads: int) -> Iterator[Ranking]:
    """Yield the answers to so many questions in their order; in threads as soon as one has taken long enough."""
    done = 0
    slow = False
    while done < count and not (slow and threads > 1):
        start = time.perf_counter()
        yield answer(done)
        slow = time.perf_counter() - start > WORTH
        done += 1
    if done == count:
        return
    share = -(-(count - done) // (SHARES * threads))
    pieces = [range(first, min(first + share, count)) for first in range(done, count, share)]
    with ThreadPoolExecutor(min(threads, len(pieces))) as pool:
        for found in pool.map(lambda piece: [answer(place) for place in piece], pieces):
            yield from found


def _mixed(scores: Iterable[tuple[float, F32]], size: int) -> F32:
    """Return the sum of weighted scores of so many documents, added in their order; never infinite."""
    total = np.zeros(size, np.float64)
    for weight, one in scores:
        total += weight * one.astype(np.float64)
    return np.clip(total, -LARGEST, LARGEST).astype(np.float32)


def _union(found: Sequence[Ints]) -> Ints:
    """Return the numbers that stand in any of some arrays, ascending."""
    different = list({id(one): one for one in found}.values())  # models of one view share what matches
    return different[0] if len(different) == 1 else np.unique(np.concatenate([np.zeros(0, np.int64), *different]))


def _listed(ranking: Ranking, floor: float) -> _Found:
    """Return what a ranking found; documents that are not in it count as its lowest score."""
    order = np.argsort(ranking.documents)
    numbers, values = ranking.documents[order], ranking.scores[order]

    def scores(documents: Ints) -> F32:
        made = np.full(len(documents), floor, np.float32)
        _, there, here = np.intersect1d(documents, numbers, assume_unique=True, return_indices=True)
        made[there] = values[here]
        return made

    return _Found(numbers, scores)
