"""Embedding-based query language models: how probable each word is, given how near it is to those of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Number, Whole
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.bags import words_of
from aboutness.models.question import Question
from aboutness.rank.expansion.expansion import Expand, interpolated, known_in, strongest
from aboutness.rank.expansion.spaces import ByWordVectors, WordSpace
from aboutness.rank.searching import Searcher

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class EmbeddingQueryModel(ByWordVectors):
    """A language model of the query, from word vectors, mixed into the query's own (Zamani and Croft 2016).

        P'(w) = (1 - weight) P(w | query) + weight P(w | model),   delta(w, t) = 1 / (1 + exp(-a (cos(w, t) - c)))

    P(w | query) is the share of w in the query. A subclass says what P(w | model) is; the `terms` most probable
    words are kept, and scaled to sum to 1.

    Unknown words: words of the query without a vector stay, but take no part in the model.
    """

    source: ClassVar[str] = "Zamani and Croft 2016"

    terms: int = parameter(20, Whole(1, 10_000), "how many words the model keeps", symbol="m")
    weight: float = parameter(0.3, Number(0, 1), "share of the model; the query's own words have the rest")
    a: float = parameter(10.0, Number(0, 100), "how steeply similarity rises with the cosine", symbol="a")
    c: float = parameter(0.6, Number(-1, 1), "the cosine at which similarity is one half", symbol="c")
    vocabulary: int = parameter(20_000, Whole(1, 10**9), "how many words, the most frequent, can be added")

    def expander(self, view: LayerView, first: Searcher) -> Expand:  # noqa: ARG002 - it looks at no documents
        """Return what expands questions."""
        space = self.words_in(view)
        rows = space.most_frequent(self.vocabulary)

        def expand(questions: Sequence[Question], _: int | None) -> list[Question]:
            return [self._expanded(space, rows, question) for question in questions]

        return expand

    def _expanded(self, space: WordSpace, rows: Ints, question: Question) -> Question:
        asked = list(space.asked(question))
        if not asked or not len(rows):
            return question
        weights = np.array([[weight] for _, weight, _ in asked])
        nearness = np.stack([self.log_delta(space.cosines(direction)[rows]) for _, _, direction in asked])
        chances = self.chances(space, rows, weights, nearness)
        model = strongest(space.view, space.terms[rows], chances, self.terms)
        own = words_of(space.view, question)
        known = {*known_in(space.view, own), *(word for word, _, _ in asked)}
        return interpolated(own, model, self.weight, known)

    def log_delta(self, cosines: Reals) -> Reals:
        """Return ln delta of cosines."""
        return np.asarray(-np.logaddexp(0, -self.a * (cosines - self.c)))

    def chances(self, space: WordSpace, rows: Ints, weights: Reals, nearness: Reals) -> Reals:
        """Return for each word of the vocabulary, which are rows of a space, what P(w | model) is proportional to.

        `nearness` is ln delta of each word of the query (row) and each word of the vocabulary (column), `weights`
        what each word of the query counts (a column). The largest is about 1.
        """
        raise NotImplementedError
