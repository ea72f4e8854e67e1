"""Rankings and explanations: the order of equal scores, the parts of a score."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.models.ranking import SCALES, Explanation, Part, Ranking, best, short_names

SCORES = st.sampled_from([0.0, -0.0, 1.0, -1.5, 2.0, 1e-40, -3e38])


@given(st.lists(SCORES, max_size=12), st.integers(1, 14))
def test_the_best_come_first_and_equals_in_order_of_arrival(scores, k):
    documents = np.arange(len(scores), dtype=np.int64) * 3
    ranking = best(documents, np.array(scores, np.float32), k)
    expected = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:k]
    assert ranking.documents.tolist() == [3 * place for place in expected]
    assert ranking.scores.tolist() == [np.float32(scores[place]) for place in expected]
    assert len(ranking) == min(k, len(scores))
    assert (ranking.documents.dtype, ranking.scores.dtype) == (np.int64, np.float32)


def test_an_explanation_sums_its_parts():
    explanation = Explanation(1.0, tuple(Part(f"w{n}", 0.1) for n in range(10)), "sum of parts")
    assert explanation.total == pytest.approx(1.0, abs=1e-15)
    assert Explanation(0.0, ()).total == 0


def test_an_explanation_in_plain_values():
    explanation = Explanation(1.5, (Part("word", 1.5, {"df": 3, "idf": 0.5}),), "a formula")
    assert json.loads(json.dumps(explanation.to_json())) == {
        "score": 1.5,
        "formula": "a formula",
        "parts": [{"name": "word", "value": 1.5, "df": 3, "idf": 0.5}],
    }


def test_an_explanation_is_read_with_the_largest_part_first():
    parts = (Part("small", 0.25, {"in document": 1}), Part("debt", -1.0), Part("large", 0.5, {"idf": 1.23456}))
    lines = str(Explanation(-0.25, parts, "sum of parts")).splitlines()
    assert lines[0] == "score -0.2500 = sum of parts"
    assert [line.split()[1] for line in lines[1:]] == ["debt", "large", "small"]
    assert lines[2].split() == ["0.5000", "large", "idf", "1.235"]
    assert all(line == line.rstrip() for line in lines)
    assert str(Explanation(0.0, (), "nothing")) == "score 0.0000 = nothing"


def test_what_is_behind_the_largest_parts_stands_in_one_line():
    parts = tuple(Part(f"w{n}", value, {"df": n}) for n, value in enumerate([0.5, -4.0, 0.25, 3.0, -1.0, 2.0]))
    explanation = Explanation(0.75, parts, "sum of parts")
    whole = explanation.lines()
    assert [line.split()[1] for line in whole[1:]] == ["w1", "w3", "w5", "w4", "w0", "w2"]
    assert str(explanation).splitlines() == whole == explanation.lines(6) == explanation.lines(5)
    assert explanation.lines(4) == [*whole[:5], "     0.7500  2 more"]
    assert explanation.lines(1) == [*whole[:2], "     4.7500  5 more"]
    assert explanation.lines(0) == [whole[0], "     0.7500  6 more"]
    assert Explanation(0.0, (), "nothing").lines(0) == ["score 0.0000 = nothing"]


@given(st.lists(st.floats(-9, 9), max_size=30), st.integers(0, 12))
def test_the_lines_of_an_explanation_sum_to_its_parts(values, most):
    explanation = Explanation(0.0, tuple(Part(f"w{n}", value) for n, value in enumerate(values)))
    lines = explanation.lines(most)[1:]
    assert len(lines) <= max(most + 1, 0)
    assert sum(float(line.split()[0]) for line in lines) == pytest.approx(explanation.total, abs=1e-4 * 31)


def test_a_part_of_a_mixture_says_whose_it_is():
    explanation = Explanation(
        3.0, (Part("city", 1.0, by="ql"), Part("city", 2.0, {"df": 2}, by="bm25")), "bm25 + ql"
    )
    assert explanation.lines()[1:] == ["     2.0000  city (bm25)  df 2", "     1.0000  city (ql)"]
    assert [part["by"] for part in explanation.to_json()["parts"]] == ["ql", "bm25"]


def test_a_ranking_has_a_length_and_cannot_be_changed():
    ranking = Ranking(np.array([4, 2]), np.array([2.0, 1.0], np.float32))
    assert len(ranking) == 2
    with pytest.raises(AttributeError):
        ranking.documents = np.zeros(1)


def test_rankers_have_short_names_for_people():
    made = short_names(
        ["best(bm25[k1=1.6] % 9)", "0.5*ql[mu=3.0]", "minmax(nearest[vectors=g](bm25[layer=w]) % 5)", ""]
    )
    assert list(made.values()) == ["bm25", "0.5*ql", "nearest(bm25 on w)", ""]
    same = short_names(["bm25[k1=1.0]", "bm25[k1=2.0]", "best(rrf(bm25, ql))"])
    assert list(same.values()) == ["bm25[k1=1.0]", "bm25[k1=2.0]", "rrf(bm25, ql)"]
    assert short_names(["best(bm25) + best(ql)"]) == {"best(bm25) + best(ql)": "best(bm25) + best(ql)"}
    parts = (Part("csv", 1.0, by="best(bm25[k1=1.6] % 9)"), Part("csv", 0.5, by="best(ql)"))
    assert Explanation(1.5, parts).lines()[1:] == ["     1.0000  csv (bm25)", "     0.5000  csv (ql)"]


def test_no_scale_is_forgotten():
    from aboutness.rank.normalised import SCALES as KNOWN

    assert set(SCALES) == set(KNOWN)
