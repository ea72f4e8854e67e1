"""Rankers bound one after another; what they have in common is bound, and asked, only once."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker, inside
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Allowed, Match
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.bound import Searcher, bind
from aboutness.rank.pipelines import Pipeline
from aboutness.rank.searching import Asked, Batch, Candidates, Composed, Find

MOST_REMEMBERED = 1 << 28  # bytes of a part's answers; what is beyond is asked each time

Ints = NDArray[np.int64]
F32 = NDArray[np.float32]


class SharedParts:
    """Binds rankers in turn. A part that several have is kept, with its answers, while the next one has it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._often: Counter[Ranker] = Counter()
        self._kept: dict[Ranker, Searcher] = {}

    def expect(self, rankers: Iterable[Ranker]) -> None:
        """Take note of rankers that will be bound, each once."""
        self._often.update(part for ranker in rankers for part in set(_inside(ranker)))

    def bind(self, ranker: Ranker) -> Searcher:
        """Return a ranker bound to the index; parts that it does not have are forgotten."""
        mine = set(_inside(ranker))
        self._kept = {part: searcher for part, searcher in self._kept.items() if part in mine}
        return bind(ranker, self.snapshot, self._part)

    def _part(self, ranker: Ranker) -> Searcher:
        if self._often[ranker] < 2:
            return bind(ranker, self.snapshot, self._part)
        if ranker not in self._kept:
            self._kept[ranker] = remembering(bind(ranker, self.snapshot))
        return self._kept[ranker]


def _inside(ranker: Ranker) -> Iterator[Ranker]:
    """Yield a ranker and all that it is made of, also that which pipelines stand for."""
    for one in inside(ranker):
        yield one
        if isinstance(one, Pipeline):
            yield from _inside(one.expression)


def remembering(searcher: Searcher) -> Searcher:
    """Return a bound ranker that answers the same, and at once what it was asked before."""
    memory = _Memory(searcher)
    made = copy.copy(searcher)  # of the same class: a mixture takes a model otherwise than a cut
    vars(made).update(scores=memory.scores, top_many=memory.top_many, knows=memory.knows, floor=memory.floor)
    if isinstance(searcher, Composed):
        vars(made).update(finder=partial(memory.finder, searcher.finder))
    return made


class _Memory:
    """What a bound ranker was asked, and its answers; several threads may ask."""

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.left = MOST_REMEMBERED
        self._scores: dict[Question, tuple[Ints, F32]] = {}
        self._rankings: dict[tuple[Question, int, Match], Ranking] = {}
        self._found: dict[tuple[Question, Match], Candidates] = {}
        self._known: dict[Question, bool] = {}
        self._floors: dict[Question, float] = {}

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents; those that were asked for first are remembered."""
        if not _can_be_key(question):
            return self.searcher.scores(question, documents)
        kept = self._scores.get(question)
        if kept is not None and np.array_equal(kept[0], documents):
            return kept[1].copy()
        found = self.searcher.scores(question, documents)
        if kept is None and self._fits(documents, found):
            self._scores[question] = documents.copy(), found.copy()
        return found

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the k best documents for each question; only those that were not asked before are ranked."""
        if allowed is not None or not all(map(_can_be_key, questions)):
            return self.searcher.top_many(questions, k, match=match, allowed=allowed, threads=threads)
        new = [one for one in dict.fromkeys(questions) if (one, k, match) not in self._rankings]
        made = dict(zip(new, self.searcher.top_many(new, k, match=match, threads=threads), strict=True))
        for one, ranking in made.items():
            if self._fits(ranking.documents, ranking.scores):
                self._rankings[one, k, match] = ranking
        return [made[one] if one in made else self._rankings[one, k, match] for one in questions]

    def finder(self, made: Callable[[Batch], Find], batch: Batch) -> Find:
        """Return what finds documents for one question of a batch; `made` does where one was not asked before."""
        questions = batch.questions
        if batch.allowed is not None or not all(map(_can_be_key, questions)):
            return made(batch)
        if all((one, batch.match) in self._found for one in questions if self.knows(one)):
            return lambda asked: self._found[asked.question, asked.match]
        find = made(batch)

        def find_once(asked: Asked) -> Candidates:
            found = _scored(find(asked))
            if self._fits(found.documents, found.own()):
                self._found[asked.question, asked.match] = found
            return found

        return find_once

    def knows(self, question: Question) -> bool:
        """Tell whether any part of a question means anything here."""
        if not _can_be_key(question):
            return self.searcher.knows(question)
        if question not in self._known:
            self._known[question] = self.searcher.knows(question)
        return self._known[question]

    def floor(self, question: Question) -> float:
        """Return a score that no document is below."""
        if not _can_be_key(question):
            return self.searcher.floor(question)
        if question not in self._floors:
            self._floors[question] = self.searcher.floor(question)
        return self._floors[question]

    def _fits(self, *arrays: NDArray[np.generic]) -> bool:
        """Tell whether there is room for some arrays, which then is taken."""
        size = sum(array.nbytes for array in arrays)
        fits = size <= self.left
        self.left -= size if fits else 0
        return fits


def _scored(found: Candidates) -> Candidates:
    """Return what was found, with its own scores made once."""
    own = found.own()

    def scores(documents: Ints) -> F32:
        return own.copy() if np.array_equal(documents, found.documents) else found.scores(documents)

    return replace(found, scores=scores)


def _can_be_key(question: Question) -> bool:
    """Tell whether a question can be looked up: one by weighted terms cannot."""
    try:
        hash(question)
    except TypeError:
        return False
    return True
