from __future__ import annotations

import copy
import json
import pickle
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.text.analyzer import LONGEST_NGRAM, Analyzer, letter_ngrams, word_ngrams
from aboutness.text.stemmers import snowball_languages
from text.hard_texts import all_analyzers, texts

quick = settings(max_examples=100, deadline=None)
spans = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda pair: (min(pair), max(pair)))


@pytest.fixture(scope="module")
def vectorizer():
    return pytest.importorskip("sklearn.feature_extraction.text").CountVectorizer


@quick
@given(texts)
def test_plain_is_the_default_of_sklearn(vectorizer, text):
    assert Analyzer("plain").terms(text) == vectorizer().build_analyzer()(text)


@quick
@given(texts, st.integers(1, 5))
def test_shortest(vectorizer, text, shortest):
    same = vectorizer(token_pattern=rf"(?u)\b\w{{{shortest},}}\b").build_analyzer()
    assert Analyzer("x", shortest=shortest).terms(text) == same(text)


@quick
@given(texts)
def test_case_is_kept_where_asked(vectorizer, text):
    assert Analyzer("x", lowercase=False).terms(text) == vectorizer(lowercase=False).build_analyzer()(text)


@quick
@given(texts, spans)
def test_word_ngrams_are_those_of_sklearn(vectorizer, text, span):
    same = vectorizer(ngram_range=span, token_pattern=r"(?u)\b\w+\b").build_analyzer()
    assert Counter(Analyzer("x", shortest=1, words=span).terms(text)) == Counter(same(text))


@quick
@given(texts, spans)
def test_letter_ngrams_are_those_of_sklearn(vectorizer, text, span):
    same = vectorizer(analyzer="char_wb", ngram_range=span).build_analyzer()
    tokens = Analyzer("plain").terms(text)
    assert Analyzer("x", letters=span).terms(text) == same(" ".join(tokens))


@quick
@given(texts)
def test_stop_words_go_before_stemming(vectorizer, text):
    stop = ("running", "the", "é")
    kept = [token for token in vectorizer().build_analyzer()(text) if token not in stop]
    assert Analyzer("x", stop=stop, stemmer="english").terms(text) == Stemmer.Stemmer("english").stemWords(kept)


@pytest.mark.parametrize(
    ("settings_", "text", "terms"),
    [
        ({}, "The Word Mover's Distance, 2.0!", ["the", "word", "mover", "distance"]),
        ({"shortest": 1}, "a b_c d-e", ["a", "b_c", "d", "e"]),
        ({"stop": ("run",), "stemmer": "english"}, "run running runs", ["run", "run"]),
        ({"solo": r"[^\w\s]", "shortest": 1}, "don't (stop)", ["don", "'", "t", "(", "stop", ")"]),
        ({"solo": r"[^\w\s]", "token": r"\S", "shortest": 1}, "don't!!", ["don", "'", "t", "!", "!"]),
        ({"solo": "-", "shortest": 3}, "ab-cde-", ["-", "cde", "-"]),
        ({"words": (2, 3)}, "one two three", ["one two", "two three", "one two three"]),
        ({"letters": (3, 3)}, "cat at", [" ca", "cat", "at ", " at", "at "]),
        ({"letters": (2, 2), "stop": ("the",), "stemmer": "english"}, "the cats", [" c", "ca", "at", "t "]),
        ({"lowercase": False}, "AB ab", ["AB", "ab"]),
        ({}, "", []),
    ],
)
def test_by_example(settings_, text, terms):
    assert Analyzer("x", **settings_).terms(text) == terms


@pytest.mark.parametrize("text", ["ΟΔΟΣ", "İI", "ẞß", "\0a\0bc", "中文 字", "𐐀𐐁", "e\u0301e", "a\u200db"])
def test_lower_case_is_that_of_python(text):
    assert "".join(Analyzer("x", token="(?s:.)", shortest=1).terms(text)) == text.lower()


def test_word_ngrams_by_the_place_of_their_last_word():
    assert word_ngrams(["a", "b", "c"], 1, 3) == ["a", "b", "a b", "c", "b c", "a b c"]
    assert word_ngrams(["a"], 2, 3) == word_ngrams([], 1, 2) == []


@pytest.mark.parametrize(
    ("token", "span", "pieces"),
    [
        ("it", (4, 4), [" it "]),
        ("it", (4, 6), [" it "]),
        ("it", (3, 6), [" it", "it ", " it "]),
        ("", (1, 4), [" ", " ", "  "]),
        ("é", (1, 1), [" ", "é", " "]),
    ],
)
def test_letter_ngrams(token, span, pieces):
    assert letter_ngrams(token, *span) == pieces


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"shortest": 0}, "the shortest token must have at least 1 character, got 0"),
        ({"words": (0, 1)}, "words must be n or low-high with 1 <= low <= high <= 12, got 0-1"),
        ({"words": (3, 2)}, "words must be n or low-high with 1 <= low <= high <= 12, got 3-2"),
        ({"words": (1, 13)}, "words must be n or low-high with 1 <= low <= high <= 12, got 1-13"),
        ({"letters": (0, 3)}, "letters must be n or low-high with 1 <= low <= high <= 12, got 0-3"),
        ({"letters": (5, 4)}, "letters must be n or low-high with 1 <= low <= high <= 12, got 5-4"),
        ({"letters": (2, 3), "words": (1, 2)}, "an analyzer makes word n-grams or letter n-grams, not both"),
    ],
)
def test_what_is_refused(settings_, message):
    with pytest.raises(UsageError) as caught:
        Analyzer("x", **settings_)
    assert str(caught.value) == message


def test_an_unknown_stemmer_is_refused_at_once():
    with pytest.raises(UsageError, match=r"^unknown stemmer 'klingon'\. Known: none, krovetz, "):
        Analyzer("x", stemmer="klingon")


def test_the_longest_ngram():
    assert LONGEST_NGRAM == 12
    assert Analyzer("x", shortest=1, words=(12, 12)).terms("a b c d e f g h i j k l m") == [
        "a b c d e f g h i j k l",
        "b c d e f g h i j k l m",
    ]


kinds = st.sampled_from(
    [("words", span) for span in [(1, 1), (1, 2), (12, 12)]] + [("letters", (0, 0)), ("letters", (2, 5))]
)
arbitrary = st.builds(
    lambda kind, **settings: Analyzer(**settings, **dict([kind])),
    kinds,
    name=st.text(),
    lowercase=st.booleans(),
    token=st.sampled_from([r"\w", r"\S", "[a-z]", r"[^\W\d]|'"]),
    solo=st.sampled_from(["", r"[^\w\s]", "[-😀]"]),
    shortest=st.integers(1, 9),
    stop=st.lists(st.text()).map(tuple),
    stemmer=st.sampled_from(["", *snowball_languages()]),
)


@quick
@given(arbitrary, texts)
def test_json_keeps_everything(one, text):
    again = Analyzer.from_json(json.loads(json.dumps(one.to_json())))
    assert again == one
    assert hash(again) == hash(one)
    assert again.to_json() == one.to_json()
    assert again.terms(text) == one.terms(text)


def test_json_names_every_setting():
    assert Analyzer("x", stop=("a", "b"), stemmer="german", words=(1, 2)).to_json() == {
        "name": "x",
        "lowercase": True,
        "token": r"\w",
        "solo": "",
        "shortest": 2,
        "stop": ("a", "b"),
        "stemmer": "german",
        "words": (1, 2),
        "letters": (0, 0),
    }


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), replace]
)
@pytest.mark.parametrize("one", all_analyzers(), ids=lambda one: one.name)
def test_copies(one, duplicate):
    before = one.terms("The İstanbul RUNNING, ΟΔΟΣ 12")  # uses the thread's stemmer, which cannot be copied
    again = duplicate(one)
    assert again == one
    assert again.terms("The İstanbul RUNNING, ΟΔΟΣ 12") == before


def test_analyzers_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Analyzer("x").shortest = 1


@pytest.mark.parametrize("stemmer", ["english", "turkish", "", "krovetz"])
def test_eight_threads(stemmer):
    if stemmer == "krovetz":
        pytest.importorskip("krovetzstemmer")
    one = Analyzer("x", stemmer=stemmer, stop=("the",), words=(1, 2))
    chance = random.Random(1)
    stems = ["relation", "condition", "runn", "polici", "çalış", "house", "vector", "généralis"]
    ends = ["s", "ing", "al", "ally", "ed", "ization", "es", ""]
    cells = [" ".join(chance.choice(stems) + chance.choice(ends) for _ in range(300)) for _ in range(64)]
    expected = [replace(one).terms(cell) for cell in cells]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(one.terms, cells)) == expected


def test_each_thread_has_its_own_stemmer():
    one = Analyzer("x", stemmer="english")
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(lambda: one.stem_words).result()
    assert one.stem_words is one.stem_words
    assert other.__self__ is not one.stem_words.__self__
