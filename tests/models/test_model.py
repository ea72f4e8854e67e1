"""What all scorers refuse, and which documents are allowed."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.core.errors import UsageError
from aboutness.models.bm25 import BM25
from aboutness.models.known import MODELS
from aboutness.models.model import Model, Scorer, allowed_mask, register
from aboutness.models.question import Question
from aboutness.models.wcs import WCS
from aboutness.models.wmd import WMD
from models.drawing import index_of, named
from models.scoring import of_texts

every_way = pytest.mark.parametrize(
    "model", [BM25(), WCS(), WMD()], ids=str
)  # to score: terms, vectors, transport


@every_way
@pytest.mark.parametrize("k", [0, -1, 1.5, "10", None, True, np.float64(3)])
@pytest.mark.parametrize("top_many", [Scorer.top_many, lambda scorer, *rest: scorer.top_many(*rest)])
def test_k_is_a_whole_number_of_at_least_one(model, k, top_many):
    scorer = model.bind(of_texts("aa").snapshot)
    with pytest.raises(UsageError, match="k must be a whole number of at least 1, got"):
        top_many(scorer, [Question("aa")], k)


@every_way
def test_k_may_be_a_number_of_numpy_and_larger_than_the_index(model):
    scorer = model.bind(of_texts("aa", "aa bb").snapshot)
    for k in (np.int64(2), np.uint8(2), 10**12):
        assert len(scorer.top(Question("aa"), k)) == 2


@every_way
@pytest.mark.parametrize("match", ["xor", "", "OR"])
@pytest.mark.parametrize(
    "top_many", [Scorer.top_many, lambda scorer, some, match: scorer.top_many(some, match=match)]
)
def test_only_known_ways_to_match_are_taken(model, match, top_many):
    scorer = model.bind(of_texts("aa").snapshot)
    with pytest.raises(UsageError, match="match must be one of or, and, all, got"):
        top_many(scorer, [Question("aa")], match=match)


def test_dead_documents_are_not_allowed():
    view = index_of(named([{"text": "aa"}] * 4), dead=["d1"]).view()
    assert allowed_mask(view, None).tolist() == [True, False, True, True]
    assert allowed_mask(view, np.array([True, True, False, True])).tolist() == [True, False, False, True]
    assert allowed_mask(view, np.array([1, 2])).tolist() == [False, False, True, False]
    assert not allowed_mask(view, np.array([], np.int64)).any()


def test_a_name_is_registered_once():
    with pytest.raises(UsageError, match="'bm25' is registered already"):
        register(BM25)
    assert MODELS["bm25"] is BM25


def test_a_model_that_does_not_bind_says_so():
    with pytest.raises(NotImplementedError):
        Model().bind(of_texts("aa").snapshot)


def test_nothing_can_be_written_into_a_model():
    with pytest.raises(AttributeError):
        BM25().k1 = 2.0


@every_way
@pytest.mark.parametrize("number", [-1, 3])
def test_a_document_that_is_not_there_has_no_score(model, number):
    scorer = model.bind(of_texts("aa", "aa", "aa").snapshot)
    for text in ("aa", "unknown"):
        with pytest.raises(IndexError, match="document numbers must be 0 to 2"):
            scorer.explain(Question(text), number)
        with pytest.raises(IndexError, match="document numbers must be 0 to 2"):
            scorer.scores(Question(text), np.array([0, number]))


@every_way
def test_allowed_documents_may_be_a_list(model):
    scorer = model.bind(of_texts("aa", "aa", "aa").snapshot)
    for match in ("or", "and", "all"):
        assert scorer.top(Question("aa"), match=match, allowed=[0, 2]).documents.tolist() == [0, 2]
