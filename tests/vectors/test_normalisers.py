from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.vectors import products
from aboutness.vectors.normalisers import SAFE, log_normalisers
from aboutness.vectors.products import ROWS as DOCUMENTS
from aboutness.vectors.products import WORDS


def drawn(rows, words, dim=6, scale=1.0, seed=0):
    chance = np.random.default_rng(seed)
    return (scale * chance.normal(size=(count, dim)).astype(np.float32) for count in (rows, words))


def naive(rows, words):
    products = rows.astype(np.float64) @ words.astype(np.float64).T
    return np.logaddexp.reduce(products, axis=1)


@settings(max_examples=60)
@given(
    st.integers(0, 1 << 32), st.integers(0, 9), st.integers(1, 9), st.integers(1, 5),
    st.sampled_from([0.01, 1.0, 5.0, 40.0]),
)  # fmt: skip
def test_logarithms_of_sums_of_exponentials(seed, count, size, dim, scale):
    """Also where blocks end anywhere, and where products are large."""
    rows, words = drawn(count, size, dim, scale, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "ROWS", 4)
        patch.setattr(products, "WORDS", 3)
        found = log_normalisers(rows, words)
    assert (found.shape, found.dtype) == ((count,), np.float64)
    most = np.linalg.norm(rows, axis=1) * np.linalg.norm(words, axis=1).max()  # that a product can be
    assert (np.abs(found - naive(rows, words)) <= 3e-6 + 3e-7 * most).all()


@pytest.mark.parametrize("documents", [1, DOCUMENTS - 1, DOCUMENTS, DOCUMENTS + 1])
@pytest.mark.parametrize("words", [1, WORDS - 1, WORDS, WORDS + 1, 2 * WORDS])
def test_where_blocks_end(documents, words):
    rows, vectors = drawn(documents, words, dim=3)
    np.testing.assert_allclose(log_normalisers(rows, vectors), naive(rows, vectors), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("scale", [0.3, 2.0, 9.0])
def test_probabilities_of_a_document_sum_to_1(scale):
    """Also where exp of a product is beyond what any number can be, and where it is as good as 0."""
    rows, words = drawn(40, 3000, scale=scale)
    products = rows.astype(np.float64) @ words.astype(np.float64).T
    largest = np.abs(products).max()
    assert (largest > 800) == (scale > 3)
    sums = np.exp(products - log_normalisers(rows, words)[:, None]).sum(axis=1)
    np.testing.assert_allclose(sums, 1, rtol=1e-5 + 1e-6 * largest)


@pytest.mark.parametrize("sign", [1, -1])
def test_products_that_are_all_large(sign):
    """All positive, or all negative: exp of none of them is a number."""
    rows, words = np.full((3, 4), 30, np.float32), np.full((WORDS + 5, 4), sign * 30, np.float32)
    expected = sign * 3600 + math.log(WORDS + 5)
    np.testing.assert_allclose(log_normalisers(rows, words), expected, rtol=1e-7)


def test_just_at_the_bound():
    """Products of up to SAFE are not shifted; a little more are; both are right."""
    words = np.ones((5000, 1), np.float32)
    rows = np.array([[SAFE - 0.01], [SAFE], [SAFE + 0.01], [-SAFE], [80], [-80]], np.float32)
    np.testing.assert_allclose(log_normalisers(rows, words), rows[:, 0] + math.log(5000), rtol=1e-6)


@pytest.mark.parametrize("words", [1, 7, WORDS, WORDS + 1])
def test_a_row_of_zeros_has_all_words_alike(words):
    rows, vectors = drawn(5, words)
    rows[[1, 4]] = 0
    found = log_normalisers(rows, vectors)
    np.testing.assert_allclose(found[[1, 4]], math.log(words), rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(found, naive(rows, vectors), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dim", [5, 100])
def test_a_document_does_not_depend_on_the_others(dim):
    """To the bit: alone, in another place, and beside one whose products are large."""
    rows, words = drawn(DOCUMENTS + 40, WORDS + 100, dim, 5 / dim)
    found = log_normalisers(rows, words)
    for number in (0, 1, 37, 500, DOCUMENTS, DOCUMENTS + 39):
        assert log_normalisers(rows[number : number + 1], words)[0] == found[number]
    order = np.random.default_rng(1).permutation(len(rows))
    assert log_normalisers(rows[order], words).tobytes() == found[order].tobytes()
    rows[3] *= 1000
    again = log_normalisers(rows, words)
    assert again[3] > 1.5 * found[3]
    assert np.delete(again, 3).tobytes() == np.delete(found, 3).tobytes()
    for threads in (1, 2, 3):
        assert log_normalisers(rows, words, threads).tobytes() == again.tobytes()


@pytest.mark.parametrize("threads", [2, 3, 40])
def test_threads_change_nothing(threads):
    rows, words = drawn(3 * DOCUMENTS + 7, WORDS + 9, 20, 0.5)
    found = log_normalisers(rows, words, threads=1)
    assert log_normalisers(rows, words, threads=threads).tobytes() == found.tobytes()


@pytest.mark.parametrize("dim", [8, 100, 300])
@pytest.mark.parametrize("words", [100, 3 * WORDS + 5])
def test_the_same_row_anywhere_has_the_same_value(dim, words):
    one, vectors = drawn(1, words, dim, 0.4, seed=dim)
    found = log_normalisers(np.tile(one, (2 * DOCUMENTS + 77, 1)), vectors)
    assert len(set(found.tolist())) == 1


def test_mapped_and_no_rows():
    rows, words = drawn(4, 9)
    rows.flags.writeable = words.flags.writeable = False
    np.testing.assert_allclose(log_normalisers(rows, words), naive(rows, words), rtol=1e-6)
    assert log_normalisers(rows[:0], words).shape == (0,)


def test_memory_does_not_grow_with_the_documents(monkeypatch):
    """Blocks of rows, words and products, and what is returned; some rows are 0."""
    monkeypatch.setattr(products, "ROWS", 64)
    monkeypatch.setattr(products, "WORDS", 128)
    rows, words = drawn(6000, 300, 200, 0.01)
    rows[::7] = 0
    tracemalloc.start()
    log_normalisers(rows, words, threads=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    blocks = 4 * (64 * 128 + 64 * 200 + 128 * 200) + words.nbytes + 8 * len(rows)
    assert peak < 1.5 * blocks < 0.2 * rows.nbytes
