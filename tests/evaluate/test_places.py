from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, UsageError
from aboutness.evaluate.places import NOWHERE, places
from aboutness.evaluate.runs import best_first
from evaluate.test_evaluation import documents, qrels_maps, queries, ranking_of, tied_scores


@settings(max_examples=120)
@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)), st.booleans())
def test_judged_documents_are_where_they_are_ranked(qrels, run, by_document):
    given_run = {query: dict(ranking) for query, ranking in run.items()} if by_document else run
    found = places(qrels, given_run)
    entries = iter(zip(found.query.tolist(), found.rank.tolist(), found.grade.tolist(), strict=True))
    for number, (query, judged) in enumerate(qrels.items()):
        order = {one: rank for rank, (one, _) in enumerate(best_first(query, run.get(query, [])))}
        wanted = sorted((order.get(one, NOWHERE), grade) for one, grade in judged.items())
        seen = [next(entries) for _ in judged]
        assert {one for one, _, _ in seen} == {number}
        assert sorted((rank, grade) for _, rank, grade in seen) == wanted
        assert [rank for _, rank, _ in seen] == [rank for rank, _ in wanted]
        assert found.ranked[number] == len(order)
    assert next(entries, None) is None


@given(st.dictionaries(documents, tied_scores, min_size=1))
def test_ties_are_told_apart_by_id(scores):
    found = places({"q": dict.fromkeys(scores, 1)}, {"q": scores})
    assert found.rank.tolist() == list(range(len(scores)))


def test_without_documents_that_are_not_judged():
    judged = {"a": {"x": 1, "y": -1, "z": 0, "w": 2}, "b": {"x": 1}}
    run = {"a": {"n1": 9.0, "z": 8.0, "y": 7.0, "n2": 6.0, "x": 5.0}, "b": {"n1": 1.0}}
    found = places(judged, run).judged_only()
    assert found.rank.tolist() == [0, NOWHERE, 1, NOWHERE, NOWHERE]
    assert found.grade.tolist() == [0, -1, 1, 2, 1]
    assert found.ranked.tolist() == [2, 0]


def test_scores_that_are_none():
    for score in (np.nan, np.inf, None, "high", 1e39):
        with pytest.raises(UsageError, match="query 'q': the score of document 'e' must be a finite 32-bit float"):
            places({"q": {"d": 1}}, {"q": {"d": 1.0, "e": score}})
    with pytest.raises(BadInput, match="query 'q': document 'e' is ranked twice"):
        places({"q": {"d": 1}}, {"q": [("d", 3.0), ("e", 2.0), ("f", 1.5), ("e", 1.0)]})
