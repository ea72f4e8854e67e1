from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import centroids as kernels
from kernels.conftest import both

quick = settings(max_examples=40)
seeds = st.integers(0, 1 << 32)


class Case:
    """Some documents over nine words, of which some have no vector, one has 0, and some counts are 0."""

    def __init__(self, seed, documents, dim):
        draw = np.random.default_rng(seed)
        sizes = draw.integers(0, 6, documents)
        self.ends = sizes.cumsum().astype(np.int64)
        self.terms = np.concatenate([np.zeros(0, np.int32), *(draw.permutation(9)[:n] for n in sizes)]).astype(
            np.int32
        )
        self.counts = draw.choice([0.0, 0.3, 1.0, 2.0, 1e9], len(self.terms))
        self.rows = np.full(9, -1, np.int64)
        known = draw.permutation(9)[:6]
        self.rows[known] = draw.permutation(6)
        self.factors = draw.choice([0.0, 0.5, 1.0, 3.0], 6)
        self.matrix = draw.normal(size=(6, dim)).astype(np.float32)
        self.matrix[2] = 0
        self.wanted = draw.random(documents) < 0.7
        self.divisors = draw.uniform(0.5, 2, documents)

    def arguments(self, mean, divisors):
        documents, dim = len(self.ends), self.matrix.shape[1]
        divided = self.divisors if divisors else np.zeros(0)
        room = np.full((documents, dim), 7, np.float32)
        return (self.ends, self.terms, self.counts, self.rows, self.factors, self.matrix, self.wanted, mean, divided, room)  # fmt: skip

    def naive(self, document, mean, divisors):
        """The vector of a document, each word by itself."""
        start = self.ends[document - 1] if document else 0
        total, count = np.zeros(self.matrix.shape[1]), 0.0
        for place in range(start, self.ends[document]):
            row = self.rows[self.terms[place]]
            if row >= 0:
                total += self.counts[place] * self.factors[row] * self.matrix[row].astype(np.float64)
                count += self.counts[place]
        size = count if mean else np.linalg.norm(total)
        return total / size / (self.divisors[document] if divisors else 1) if size else total * 0


@quick
@given(seeds, st.integers(0, 12), st.integers(1, 9), st.booleans(), st.booleans())
def test_centroids(run, seed, documents, dim, mean, divisors):
    case = Case(seed, documents, dim)
    _, (*_, out) = run(kernels.centroids, *case.arguments(mean, divisors))
    for document in range(documents):
        expected = case.naive(document, mean, divisors) if case.wanted[document] else np.full(dim, 7)
        np.testing.assert_allclose(out[document], expected, rtol=1e-6, atol=1e-7)


@given(seeds)
@quick
def test_a_row_does_not_depend_on_the_documents_around_it(run, seed):
    case = Case(seed, 8, 5)
    case.wanted[:] = True
    _, (*_, all_at_once) = run(kernels.centroids, *case.arguments(False, False))
    for document in range(8):
        case.wanted[:] = np.arange(8) == document
        _, (*_, out) = run(kernels.centroids, *case.arguments(False, False))
        assert out[document].tobytes() == all_at_once[document].tobytes()


@pytest.mark.parametrize("terms", [np.int32, np.int64])
@pytest.mark.parametrize("mean", [False, True])
def test_vectors_that_cancel_leave_zeros(run, terms, mean):
    matrix = np.array([[1.5, -2.0], [-1.5, 2.0]], np.float32)
    arguments = (
        np.array([2, 2, 3], np.int64), np.array([0, 1, 0], terms), np.ones(3), np.array([0, 1]), np.ones(2), matrix,
        np.ones(3, np.bool_), mean, np.zeros(0), np.full((3, 2), 7, np.float32),
    )  # fmt: skip
    _, (*_, out) = run(kernels.centroids, *arguments)
    assert out[:2].tolist() == [[0, 0], [0, 0]]
    assert out[2].tolist() == ([1.5, -2.0] if mean else pytest.approx([0.6, -0.8]))


def test_sums_of_vectors_from_end_to_end_of_float32(run):
    """Squares of the largest and the least float32 stay within float64."""
    matrix = np.array([[3e38, -3e38], [1e-45, 1e-45]], np.float32)
    arguments = (
        np.array([1, 2], np.int64), np.array([0, 1], np.int32), np.array([1e15, 1e-15]), np.array([0, 1]), np.ones(2),
        matrix, np.ones(2, np.bool_), False, np.zeros(0), np.zeros((2, 2), np.float32),
    )  # fmt: skip
    _, (*_, out) = run(kernels.centroids, *arguments)
    half = np.float32(np.sqrt(0.5))
    np.testing.assert_allclose(out, [[half, -half], [half, half]], rtol=1e-6)


def test_a_divisor_of_nothing_leaves_zeros(run):
    arguments = (
        np.array([1], np.int64), np.zeros(1, np.int32), np.ones(1), np.zeros(1, np.int64), np.ones(1),
        np.ones((1, 3), np.float32), np.ones(1, np.bool_), False, np.zeros(1), np.full((1, 3), 7, np.float32),
    )  # fmt: skip
    _, (*_, out) = run(kernels.centroids, *arguments)
    assert out.tolist() == [[0, 0, 0]]


@quick
@given(st.lists(st.floats(-1e3, 1e3), max_size=9), st.floats(-10, 10))
def test_add_and_sum_of_squares(values, factor):
    total = np.arange(len(values), dtype=np.float64)
    vector = np.array(values, np.float32)
    _, (added, _, _) = both(kernels.add, total, factor, vector)
    np.testing.assert_allclose(added, total + factor * vector.astype(np.float64), rtol=1e-12, atol=1e-12)
    found, _ = both(kernels.sum_of_squares, added)
    assert found == pytest.approx(float(added @ added), rel=1e-12)
