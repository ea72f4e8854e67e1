"""Hits are explained from what made their scores: no query is searched or analyzed a second time."""

from __future__ import annotations

from collections import Counter

import pytest

from aboutness.models.dense import DenseScorer
from aboutness.models.model import Scorer
from aboutness.models.terms import TermScorer
from aboutness.models.wmd import MoverScorer
from aboutness.rank.bound import BoundCut, BoundRerank
from aboutness.rank.combined import Combined
from aboutness.rank.expansion.expansion import BoundExpansion
from aboutness.rank.feedback import BoundFeedback
from aboutness.rank.searching import Composed
from aboutness.text.analyzer import Analyzer
from models.drawing import made, ready

SEARCHERS = [TermScorer, DenseScorer, MoverScorer, Scorer, BoundCut, BoundExpansion, Composed]
FINDERS = [BoundCut, BoundExpansion, BoundFeedback, BoundRerank, Combined]
RANKERS = [
    "bm25", "wmd", "bm25 + 30*desm-in-out", "bm25 % 3 + 2*(ql % 4)", "bm25 % 4 >> wmd", "bm25 % 5 >> (ql + 2*iwcs)",
    "bm25 % 5 >> minmax(ql)", "(minmax(bm25) + zscore(tfidf)) % 6", "softmax(bm25)", "rrf(bm25, 0.5*ql, wcs % 3)",
    "combmnz(bm25 % 3, iwcs)", "rm3(bm25)", "rm3(bm25 + ql)", "rocchio(lsa)", "nearest(bm25)", "eqe1(ql)",
    "feedback(bm25, lsa)", "feedback(best(bm25 % 4), iwcs) % 5", "default",
]  # fmt: skip


def forbid(monkeypatch):
    """Let whatever searches or analyzes a text fail."""

    def refuse(*_, **__):
        raise AssertionError("this searches again")

    for kind in SEARCHERS:
        monkeypatch.setattr(kind, "top_many", refuse)
    for kind in FINDERS:
        monkeypatch.setattr(kind, "finder", refuse)
    monkeypatch.setattr(Analyzer, "terms", refuse)


@pytest.mark.parametrize("match", ["or", "and"])
@pytest.mark.parametrize("ranker", RANKERS)
def test_a_hit_is_explained_without_another_search(ranker, match, monkeypatch):
    index = made(3, ready)
    hits = index.search("aa bb", ranker=ranker, match=match)
    again = [hit.explain() for hit in index.search_many(["cc", "aa bb"], ranker=ranker, match=match)[1]]
    forbid(monkeypatch)
    explained = [hit.explain() for hit in hits]
    assert explained == again
    assert [why.score for why in explained] == [hit.score for hit in hits]
    assert explained or match == "and"


@pytest.mark.parametrize(("ranker", "layers"), [("bm25", 1), ("bm25 + ql + wcs", 1), ("default", 3)])
def test_a_query_is_analyzed_once_for_each_layer(ranker, layers, monkeypatch):
    index = made(3, ready)
    if ranker == "default":
        index = type(index).build([{"id": "a", "text": "the moon over the sea"}, {"id": "b", "text": "the sea"}])
        index.train("default", dim=2)
    index.search("aa", ranker=ranker)
    analyses, terms = Counter(), Analyzer.terms
    monkeypatch.setattr(Analyzer, "terms", lambda self, text: analyses.update([text]) or terms(self, text))
    list(index.search("moon bb", ranker=ranker))
    assert analyses == {"moon bb": layers}
