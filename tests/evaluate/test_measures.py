from __future__ import annotations

import subprocess
import sys
import warnings

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.evaluate.evaluation import evaluate
from aboutness.evaluate.measures import DEFAULT_MEASURES, known_measures, measure, measures, split_list

NAMES = [
    "nDCG", "nDCG@10", "nDCG@1000", "nDCG(dcg='exp-log2')@10", "nDCG(judged_only=True)@10", "nDCG(gains={1:3,2:7})@5",
    "AP", "AP@10", "AP(rel=2)@10", "RR", "RR@10", "RR(rel=2)@10", "P@10", "P(rel=2)@5", "P(rel=2,judged_only=True)@5",
    "R@100", "Rprec", "Judged", "Judged@10", "Success@1", "SetP", "SetP(relative=True)", "SetR", "SetF", "SetF(beta=0.5)",
    "SetAP", "Bpref", "infAP", "IPrec@0.1", "Compat", "Compat(p=0.8)", "RR(judged_only=True)@10",
]  # fmt: skip


OWN = ["MaxF1", "MaxF1(rel=2)", "IPrec@0.003", "IPrec@1e-05", "AP(convention='galke2017')@20"]


@pytest.mark.parametrize("name", [*NAMES, *OWN])
def test_a_name(name):
    chosen = measure(name)
    assert isinstance(chosen, ir_measures.Measure)
    assert str(chosen) == name
    value = evaluate({"q": {"d": 1, "e": 0, "f": 2}}, {"q": [("d", 2.0), ("e", 1.0)]}, [chosen]).mean[name]
    assert 0 <= value <= 1


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures' parser needs an older Python")
@pytest.mark.parametrize("name", [*NAMES, "MAP@3", "Recall@4", "SetRelP", "P( rel = 2 ) @ 5"])
def test_names_are_read_as_ir_measures_reads_them(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = ir_measures.parse_measure(name)
    assert measure(name) == theirs
    assert measure(name).params == theirs.params


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (" nDCG@10 ", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        ("Precision(cutoff=5)", "P@5"),
        ("P(rel=1)@5", "P@5"),
        ('nDCG(dcg="log2")@5', "nDCG@5"),
        ("IPrec@1", "IPrec@1.0"),
        ("SetF(beta=2)", "SetF(beta=2.0)"),
        ("SetRelP", "SetP(relative=True)"),
    ],
)
def test_other_names_of_the_same(text, name):
    assert str(measure(text)) == name


SHAPE = "it must look like Name, Name@10 or Name(parameter=value)@10."
CUTOFF = "cutoff must be a whole number from 1 to 1,000,000,000, got "


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ndcg@10", "there is no measure 'ndcg'; did you mean 'nDCG'?"),
        ("succes@10", "there is no measure 'succes'; did you mean 'Success'?"),
        ("bm25", "there is no measure 'bm25'."),
        ("nDCG@0", CUTOFF + "0."),
        ("P@-1", CUTOFF + "-1."),
        ("P@2000000000", CUTOFF + "2000000000."),
        ("P@1.5", CUTOFF + "1.5."),
        ("P@True", CUTOFF + "True."),
        ("P@'5'", CUTOFF + "'5'."),
        ("Judged@0", CUTOFF + "0."),
        ("P", "it needs the parameter 'cutoff', a whole number from 1 to 1,000,000,000."),
        ("IPrec", "it needs the parameter 'recall', a number from 0 to 1."),
        ("IPrec@1.5", "recall must be a number from 0 to 1, got 1.5."),
        ("IPrec@-0.01", "recall must be a number from 0 to 1, got -0.01."),
        ("AP(rel=0)", "rel must be a grade from 1 to 1023, got 0."),
        ("AP(rel=-1)", "rel must be a grade from 1 to 1023, got -1."),
        ("AP(judged_only=1)", "judged_only must be True or False, got 1."),
        ("AP(foo=1)", "there is no parameter 'foo'; it has: cutoff, rel, judged_only, convention."),
        ("AP(**{'rel':1})", "there is no parameter 'None'; it has: cutoff, rel, judged_only, convention."),
        ("MaxF1@10", "MaxF1 takes no number after @."),
        ("MaxF1(cutoff=10)", "there is no parameter 'cutoff'; it has: rel."),
        ("nDCG(dcg='ln')@5", "dcg must be 'log2' or 'exp-log2', got 'ln'."),
        (
            "nDCG(gains={1:-1})",
            "gains must be gains from 0 to 1023 for grades, such as {1: 1, 2: 3}, got {1: -1}.",
        ),
        (
            "nDCG(gains={1:0.5})",
            "gains must be gains from 0 to 1023 for grades, such as {1: 1, 2: 3}, got {1: 0.5}.",
        ),
        (
            "nDCG(gains={'a':1})",
            "gains must be gains from 0 to 1023 for grades, such as {1: 1, 2: 3}, got {'a': 1}.",
        ),
        ("nDCG(gains=[1])", "gains must be gains from 0 to 1023 for grades, such as {1: 1, 2: 3}, got [1]."),
        ("SetF(beta=0)", "beta must be a number from 0.01 to 100, got 0."),
        ("Compat(p=1.0)", "p must be a number between 0 and 1, got 1.0."),
        ("Bpref@10", "Bpref takes no number after @."),
        ("P(cutoff=5)@5", "cutoff is given twice."),
        ("nDCG(dcg='exp-log2',gains={1:2})@5", "it is known but cannot be computed here."),
        ("RBP", "it is known but cannot be computed here."),
        ("ERR@20", "it is known but cannot be computed here."),
        ("Accuracy", "it is known but cannot be computed here."),
        ("NumRel", "it is known but cannot be computed here."),
        ("", SHAPE),
        ("nDCG@", SHAPE),
        ("@10", SHAPE),
        ("nDCG@10@5", SHAPE),
        ("nDCG 10", SHAPE),
        ("P(rel=2", SHAPE),
        ("P(5)", SHAPE),
        ("P(rel=print())@5", SHAPE),
        ("P@{[]: 1}", SHAPE),
        ("nDCG(dcg='\\d')@5", SHAPE),
        ("AP\0", SHAPE),
        ("AP; AP", SHAPE),
        ("(" * 150, SHAPE),
        ("P@" + "-" * 190 + "1", SHAPE),
        ("a" * 10_000, SHAPE),
    ],
)
def test_a_name_that_cannot_be_used(text, problem):
    with pytest.raises(UsageError) as caught:
        measure(text)
    message = str(caught.value)
    assert message.startswith("cannot use the measure ")
    assert f": {problem} Examples: nDCG@10, AP, RR, P@10, R@100, P(rel=2)@5; `aboutness measures` lists" in message
    assert len(message) < 400


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("P.5", "P@5"),
        ("recip_rank", "RR"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("bpref", "Bpref"),
    ],
)
def test_a_name_of_trec_eval_is_told_in_ours(theirs, ours):
    with pytest.raises(UsageError, match=rf"that is trec_eval's name; here it is called {ours}\. Examples: nDCG"):
        measure(theirs)
    assert str(measure(ours)) == ours


@pytest.mark.parametrize("theirs", ["ndcg_cut", "gm_map", "num_q", "P_10_"])
def test_a_name_of_trec_eval_that_is_several_or_none_of_ours(theirs):
    with pytest.raises(UsageError, match=f"there is no measure '{theirs}'"):
        measure(theirs)


def test_refusing_gives_no_warning():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(UsageError):
            measure(r"nDCG(dcg='\d')@5")
    assert seen == []


@given(st.one_of(st.text(), st.text("nDCGAPR@(){}=,.'-0159 relcutoff")))
def test_any_text_is_a_measure_or_refused(text):
    try:
        chosen = measure(text)
    except UsageError:
        return
    assert measure(str(chosen)) == chosen


def test_lists():
    text = "nDCG(dcg='exp-log2')@10,P(rel=2,judged_only=True)@5, AP ,nDCG(gains={1:2,2:3}),MAP,"
    names = ["nDCG(dcg='exp-log2')@10", "P(rel=2,judged_only=True)@5", "AP", "nDCG(gains={1:2,2:3})"]
    assert [str(one) for one in measures(text)] == names
    assert [str(one) for one in measures([text, "P@1", measure("P@2"), "P@1"])] == [*names, "P@1", "P@2"]
    assert [str(one) for one in measures()] == list(DEFAULT_MEASURES)
    assert split_list("a),b") == ["a)", "b"]


def test_a_ready_made_measure_is_checked_too():
    with pytest.raises(UsageError, match="cutoff must be a whole number from 1 to"):
        measures([ir_measures.P @ 0])


@pytest.mark.parametrize("texts", ["", " , ", [], [""]])
def test_a_list_of_nothing(texts):
    with pytest.raises(UsageError, match="no measure is named; name some, for example nDCG@10"):
        measures(texts)


def test_a_list_with_a_bad_name():
    with pytest.raises(UsageError, match=r"cannot use the measure 'P\(rel=2,AP'"):
        measures("P(rel=2,AP")


def test_known_measures():
    known = known_measures()
    names = [one["name"] for one in known]
    assert {"nDCG", "AP", "RR", "P", "R", "Rprec", "Judged", "Success", "SetP", "Bpref", "MaxF1"} <= set(names)
    assert "AP(convention='galke2017-printed')" in names
    assert not {"MAP", "RBP", "ERR", "NumQ", "Accuracy", "alpha_nDCG"} & set(names)
    assert len(set(names)) == len(names)
    assert set(DEFAULT_MEASURES) <= {one["example"] for one in known}
    for one in known:
        assert set(one) == {"name", "about", "example"}
        assert one["about"]
        assert "\n" not in one["about"]
        assert str(measure(one["example"])) == one["example"]


def test_ir_measures_is_loaded_when_it_is_used():
    modules = [
        f"aboutness.evaluate.{name}" for name in ("measures", "evaluation", "runs", "judgements", "computing")
    ]
    code = f"import sys, {', '.join(modules)}\nprint({{'ir_measures', 'pytrec_eval'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_the_registry_of_ir_measures_is_left_alone():
    before = dict(ir_measures.measures.registry)
    assert str(measure("MaxF1")) == "MaxF1"
    assert str(measure("AP(convention='galke2017')@20")) == "AP(convention='galke2017')@20"
    assert ir_measures.measures.registry == before
    assert "MaxF1" not in before
    assert "convention" not in ir_measures.AP.SUPPORTED_PARAMS


def test_what_ir_measures_has_is_its_own():
    for name in ("AP", "nDCG@10", "RR(rel=2)"):
        assert type(measure(name)) is type(measure(name.partition("@")[0].partition("(")[0]))
        assert type(measure(name)).__module__.startswith("ir_measures")


def test_ir_measures_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(UsageError, match="evaluation needs ir_measures; install it with: pip install ir-measures"):
        measure("AP")
