"""scikit-learn's own checks of estimators: those that take texts as they are, and all of them on numbers as texts."""

from __future__ import annotations

import warnings

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from aboutness.interop.searcher import TextSearcher
from aboutness.interop.vectorizer import TextVectorizer
from aboutness.vectors.word2vec import Word2Vec
from interop.numbers import NumbersSearcher, NumbersVectorizer

WITHOUT_DATA = [
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
]
SMALL = Word2Vec(dim=4, epochs=1, min_count=1, sample=0)


@pytest.mark.parametrize("estimator", [TextVectorizer(), TextSearcher()], ids=lambda one: type(one).__name__)
def test_estimators_of_texts(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)  # most checks have numbers for data
        done = check_estimator(estimator, on_fail="raise")
    assert [one["check_name"] for one in done]
    for name in WITHOUT_DATA:
        getattr(estimator_checks, name)(type(estimator).__name__, estimator)


@parametrize_with_checks(
    [
        NumbersVectorizer("lsa", dim=3, analyzer="plain"),
        NumbersVectorizer("wcs", vectors=SMALL, analyzer="plain"),
        NumbersSearcher("bm25", analyzer="plain"),
    ],
)
def test_estimators_of_numbers(estimator, check):
    check(estimator)
