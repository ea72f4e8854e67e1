from __future__ import annotations

import dataclasses
import math
import statistics
import time
import zlib

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, UsageError
from aboutness.corpus.qrels import read_qrels_file
from aboutness.evaluate.evaluation import Evaluation, evaluate, unknown_documents
from aboutness.evaluate.judgements import judgements_by_query
from aboutness.evaluate.measures import known_measures
from aboutness.evaluate.runs import read_run, write_run
from evaluate.naive import NAIVE

TREC = {
    "nDCG": "ndcg", "nDCG@1": "ndcg_cut_1", "nDCG@3": "ndcg_cut_3", "nDCG@10": "ndcg_cut_10", "AP": "map", "AP@3": "map_cut_3",
    "RR": "recip_rank", "P@1": "P_1", "P@3": "P_3", "P@10": "P_10", "R@3": "recall_3", "R@100": "recall_100", "Rprec": "Rprec",
    "Bpref": "bpref", "Success@1": "success_1", "SetP": "set_P", "SetR": "set_recall", "SetF": "set_F", "SetAP": "set_map",
    "infAP": "infAP", "IPrec@0.1": "iprec_at_recall_0.10",
}  # fmt: skip

documents = st.sampled_from(["d1", "d2", "d9", "d10", "D1", "é", "z", "\U00010000", "日本", "a", "aa", "ab"])
queries = st.sampled_from(["1", "2", "3", "q-1", "é"])
tied_scores = st.sampled_from([-1.0, 0.0, 1.0, 1.0 + 1e-10, 1.0 + 1e-6, 2.0, 1e-30])
grades = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3, 9])
qrels_maps = st.dictionaries(queries, st.dictionaries(documents, grades, min_size=1), min_size=1)


def ranking_of(scores):
    return st.dictionaries(documents, scores).map(lambda ranking: list(ranking.items()))


def by_trec_eval(qrels, run):
    """Values by trec_eval itself, which crashes on empty rankings and on queries with negative grades only."""
    sound = {query: judged for query, judged in qrels.items() if max(judged.values()) >= 0}
    ranked = {query: dict(ranking) for query, ranking in run.items() if ranking and query in sound}
    found = pytrec_eval.RelevanceEvaluator(sound, set(TREC.values())).evaluate(ranked) if ranked else {}
    zero = dict.fromkeys(TREC.values(), 0.0)
    return {query: {name: found.get(query, zero)[theirs] for name, theirs in TREC.items()} for query in qrels}


@settings(max_examples=300)
@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)))
def test_values_are_those_of_trec_eval(qrels, run):
    evaluation = evaluate(qrels, run, TREC)
    expected = by_trec_eval(qrels, run)
    assert evaluation.per_query == expected
    for name in TREC:
        mean = sum(expected[query][name] for query in qrels) / len(qrels)
        assert evaluation.mean[name] == pytest.approx(mean, abs=1e-12)


@settings(max_examples=300)
@given(qrels_maps, st.dictionaries(queries, st.lists(documents, unique=True)))
def test_values_are_those_of_the_textbook(qrels, ranked):
    run = {query: [(one, -float(rank)) for rank, one in enumerate(ranking)] for query, ranking in ranked.items()}
    evaluation = evaluate(qrels, run, NAIVE)
    for query, judged in qrels.items():
        for name, naive in NAIVE.items():
            expected = naive(judged, ranked[query]) if ranked.get(query) else 0.0
            assert evaluation.per_query[query][name] == pytest.approx(expected, abs=1e-12), name


@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)))
def test_what_is_reported(qrels, run):
    evaluation = evaluate(qrels, run, "P@1,AP")
    assert evaluation.measures == ("P@1", "AP")
    assert evaluation.queries == len(qrels)
    assert list(evaluation.per_query) == list(qrels)
    assert evaluation.unanswered == tuple(query for query in qrels if not run.get(query))
    assert evaluation.unjudged == tuple(query for query in run if query not in qrels)
    assert evaluation.without_relevant == tuple(query for query in qrels if max(qrels[query].values()) < 1)


def test_an_example():
    qrels = {"a": {"x": 2, "y": 0}, "b": {"x": 1}, "c": {"x": 0}, "empty": {}}
    run = {"a": [("y", 2.0), ("x", 1.0)], "c": [("x", 1.0)], "d": [("x", 1.0)], "empty": [("x", 1.0)]}
    assert evaluate(qrels, run, ["RR", "P@1", "Judged@2"]) == Evaluation(
        measures=("RR", "P@1", "Judged@2"),
        per_query={
            "a": {"RR": 0.5, "P@1": 0.0, "Judged@2": 1.0},
            "b": {"RR": 0.0, "P@1": 0.0, "Judged@2": 0.0},
            "c": {"RR": 0.0, "P@1": 0.0, "Judged@2": 1.0},
        },
        mean={"RR": 0.5 / 3, "P@1": 0.0, "Judged@2": 2 / 3},
        queries=3,
        unanswered=("b",),
        unjudged=("d", "empty"),
        without_relevant=("c",),
    )
    assert list(evaluate(qrels, run).mean) == ["nDCG@10", "AP", "RR", "P@10", "R@100"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        evaluate(qrels, run).queries = 1


def test_deviations():
    qrels = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}, "d": {"x": 1}}
    run = {"a": [("x", 1.0)], "b": [("y", 2.0), ("x", 1.0)], "c": [("x", 1.0)]}
    found = evaluate(qrels, run, "RR,P@1,R@10")
    assert found.deviation == {
        name: pytest.approx(statistics.stdev(row[name] for row in found.per_query.values()))
        for name in ("RR", "P@1", "R@10")
    }
    assert found.deviation["RR"] == pytest.approx(statistics.stdev([1, 0.5, 1, 0]))
    assert evaluate({"a": {"x": 1}}, run, "RR").deviation == {"RR": 0.0}


@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)))
def test_scores_by_document_are_a_ranking(qrels, run):
    assert evaluate(qrels, {query: dict(ranking) for query, ranking in run.items()}) == evaluate(qrels, run)


def test_no_query_is_answered():
    evaluation = evaluate({"a": {"x": 1}}, {"b": [("x", 1.0)]})
    assert set(evaluation.mean.values()) == {0.0}
    assert (evaluation.unanswered, evaluation.unjudged) == (("a",), ("b",))


def test_every_measure_breaks_ties_alike():
    qrels = {"q": {"b": 1}}
    run = {"q": [("a", 1.0), ("b", 1.0), ("c", 1.0)]}
    expected = {
        "RR": 0.5,
        "RR@1": 0.0,
        "RR@2": 0.5,
        "P@1": 0.0,
        "Success@2": 1.0,
        "Judged@1": 0.0,
        "Judged@2": 0.5,
    }
    assert evaluate(qrels, run, expected).mean == expected


EXAMPLES = [one["example"] for one in known_measures()]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ({"q": {"x": -1}}, {"q": [("x", 1.0)]}),
        ({"q": {"x": -5, "y": -1}, "p": {"x": 0}}, {"q": [("z", 1.0)], "p": [("x", 1.0)]}),
        ({"q": {"x": 0}}, {"q": []}),
        ({"q": {"x\0a": 0, "x\0b": -1}}, {"q": [("x\0a", 1.0), ("x\0b", 1.0)]}),
        ({"\udc80": {"\udc81": 0}}, {"\udc80": [("\udc81", 1.0)]}),
        ({"": {"": 0, " ": 0}}, {"": [(" ", 2.0), ("", 1.0)]}),
        ({"amean": {"1": 0, "-1": 0}}, {"amean": [("0", 2.0), ("-1", 1.0)]}),
    ],
)
def test_what_is_hard_for_trec_eval_counts_nothing(qrels, run):
    evaluation = evaluate(qrels, run, [name for name in EXAMPLES if name != "Judged@10"])
    assert set(evaluation.mean.values()) == {0.0}
    assert evaluation.without_relevant == tuple(qrels)


def test_odd_ids_are_found():
    qrels = {"q 1": {"x\0a": 1, "x\0b": 0, "-1": 0}, "q\0": {"": 2}}
    run = {"q 1": [("-1", 2.0), ("0", 2.0), ("x\0b", 2.0), ("x\0a", 1.0)], "q\0": [("", 0.0)]}
    assert evaluate(qrels, run, "RR").per_query == {"q 1": {"RR": 0.25}, "q\0": {"RR": 1.0}}


def test_measures_that_differ_in_parameters_are_not_mixed_up():
    qrels = {"a": {"x": 2, "y": 1, "z": 0}}
    run = {"a": [("y", 3.0), ("x", 2.0), ("z", 1.0)]}
    names = [name for name in NAIVE if name != "Judged"]
    together = evaluate(qrels, run, [*names, "SetF", "SetF(beta=0.5)", "AP(judged_only=True)"]).mean
    assert len(together) == len(names) + 3
    for name, value in together.items():
        assert evaluate(qrels, run, name).mean == {name: value}
    for cutoff in range(
        2, 30
    ):  # ir_measures itself mixes them up in one order of two, which the hash seed decides
        mean = evaluate(qrels, run, f"nDCG@{cutoff},nDCG(gains={{1:5}})@{cutoff}").mean
        assert list(mean.values()) == [together["nDCG@5"], together["nDCG(gains={1:5})@5"]]


def test_documents_without_judgement_can_be_passed_over():
    mean = evaluate(
        {"q": {"x": 1}}, {"q": [("y", 2.0), ("x", 1.0)]}, "P@1,P(judged_only=True)@1,RR(judged_only=True)"
    ).mean
    assert mean == {"P@1": 0.0, "P(judged_only=True)@1": 1.0, "RR(judged_only=True)": 1.0}


def test_compat_takes_what_was_found_before_what_was_not():
    qrels = {"q": {"a": 1, "c": 1, "b": 1}}
    p = 0.95
    for score in (-7.0, 7.0):
        value = evaluate(qrels, {"q": [("x", score), ("b", score - 1)]}, "Compat").mean["Compat"]
        assert value == pytest.approx((p / 2 + p**2 / 3) / (1 + p + p**2))


def test_grades_too_high_for_exponential_gains():
    name = "nDCG(dcg='exp-log2')@5"
    run = {"q": [("y", 2.0), ("x", 1.0)]}
    value = evaluate({"q": {"x": 10, "y": 1}}, run, name).mean[name]
    assert value == pytest.approx((1 + 1023 / math.log2(3)) / (1023 + 1 / math.log2(3)))
    with pytest.raises(BadInput, match=r"grades may be at most 10, got 11$"):
        evaluate({"q": {"x": 11}}, run, name)


@pytest.mark.parametrize(
    ("qrels", "run", "measures", "error", "problem"),
    [
        ({}, {"q": [("d", 1.0)]}, "AP", BadInput, "there are no judgements"),
        ({"q": {"d": 0.5}}, {}, "AP", BadInput, "the grade of document 'd' must be a whole number of at most 1023, got 0.5"),
        ({"q": {"d": 10**6}}, {}, "AP", BadInput, "must be a whole number of at most 1023, got 1000000"),
        ({"q": {"d": 1}}, {"q": [("d", 2.0), ("e", 1.0), ("d", 1.0)]}, "AP", BadInput, "query 'q': document 'd' is ranked twice"),
        ({"q": {"d": 1}}, {"q": [("d", math.nan)]}, "AP", UsageError, "the score of document 'd' must be a finite 32-bit float"),
        ({"q": {"d": 1}}, {"q": [("d", 1.0)]}, "XP", UsageError, "cannot use the measure 'XP'"),
        ({"q": {"d": 1}}, {"q": [("d", 1.0)]}, [], UsageError, "no measure is named"),
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated(qrels, run, measures, error, problem):
    with pytest.raises(error) as caught:
        evaluate(qrels, run, measures)
    assert problem in str(caught.value)


def test_unknown_documents():
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1}, "c": {"z": 1, "y": 1}}
    expected = {"a": ["y"], "c": ["z", "y"]}
    assert unknown_documents(qrels, {"x"}) == expected
    assert unknown_documents(qrels, {"x": 1}) == expected
    assert unknown_documents(qrels, lambda document: document == "x") == expected
    assert unknown_documents(qrels, "xyz") == {}


def test_a_thousand_documents_a_query_are_no_burden():
    run = {str(query): [(f"d{query * rank}", 1.0 / rank) for rank in range(1, 1001)] for query in range(1, 201)}
    qrels = {query: {document: rank % 3 for rank, (document, _) in enumerate(run[query][::20])} for query in run}
    evaluate({"q": {"d": 1}}, {"q": [("d", 1.0)]})
    start = time.process_time()
    assert evaluate(qrels, run).queries == 200
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize("name", ["adhoc.351-400", "terabyte04.701-750", "beir-trec-covid.test"])
def test_real_judgements(data_folder, tmp_path, name):
    qrels = judgements_by_query(read_qrels_file(data_folder / "topics_qrels_only" / f"qrels.{name}.txt"))
    ideal = {query: sorted(judged.items(), key=lambda entry: -entry[1]) for query, judged in qrels.items()}
    write_run(tmp_path / "ideal.run", ideal, "ideal")
    best = evaluate(qrels, read_run(tmp_path / "ideal.run"), "nDCG,AP,RR,Rprec,SetR,Judged")
    for query, row in best.per_query.items():
        assert set(row.values()) == ({1.0} if query not in best.without_relevant else {0.0, 1.0})

    def score(document):  # some thirty ties at each value
        return zlib.crc32(document.encode()) % (len(qrels[query]) // 30) / 7

    mixed = {}
    for query, judged in list(qrels.items())[1:]:
        mixed[query] = sorted(
            ((one, score(one)) for one in judged if zlib.adler32(one.encode()) % 3), key=lambda e: -e[1]
        )
    write_run(tmp_path / "mixed.run.gz", mixed, "mixed")
    run = read_run(tmp_path / "mixed.run.gz")
    evaluation = evaluate(qrels, run, TREC)
    assert evaluation.per_query == by_trec_eval(qrels, mixed)
    assert evaluation.unanswered == (next(iter(qrels)),)
    assert 0 < evaluation.mean["AP"] < best.mean["AP"]
