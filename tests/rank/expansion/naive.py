"""What expansions add to a question, worked out from their formulas with dictionaries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from aboutness.app.index import Index
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.expansion.expansion import BoundExpansion
from aboutness.rank.grammar import ranker
from models.drawing import FIELDS, word_vectors
from models.naive import Counts

Words = Mapping[str, float]
PAIRS = {"in-in": ("in", "in"), "out-out": ("out", "out"), "in-out": ("in", "out")}


class Documents:
    """The living documents of an index, in order of arrival, as counts of words; and the words' vectors."""

    def __init__(self, index: Index, fields: Words = FIELDS) -> None:
        self.numbers = index.snapshot.live_numbers().tolist()
        self.counts = Counts.of([index.snapshot.document(number) for number in self.numbers], fields)
        self.df, self.cf, self.lengths = self.counts.df, self.counts.cf, self.counts.length

    @cached_property
    def vectors(self) -> dict[str, dict[str, np.ndarray]]:
        """Directions of all words that have one, by space."""
        given = word_vectors()
        made: dict[str, dict[str, np.ndarray]] = {}
        for space, matrix in given.spaces.items():
            rows = zip(given.words, matrix.astype(float), strict=True)
            made[space] = {word: row / np.linalg.norm(row) for word, row in rows if row.any()}
        return made

    def tf(self, number: int) -> Words:
        return self.counts.tf[self.numbers.index(number)]

    def length(self, number: int) -> float:
        return self.lengths[self.numbers.index(number)]

    def idf(self, word: str) -> float:
        return math.log((1 + self.counts.n) / (1 + self.df[word])) + 1

    def cosine(self, pair: str, asked: str, found: str) -> float:
        here, there = (self.vectors[space] for space in PAIRS[pair])
        return float(here[asked] @ there[found])

    def asked(self, own: Words, pair: str) -> list[str]:
        return [word for word in own if word in self.vectors[PAIRS[pair][0]]]

    def vocabulary(self, pair: str) -> list[str]:
        here, there = (self.vectors[space] for space in PAIRS[pair])
        return [word for word in self.df if word in here and word in there]


def words(text: str) -> dict[str, float]:
    return {word: float(count) for word, count in Counter(text.split()).items()}


def first(model: Words, count: int, like: Words) -> dict[str, float]:
    """The words with the largest weights; of those that rounding can bring into any order the ones in `like`."""
    order = sorted((word for word in model if model[word] > 0), key=lambda word: (-model[word], word))
    if count < len(order):
        last = model[order[count - 1]] if count else float("inf")
        sure = [word for word in order if model[word] > last * (1 + 1e-4)]
        rest = [word for word in order if word not in sure and model[word] >= last * (1 - 1e-4)]
        order = sure + sorted(rest, key=lambda word: (word not in like, order.index(word)))
    return {word: model[word] for word in order[:count]}


def added(question: Question, own: Words, weight: float) -> Words:
    """The words of an expanded question that count more than what is left of its own."""
    terms = question.terms or {}
    return {word: value for word, value in terms.items() if value > (1 - weight) * own.get(word, 0.0) * (1 + 1e-6)}


def mixed(own: Words, model: Words, weight: float, known: float) -> dict[str, float]:
    """A model in the place of a share of the question's words, of which those known count so much."""
    whole = math.fsum(model.values())
    return {
        word: (1 - weight) * own.get(word, 0.0) + weight * known * model.get(word, 0.0) / whole
        for word in {**own, **model}
    }


def delta(cosine: float, a: float, c: float) -> float:
    return 1 / (1 + math.exp(-a * (cosine - c)))


def expanded(index: Index, expression: str, question: str | Question) -> Question:
    """What an expansion makes of a question."""
    (made,) = bound(index, expression).expanded([Question(question) if isinstance(question, str) else question])
    return made


def bound(index: Index, expression: str) -> BoundExpansion:
    searcher = bind(ranker(expression), index.snapshot)
    assert isinstance(searcher, BoundExpansion)
    return searcher


def found(index: Index, expression: str, text: str, k: int) -> list[tuple[int, float]]:
    """The first documents of a ranker, by number, with their scores."""
    (ranking,) = bind(ranker(expression), index.snapshot).top_many([Question(text)], k)
    return list(zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True))


def assert_words(question: Question, wanted: Words) -> None:
    """The question has these words with these weights; words that count nothing may be left out."""
    assert question.terms is not None
    got: Sequence[str] = [word for word, weight in question.terms.items() if weight > 1e-12]
    assert sorted(got) == sorted(word for word in wanted if wanted[word] > 1e-12)
    for word in got:
        assert math.isclose(question.terms[word], wanted[word], rel_tol=1e-3, abs_tol=1e-9), word
