from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, UsageError
from aboutness.evaluate.curves import ELEVEN, max_f1, precision_at_recall
from aboutness.evaluate.evaluation import evaluate
from evaluate.test_evaluation import qrels_maps, queries, ranking_of, tied_scores

QRELS = {"q": {"a": 1, "b": 1, "c": 0}, "none": {"a": 0}, "lost": {"a": 1}}
RUN = {"q": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}, "none": {"a": 1.0}, "unjudged": {"a": 1.0}}


def test_by_hand():
    found = precision_at_recall(QRELS, RUN, [0, 0.003, 0.5, 0.56, 1])
    assert {query: row.tolist() for query, row in found.items()} == {
        "q": [1.0, 1.0, 1.0, 0.5, 0.5],
        "none": [0.0] * 5,
        "lost": [0.0] * 5,
    }
    assert max_f1(QRELS, RUN) == {"q": 2 / 3, "none": 0.0, "lost": 0.0}


def test_a_curve_does_not_rise_again():
    run = {"q": {"x": 9.0, "a": 8.0, "b": 7.0}}
    assert precision_at_recall({"q": {"a": 1, "b": 1}}, run, ELEVEN)["q"].tolist() == [2 / 3] * 11


@settings(max_examples=50)
@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)), st.lists(st.floats(0, 1), max_size=5))
def test_the_same_as_the_measures(qrels, run, points):
    names = {point: f"IPrec@{point:.9f}" for point in points}
    rounded = [float(name[6:]) for name in names.values()]
    found = precision_at_recall(qrels, run, rounded)
    best = max_f1(qrels, run)
    values = evaluate(qrels, run, ["MaxF1", *names.values()]).per_query
    for query in qrels:
        assert best[query] == values[query]["MaxF1"]
        assert found[query].tolist() == [values[query][f"IPrec@{point}"] for point in rounded]
        assert len(precision_at_recall(qrels, run)[query]) == 11


@pytest.mark.parametrize("point", [-0.1, 1.01, float("nan")])
def test_points_that_are_none(point):
    with pytest.raises(UsageError, match="points of recall must be numbers from 0 to 1, got"):
        precision_at_recall(QRELS, RUN, [0.5, point])


def test_no_judgements():
    with pytest.raises(BadInput, match="there are no judgements"):
        max_f1({}, RUN)
