"""The words of a view that have vectors, and how near they are to those of a question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Choice, Whole
from aboutness.core.parameters import parameter
from aboutness.index.trained import Trained
from aboutness.index.view import LayerView
from aboutness.models.embedding import Embedding
from aboutness.models.lexicon import lexicon_of
from aboutness.models.question import Question
from aboutness.rank.expansion.expansion import Expansion
from aboutness.rank.pipelines import like
from aboutness.vectors.neighbours import PAIRS
from aboutness.vectors.postprocess import norms
from aboutness.vectors.trainer import Trainer

F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class ByWordVectors(Expansion):
    """An expansion by words that are near those of the question in word vectors of the index."""

    terms: int = parameter(10, Whole(1, 10_000), "how many words each word of the query brings")
    space: str = parameter("in-in", Choice(tuple(PAIRS)), "the spaces of the query's words and of those added")
    vectors: str | None = like(Embedding, "vectors")
    case: str = like(Embedding, "case")

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:
        """Return what has to be trained: word vectors, where there are none and no others are named."""
        return Embedding(vectors=self.vectors).needs(trained)

    def words_in(self, view: LayerView) -> WordSpace:
        """Return the words of a view that have vectors."""
        return WordSpace(view, self.space, self.vectors, self.case)


class WordSpace:
    """The terms that documents have and that have a vector, by row; and the words of questions that have one.

    Words that are asked for have vectors of the first space of a pair, those that are found of the second.
    """

    def __init__(self, view: LayerView, pair: str, vectors: str | None, case: str) -> None:
        self.view = view
        self.asked_in, self.found_in = PAIRS[pair]
        self.lexicon = lexicon_of(view, vectors, case)
        self.lexicon.vectors.space(self.asked_in)  # or raise where there is none
        self.matrix = self.lexicon.matrix(self.found_in)
        self.lengths = view.once((WordSpace, self.lexicon, self.found_in), lambda: norms(self.matrix))
        self.terms: Ints = np.empty(len(self.matrix), np.int64)  # the number of each row's term
        known = np.flatnonzero(self.lexicon.rows >= 0)
        self.terms[self.lexicon.rows[known]] = known

    def asked(self, question: Question) -> Iterator[tuple[str, float, Reals]]:
        """Yield the words of a question that have a direction, what they count, and their directions."""
        asked = self.lexicon.asked(question)
        vectors = asked.vectors(self.asked_in)
        weights = asked.weights.tolist()
        for word, weight, vector, length in zip(asked.words, weights, vectors, norms(vectors), strict=True):
            if length:
                yield word, weight, vector.astype(np.float64) / length

    def cosines(self, direction: Reals) -> Reals:
        """Return the cosine of a direction with each row; -1 where a row has no direction."""
        from aboutness.kernels.dense import products

        found = np.empty(len(self.matrix), np.float32)
        products(direction, self.matrix, np.arange(len(self.matrix)), found)
        cosines = np.divide(found, self.lengths, out=np.full(len(found), -1.0), where=self.lengths > 0)
        rounded: F32 = np.clip(cosines, -1, 1).astype(np.float32)  # so that what should be equal is
        return rounded.astype(np.float64)

    def most_frequent(self, count: int) -> Ints:
        """Return, ascending, the rows with directions whose words stand most often in documents."""
        asked = norms(self.lexicon.matrix(self.asked_in))
        rows = np.flatnonzero((self.lengths > 0) & (asked > 0))
        often = self.view.statistics.cf[self.terms[rows]]
        return np.sort(rows[np.argsort(-often, kind="stable")[:count]])

    def directions(self, rows: Ints) -> tuple[F32, F32]:
        """Return the directions of rows that have one, in the space of questions and in that of what is found."""
        made = []
        for space in (self.asked_in, self.found_in):
            vectors = self.lexicon.matrix(space)[rows]
            made.append((vectors / norms(vectors)[:, None]).astype(np.float32))
        return made[0], made[1]
