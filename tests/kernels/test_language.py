from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import language
from kernels.conftest import near

quick = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 1 << 32)


@quick
@given(seeds, st.integers(1, 9), st.booleans())
def test_share(seed, size, exponential):
    chance = np.random.default_rng(seed)
    word, row = chance.normal(size=size), chance.normal(size=size).astype(np.float32)
    found, _ = near(language.share, word, row, 1.5, exponential, within=1e-12)
    product = math.fsum(word * row.astype(np.float64))
    assert found == pytest.approx(
        math.exp(product - 1.5) if exponential else max(product, 0.0), rel=1e-12, abs=1e-14
    )


class Case:
    """Words with vectors, some of them unknown, and documents of which some are asked for."""

    def __init__(self, seed, words, documents, exponential, lam):
        chance = np.random.default_rng(seed)
        size = 4
        self.words, self.weights = chance.normal(size=(words, size)), chance.uniform(0.5, 3, words)
        self.known = chance.random(words) < 0.7
        self.seen, self.lam = chance.uniform(0.01, 0.5, (words, documents)), lam
        self.rows = chance.normal(size=(7, size)).astype(np.float32)
        if not exponential:  # as topics: all products are above 0
            self.words, self.rows = np.abs(self.words), np.abs(self.rows)
        self.normalisers = chance.normal(size=7) if exponential else np.zeros(0)
        self.documents = np.sort(chance.integers(0, 7, documents))

    def arguments(self):
        room = np.full((len(self.words), len(self.documents)), 7.0)
        return (
            self.words, self.weights, self.known, self.seen, self.lam, self.rows, self.normalisers, self.documents,
            room,
        )  # fmt: skip


@pytest.mark.parametrize("exponential", [True, False], ids=["softmax", "topics"])
@quick
@given(seeds, st.integers(0, 4), st.integers(0, 5), st.sampled_from([0.0, 0.3, 1.0]))
def test_likelihoods(exponential, seed, words, documents, lam):
    case = Case(seed, words, documents, exponential, lam)
    if lam == 1:
        case.known[:] = True  # others are left out before
    _, (*_, out) = near(language.likelihoods, *case.arguments(), within=1e-12)
    products = case.words @ case.rows[case.documents].astype(np.float64).T
    trained = np.exp(products - case.normalisers[case.documents]) if exponential else products
    expected = (1 - lam) * case.seen + lam * np.where(case.known[:, None], trained, 0.0)
    np.testing.assert_allclose(out, case.weights[:, None] * np.log(expected), rtol=1e-9, atol=1e-9)


def test_a_word_that_is_not_known_has_the_share_of_the_document_alone():
    case = Case(1, 3, 4, True, 0.25)
    case.known[:] = False
    _, (*_, out) = near(language.likelihoods, *case.arguments())
    np.testing.assert_allclose(out, case.weights[:, None] * np.log(0.75 * case.seen), rtol=1e-12)


def test_documents_are_worked_out_one_by_one():
    """A document has the same bytes whatever the others are."""
    case = Case(2, 3, 5, True, 0.4)
    arguments = case.arguments()
    language.likelihoods(*arguments)
    for at in range(5):
        alone = list(case.arguments())
        alone[3], alone[7], alone[8] = (
            case.seen[:, at : at + 1].copy(),
            case.documents[at : at + 1],
            np.empty((3, 1)),
        )
        language.likelihoods(*alone)
        np.testing.assert_array_equal(alone[8][:, 0], arguments[8][:, at])
