"""The largest singular values and their vectors against numpy's whole SVD."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from aboutness.vectors.singular import LOOKS, largest


def random_matrix(documents, words, seed=1, filled=0.05):
    chance = np.random.default_rng(seed)
    return chance.random((documents, words)) * (chance.random((documents, words)) < filled)


def assert_same_space(vectors, expected):
    """Both have columns at right angles that span the same space."""
    assert vectors.shape == expected.shape
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=1e-9)
    assert np.linalg.svd(vectors.T @ expected, compute_uv=False).min() > 1 - 1e-9


@pytest.mark.parametrize(
    ("shape", "dim"),
    [((30, 40), 5), ((40, 30), 5), ((7, 9), 7), ((310, 350), 20), ((350, 310), 20), ((301, 900), 8)],
    ids=str,
)
def test_singular_values_and_vectors_are_numpys(shape, dim):
    """By all eigenvectors where one side is small, else by ARPACK, of whichever side is smaller."""
    matrix = random_matrix(*shape, filled=1.0 if shape == (7, 9) else 0.2)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    found, vectors = largest(csr_array(matrix), dim, 3)
    np.testing.assert_allclose(found, values[:dim], rtol=1e-9)
    assert_same_space(vectors, right[:dim].T)
    np.testing.assert_allclose(matrix @ vectors @ vectors.T, left[:, :dim] * values[:dim] @ right[:dim], atol=1e-9)
    tops = vectors[np.abs(vectors).argmax(axis=0), np.arange(dim)]
    assert (tops > 0).all()  # one of each pair of opposite vectors
    np.testing.assert_allclose(np.abs((vectors * right[:dim].T).sum(axis=0)), 1, atol=1e-7)


def test_the_matrix_is_read_as_often_as_is_told():
    looks = []
    largest(csr_array(random_matrix(310, 400)), 10, 1, lambda: looks.append(1))
    assert 10 < len(looks) < 4 * 10 * LOOKS


@pytest.mark.parametrize("size", [20, 320])
def test_there_are_no_more_dimensions_than_the_matrix_has(size):
    chance = np.random.default_rng(2)
    matrix = chance.random((size, 3)) @ chance.random((3, size + 5))
    values, vectors = largest(csr_array(matrix), 12, 1)
    assert (len(values), vectors.shape) == (3, (size + 5, 3))
    np.testing.assert_allclose(values, np.linalg.svd(matrix, compute_uv=False)[:3], rtol=1e-9)
    assert_same_space(vectors, np.linalg.svd(matrix)[2][:3].T)


@pytest.mark.parametrize("size", [20, 320])
def test_equal_singular_values_and_none(size):
    """Where Lanczos' method finds nothing new after a few steps it begins again, always alike."""
    values, vectors = largest(csr_array(np.eye(size)), 12, 1)
    np.testing.assert_allclose(values, 1)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(12), atol=1e-9)
    assert largest(csr_array(np.eye(size)), 12, 1)[1].tobytes() == vectors.tobytes()
    values, vectors = largest(csr_array(np.zeros((size, size))), 12, 1)
    assert (values.tolist(), vectors.shape, vectors.any()) == ([0], (size, 1), False)


@pytest.mark.parametrize("size", [20, 320])
def test_what_shares_nothing_with_the_dimensions_is_in_none(size):
    """Not even by rounding, which unit vectors would make as long as all others."""
    matrix = np.zeros((size, size))
    matrix[:-4, :-4] = 5 + random_matrix(size - 4, size - 4)
    matrix[-4:, -4:] = random_matrix(4, 4, filled=1.0)
    _, vectors = largest(csr_array(matrix), 1, 1)
    assert vectors[:-4].all()
    assert not vectors[-4:].any()


def test_same_seed_same_bytes():
    matrix = csr_array(random_matrix(310, 320))
    first, again, other = (largest(matrix, 6, seed)[1].tobytes() for seed in (4, 4, 5))
    assert (first == again, first == other) == (True, False)
