from __future__ import annotations

import sys

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.text.stemmers import KROVETZ_LONGEST, check_stemmer, snowball_languages, stem_words

WORDS = ["running", "relational", "conditions", "häuser", "бегущий", "koşuyorlar", "", "a", "𐐨𐐩", "x" * 300]


def test_nothing():
    words = ["running", "", "ran"]
    assert stem_words("")(words) == words
    assert stem_words("")(words) is not words


def test_the_languages_are_those_of_snowball():
    assert snowball_languages() == tuple(sorted(Stemmer.algorithms()))
    assert {"english", "german", "russian", "turkish"} <= set(snowball_languages())


@pytest.mark.parametrize("language", snowball_languages())
def test_snowball(language):
    assert stem_words(language)(WORDS) == Stemmer.Stemmer(language).stemWords(WORDS)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(snowball_languages()), st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_snowball_on_anything(language, words):
    assert stem_words(language)(words) == [Stemmer.Stemmer(language).stemWord(word) for word in words]


def test_known_stems():
    assert stem_words("english")(["running", "relational", "skies"]) == ["run", "relat", "sky"]
    assert stem_words("porter")(["running", "relational", "skies"]) == ["run", "relat", "ski"]
    assert stem_words("german")(["häuser"]) == ["haus"]


def test_krovetz():
    krovetz = pytest.importorskip("krovetzstemmer")
    words = ["running", "policies", "walked", "cats"]
    assert stem_words("krovetz")(words) == [krovetz.Stemmer().stem(word) for word in words]
    assert stem_words("krovetz")(words) == ["running", "policy", "walk", "cat"]


def test_krovetz_leaves_alone_what_it_cannot_take():
    pytest.importorskip("krovetzstemmer")
    words = ["x" * KROVETZ_LONGEST + "s", "a" * 10_000, "cafés", "中文"]
    assert stem_words("krovetz")(words) == words


def test_krovetz_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "krovetzstemmer", None)
    check_stemmer("krovetz")
    with pytest.raises(UsageError) as caught:
        stem_words("krovetz")
    assert str(caught.value) == (
        "the Krovetz stemmer is not installed; install it with: pip install 'aboutness[krovetz]'"
    )


@pytest.mark.parametrize("name", ["englisch", "none", "English", "Krovetz"])
def test_an_unknown_stemmer_lists_those_known(name):
    expected = f"unknown stemmer {name!r}. Known: none, krovetz, {', '.join(snowball_languages())}"
    for check in (check_stemmer, stem_words):
        with pytest.raises(UsageError) as caught:
            check(name)
        assert str(caught.value) == expected


@pytest.mark.parametrize("name", ["", "krovetz", *snowball_languages()])
def test_known_stemmers_pass(name):
    check_stemmer(name)
