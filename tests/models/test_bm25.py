"""BM25 against its five formulas in plain Python, and what each of its parts does."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.models.bm25 import BM25, FORMULAS, IDF
from aboutness.models.question import Question
from models.drawing import SEEDS, WORDS, index_of, made, named, texts
from models.naive import Counts
from models.scoring import WEIGHTS, assert_title_counts_three_times, of_texts, ranking, scores

VARIANTS = list(IDF)
every_variant = pytest.mark.parametrize("variant", VARIANTS)


def idf(variant, n, df):
    ratio = (n - df + 0.5) / (df + 0.5)
    return {
        "lucene": math.log(1 + ratio),
        "robertson": max(0.0, math.log(ratio)) if ratio > 0 else 0.0,
        "atire": math.log(n / df),
        "bm25l": math.log((n + 1) / (df + 0.5)),
        "bm25+": math.log((n + 1) / df),
    }[variant]


def gain(variant, tf, length, k1, delta):
    ratio = tf / (tf + k1 * length) if tf else 0.0
    if variant == "bm25l":
        normal = tf / length + delta if tf else delta
        return (k1 + 1) * normal / (k1 + normal) if normal else 0.0
    return {
        "lucene": ratio,
        "robertson": ratio,
        "atire": (k1 + 1) * ratio,
        "bm25+": delta + (k1 + 1) * ratio,
    }[variant]


def naive(counts, text, variant, k1=1.2, b=0.75, delta=None, absent="floor"):
    delta = {"bm25l": 0.5, "bm25+": 1.0}.get(variant, 0.0) if delta is None else delta
    found = []
    for tf, length in zip(counts.tf, counts.length, strict=True):
        relative = 1 - b + b * length / (counts.average or 1.0)
        parts = [
            count * idf(variant, counts.n, counts.df[word]) * gain(variant, tf.get(word, 0), relative, k1, delta)
            for word, count in counts.query(text).items()
            if word in tf or absent == "floor"
        ]
        found.append(math.fsum(parts))
    return found


@every_variant
@settings(max_examples=40)
@given(data=st.data())
def test_scores_are_those_of_the_formula(variant, data):
    index, weights = made(data.draw(SEEDS)), data.draw(WEIGHTS)
    parameters = {
        "k1": data.draw(st.sampled_from([0.0, 1.2, 1.7]) | st.floats(0, 20)),
        "b": data.draw(st.sampled_from([0.0, 0.75, 1.0]) | st.floats(0, 1)),
        "delta": data.draw(st.sampled_from([None, 0.0, 0.5, 2.0])),
        "absent": data.draw(st.sampled_from(["floor", "nothing"])),
    }
    text = data.draw(texts([*WORDS, "zz"]))
    found = scores(BM25(variant=variant, fields=weights, **parameters), index, text)
    expected = naive(Counts.of(list(index), weights), text, variant, **parameters)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


@every_variant
def test_each_variant_has_a_formula_that_names_its_parts(variant):
    formula = FORMULAS[variant]
    assert ("delta" in formula) == (variant in ("bm25l", "bm25+"))
    assert "idf" in formula
    explained = BM25(variant=variant).bind(of_texts("aa", "bb").snapshot).explain(Question("aa"), 0)
    assert explained.formula == formula


@every_variant
@given(k1=st.floats(0.1, 20), b=st.floats(0, 1))
def test_a_word_that_stands_there_oftener_counts_more(variant, k1, b):
    index = lengths_alike()
    found = scores(BM25(variant=variant, k1=k1, b=b), index, "aa")
    assert found[0] > found[1] > found[2] > found[3] > found[4]


@every_variant
@given(k1=st.floats(0, 20), b=st.floats(0, 1))
def test_a_rarer_word_counts_more(variant, k1, b):
    index = of_texts("aa bb cc", "bb cc", "cc", "dd", "ee", "ff", "dd", "ee")
    model = BM25(variant=variant, k1=k1, b=b)
    rare, less, least = (scores(model, index, word)[0] for word in ("aa", "bb", "cc"))
    assert rare > less > least > 0


def lengths_alike():
    """Documents of four words of which 4, 3, 2, 1 and 0 are the same, and others."""
    return of_texts("aa aa aa aa", "aa aa aa bb", "aa aa bb bb", "aa bb bb bb", "bb bb bb bb", *["cc"] * 9)


def test_a_title_of_weight_three_is_a_title_three_times():
    for variant in VARIANTS:
        assert_title_counts_three_times(BM25, variant=variant)


@given(k1=st.floats(0.1, 20))
def test_b_holds_long_documents_back(k1):
    index = of_texts("aa bb", "aa bb bb bb bb bb", "cc")
    short, long, _ = scores(BM25(b=1.0, k1=k1), index, "aa")
    assert short > long
    short, long, _ = scores(BM25(b=0.0, k1=k1), index, "aa")
    assert short == long > 0


def test_without_k1_only_whether_a_word_stands_there_counts():
    found = scores(BM25(k1=0.0), lengths_alike(), "aa")
    assert found[0] == found[1] == found[2] == found[3] > found[4] == 0


@pytest.mark.parametrize("variant", ["lucene", "robertson", "atire"])
@settings(max_examples=20)
@given(seed=SEEDS, text=texts(), delta=st.floats(0, 5))
def test_delta_and_absent_words_mean_nothing_to_the_other_variants(variant, seed, text, delta):
    one = BM25(variant=variant)
    other = BM25(variant=variant, absent="nothing", delta=delta)
    assert scores(one, made(seed), text) == scores(other, made(seed), text)


@pytest.mark.parametrize("variant", ["bm25l", "bm25+"])
def test_an_absent_word_earns_a_floor_or_nothing(variant):
    index = of_texts("aa bb", "aa", "cc", "")
    floor = scores(BM25(variant=variant), index, "aa bb")
    nothing = scores(BM25(variant=variant, absent="nothing"), index, "aa bb")
    assert floor[0] == pytest.approx(nothing[0], rel=1e-6)
    assert floor[1] > nothing[1]
    assert floor[2] == floor[3] > 0
    assert nothing[2] == nothing[3] == 0
    assert BM25(variant=variant).bind(index.snapshot).top(Question("aa bb"), 10).documents.tolist() == [0, 1]


@settings(max_examples=30)
@given(seed=SEEDS, text=texts(), delta=st.sampled_from([0.0, 0.5, 3.0]))
def test_delta_of_bm25_plus_changes_no_ranking_where_absent_words_earn_it_too(seed, text, delta):
    index = made(seed)
    plain = scores(BM25(variant="bm25+", delta=0.0), index, text)
    found = scores(BM25(variant="bm25+", delta=delta), index, text)
    words = Counts.of(list(index), {"title": 1.0, "text": 1.0, "see also": 0.7})
    more = delta * math.fsum(
        count * idf("bm25+", words.n, words.df[word]) for word, count in words.query(text).items()
    )
    assert found == pytest.approx([score + more for score in plain], rel=1e-5, abs=1e-6)


def test_delta_of_bm25_plus_changes_a_ranking_where_absent_words_earn_nothing():
    index = of_texts("aa bb", "aa aa aa aa aa aa", *["cc"] * 6, "aa", "bb")
    one = scores(BM25(variant="bm25+", absent="nothing", delta=0.0, b=0.0, k1=100.0), index, "aa bb")
    other = scores(BM25(variant="bm25+", absent="nothing", delta=5.0, b=0.0, k1=100.0), index, "aa bb")
    assert ranking(one)[:2] == [1, 0]
    assert ranking(other)[:2] == [0, 1]


def test_words_of_most_documents_are_worth_nothing_to_robertson():
    index = of_texts("aa bb", "aa", "aa cc", "dd")
    assert scores(BM25(variant="robertson"), index, "aa") == [0, 0, 0, 0]
    assert scores(BM25(variant="robertson"), index, "bb")[0] > 0
    ranked = BM25(variant="robertson").bind(index.snapshot).top(Question("aa"), 10)
    assert (ranked.documents.tolist(), ranked.scores.tolist()) == ([0, 1, 2], [0, 0, 0])


def test_a_word_asked_twice_counts_twice():
    index = of_texts("aa bb", "aa", "cc")
    once, twice = scores(BM25(), index, "aa"), scores(BM25(), index, "aa aa")
    assert twice == pytest.approx([2 * score for score in once], rel=1e-6)
    assert scores(BM25(), index, Question(terms={"aa": 2.0})) == twice


@every_variant
def test_dead_documents_with_many_words_are_no_trouble(variant):
    documents = named([{"text": "aa aa aa aa aa bb"}, {"text": "aa"}, {"text": "bb bb cc"}])
    index = index_of(documents, dead=["d0"])
    anew = index_of(documents[1:])
    for b in (0.0, 0.75, 1.0):
        model = BM25(variant=variant, b=b)
        assert scores(model, index, "aa bb") == scores(model, anew, "aa bb")


def test_the_parameters_of_mitra2016_can_be_written():
    assert str(BM25(k1=1.7, b=0.95)) == "bm25[k1=1.7,b=0.95]"
