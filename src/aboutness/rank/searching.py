"""What can be asked of a bound ranker, and what rankers that are made of others find, question by question."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aboutness.core.deadline import still_wanted
from aboutness.core.threads import checked_threads
from aboutness.index.view import LayerView
from aboutness.models.bags import matching
from aboutness.models.model import Allowed, Match, Scorer, allowed_mask, check_match, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking, best

TOGETHER = 256  # questions of a batch whose first rankings are kept at once
IN_A_LANE = 64  # the same where lanes are worked on at once
WORTH = 1e-3  # seconds of a question that are worth a thread: Python's own share of shorter ones is too large
SHARES = 4  # into which a thread's questions are cut, as some take longer than others

Explainer: TypeAlias = Callable[[int], Explanation]  # of the score of a document, by number
Ints = NDArray[np.int64]
F32 = NDArray[np.float32]


class Searcher(Protocol):
    """What can be asked of a bound ranker; the scorers of models are such."""

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents by number, which ascend, whether or not it is found.

        Where scores depend on what else is found, as normalised ones do, they are those of a search among all
        documents that match in any word.
        """
        ...

    def knows(self, question: Question) -> bool:
        """Tell whether any part of a question means anything here: if not, its ranking is empty."""
        ...

    def floor(self, question: Question) -> float:
        """Return a score that none of `scores` is below: what a document that was left out counts in a mixture."""
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


@runtime_checkable
class AskedTogether(Protocol):
    """A bound ranker that is better asked about many questions at once, also where each has its own documents."""

    def top_each(self, questions: Sequence[Question], allowed: Sequence[Ints], k: int) -> list[Ranking]:
        """Return for each question the k best of some documents, which ascend, whether or not they match."""
        ...


def explain(
    searcher: Searcher, question: Question, document: int, match: Match = "or", allowed: Allowed = None
) -> Explanation:
    """Return why a document has its score in a search among documents that match and are allowed."""
    return explainer(searcher, question, match, allowed)(document)


def explainer(searcher: Searcher, question: Question, match: Match = "or", allowed: Allowed = None) -> Explainer:
    """Return what explains the scores of a search; a composed ranker may have to search for that, once."""
    if isinstance(searcher, Composed):
        return searcher.explainer(question, match, allowed)
    return partial(cast("Scorer", searcher).explain, question)  # as all others are


# --- one question -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
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
class Batch:
    """Some questions, and among which documents they look."""

    questions: Sequence[Question]
    match: Match
    allowed: Allowed
    threads: int = 1

    def asked(self, place: int) -> Asked:
        """Return one of the questions."""
        return Asked(place, self.questions[place], self.match, self.allowed)

    def ranked(self, searcher: Searcher, k: int) -> list[Ranking]:
        """Return the rankings by another ranker."""
        still_wanted()
        return searcher.top_many(self.questions, k, match=self.match, allowed=self.allowed, threads=self.threads)


@dataclass(frozen=True)
class Candidates:
    """What a ranker finds for one question: documents by number, ascending, and what explains their scores.

    `scores` gives the scores of any documents, ascending; `floor` that of documents that it does not find;
    `explain` reads the values that made a score, and does not search again.
    """

    documents: Ints
    scores: Callable[[Ints], F32]
    floor: Callable[[], float]
    explain: Explainer

    def own(self) -> F32:
        """Return the scores of the candidates."""
        return self.scores(self.documents)

    def place_of(self, document: int) -> int | None:
        """Return the place of a document among the candidates, None where it is none."""
        place = int(np.searchsorted(self.documents, document))
        return place if place < len(self.documents) and self.documents[place] == document else None

    def best(self, k: int) -> Ranking:
        """Return the k best candidates."""
        return replace(best(self.documents, self.own(), k), explain=self.explain)


Find: TypeAlias = Callable[[Asked], Candidates]  # of a question that the ranker knows


def among(documents: Ints, wanted: Ints) -> tuple[NDArray[np.bool_], Ints]:
    """Return which of some documents stand among others, all ascending, and the places of those that do."""
    if wanted is documents or not len(documents):
        there = np.full(len(wanted), wanted is documents)
        return there, np.arange(len(wanted) if wanted is documents else 0)
    places = np.minimum(np.searchsorted(documents, wanted), len(documents) - 1)
    there = documents[places] == wanted
    return there, places[there]


def listed(documents: Ints, values: F32, left_out: Callable[[], float], explain: Explainer) -> Candidates:
    """Return some documents, ascending, with their scores; what others count is asked for where it matters."""

    def scores(wanted: Ints) -> F32:
        if wanted is documents:
            return values
        there, places = among(wanted, documents)
        made = np.full(len(wanted), left_out() if len(places) < len(wanted) else 0.0, np.float32)
        made[places] = values[there]
        return made

    return Candidates(documents, scores, left_out, explain)


def listed_ranking(ranking: Ranking, left_out: Callable[[], float], explain: Explainer) -> Candidates:
    """Return the documents of a ranking, which explains itself where it can."""
    order = np.argsort(ranking.documents)
    return listed(ranking.documents[order], ranking.scores[order], left_out, ranking.explain or explain)


def finder_of(searcher: Searcher, batch: Batch, size: int) -> Find:
    """Return what finds documents by a ranker, for one question of a batch, in an index of so many documents.

    A model gives every document its own score. Others say what a document counts that they do not find.
    """
    still_wanted()
    if isinstance(searcher, Scorer):
        return lambda asked: Candidates(
            asked.matching(searcher.view),
            lambda documents: _scores_in_time(searcher, asked, documents),
            lambda: searcher.floor(asked.question),
            partial(searcher.explain, asked.question),
        )
    if isinstance(searcher, Composed):
        return searcher.finder(batch)
    rankings = batch.ranked(searcher, size or 1)
    return lambda asked: listed_ranking(
        rankings[asked.place],
        lambda: searcher.floor(asked.question),
        lambda document: explain(searcher, asked.question, document, asked.match, asked.allowed),
    )


def _scores_in_time(scorer: Scorer, asked: Asked, documents: Ints) -> F32:
    still_wanted()
    return scorer.scores(asked.question, documents)


def floor_in(searcher: Searcher, asked: Asked) -> float:
    """Return what a document that is left out counts in a search."""
    if not isinstance(searcher, Composed):
        return searcher.floor(asked.question)
    return searcher.candidates(asked.question, asked.match, asked.allowed).floor()


# --- many questions ---------------------------------------------------------------------------------------------


class Composed(ABC):
    """A ranker that answers question by question, in several threads, after it has prepared some together."""

    lanes = (
        1  # of a batch that are worked on at once: several where others do most of the work, and are waited for
    )

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

        def ranked(some: Sequence[Question], threads: int) -> list[Ranking]:
            answer = self._prepared(Batch(some, match, allowed, threads), k)
            rankings = list(_in_threads(answer, len(some), threads))
            if len(questions) == 1:
                return rankings
            return [Ranking(one.documents, one.scores) for one in rankings]  # what explains many takes much room

        if self.lanes == 1 or len(questions) <= IN_A_LANE:
            return in_lanes(lambda some: ranked(some, threads), questions, TOGETHER, 1)
        return in_lanes(lambda some: ranked(some, 1), questions, IN_A_LANE, self.lanes)

    def explain(
        self, question: Question, document: int, match: Match = "or", allowed: Allowed = None
    ) -> Explanation:
        """Return why a document has its score in a search among documents that match and are allowed."""
        return self.explainer(question, match, allowed)(document)

    def explainer(self, question: Question, match: Match = "or", allowed: Allowed = None) -> Explainer:
        """Return what explains the scores of a search among documents that match and are allowed."""
        return self.candidates(question, match, allowed).explain

    def candidates(self, question: Question, match: Match = "or", allowed: Allowed = None) -> Candidates:
        """Return what is found for one question that the ranker knows."""
        alone = Batch([question], match, allowed)
        return self.finder(alone)(alone.asked(0))

    @abstractmethod
    def finder(self, batch: Batch) -> Find:
        """Return what finds documents for one question of a batch."""

    def _prepared(self, batch: Batch, k: int) -> Callable[[int], Ranking]:
        """Return what gives the ranking of the question at a place."""
        find = self.finder(batch)

        return lambda place: find(batch.asked(place)).best(k)


def in_lanes(
    ranked: Callable[[Sequence[Question]], list[Ranking]], questions: Sequence[Question], most: int, lanes: int
) -> list[Ranking]:
    """Return the rankings of questions, of so many at a time at most, and in so many lanes at once."""
    pieces = [questions[first : first + most] for first in range(0, len(questions), most)]
    if lanes == 1 or len(pieces) <= 1:
        return [one for some in pieces for one in ranked(some)]
    contexts = [copy_context() for _ in pieces]
    with ThreadPoolExecutor(min(lanes, len(pieces))) as pool:
        found = pool.map(lambda context, some: context.run(ranked, some), contexts, pieces)
        return [one for rankings in found for one in rankings]


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
