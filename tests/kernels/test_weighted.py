"""Sums of word vectors that are weighted by products with the document's row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import weighted

quick = settings(max_examples=40)
seeds = st.integers(0, 1 << 32)


class Case:
    """Some documents over nine words, of which some have no vector, some no weigher, and one document no row."""

    def __init__(self, seed, documents, dim=5, size=3, shift=0.0):
        draw = np.random.default_rng(seed)
        sizes = draw.integers(0, 6, documents)
        self.ends = sizes.cumsum().astype(np.int64)
        self.terms = np.concatenate([np.zeros(0, int), *(draw.permutation(9)[:n] for n in sizes)]).astype(np.int32)
        self.counts = draw.choice([0.0, 0.3, 1.0, 2.0], len(self.terms))
        self.rows, self.others = np.full((2, 9), -1, np.int64)
        self.rows[draw.permutation(9)[:6]] = draw.permutation(6)
        self.others[draw.permutation(9)[:7]] = draw.permutation(7)
        self.matrix = draw.normal(size=(6, dim)).astype(np.float32)
        self.weighers = draw.normal(size=(7, size)).astype(np.float32)
        self.shift = shift
        self.documents = draw.normal(size=(documents, size)).astype(np.float32)
        self.documents[:1] = 0
        self.wanted = draw.random(documents) < 0.7
        self.room = np.full((documents, dim), 7, np.float32)

    def arguments(self):
        return (
            self.ends, self.terms, self.counts, self.rows, self.matrix, self.others, self.weighers, self.shift,
            self.documents, self.wanted, self.room,
        )  # fmt: skip

    def naive(self, document):
        """The vector of a document, each word by itself."""
        total = np.zeros(self.matrix.shape[1])
        for place in range(self.ends[document - 1] if document else 0, self.ends[document]):
            row, other = self.rows[self.terms[place]], self.others[self.terms[place]]
            if row >= 0 and other >= 0:
                weight = self.weighers[other].astype(np.float64) @ self.documents[document] + self.shift
                total += self.counts[place] * weight * self.matrix[row]
        length = np.linalg.norm(total)
        return total / length if length else total


@quick
@given(seeds, st.integers(0, 12), st.integers(1, 9), st.integers(1, 17), st.sampled_from([0.0, 1.6, -0.5]))
def test_weighted_centroids(run, seed, documents, dim, size, shift):
    case = Case(seed, documents, dim, size, shift)
    _, (*_, out) = run(weighted.weighted_centroids, *case.arguments())
    for document in range(documents):
        expected = case.naive(document) if case.wanted[document] else np.full(dim, 7)
        np.testing.assert_allclose(out[document], expected, rtol=1e-4, atol=1e-5)


@quick
@given(seeds)
def test_a_row_does_not_depend_on_the_documents_around_it(seed):
    case = Case(seed, 8)
    case.wanted[:] = True
    weighted.weighted_centroids(*case.arguments())
    together = case.room.copy()
    for document in range(8):
        case.wanted[:] = np.arange(8) == document
        weighted.weighted_centroids(*case.arguments())
        assert case.room[document].tobytes() == together[document].tobytes()


@pytest.mark.parametrize(
    ("row", "shift", "expected"),
    [
        ([1, 0], 0.0, [0.6, 0.8]),
        ([-1, 0], 0.0, [-0.6, -0.8]),  # a word that is far from the document counts against it
        ([0, 1], 0.0, [0, 1]),
        ([0, 0], 0.0, [0, 0]),
        ([1, -0.8], 0.0, [1, 0]),
        ([-1, 0], 1.0, [0, 1]),
        ([0, -1.8], 1.0, [1, 0]),
    ],
)
def test_on_paper(run, row, shift, expected):
    """Two words, 0.6 0.8 and 0 1, that are at 1 0 and 0 1 where the document has its row."""
    matrix, weighers = np.array([[0.6, 0.8], [0, 1]], np.float32), np.eye(2, dtype=np.float32)
    arguments = (
        np.array([2], np.int64), np.array([0, 1], np.int32), np.ones(2), np.array([0, 1]), matrix, np.array([0, 1]),
        weighers, shift, np.array([row], np.float32), np.ones(1, np.bool_), np.zeros((1, 2), np.float32),
    )  # fmt: skip
    _, (*_, out) = run(weighted.weighted_centroids, *arguments)
    np.testing.assert_allclose(out[0], expected, atol=1e-6)
