"""Feedback in a vector space: what the first documents of a ranker are about is further evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Number, Whole
from aboutness.core.parameters import parameter
from aboutness.index.snapshot import Snapshot
from aboutness.models.dense import DenseScorer
from aboutness.models.question import Moved, Question
from aboutness.models.ranking import Explanation, Part, Ranking, best
from aboutness.rank.combination import Combination, register
from aboutness.rank.combined import NOT_FOUND
from aboutness.rank.lent import Lending, Likelihood
from aboutness.rank.normalised import of_best
from aboutness.rank.searching import (
    F32,
    Asked,
    Batch,
    Candidates,
    Composed,
    Explainer,
    Find,
    Ints,
    Searcher,
    finder_of,
    listed,
)

F64 = NDArray[np.float64]

LIKE, NEAR, LENT = "like the first documents", "its nearest documents", "its words and those of its nearest"
TINY = 1e-30
NOBODY: Ints = np.zeros(0, np.int64)


@register
@dataclass(frozen=True)
class Feedback(Combination):
    """The first documents of a ranker say what the question is about; others are drawn towards them.

    Paper: none; beyond the papers. That documents lend words to others is document expansion (Tao et al. 2006).

        score(d) = b(d) + s ( weight * c(d) / best c  +  near * mean of b over the nearest of d  +  words * l(d) )

        b(d)   the first ranker's score as a share of its best one; scores below 0 are lifted to 0 first, all alike
        c(d)   likeness of d to the first documents, 0 where it is below: the second ranker's score (mostly
               a cosine) for their vectors, weighted in proportion to exp(sharpness * b), over the first `docs`
        l(d)   log-likelihood of the query in d, from 0 (least of all candidates) to 1 (most):
               sum of q(t) ln P(t | d),   P(t | d) = (1 - lent) (tf + mu P(t | C)) / (|d| + mu) + lent * e(t, d)
        e      mean of tf / length over the `kin` documents nearest to d, by the fourth power of the cosine
        s      1 / (1 + (short / average length of a document)^2): where documents are short, less is known of them

    The second ranker must be one that compares vectors, such as `lsa` or `iwcs`; the likelihood is that of the
    words that it reads. Only candidates get what is in brackets, which is never below 0: the first `candidates`
    documents, and `more`, those that are most like the first ones of all that are allowed, also where they have no
    word of the question and b is 0 (but not under match "and"). Their likeness must be at least `alike` of the
    best. The nearest are looked for among candidates.

    Symbols: b, c and l (documents,) are as said; tf an entry of X (documents x terms), |d| a document's length,
    both of the second ranker's words; vectors are the second ranker's rows (documents x dim). Scores depend on
    what else is found.

    Differs from the paper: there is none for the whole. Tao et al. lend words by the cosine itself, not by its
    fourth power.

    Unknown words: a question that the first ranker does not know finds nothing.

    Empty documents: a document without a vector is like no other; one that is not found counts 0.

    Cost: a search in vectors, and products of each candidate with each other.
    """

    name: ClassVar[str] = "feedback"
    summary: ClassVar[str] = "a ranker, and what is like its first documents in a space of vectors"
    source: ClassVar[str] = "beyond the papers"
    least: ClassVar[int] = 2
    most: ClassVar[int] = 2

    weight: float = parameter(0.9, Number(0, 1000), "how much likeness to the first documents counts")
    near: float = parameter(0.3, Number(0, 1000), "how much the scores of the nearest documents count")
    docs: int = parameter(50, Whole(1, 10_000), "how many documents, the first, are taken for what is asked")
    sharpness: float = parameter(20.0, Number(0, 1000), "how much more the first of them count than the last")
    nearest: int = parameter(3, Whole(1, 100), "how many documents are the nearest")
    words: float = parameter(0.7, Number(0, 1000), "how much the likelihood with lent words counts")
    kin: int = parameter(20, Whole(1, 1000), "how many documents, the nearest, lend their words")
    lent: float = parameter(0.5, Number(0, 1), "the share of words that are lent")
    mu: float = parameter(300.0, Number(1e-9, 1e9), "words of the collection added to each document", symbol="μ")
    candidates: int = parameter(500, Whole(1, 10_000), "how many documents, the first, are ranked anew")
    more: int = parameter(100, Whole(0, 10_000), "how many documents are looked for by likeness alone")
    alike: float = parameter(0.4, Number(0, 1), "how like these must be, as a share of the best likeness")
    short: float = parameter(12.0, Number(0, 1e6), "of how many words documents are short; 0: of none")

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents, however many match."""
        return self.rankers[0].limited

    @property
    def told(self) -> Sequence[tuple[str, Ranker]]:
        """Return the rankers of whose parts its explanations are made."""
        first, second = self.rankers
        return [(str(first), first), (LIKE, second), (LENT, second)]

    def bound(self, searchers: Sequence[Searcher], snapshot: Snapshot) -> BoundFeedback:
        """Return it bound to an index, to which its rankers are bound already."""
        first, second = searchers
        if not isinstance(second, DenseScorer):
            raise UsageError(
                f"the second ranker of {self.name} must compare vectors, as lsa or iwcs does, got "
                f"'{self.rankers[1]}'"
            )
        return BoundFeedback(self, first, second, snapshot.size)


@dataclass(frozen=True)
class Beginning:
    """What the first ranker found for a question: scores as shares of the best, and the first documents."""

    shares: F64
    first: Ranking


@dataclass(frozen=True)
class Begun:
    """What both rankers found for a question: the first documents, as a question to the second, and candidates."""

    found: Candidates
    beginning: Beginning
    question: Question
    candidates: Ints


@dataclass(frozen=True)
class Evidence:
    """What is found for one question: documents, ascending, and all that their scores are made of."""

    documents: Ints
    base: F64
    first: Explainer  # why a document has its score with the first ranker
    asked: Question  # the first documents, as a question to the second ranker
    places: Ints  # of the candidates among the documents
    like: F64  # of each candidate, as a share of the most
    near: F64
    likely: Likelihood


class BoundFeedback(Composed):
    """Feedback bound to an index."""

    def __init__(self, how: Feedback, first: Searcher, second: DenseScorer, size: int) -> None:
        self.how = how
        self.first = first
        self.second = second
        self.size = size
        average = max(second.view.statistics.average_length, 1e-9)
        self.share = 1 / (1 + (how.short / average) ** 2)
        self.lending = Lending(second.view, how.lent, how.mu)

    def knows(self, question: Question) -> bool:
        """Tell whether the question means anything to the first ranker."""
        return self.first.knows(question)

    def floor(self, question: Question) -> float:  # noqa: ARG002 - it is the same for all
        """Return what a document counts that is not found."""
        return 0.0

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents, which ascend."""
        return self.candidates(question).scores(documents)

    def finder(self, batch: Batch) -> Find:
        """Return what finds documents for one question of a batch."""
        first = finder_of(self.first, batch, self.size)
        if self.second.together > 1 and len(batch.questions) > 1:
            return InGroups(self, first, batch).find

        def find(asked: Asked) -> Candidates:
            if not self.knows(asked.question) or not len((found := first(asked)).documents):
                return self.nothing()
            return self._together(self._evidence(found, asked))

        return find

    def nothing(self) -> Candidates:
        """Return that nothing is found."""
        return listed(NOBODY, np.zeros(0, np.float32), lambda: 0.0, self._not_found)

    def _not_found(self, document: int) -> Explanation:  # noqa: ARG002 - the same for all
        return Explanation(0.0, (Part(NOT_FOUND, 0.0),), str(self.how))

    def several(self, first: Find, some: Sequence[Asked]) -> list[Begun | None]:
        """Return what is found for several questions, so far that each can be weighed without asking more.

        The second ranker is asked about all of them at once.
        """
        founds = [(asked, first(asked)) for asked in some if self.knows(asked.question)]
        every = [(asked, found) for asked, found in founds if len(found.documents)]
        beginnings = [self._beginning(found) for _, found in every]
        self.second.rows.at_hand([one.first.documents for one in beginnings])
        moved = [self._moved(one, asked) for one, (asked, _) in zip(beginnings, every, strict=True)]
        begun = {
            asked.place: Begun(found, beginning, question, np.union1d(beginning.first.documents, others))
            for (asked, found), beginning, question, others in zip(
                every, beginnings, moved, self._others(moved, some[0]), strict=True
            )
        }
        self.second.rows.at_hand([one.candidates for one in begun.values()])
        return [begun.get(asked.place) for asked in some]

    def finished(self, begun: Begun, asked: Asked) -> Candidates:
        """Return all documents with their scores."""
        return self._together(self._weighed(begun, asked))

    def _beginning(self, found: Candidates) -> Beginning:
        shares = of_best(found.own().astype(np.float64))
        return Beginning(shares, best(found.documents, shares.astype(np.float32), self.how.candidates))

    def _moved(self, beginning: Beginning, asked: Asked) -> Question:
        """Return the first documents, as a question to the second ranker."""
        how, first = self.how, beginning.first
        known = np.flatnonzero(self.second.rows.has(first.documents))[: how.docs]
        scores = first.scores[known].astype(np.float64)
        weights = np.exp(how.sharpness * (scores - scores.max(initial=-1.0)))
        moved = dict(zip(first.documents[known].tolist(), (weights / weights.sum()).tolist(), strict=True))
        return Question(terms={}, moved=Moved(asked.question, 0.0, moved))

    def _evidence(self, found: Candidates, asked: Asked) -> Evidence:
        beginning = self._beginning(found)
        question = self._moved(beginning, asked)
        (others,) = self._others([question], asked)
        candidates = np.union1d(beginning.first.documents, others)
        return self._weighed(Begun(found, beginning, question, candidates), asked)

    def _weighed(self, begun: Begun, asked: Asked) -> Evidence:
        """Return all that the scores of documents are made of."""
        found, question, candidates = begun.found, begun.question, begun.candidates
        documents = np.union1d(found.documents, candidates)
        base = np.zeros(len(documents))
        base[np.searchsorted(documents, found.documents)] = begun.beginning.shares
        places = np.searchsorted(documents, candidates)
        like = np.maximum(self.second.scores(question, candidates).astype(np.float64), 0.0)
        near, likely = self._by_nearest(asked.question, candidates, base[places])
        like /= max(float(like.max()), TINY)
        return Evidence(documents, base, found.explain, question, places, like, near, likely)

    def _others(self, questions: Sequence[Question], asked: Asked) -> list[Ints]:
        """Return, for each of some questions, the documents that are most like the first ones."""
        if not self.how.more or asked.match == "and":
            return [NOBODY for _ in questions]
        known = [question for question in questions if self.second.knows(question)]
        found = self.second.top_many(known, self.how.more, match="all", allowed=asked.allowed, threads=1)
        alike = {id(question): self._alike(ranking) for question, ranking in zip(known, found, strict=True)}
        return [alike.get(id(question), NOBODY) for question in questions]

    def _alike(self, ranking: Ranking) -> Ints:
        least = max(self.how.alike * float(ranking.scores.max(initial=0.0)), TINY)
        return ranking.documents[ranking.scores >= least]

    def _by_nearest(self, question: Question, documents: Ints, base: F64) -> tuple[F64, Likelihood]:
        """Return, for each of some documents, the mean of b over its nearest, and how likely the question is."""
        how, size = self.how, len(documents)
        count = min(max(how.nearest if how.near else 0, how.kin if how.words else 0), size - 1)
        products, places = np.empty((size, count), np.float32), np.empty((size, count), np.int64)
        if count:
            from aboutness.kernels.nearest import nearest

            nearest(np.ascontiguousarray(self.second.rows.some(documents).T), products, places)
        few = min(how.nearest, count)
        near = base[places[:, :few]].mean(axis=1) if how.near and few else np.zeros(size)
        if not how.words:
            return near, Likelihood(self.second.view, [], np.zeros((0, size)), np.zeros((0, size)))
        lend = places[:, : how.kin], products[:, : how.kin].astype(np.float64)
        return near, self.lending.likelihood(question, documents, *lend)

    def _together(self, seen: Evidence) -> Candidates:
        """Return all documents with their scores."""
        how, values = self.how, seen.base.copy()
        further = how.weight * seen.like + how.near * seen.near + how.words * seen.likely.shares
        values[seen.places] += self.share * further
        scores = values.astype(np.float32)
        return listed(
            seen.documents, scores, lambda: 0.0, lambda document: self._explained(seen, scores, document)
        )

    def _explained(self, seen: Evidence, scores: F32, document: int) -> Explanation:
        """Return the parts of the first ranker, of the document's likeness and likelihood, and of its nearest."""
        place = int(np.searchsorted(seen.documents, document))
        if place == len(seen.documents) or seen.documents[place] != document:
            return self._not_found(document)
        parts = []
        if seen.base[place]:
            parts = self._first_parts(float(seen.base[place]), seen.first(document))
        candidate = np.flatnonzero(seen.places == place)
        if len(candidate):
            parts += self._further_parts(seen, document, int(candidate[0]))
        return Explanation(float(scores[place]), tuple(parts), str(self.how))

    def _first_parts(self, share: float, why: Explanation) -> list[Part]:
        """Return the parts of the first ranker, so that they sum to a share of its best score."""
        name, inner = str(self.how.rankers[0]), why.parts or (Part(why.formula, why.score),)
        if why.score > 0 and math.isclose(math.fsum(part.value for part in inner), why.score, rel_tol=1e-4):
            factor = share / why.score
            return [replace(one, value=factor * one.value, by=one.by or name) for one in inner]
        return [Part("score", share, {"score": why.score}, by=name)]

    def _further_parts(self, seen: Evidence, document: int, candidate: int) -> list[Part]:
        """Return what likeness to the first documents and the likelihood add, by words; and its nearest."""
        parts, like = [], self.share * self.how.weight * float(seen.like[candidate])
        if like:
            why = self.second.explain(seen.asked, document)
            inner = why.parts if why.total > 0 else (Part(LIKE, why.score or 1.0),)
            factor = like / math.fsum(part.value for part in inner)
            parts = [replace(one, value=factor * one.value, by=LIKE) for one in inner]
        parts += seen.likely.parts(candidate, self.share * self.how.words, LENT)
        near = float(seen.near[candidate])
        return [*parts, Part(NEAR, self.share * self.how.near * near, {"their_share": near})]


class InGroups:
    """Finds documents for the questions of a batch; rankers are asked for some at a time, by who comes first."""

    def __init__(self, feedback: BoundFeedback, first: Find, batch: Batch) -> None:
        self.feedback = feedback
        self.first = first
        self.batch = batch
        self.step = feedback.second.together
        self._locks = [Lock() for _ in range(0, len(batch.questions), self.step)]
        self._begun: dict[int, Begun | None] = {}

    def find(self, asked: Asked) -> Candidates:
        """Return what is found for a question."""
        begun = self._of_group(asked.place)
        return self.feedback.nothing() if begun is None else self.feedback.finished(begun, asked)

    def _of_group(self, place: int) -> Begun | None:
        """Return what both rankers found for a question; it is then forgotten."""
        group = place // self.step
        with self._locks[group]:
            if place not in self._begun:
                places = range(len(self.batch.questions))[group * self.step : (group + 1) * self.step]
                some = [self.batch.asked(one) for one in places]
                self._begun |= dict(zip(places, self.feedback.several(self.first, some), strict=True))
            return self._begun.pop(place)
