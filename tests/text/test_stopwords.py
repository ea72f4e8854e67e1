from __future__ import annotations

import sys

import pytest

from aboutness.core.errors import UsageError
from aboutness.text.stopwords import CLOSED_CLASSES, STOP_LISTS


def test_the_lists():
    assert list(STOP_LISTS) == ["none", "english", "sklearn"]
    assert STOP_LISTS["none"]() == ()


def test_the_english_list():
    words = STOP_LISTS["english"]()
    assert list(words) == sorted(set(words))
    assert set(words) == {word for group in CLOSED_CLASSES.values() for word in group.split()}
    assert {"the", "and", "of", "not", "don", "we"} <= set(words)
    assert all(word.isalpha() and word.islower() and word.isascii() for word in words)


@pytest.mark.parametrize("word", ["computer", "fire", "system", "music", "time", "first", "people", "bill", "cry"])
def test_words_with_a_subject_stay(word):
    assert word not in STOP_LISTS["english"]()


def test_each_word_stands_in_one_class():
    words = [word for group in CLOSED_CLASSES.values() for word in group.split()]
    assert sorted(words) == sorted(set(words))


def test_the_list_of_sklearn():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    assert STOP_LISTS["sklearn"]() == tuple(sorted(text.ENGLISH_STOP_WORDS))


def test_without_sklearn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(UsageError) as caught:
        STOP_LISTS["sklearn"]()
    assert str(caught.value) == (
        "the stop list 'sklearn' is read from scikit-learn, which is not installed; "
        "install it with: pip install scikit-learn"
    )
