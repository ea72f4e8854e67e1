"""Models whose documents are in shards: asked there, each about its own, and merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aboutness.core.errors import Unreachable
from aboutness.index.view import LayerView
from aboutness.models.bags import words_of
from aboutness.models.dense import F32, F64, DenseScorer, Ints
from aboutness.models.dense_rows import DenseRows, scores_of_rows
from aboutness.models.model import NOTHING, Allowed, Match, Scorer, check_match, check_numbers, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking
from aboutness.rank.searching import in_lanes
from aboutness.scale.rankings import merged
from aboutness.scale.shards import AskedShards
from aboutness.scale.spread_rows import SpreadRows

AT_ONCE = 128  # questions that are sent together
LANES = 4  # of a batch: some are worked on here, while shards work on others
REMEMBERED = 1024  # questions that were made complete
EMPTY = Ranking(np.zeros(0, np.int64), np.zeros(0, np.float32))


def top_of_shards(
    shards: AskedShards, questions: Sequence[Question], k: int, match: Match, allowed: Allowed
) -> list[Ranking]:
    """Return the k best documents of all shards for questions that are complete in themselves."""
    among = shards.shards.split_allowed(allowed)

    def ranked(some: Sequence[Question]) -> list[Ranking]:
        found = shards.ask(
            "top_many", [None if _is_nothing(here) else (list(some), k, match, here) for here in among]
        )
        return merged(shards.with_firsts(found), len(some), k)

    return in_lanes(ranked, questions, AT_ONCE, LANES)


def top_of_each(
    shards: AskedShards, questions: Sequence[Question], allowed: Sequence[Ints], k: int
) -> list[Ranking]:
    """Return for each of some complete questions the k best of documents of its own, which ascend."""
    made: list[Ranking] = []
    for first in range(0, len(questions), AT_ONCE):
        some, among = list(questions[first : first + AT_ONCE]), allowed[first : first + AT_ONCE]
        places = [shards.shards.split(documents) for documents in among]
        arguments = []
        for shard, start in enumerate(shards.shards.firsts):
            own = [documents[place[shard]] - start for documents, place in zip(among, places, strict=True)]
            ends = np.cumsum([len(one) for one in own], dtype=np.int64)
            arguments.append((some, k, ends, np.concatenate(own)) if ends[-1] else None)
        made += merged(shards.with_firsts(shards.ask("top_each", arguments)), len(some), k)
    return made


def _is_nothing(allowed: Allowed) -> bool:
    if allowed is None:
        return False
    return not (allowed.any() if allowed.dtype == np.bool_ else len(allowed))


class SpreadScorer(Scorer):
    """A model that scores the documents of all shards, each where it is.

    `asks` is the model bound to no documents: it knows what all shards know, and so makes questions complete.
    """

    lanes = LANES

    def __init__(self, shards: AskedShards, view: LayerView, asks: Scorer) -> None:
        Scorer.__init__(self, view)
        self.shards = shards
        self.asks = asks
        self.unknown = asks.unknown
        self._floors = not asks.extremes  # whether what `floor` depends on is known

    def complete(self, question: Question) -> Question | None:
        """Return a question that refers to no document; None where nothing is found for it."""
        if question.document is None and question.moved is None:
            return question
        return Question(terms=words_of(self.view, question))

    def knows(self, question: Question) -> bool:
        """Tell whether any part of a question means anything here."""
        return self.asks.knows(question)

    def floor(self, question: Question) -> float:
        """Return a score that no document is below, in any shard."""
        if not self._floors:
            answers = self.shards.ask("extremes", [()] * len(self.shards.shards))
            found = [one for one in answers if one is not None]
            self.asks.extremes = tuple(map(max, *found)) if len(found) > 1 else found[0] if found else ()
            self._floors = len(found) == len(answers)
        return self.asks.floor(question)

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents by number, which ascend."""
        check_numbers(self.view, documents)
        complete = self.complete(question)
        if complete is None:
            return np.full(len(documents), self.floor(question), np.float32)
        made = np.empty(len(documents), np.float32)
        for place, scores in zip(*self.shards.about("scores", documents, complete), strict=True):
            if place.stop > place.start:
                made[place] = self.floor(question) if scores is None else scores  # a shard that is passed over
        return made

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,  # noqa: ARG002 - the shards are at work
    ) -> list[Ranking]:
        """Return the ranking of each question."""
        k = checked_k(k)
        check_match(match)
        complete = [self.complete(question) for question in questions]
        known = [one for one in complete if one is not None]
        found = iter(top_of_shards(self.shards, known, k, match, allowed))
        return [EMPTY if one is None else next(found) for one in complete]

    def top_each(self, questions: Sequence[Question], allowed: Sequence[Ints], k: int) -> list[Ranking]:
        """Return for each question the k best of documents of its own."""
        complete = [self.complete(question) for question in questions]
        known = [(one, among) for one, among in zip(complete, allowed, strict=True) if one is not None]
        found = iter(top_of_each(self.shards, [one for one, _ in known], [among for _, among in known], k))
        return [EMPTY if one is None else next(found) for one in complete]

    def explain(self, question: Question, document: int) -> Explanation:
        """Return why a document has its score."""
        only = np.array([document], np.int64)
        check_numbers(self.view, only)
        places, found = self.shards.about("explain", only, self.complete(question) or Question(terms={}))
        why: Explanation = found[[place.stop for place in places].index(1)]
        return why


class SpreadVectors(SpreadScorer, DenseScorer):
    """A model that compares vectors: questions are sent with theirs."""

    together = 64
    rows: SpreadRows

    def __init__(self, shards: AskedShards, view: LayerView, asks: DenseScorer) -> None:
        SpreadScorer.__init__(self, shards, view, asks)
        self.rows = SpreadRows(shards, asks.rows.rows.shape[1])
        self.lowest, self.longest = asks.lowest, asks.longest
        self._vectors = asks
        asks.rows = self.rows  # those of documents that ask, or that a question is moved to
        self._complete: dict[int, tuple[Question, Question | None]] = {}  # by id; holding a question keeps its id

    def vector(self, question: Question) -> F64 | None:
        """Return a question's vector, or None where it has no known word."""
        made = self._vectors.vector(question)
        asks = question.document
        if made is None and asks is not None and self.shards.shards.passes_over(asks):
            raise Unreachable(
                "the shard of the document that others are to be like does not answer; ask again soon"
            )
        return made

    def knows(self, question: Question) -> bool:
        """Tell whether the question has a vector."""
        complete = self.complete(question)
        return complete is not None and complete.vector is not None

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents by number: here, where their rows are at hand."""
        if not self.rows.has_all(documents):
            return super().scores(question, documents)
        rows = DenseRows(self.rows.some(documents))
        return scores_of_rows(self.vector(question), rows, np.arange(len(documents)), self.lowest)

    def complete(self, question: Question) -> Question | None:
        """Return a question with its vector, and without any document; None where nothing is found for it."""
        known = self._complete  # another thread may begin a new one
        if (found := known.get(id(question))) is not None:
            return found[1]
        vector, own = self.vector(question), super().complete(question)
        if vector is None and self.unknown == NOTHING:
            own = None
        made = None if own is None else replace(own, vector=vector)
        if len(known) >= REMEMBERED:
            self._complete = known = {}
        known[id(question)] = question, made
        return made
