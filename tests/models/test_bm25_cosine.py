"""The cosine of BM25 weights against one worked out in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.models.bm25_cosine import BM25Cosine
from aboutness.models.question import Question
from models.drawing import SEEDS, WORDS, made, questions, texts
from models.naive import Counts, cosine
from models.scoring import WEIGHTS, assert_title_counts_three_times, of_texts, scores


def vector(tf, counts, k1, b):
    held_back = k1 * (1 - b + b * math.fsum(tf.values()) / (counts.average or 1.0))
    return {
        word: math.log(1 + (counts.n - counts.df[word] + 0.5) / (counts.df[word] + 0.5))
        * count
        / (count + held_back)
        for word, count in tf.items()
    }


@settings(max_examples=80)
@given(data=st.data())
def test_scores_are_those_of_the_formula(data):
    index, weights = made(data.draw(SEEDS)), data.draw(WEIGHTS)
    k1 = data.draw(st.sampled_from([0.0, 1.2]) | st.floats(0, 20))
    b = data.draw(st.sampled_from([0.0, 0.75, 1.0]) | st.floats(0, 1))
    text = data.draw(texts([*WORDS, "zz"]))
    counts = Counts.of(list(index), weights)
    query = vector(counts.query(text), counts, k1, b)
    expected = [cosine(query, vector(tf, counts, k1, b)) for tf in counts.tf]
    found = scores(BM25Cosine(k1=k1, b=b, fields=weights), index, text)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


@settings(max_examples=40)
@given(data=st.data(), k1=st.floats(0, 20), b=st.floats(0, 1))
def test_scores_are_cosines_and_a_document_is_most_like_itself(data, k1, b):
    index = made(data.draw(SEEDS))
    model = BM25Cosine(k1=k1, b=b)
    found = np.array(scores(model, index, data.draw(questions(index))))
    assert ((found >= 0) & (found <= 1 + 1e-6)).all()
    for place, number in enumerate(index.snapshot.live_numbers().tolist()):
        found = scores(model, index, Question(document=number))
        has_words = index.view().lengths[number] > 0
        assert found[place] == pytest.approx(1.0 if has_words else 0.0, abs=1e-6)


@given(k1=st.floats(0.1, 20), b=st.floats(0, 1))
def test_a_word_that_stands_there_oftener_counts_more(k1, b):
    index = of_texts("aa aa aa aa", "aa aa aa bb", "aa aa bb bb", "aa bb bb bb", "bb bb bb bb", *["cc"] * 9)
    found = scores(BM25Cosine(k1=k1, b=b), index, "aa")
    assert found[0] > found[1] > found[2] > found[3] > found[4] == 0


@given(k1=st.floats(0, 20), b=st.floats(0, 1))
def test_a_rarer_word_counts_more(k1, b):
    index = of_texts("aa bb cc", "bb cc", "cc", "dd", "ee", "ff", "dd", "ee")
    rare, less, least = (scores(BM25Cosine(k1=k1, b=b), index, word)[0] for word in ("aa", "bb", "cc"))
    assert rare > less > least > 0


def test_a_title_of_weight_three_is_a_title_three_times():
    assert_title_counts_three_times(BM25Cosine)
    assert_title_counts_three_times(BM25Cosine, k1=3.0, b=1.0)
