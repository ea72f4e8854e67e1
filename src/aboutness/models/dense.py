"""Models whose score is the product of a question's vector with a row of numbers kept for each document.

score(q, d) = sum over x of q[x] * d[x], by `aboutness.kernels.dense.product`

A document without any known word has a row of zeros; its score is the lowest of the model. Where there are many
documents, those that can be among the best are found first: for a question in whole numbers, for many questions by
products in float32. Only these are scored; the ranking is the one that scoring all of them would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from aboutness.core.threads import checked_threads
from aboutness.index.view import LayerView
from aboutness.models.bags import matching
from aboutness.models.dense_rows import DenseRows, length_of, room_for, scores_of_rows
from aboutness.models.model import (
    NOTHING,
    Allowed,
    Match,
    Scorer,
    allowed_mask,
    check_match,
    check_numbers,
    checked_k,
    listed,
)
from aboutness.models.question import Moved, Question
from aboutness.models.ranking import LARGEST, Ranking, best

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

FEW = 2048  # documents that are scored one by one: looking for the best costs as much
SHARE = 8  # the same for less than this part of all documents
TOGETHER = 8  # questions that are worth products in float32
AT_ONCE = 256  # questions whose products are worked out together
NOISE = 1e-6  # the length of what float32 leaves where directions cancel each other out
MOST_ROOM = 1 << 21  # documents that these may find together: bounds the memory


class DenseScorer(Scorer):
    """Ranks documents by the product of their rows with a vector; those without a row have the score `lowest`."""

    together: int = 1  # questions that are better asked at once, with all documents that they are about

    def __init__(self, view: LayerView, rows: DenseRows, lowest: float) -> None:
        super().__init__(view)
        self.rows = rows
        self.lowest = max(lowest, -LARGEST)
        self.longest = 1.0  # the length of a question's vector, at most, for which no product is below the lowest

    @property
    def held(self) -> int:
        """Return how many bytes the rows of documents take."""
        return self.rows.rows.nbytes

    def vector(self, question: Question) -> F64 | None:
        """Return a question's vector, its own or the one it comes with, or None where it has no known word."""
        if question.vector is not None:
            return question.vector
        return question.derived(self, "vector", lambda: self._vector(question))

    def _vector(self, question: Question) -> F64 | None:
        return self.own_vector(question) if question.moved is None else self.moved_vector(question.moved)

    def own_vector(self, question: Question) -> F64 | None:
        """Return the vector of a question that is not moved, or None where it has no known word."""
        raise NotImplementedError

    def moved_vector(self, moved: Moved) -> F64 | None:
        """Return the vector of a question that is moved, as long as its own; None where it has none.

        Where directions cancel each other out, the question stays where it is. If its own counts nothing, the
        vector has length 1, or `longest` if that is less.
        """
        own = self.vector(moved.question) if moved.weight else None
        if moved.weight and own is None:
            return None
        total = np.zeros(self.rows.rows.shape[1]) if own is None else own * (moved.weight / length_of(own))
        rows = self.rows.some(np.array(list(moved.documents), np.int64)).astype(np.float64)
        lengths = np.sqrt(np.square(rows).sum(axis=1))
        lengths[lengths == 0] = 1.0
        for row, factor in zip(rows, np.array(list(moved.documents.values())) / lengths, strict=True):
            total += row * factor  # one after the other, in the order of the documents
        length, wanted = length_of(total), min(1.0, self.longest) if own is None else length_of(own)
        return total * (wanted / length) if length > NOISE else own

    def knows(self, question: Question) -> bool:
        """Tell whether the question has a vector."""
        return self.vector(question) is not None

    def floor(self, question: Question) -> float:  # noqa: ARG002 - it is the same for all
        """Return the score of documents without a known word."""
        return self.lowest

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents by number: the lowest where the question is not known."""
        check_numbers(self.view, documents)
        return self._scores(self.vector(question), documents)

    def products(self, vector: F64, documents: Ints) -> F32:
        """Return the score of each of some documents by number for a vector."""
        return self._scores(vector, documents)

    def _scores(self, vector: F64 | None, documents: Ints) -> F32:
        return scores_of_rows(vector, self.rows, documents, self.lowest)

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the ranking of each question, searched for by several threads (as many as there are cores)."""
        k = checked_k(k)
        check_match(match)
        threads = checked_threads(threads)
        vectors = [self.vector(question) for question in questions]
        living = listed(self.view, match, allowed)
        if living is not None and len(living) <= FEW:
            return [self._rank_few(vector, living, k) for vector in vectors]
        mask = allowed_mask(self.view, allowed)

        def rank(i: int) -> Ranking:
            vector = vectors[i]
            if vector is None and self.unknown == NOTHING:
                return self._rank_few(None, np.zeros(0, np.int64), k)
            among = mask if match == "all" else mask & matching(self.view, questions[i], match)
            if vector is None:
                return self._rank_few(None, np.flatnonzero(among), k)
            return self._rank(vector, among, k)

        def rank_some(numbers: range) -> list[Ranking]:
            known = [vector for i in numbers if (vector := vectors[i]) is not None]
            if match != "all" or len(known) < TOGETHER or not self._many(mask, k):
                return [rank(i) for i in numbers]
            found = iter(self._rank_together(known, mask, k))
            return [rank(i) if vectors[i] is None else next(found) for i in numbers]

        step = max(1, min(AT_ONCE, MOST_ROOM // room_for(len(self.rows), k), -(-len(questions) // threads)))
        pieces = [range(len(questions))[first : first + step] for first in range(0, len(questions), step)]
        if threads == 1 or len(pieces) <= 1:
            return [ranking for piece in pieces for ranking in rank_some(piece)]
        with ThreadPoolExecutor(min(threads, len(pieces))) as pool:
            return [ranking for found in pool.map(rank_some, pieces) for ranking in found]

    def _rank_few(self, vector: F64 | None, documents: Ints, k: int) -> Ranking:
        """Return the k best of some documents; without a vector the first k, or none."""
        if vector is None and self.unknown == NOTHING:
            return Ranking(documents[:0], np.zeros(0, np.float32))
        return best(documents, self._scores(vector, documents), k)

    def _many(self, mask: Mask, k: int) -> bool:
        """Tell whether the documents in a mask are so many that it is worth looking for the best first."""
        return int(np.count_nonzero(mask)) > max(FEW, SHARE * k, len(mask) // SHARE)

    def _rank(self, vector: F64, mask: Mask, k: int) -> Ranking:
        """Return the k best of the documents in a mask."""
        documents = None
        if self._many(mask, k):
            allowed = self._with_rows(mask)
            if self.rows.has_codes():
                documents = self.rows.codes.candidates(vector, k, allowed)
            else:
                (documents,) = self.rows.candidates(vector[None], k, allowed)
        return self._best(vector, documents, mask, k)

    def ranked(self, vector: F64, mask: Mask, k: int) -> Ranking:
        """Return the k best of the documents in a mask for a vector."""
        return self._rank(vector, mask, k)

    def _rank_together(self, vectors: Sequence[F64], mask: Mask, k: int) -> list[Ranking]:
        """Return the k best of the documents in a mask for each of some vectors."""
        found = self.rows.candidates(np.array(vectors), k, self._with_rows(mask))
        return [self._best(vector, some, mask, k) for vector, some in zip(vectors, found, strict=True)]

    def _with_rows(self, mask: Mask) -> Mask:
        """Return which documents in a mask have a row: an empty mask where all have."""
        present = mask & self.rows.present
        return present[:0] if present.all() else present

    def _best(self, vector: F64, documents: Ints | None, mask: Mask, k: int) -> Ranking:
        """Return the k best of a mask, which are among some documents with a row, or of those without one."""
        if documents is None:
            return self._rank_few(vector, np.flatnonzero(mask), k)
        ranking = best(documents, self._scores(vector, documents), k)
        if len(ranking) == k and ranking.scores[-1] > self.lowest:
            return ranking
        absent = np.flatnonzero(mask & ~self.rows.present)[:k]
        documents = np.sort(np.concatenate([documents, absent]))
        return best(documents, self._scores(vector, documents), k)
