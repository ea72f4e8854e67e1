"""The one scorer of term models: batches in pieces, many threads, bounds on memory."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.models import terms
from aboutness.models.bm25 import BM25
from aboutness.models.ql import QL
from aboutness.models.question import Question
from models.drawing import index_of, large, large_questions, named

MODELS = [BM25(), BM25(variant="bm25+"), QL()]


def plain(rankings):
    return [(ranking.documents.tolist(), ranking.scores.tolist()) for ranking in rankings]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("match", ["or", "and", "all"])
def test_a_batch_is_searched_in_pieces_that_fit_the_memory(model, match, monkeypatch):
    scorer, some = model.bind(large().snapshot), large_questions() * 3
    whole = plain(scorer.top_many(some, 20, match=match, threads=1))
    for most_keys, fewest in ((1, 1), (100, 1), (1 << 23, 1), (1 << 23, 5)):
        monkeypatch.setattr(terms, "MOST_KEYS", most_keys)
        monkeypatch.setattr(terms, "FEWEST", fewest)
        for threads in (1, 2, 5):
            assert plain(scorer.top_many(some, 20, match=match, threads=threads)) == whole


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_more_hits_than_there_are_take_no_more_memory(model):
    scorer, some = model.bind(large().snapshot), large_questions()[:5]
    all_of_them = plain(scorer.top_many(some, 7000))
    assert plain(scorer.top_many(some, 10**15)) == all_of_them
    assert len(all_of_them[0][0]) > 0


def test_no_questions_have_no_rankings():
    scorer = BM25().bind(large().snapshot)
    for threads in (None, 1, 2):
        assert scorer.top_many([], 10, threads=threads) == []


def test_scores_are_for_the_documents_asked_for():
    index = large()
    scorer, numbers = BM25().bind(index.snapshot), index.snapshot.live_numbers()
    question = Question("w0 w5 w20")
    scores = scorer.scores(question, numbers)
    chance = np.random.default_rng(7)
    for size in (0, 1, 2, 50, 4000):
        places = np.sort(chance.choice(len(numbers), size, replace=False))
        assert scorer.scores(question, numbers[places]).tolist() == scores[places].tolist()


def test_dead_documents_score_as_if_they_had_no_words():
    index = index_of(named([{"text": "aa aa"}, {"text": "aa bb"}, {"text": "bb"}]), dead=["d0"])
    assert BM25().bind(index.snapshot).scores(Question("aa"), np.arange(3)).tolist()[0] == 0
    assert BM25().bind(index.snapshot).top(Question("aa"), 10, allowed=np.array([0])).documents.tolist() == []


def test_an_explanation_tells_where_each_word_stands():
    index = index_of(named([{"text": "bb"}]), named([{"title": "aa", "text": "aa bb"}, {"text": "cc"}], "e"))
    explained = BM25(fields="2*title+text").bind(index.snapshot).explain(Question("aa bb bb cc zz"), 1)
    assert [part.name for part in explained.parts] == ["aa", "cc", "bb"]
    assert {part.name: part.details["in_query"] for part in explained.parts} == {"aa": 1, "bb": 2, "cc": 1}
    assert {part.name: part.details["in_document"] for part in explained.parts} == {"aa": 3, "bb": 1, "cc": 0}
    assert {part.name: part.details["df"] for part in explained.parts} == {"aa": 1, "bb": 2, "cc": 1}
    assert explained.parts[1].value == 0
