"""TF-IDF against cosines worked out in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.models.question import Question
from aboutness.models.tfidf import IDF, TFIDF
from models.drawing import SEEDS, WORDS, made, questions, texts
from models.naive import Counts, cosine
from models.scoring import WEIGHTS, assert_title_counts_three_times, of_texts, scores

every_variant = pytest.mark.parametrize("variant", list(IDF))


def idf(variant, n, df):
    return {
        "galke": math.log((1 + n) / (1 + df)),
        "slides": math.log(n / df),
        "malina": math.log(n / df),
        "sklearn": math.log((1 + n) / (1 + df)) + 1,
    }[variant]


def vector(tf, counts, variant):
    most = max(tf.values(), default=1.0) if variant == "malina" else 1.0
    return {word: count / most * idf(variant, counts.n, counts.df[word]) for word, count in tf.items()}


def naive(counts, tf, variant):
    query = vector(tf, counts, variant)
    return [cosine(query, vector(document, counts, variant)) for document in counts.tf]


@every_variant
@settings(max_examples=40)
@given(data=st.data())
def test_scores_are_those_of_the_formula(variant, data):
    index, weights = made(data.draw(SEEDS)), data.draw(WEIGHTS)
    text = data.draw(texts([*WORDS, "zz"]))
    counts = Counts.of(list(index), weights)
    found = scores(TFIDF(variant=variant, fields=weights), index, text)
    assert found == pytest.approx(naive(counts, counts.query(text), variant), rel=1e-6, abs=1e-6)


@every_variant
@settings(max_examples=30)
@given(data=st.data())
def test_scores_are_cosines(variant, data):
    index = made(data.draw(SEEDS))
    found = np.array(scores(TFIDF(variant=variant), index, data.draw(questions(index))))
    assert ((found >= 0) & (found <= 1 + 1e-6)).all()


@every_variant
@settings(max_examples=30)
@given(data=st.data())
def test_a_document_is_most_like_itself(variant, data):
    index = made(data.draw(SEEDS))
    number = data.draw(st.sampled_from(index.snapshot.live_numbers().tolist()))
    place = index.snapshot.live_numbers().tolist().index(number)
    found = scores(TFIDF(variant=variant), index, Question(document=number))
    counts = Counts.of(list(index), {"title": 1.0, "text": 1.0, "see also": 0.7})
    worth = any(idf(variant, counts.n, counts.df[word]) for word in counts.tf[place])
    assert found[place] == pytest.approx(1.0 if worth else 0.0, abs=1e-6)
    assert max(found) <= found[place] + 1e-6


@settings(max_examples=30)
@given(data=st.data())
def test_malina_ranks_as_slides_does(data):
    index = made(data.draw(SEEDS))
    question = data.draw(questions(index))
    assert scores(TFIDF(variant="malina"), index, question) == scores(TFIDF(variant="slides"), index, question)


@every_variant
def test_a_word_that_stands_there_oftener_counts_more(variant):
    index = of_texts("aa aa aa aa", "aa aa aa bb", "aa aa bb bb", "aa bb bb bb", "bb bb bb bb", *["cc"] * 9)
    found = scores(TFIDF(variant=variant), index, "aa")
    assert found[0] > found[1] > found[2] > found[3] > found[4] == 0


@every_variant
def test_a_rarer_word_counts_more(variant):
    index = of_texts("aa bb cc", "bb cc", "cc", "dd", "ee", "ff", "dd", "ee")
    rare, less, least = (scores(TFIDF(variant=variant), index, word)[0] for word in ("aa", "bb", "cc"))
    assert rare > less > least > 0


@every_variant
def test_a_title_of_weight_three_is_a_title_three_times(variant):
    assert_title_counts_three_times(TFIDF, variant=variant)


@pytest.mark.parametrize("variant", ["slides", "malina", "galke"])
def test_a_word_that_all_documents_have_is_worth_nothing(variant):
    index = of_texts("aa bb", "aa", "aa cc")
    assert scores(TFIDF(variant=variant), index, "aa") == [0, 0, 0]
    ranked = TFIDF(variant=variant).bind(index.snapshot).top(Question("aa"), 10)
    assert ranked.documents.tolist() == [0, 1, 2]
    assert scores(TFIDF(variant=variant), index, "aa bb") == [1, 0, 0]


def test_asking_twice_for_everything_changes_nothing():
    index = of_texts("aa bb", "aa", "cc bb")
    assert scores(TFIDF(), index, "aa bb aa bb") == pytest.approx(scores(TFIDF(), index, "aa bb"), rel=1e-6)
