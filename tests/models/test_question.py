"""Questions: what is taken, what is refused, and texts that are hard to read."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.models.bm25 import BM25
from aboutness.models.question import Question
from aboutness.text.analyzers import ANALYZERS
from models.drawing import made, named
from models.scoring import of_texts, scores


@pytest.mark.parametrize("weight", [-1.0, -1e-9, math.inf, -math.inf, math.nan])
def test_the_weight_of_a_term_is_at_least_nothing_and_finite(weight):
    with pytest.raises(UsageError, match=r"the weight of 'aa' must be a number from 0 to 1e\+15, got"):
        Question(terms={"bb": 1.0, "aa": weight})


def test_a_weight_of_nothing_and_one_of_a_whole_number_are_taken():
    index = of_texts("aa bb", "bb")
    assert scores(BM25(), index, Question(terms={"aa": 2, "bb": 0})) == scores(
        BM25(), index, Question(terms={"aa": 2.0})
    )


def test_halves_of_characters_are_replaced():
    assert Question("a\ud800b \udfff").text == "a\ufffdb \ufffd"
    assert Question("über 日本語 🎉").text == "über 日本語 🎉"


@pytest.mark.parametrize("name", list(ANALYZERS))
def test_halves_of_characters_are_no_trouble_to_any_analyzer(name):
    if name == "krovetz":
        pytest.importorskip("krovetzstemmer")
    index = Index.build(named([{"text": "searching words embedded"}, {"text": "retrieval"}]), analyzer=name)
    scorer = BM25().bind(index.snapshot)
    texts = ["words\ud800 searching", "\udfff", "searching words em\udc00bedded", "\ud83d\ude00"]
    for text in texts:
        single = scorer.top(Question(text), 10)
        batch = scorer.top_many([Question(text)] * 20, 10)
        assert all(ranking.documents.tolist() == single.documents.tolist() for ranking in batch)
        assert len(scorer.top(Question(fields={"text": text}), 10)) == len(single)
        assert len(scorer.top(Question(terms={text: 1.0}), 10)) == 0


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_any_text_can_be_asked(text):
    found = BM25().bind(made(3).snapshot).top(Question(text), 10)
    assert len(found) <= 10
    assert np.isfinite(found.scores).all()


def test_a_question_with_very_many_words_is_answered():
    index = of_texts("aa bb", "bb cc", "dd")
    scorer = BM25().bind(index.snapshot)
    words = " ".join(f"{word} unknown{n}" for n, word in enumerate(["aa", "bb", "cc"] * 33_334))
    found = scorer.top(Question(words), 10)
    assert found.documents.tolist() == [0, 1]
    few = scorer.scores(Question(terms={"aa": 33_334.0, "bb": 33_334.0, "cc": 33_334.0}), np.arange(3))
    assert scorer.scores(Question(words), np.arange(3)).tolist() == few.tolist()
    batch = scorer.top_many([Question(words), *[Question("aa")] * 9], 10)
    assert batch[0].documents.tolist() == found.documents.tolist()
    assert batch[0].scores.tolist() == found.scores.tolist()


def test_many_different_known_words_are_answered():
    text = " ".join(f"w{n}" for n in range(5000))
    index = of_texts(text, "w7 w8", "other")
    found = BM25().bind(index.snapshot).top(Question(text), 10)
    assert found.documents.tolist() == [0, 1]
    assert BM25().bind(index.snapshot).top(Question(document=0), 10).scores.tolist() == found.scores.tolist()
    assert BM25().bind(index.snapshot).top(Question(text), 10, match="and").documents.tolist() == [0]


def test_fields_that_the_model_does_not_read_ask_nothing():
    index = Index.build(named([{"title": "aa", "text": "bb"}, {"title": "bb", "text": "aa"}]), analyzer="plain")
    question = Question(fields={"title": "aa", "text": "bb", "nowhere": "cc"})
    assert scores(BM25(fields="title"), index, question) == scores(BM25(fields="title"), index, "aa")
    heavy = scores(BM25(fields="3*title+text"), index, question)
    assert heavy == scores(BM25(fields="3*title+text"), index, Question(terms={"aa": 3.0, "bb": 1.0}))


def test_a_document_that_is_not_there_cannot_be_asked():
    scorer = BM25().bind(of_texts("aa", "bb").snapshot)
    for number in (-1, 2):
        with pytest.raises(IndexError):
            scorer.top(Question(document=number))
