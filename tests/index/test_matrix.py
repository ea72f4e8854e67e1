"""Counting alone: against scikit-learn, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import aboutness as ab
from aboutness.core.errors import BadInput

TEXTS = st.lists(st.text(alphabet="ab cAÉßΣİ_1\n", max_size=30) | st.text(max_size=20), max_size=12)


@given(TEXTS)
def test_counts_are_those_of_scikit_learn(texts):
    texts = [*texts, "never empty"]
    expected = CountVectorizer()
    counts = expected.fit_transform(texts)
    matrix, terms = ab.count_matrix(iter(texts))
    assert sorted(terms) == list(expected.get_feature_names_out())
    order = [expected.vocabulary_[term] for term in terms]
    assert np.array_equal(matrix.toarray(), counts.toarray()[:, order])


def test_no_texts_at_all():
    matrix, terms = ab.count_matrix([])
    assert matrix.shape == (0, 0)
    assert terms == []


@pytest.mark.parametrize("bad", ["\ud800", None, 5])
def test_what_is_no_text_is_refused(bad):
    with pytest.raises(BadInput, match="every text must be a string without lone surrogates"):
        ab.count_matrix(["fine", bad])
