"""galke2017's measures, computed by hand and rank by rank."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.evaluate.evaluation import evaluate
from aboutness.evaluate.measures import measure, measures
from evaluate.test_evaluation import queries

GALKE = "AP(convention='galke2017')", "AP(convention='galke2017-printed')"


def run_of(pattern):
    """Return grades and a ranking whose documents are relevant where the pattern has a 1."""
    return {f"d{n}": int(mark) for n, mark in enumerate(pattern)}, [
        (f"d{n}", -float(n)) for n in range(len(pattern))
    ]


def test_by_hand():
    grades, ranking = run_of("10100")
    qrels = {"q": grades | {"missed": 1, "too": 3}}
    mean = evaluate(qrels, {"q": ranking}, "AP,RR,nDCG", convention="galke2017").mean
    assert mean == {
        "AP(convention='galke2017')@20": (1 / 1 + 2 / 3) / 2,  # by the two that were found, not by all four
        "RR(convention='galke2017')@20": 1.0,
        "nDCG(convention='galke2017')@20": pytest.approx(
            (1 + 1 / math.log2(3)) / (1 + 1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4))
        ),
    }
    printed = evaluate(qrels, {"q": ranking}, "AP", convention="galke2017-printed").mean
    assert printed == {f"{GALKE[1]}@20": pytest.approx((1 / 1 + 1 / 2 + 2 / 3 + 2 / 4 + 2 / 5) / 5)}
    assert evaluate(qrels, {"q": ranking}, "AP").mean["AP"] == (1 / 1 + 2 / 3) / 4


def test_only_the_first_documents_count():
    grades, ranking = run_of("0" * 20 + "1")
    named = evaluate({"q": grades}, {"q": ranking}, "AP,RR,nDCG", convention="galke2017").mean
    assert set(named.values()) == {0.0}
    deeper = evaluate({"q": grades}, {"q": ranking}, "AP@21,RR@21,nDCG@21", convention="galke2017").mean
    assert list(deeper.values()) == [1 / 21, 1 / 21, pytest.approx(1 / math.log2(21))]
    whole = evaluate({"q": grades}, {"q": ranking}, GALKE).mean
    assert list(whole.values()) == [1 / 21, pytest.approx(1 / 21 / 21)]


def test_the_ideal_ends_with_the_cut_too():
    grades, ranking = run_of("1" * 30)
    assert evaluate({"q": grades}, {"q": ranking}, "nDCG", convention="galke2017").mean == {
        "nDCG(convention='galke2017')@20": pytest.approx(1.0)
    }


@given(st.dictionaries(queries, st.text("01", max_size=30), min_size=1), st.integers(0, 5), st.integers(1, 25))
def test_rank_by_rank(patterns, missed, k):
    qrels = {
        query: run_of(pattern)[0] | {f"m{n}": 2 for n in range(missed)} | {"no": 0}
        for query, pattern in patterns.items()
    }
    run = {query: run_of(pattern)[1] for query, pattern in patterns.items()}
    names = [
        f"{GALKE[0]}@{k}",
        f"{GALKE[1]}@{k}",
        f"nDCG(convention='galke2017')@{k}",
        f"RR(convention='galke2017')@{k}",
    ]
    found = evaluate(qrels, run, names).per_query
    for query, pattern in patterns.items():
        marks = [int(mark) for mark in pattern[:k]]
        precisions = [sum(marks[:rank]) / rank for rank in range(1, len(marks) + 1)]
        at_hits = [value for value, mark in zip(precisions, marks, strict=True) if mark]
        best = [1] * min(k, missed + pattern.count("1"))

        def dcg(gains):
            return sum(gain / (math.log2(rank) if rank > 1 else 1) for rank, gain in enumerate(gains, 1))

        assert list(found[query].values()) == [
            pytest.approx(sum(at_hits) / len(at_hits) if at_hits else 0.0),
            pytest.approx(sum(precisions) / len(precisions) if precisions else 0.0),
            pytest.approx(dcg(marks) / dcg(best) if best else 0.0),
            1 / (marks.index(1) + 1) if 1 in marks else 0.0,
        ]


def test_names():
    names = [str(one) for one in measures("MAP,RR@5,nDCG@10,P@10,Bpref", "galke2017")]
    assert names == [
        "AP(convention='galke2017')@20",
        "RR(convention='galke2017')@5",
        "nDCG(convention='galke2017')@10",
        "P@10",
        "Bpref",
    ]
    for name in names:
        assert str(measure(name)) == name
    assert [str(one) for one in measures(f"{GALKE[1]}@10,AP", "galke2017")] == [f"{GALKE[1]}@10", f"{GALKE[0]}@20"]
    assert [str(one) for one in measures("AP,nDCG", "trec_eval")] == ["AP", "nDCG"]
    assert measure("AP(convention='trec_eval')") == measure("AP")
    assert str(measure("MRR(convention='galke2017',rel=2)@20")) == "RR(convention='galke2017',rel=2)@20"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("AP(convention='galke2018')", "convention must be 'trec_eval' or 'galke2017' or 'galke2017-printed', got 'galke2018'"),
        ("P(convention='galke2017')@5", "there is no parameter 'convention'"),
        ("AP(conventon='galke2017')", "there is no parameter 'conventon'; it has: cutoff, rel, judged_only, convention"),
        ("AP(convention='galke2017',judged_only=True)", "it is known but cannot be computed here"),
        ("nDCG(convention='galke2017',dcg='exp-log2')", "it is known but cannot be computed here"),
        ("AP(convention=5)", "convention must be"),
    ],
)  # fmt: skip
def test_what_is_no_convention(text, told):
    with pytest.raises(UsageError) as caught:
        measure(text)
    assert told in str(caught.value)


def test_a_convention_that_is_unknown_or_cannot_be_combined():
    with pytest.raises(
        UsageError, match=r"unknown convention 'galke'. Known: trec_eval, galke2017, galke2017-printed"
    ):
        measures("AP", "galke")
    with pytest.raises(UsageError, match="it is known but cannot be computed here"):
        measures("AP(judged_only=True)", "galke2017")
