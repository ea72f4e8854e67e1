from __future__ import annotations

import pytest
import Stemmer

from aboutness.core.errors import UsageError
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import ANALYZERS, OPTIONS, PUNCTUATION, analyzer, known_analyzers
from aboutness.text.stemmers import snowball_languages
from aboutness.text.stopwords import STOP_LISTS

ENGLISH = STOP_LISTS["english"]()

DEFINITIONS = {
    "plain": {},
    "english": {"stop": ENGLISH, "stemmer": "english"},
    "krovetz": {"stop": ENGLISH, "stemmer": "krovetz"},
    "galke2017": {"stop": ENGLISH},
    "galke2017-w2v": {"stop": ENGLISH, "shortest": 1},
    "galke2017-glove": {"shortest": 1, "solo": PUNCTUATION},
    "bigrams": {"stop": ENGLISH, "stemmer": "english", "words": (2, 2)},
    "letters": {"letters": (4, 4)},
}

TEXT = "The U.S. runners weren't running, I think"
TERMS = {
    "plain": ["the", "runners", "weren", "running", "think"],
    "english": ["runner", "run", "think"],
    "galke2017": ["runners", "running", "think"],
    "galke2017-w2v": ["u", "s", "runners", "t", "running", "think"],
    "galke2017-glove": ["the", "u", ".", "s", ".", "runners", "weren", "'", "t", "running", ",", "i", "think"],
    "bigrams": ["runner run", "run think"],
}


def test_the_names():
    assert list(ANALYZERS) == list(DEFINITIONS)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions(name):
    assert analyzer(name) == Analyzer(name, **DEFINITIONS[name])
    assert known_analyzers()[name].summary


@pytest.mark.parametrize("name", TERMS)
def test_what_they_make(name):
    assert analyzer(name).terms(TEXT) == TERMS[name]


def test_krovetz():
    pytest.importorskip("krovetzstemmer")
    assert analyzer("krovetz").terms("The policies walked") == ["policy", "walk"]


@pytest.mark.parametrize("language", [name for name in snowball_languages() if name not in ANALYZERS])
def test_every_language_of_snowball(language):
    one = analyzer(language.replace("_", "-"))
    assert one == Analyzer(language.replace("_", "-"), stemmer=language)
    words = ["running", "häuser", "бегущий"]
    assert one.terms(" ".join(words)) == Stemmer.Stemmer(language).stemWords(words)


def test_known_analyzers_are_the_named_and_the_languages():
    names = list(known_analyzers())
    assert names[: len(ANALYZERS)] == list(ANALYZERS)
    assert set(names) == {*ANALYZERS, *(language.replace("_", "-") for language in Stemmer.algorithms())}
    assert len(set(names)) == len(names)


def test_an_analyzer_stays_itself():
    one = Analyzer("own", token="[a-z]")
    assert analyzer(one) is one


@pytest.mark.parametrize(
    ("expression", "settings"),
    [
        ("plain[]", {}),
        ("plain[ ]", {}),
        ("plain[,shortest=3,]", {"shortest": 3}),
        ("plain[lowercase=false]", {"lowercase": False}),
        ("plain[lowercase=no]", {"lowercase": False}),
        ("plain[lowercase=yes]", {}),
        ("plain[lowercase=true]", {}),
        ("plain[stop=english]", {"stop": ENGLISH}),
        ("english[stop=none]", {"stemmer": "english"}),
        ("english[stem=none]", {"stop": ENGLISH}),
        ("english[stem=krovetz]", {"stop": ENGLISH, "stemmer": "krovetz"}),
        ("plain[stem=german]", {"stemmer": "german"}),
        ("plain[words=2]", {"words": (2, 2)}),
        ("plain[words=1-3]", {"words": (1, 3)}),
        ("bigrams[words=1]", {"stop": ENGLISH, "stemmer": "english"}),
        ("plain[letters=3]", {"letters": (3, 3)}),
        ("letters[letters=3-5]", {"letters": (3, 5)}),
        ("letters[letters=0]", {}),
        ("plain[ shortest = 1 , words = 1-2 ]", {"shortest": 1, "words": (1, 2)}),
        ("french[stop=english,shortest=4]", {"stemmer": "french", "stop": ENGLISH, "shortest": 4}),
    ],
)
def test_options(expression, settings):
    assert analyzer(expression) == Analyzer(expression, **settings)
    assert analyzer(f"  {expression} \n") == Analyzer(expression, **settings)


def test_the_stop_list_of_sklearn():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    assert set(analyzer("english[stop=sklearn]").stop) == text.ENGLISH_STOP_WORDS


FORM = "an analyzer is written name or name[option=value,…], got "
KNOWN = "Known: lowercase, shortest, stop, stem, words, letters"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", FORM + "''"),
        ("plain[", FORM + "'plain['"),
        ("plain]", FORM + "'plain]'"),
        ("[words=2]", FORM + "'[words=2]'"),
        ("plain[words=2]x", FORM + "'plain[words=2]x'"),
        ("plain[[words=2]]", FORM + "'plain[[words=2]]'"),
        ("plain[colour=red]", f"unknown analyzer option 'colour=red'. {KNOWN}"),
        ("plain[words]", f"unknown analyzer option 'words'. {KNOWN}"),
        ("plain[=2]", f"unknown analyzer option '=2'. {KNOWN}"),
        ("plain[stemmer=english]", f"unknown analyzer option 'stemmer=english'. {KNOWN}"),
        ("plain[lowercase=maybe]", "lowercase must be true or false, got 'maybe'"),
        ("plain[lowercase=]", "lowercase must be true or false, got ''"),
        ("plain[shortest=two]", "shortest must be a whole number, got 'two'"),
        ("plain[shortest=1.5]", "shortest must be a whole number, got '1.5'"),
        ("plain[shortest=0]", "the shortest token must have at least 1 character, got 0"),
        ("plain[shortest=-1]", "the shortest token must have at least 1 character, got -1"),
        ("plain[words=a-b]", "words must be n or low-high, got 'a-b'"),
        ("plain[words=1-2-3]", "words must be n or low-high, got '1-2-3'"),
        ("plain[words=]", "words must be n or low-high, got ''"),
        ("plain[words=-2]", "words must be n or low-high, got '-2'"),
        ("plain[words=0]", "words must be n or low-high with 1 <= low <= high <= 12, got 0-0"),
        ("plain[words=3-2]", "words must be n or low-high with 1 <= low <= high <= 12, got 3-2"),
        ("plain[letters=x]", "letters must be n or low-high, got 'x'"),
        ("plain[letters=4-13]", "letters must be n or low-high with 1 <= low <= high <= 12, got 4-13"),
        ("plain[letters=3,words=2]", "an analyzer makes word n-grams or letter n-grams, not both"),
        ("plain[stop=german]", "unknown stop list 'german'. Known: none, english, sklearn"),
        (
            "plain[stop=englisch]",
            "unknown stop list 'englisch'; did you mean 'english'? Known: none, english, sklearn",
        ),
    ],
)
def test_what_is_wrong_is_said(expression, message):
    with pytest.raises(UsageError) as caught:
        analyzer(expression)
    assert str(caught.value) == message


def test_an_unknown_name_lists_all():
    with pytest.raises(UsageError) as caught:
        analyzer("englisch")
    known = ", ".join(known_analyzers())
    assert str(caught.value) == f"unknown analyzer 'englisch'; did you mean 'english'? Known: {known}"


def test_an_unknown_stemmer_lists_all():
    with pytest.raises(UsageError) as caught:
        analyzer("plain[stem=klingon]")
    known = ", ".join(("none", "krovetz", *snowball_languages()))
    assert str(caught.value) == f"unknown stemmer 'klingon'. Known: {known}"


def test_every_option_sets_a_field_and_says_what_it_takes():
    for name, (field, _, text) in OPTIONS.items():
        assert field in Analyzer("x").to_json()
        assert name
        assert text


@pytest.mark.parametrize("text", ["plain[words=1-2,words=3]", "english[stop=none, stop=english]"])
def test_an_option_stands_once(text):
    with pytest.raises(UsageError, match=r"the analyzer option '(words|stop)' stands twice"):
        analyzer(text)
