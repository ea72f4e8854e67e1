"""What a map of documents is drawn from: a vector for each document, and one for any question."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from aboutness.app.generation import Generation
from aboutness.core.algebra import Ranker
from aboutness.index.view import LayerView
from aboutness.models.dense import DenseScorer
from aboutness.models.question import Question
from aboutness.models.ranking import best as best_of
from aboutness.models.trained import text_of
from aboutness.report.spaces import chosen_vectors, dense_scorer, trained_rows
from aboutness.vectors.documents import KIND, DocumentSpace
from aboutness.vectors.kept import vectors_of
from aboutness.vectors.words import OUT, WordVectors

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

BY_WORDS = ("wcs", "iwcs", "desm-in-in")  # rankers on any word vectors
BY_BOTH = ("desm-in-out",)  # on such that have IN and OUT
BLOCK = 8192  # rows that are copied at a time


class MapSpace(ABC):
    """Documents as rows by number, and questions as vectors among them; scores are those of the vectors."""

    def __init__(self, name: str, rows: F32) -> None:
        self.name = name
        self.rows = rows

    @abstractmethod
    def vector(self, question: Question) -> F64 | None:
        """Return a question's vector, or None where it has no known word."""

    @abstractmethod
    def scores(self, question: Question, documents: I64) -> F32:
        """Return the score of some documents, which have a row, for a question with a vector."""

    def best(self, question: Question, documents: I64, k: int) -> I64:
        """Return the k best for a question with a vector, the best first, of all documents that have a row."""
        return best_of(documents, self.scores(question, documents), k).documents


class _Compared(MapSpace):
    """The vectors that a ranker compares; the scores are the ranker's."""

    def __init__(self, name: str, scorer: DenseScorer) -> None:
        super().__init__(name, scorer.rows.rows)
        self.scorer = scorer

    def vector(self, question: Question) -> F64 | None:
        return self.scorer.vector(question)

    def scores(self, question: Question, documents: I64) -> F32:
        return self.scorer.scores(question, documents)

    def best(self, question: Question, documents: I64, k: int) -> I64:  # noqa: ARG002 - it knows which have a row
        found = self.scorer.top_many([question], k, match="all", threads=1)[0].documents
        return found[self.scorer.rows.present[found]]


class _Trained(MapSpace):
    """Rows that were trained for documents; a question has the row of its text, and scores are cosines."""

    def __init__(self, name: str, view: LayerView, space: DocumentSpace) -> None:
        super().__init__(name, space.rows)
        self.view = view
        self.space = space
        self._asked: Question | None = None  # the last one: inference takes a while
        self._vector: F64 | None = None

    def vector(self, question: Question) -> F64 | None:
        if self._asked is not question:
            words = text_of(self.view, question, self.space)
            row = self.space.infer_question(words)[0] if len(words.words) else np.zeros(0)
            self._asked, self._vector = question, row.astype(np.float64) if row.any() else None
        return self._vector

    def scores(self, question: Question, documents: I64) -> F32:
        vector = self.vector(question)
        assert vector is not None
        direction = (vector / np.linalg.norm(vector)).astype(np.float32)
        found = np.empty(len(documents), np.float32)
        for first in range(0, len(documents), BLOCK):
            rows = self.rows[documents[first : first + BLOCK]]
            found[first : first + BLOCK] = rows @ direction / np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return found


def map_space(generation: Generation, by: str | Ranker | None = None) -> MapSpace:
    """Return the vectors of a training by its name, or those that a ranker compares; see `chosen_vectors`."""
    snapshot = generation.snapshot
    by = chosen_vectors(snapshot, by)
    if by in snapshot.trained.of_kind(KIND):
        return _Trained(str(by), *trained_rows(snapshot, str(by)))
    return _Compared(str(by), dense_scorer(snapshot, by, generation.here.bound))


def vectors_here(generation: Generation) -> dict[str, bool]:
    """Return what documents can be drawn by, the usual first, and whether that is a ranker.

    The others are what was trained on documents.
    """
    trained = generation.snapshot.trained
    found = dict.fromkeys(trained.of_kind(KIND), False)
    words = list(trained.of_kind(WordVectors.kind))
    for name in words:
        named = f"[vectors={name}]" if len(words) > 1 else ""
        spaces = vectors_of(trained, name).spaces
        found |= dict.fromkeys((f"{ranker}{named}" for ranker in BY_WORDS), True)
        found |= dict.fromkeys((f"{ranker}{named}" for ranker in BY_BOTH if OUT in spaces), True)
    return found
