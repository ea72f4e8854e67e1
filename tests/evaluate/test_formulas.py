"""Our formulas against trec_eval (see test_evaluation, too) and against what textbooks say, rank by rank."""

from __future__ import annotations

import math

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.evaluate.computing import formula
from aboutness.evaluate.evaluation import evaluate
from aboutness.evaluate.formulas import FORMULAS
from aboutness.evaluate.measures import measure
from evaluate.naive import relevant
from evaluate.test_evaluation import qrels_maps, queries, ranking_of, tied_scores

JUDGED_ONLY = {
    "nDCG": "ndcg", "nDCG@3": "ndcg_cut_3", "AP": "map", "AP@3": "map_cut_3", "RR": "recip_rank", "P@3": "P_3",
    "R@3": "recall_3", "Rprec": "Rprec", "Success@1": "success_1", "SetP": "set_P", "SetF": "set_F",
    "IPrec@0.1": "iprec_at_recall_0.10",
}  # fmt: skip
OTHERS = {
    "IPrec@0.0": "iprec_at_recall_0.00", "IPrec@0.3": "iprec_at_recall_0.30", "IPrec@0.55": "iprec_at_recall_0.55",
    "IPrec@1.0": "iprec_at_recall_1.00", "AP@10": "map_cut_10", "Success@3": "success_3", "SetF(beta=0.5)": "set_F",
    "nDCG@100": "ndcg_cut_100",
}  # fmt: skip
AT_RECALL = [0.0, 0.003, 0.01, 0.1, 0.123, 0.5, 0.9, 1.0]


def by_trec_eval(qrels, run, names, **options):
    sound = {query: judged for query, judged in qrels.items() if max(judged.values()) >= 0}
    ranked = {query: dict(ranking) for query, ranking in run.items() if ranking and query in sound}
    return pytrec_eval.RelevanceEvaluator(sound, names, **options).evaluate(ranked) if ranked else {}


def with_parameters(name, **parameters):
    head, at, cutoff = name.partition("@")
    return f"{head}({','.join(f'{key}={value}' for key, value in parameters.items())}){at}{cutoff}"


@settings(max_examples=100)
@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)))
def test_judged_documents_only(qrels, run):
    names = {with_parameters(name, judged_only=True): theirs for name, theirs in JUDGED_ONLY.items()}
    expected = by_trec_eval(qrels, run, set(names.values()), judged_docs_only_flag=1)
    found = evaluate(qrels, run, names).per_query
    for query, values in expected.items():
        for name, theirs in names.items():  # where nothing is left of a ranking trec_eval divides 0 by 0
            assert found[query][name] == (0.0 if math.isnan(values[theirs]) else values[theirs]), name


@settings(max_examples=100)
@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)), st.sampled_from([1, 2, 3]))
def test_from_a_grade_on(qrels, run, rel):
    names = {with_parameters(name, rel=rel): theirs for name, theirs in JUDGED_ONLY.items() if "nDCG" not in name}
    expected = by_trec_eval(qrels, run, set(names.values()), relevance_level=rel)
    found = evaluate(qrels, run, names).per_query
    for query, values in expected.items():
        ours = [value for _, value in sorted(found[query].items())]
        wanted = [values[theirs] for name, theirs in sorted((str(measure(n)), t) for n, t in names.items())]
        assert ours == wanted


@settings(max_examples=100)
@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)))
def test_other_parameters(qrels, run):
    theirs = {name if name != "set_F" else "set_F_0.5" for name in OTHERS.values()}
    expected = by_trec_eval(qrels, run, theirs)
    found = evaluate(qrels, run, OTHERS).per_query
    for query, values in expected.items():
        assert found[query] == {name: values[theirs] for name, theirs in OTHERS.items()}


@settings(max_examples=80)
@given(qrels_maps, st.dictionaries(queries, ranking_of(tied_scores)))
def test_precision_beyond_any_recall_and_the_best_f1(qrels, run):
    names = [f"IPrec@{point}" for point in AT_RECALL]
    found = evaluate(qrels, run, [*names, "MaxF1", "MaxF1(rel=2)"]).per_query
    for query, judged in qrels.items():
        ordered = sorted(run.get(query, []), key=lambda entry: (_as_float32(entry[1]), entry[0]), reverse=True)
        for name, rel in (("MaxF1", 1), ("MaxF1(rel=2)", 2)):
            wanted = relevant(judged, rel)
            hits = [sum(one in wanted for one, _ in ordered[:rank]) for rank in range(1, len(ordered) + 1)]
            f1 = [2 * hit / (rank + len(wanted)) for rank, hit in enumerate(hits, 1)]
            assert found[query][name] == max(f1, default=0.0)
        wanted = relevant(judged)
        hits = [sum(one in wanted for one, _ in ordered[:rank]) for rank in range(1, len(ordered) + 1)]
        for point, name in zip(AT_RECALL, names, strict=True):
            needed = int(point * len(wanted) + 0.9)
            beyond = [hit / rank for rank, hit in enumerate(hits, 1) if hit >= needed]
            assert found[query][name] == (max(beyond, default=0.0) if wanted else 0.0), name


def _as_float32(score):
    import numpy as np

    return float(np.float32(score))


def test_long_rankings_have_every_digit_of_trec_eval():
    qrels = {"q": {f"d{n}": n % 4 for n in range(0, 3000, 3)}, "p": {f"d{n}": n % 2 for n in range(50)}}
    run = {query: {f"d{n}": float(n * 7919 % 3001) for n in range(3000)} for query in qrels}
    names = {"nDCG": "ndcg", "nDCG@1000": "ndcg_cut_1000", "AP": "map", "Rprec": "Rprec", "P@1000": "P_1000"}
    expected = by_trec_eval(
        qrels, {query: list(ranking.items()) for query, ranking in run.items()}, set(names.values())
    )
    found = evaluate(qrels, run, names).per_query
    assert found == {query: {name: expected[query][names[name]] for name in names} for query in qrels}


def test_what_has_a_formula():
    for name in FORMULAS:
        example = {"P": "P@5", "R": "R@5", "Success": "Success@5", "IPrec": "IPrec@0.1"}.get(name, name)
        assert formula(measure(example)) is FORMULAS[name]
    assert formula(measure("Bpref")) is None
    assert formula(measure("SetP(relative=True)")) is None
    assert evaluate({"q": {"d": 1, "e": 1}}, {"q": {"d": 1.0}}, "SetP(relative=True)").mean == {
        "SetP(relative=True)": pytest.approx(1.0)
    }
