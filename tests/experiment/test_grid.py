"""Grids: the rankers that they make, by name and by place, and the texts in which they are written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.experiment.grid import places_in, settings_of, shown_setting
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers


def made(text, grid):
    return [(str(one), parameters) for one, parameters in settings_of(ranker(text), grid).items()]


def test_the_last_parameter_varies_fastest():
    assert made("bm25[variant=atire]", {"b": [0.1, 0.2], "k1": (1, 2)}) == [
        (f"bm25[k1={k1},b={b},variant=atire]", {"b": b, "k1": float(k1)}) for b in (0.1, 0.2) for k1 in (1, 2)
    ]


def test_values_are_kept_as_the_parameter_keeps_them():
    ((_, first), (_, second)) = made("bm25", {"k1": np.array([1, 2]), "b": np.array([0.5], np.float32)})
    assert (first, second) == ({"k1": 1.0, "b": 0.5}, {"k1": 2.0, "b": 0.5})
    assert {type(value) for value in (*first.values(), *second.values())} == {float}
    assert made("bm25", {"k1": range(1, 3)}) == made("bm25", {"k1": [1, 2]})
    assert made("bm25", {"fields": ["title", "3*title+text"]})[1][0] == "bm25[fields=3*title+text]"


def test_the_same_setting_is_tried_once():
    assert made("bm25", {"k1": [1, 2, 1.0]}) == made("bm25", {"k1": [1, 2]})


@pytest.mark.parametrize(
    ("text", "grid", "texts"),
    [
        ("bm25-desm", {"alpha": [0, 0.5]}, ["bm25-desm[alpha=0]", "bm25-desm[alpha=0.5]"]),
        ("bm25 % 9 >> bm25 + 2*ql", {"b": [0]}, ["bm25[b=0] % 9 >> bm25[b=0] + 2*ql"]),
        ("3*(bm25 % 9) + ql", {"k1": [3], "mu": [5]}, ["3*(bm25[k1=3] % 9) + ql[mu=5]"]),
        ("iwcs-wmd + bm25", {"k": [3, 4]}, ["iwcs-wmd[k=3] + bm25", "iwcs-wmd[k=4] + bm25"]),
    ],
)
def test_parameters_of_pipelines_and_of_parts(text, grid, texts):
    assert [one for one, _ in made(text, grid)] == texts


# --- names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "made_so"),
    [
        ("bm25 % 9 >> bm25 + ql", "bm25.b", "bm25[b=0.5] % 9 >> bm25[b=0.5] + ql"),
        ("bm25 % 9 >> bm25 + ql", "bm25.1.b", "bm25[b=0.5] % 9 >> bm25 + ql"),
        ("bm25 % 9 >> bm25 + ql", "bm25.2.b", "bm25 % 9 >> bm25[b=0.5] + ql"),
        ("bm25 + bm25-cosine", "bm25.k1", "bm25[k1=0.5] + bm25-cosine"),
        ("bm25 + bm25-cosine", "k1", "bm25[k1=0.5] + bm25-cosine[k1=0.5]"),
        ("bm25 + bm25-desm", "bm25-desm.k1", "bm25 + bm25-desm[k1=0.5]"),
        ("bm25 + ql", "weight.1", "0.5*bm25 + ql"),
        ("bm25 + ql", "weight.2", "bm25 + 0.5*ql"),
        ("rrf(bm25, ql)", "ql.weight", "rrf(bm25, 0.5*ql)"),
        ("bm25 + ql", "bm25.weight", "0.5*bm25 + ql"),
        ("bm25 + 3*ql", "weight", "bm25 + 0.5*ql"),
        ("bm25 + 3*ql", "weight.1", "0.5*bm25 + 3*ql"),
        ("bm25 + 3*ql", "ql.weight", "bm25 + 0.5*ql"),
        ("bm25 + ql % 5", "ql.weight", "bm25 + 0.5*(ql % 5)"),
        ("bm25 + 2*(ql % 5)", "ql.weight", "bm25 + 0.5*(ql % 5)"),
        ("bm25 + 2*(ql + tfidf)", "weight.2", "bm25 + 0.5*(ql + tfidf)"),
        ("bm25 + 2*(ql + tfidf)", "weight.4", "bm25 + 2*(ql + 0.5*tfidf)"),
        ("bm25 + (ql % 5 >> tfidf)", "weight.2", "bm25 + 0.5*(ql % 5 >> tfidf)"),
        ("bm25 % 5 >> 3*ql + bm25", "bm25.weight", "bm25 % 5 >> 3*ql + 0.5*bm25"),
        ("bm25 + bm25", "bm25.weight", "0.5*bm25 + 0.5*bm25"),
        ("bm25 + bm25", "bm25.2.weight", "bm25 + 0.5*bm25"),
        ("2*bm25", "weight", "0.5*bm25"),
        ("rrf(bm25, 2*ql)", "weight", "rrf(bm25, 0.5*ql)"),
        ("rrf(bm25, ql)", "ql.b", None),
        ("rrf(bm25, ql[mu=4]) + ql", "ql.1.mu", "rrf(bm25, ql[mu=0.5]) + ql"),
        ("rrf(bm25, ql) + tfidf", "rrf.weight", "0.5*rrf(bm25, ql) + tfidf"),
    ],
)  # fmt: skip
def test_one_of_several(text, name, made_so):
    if made_so is None:
        with pytest.raises(UsageError, match="has no parameter"):
            settings_of(ranker(text), {name: [0.5]})
        return
    (((one, parameters)),) = settings_of(ranker(text), {name: [0.5]}).items()
    assert str(one) == made_so
    assert ranker(str(one)) == one
    assert parameters == {name: 0.5}


def test_parameters_of_what_combines_rankers():
    assert [one for one, _ in made("rrf(bm25, ql)", {"k": [1, 2], "mu": [7]})] == [
        "rrf[k=1](bm25, ql[mu=7])", "rrf[k=2](bm25, ql[mu=7])",
    ]  # fmt: skip


def test_a_weight_that_a_ranker_declares_is_meant_before_that_of_a_mixture():
    text = next(f"{name}(bm25)" for name, kind in known_rankers(combinations=True).items()
                if "weight" in {one.name for one in kind.declared()})  # fmt: skip
    name = text.partition("(")[0]
    ((one, _),) = made(f"{text} + ql", {f"{name}.weight": [0.125], "weight.1": [0.5]})
    assert one == f"0.5*{name}[weight=0.125](bm25) + ql"


def test_every_declared_parameter_of_every_ranker_can_be_tuned():
    for name, kind in known_rankers(combinations=True).items():
        inner = f"({', '.join(['bm25', 'ql'][: kind.least])})" if hasattr(kind, "least") else ""
        one = ranker(f"{name}{inner}")
        for declared in kind.declared():
            value = getattr(one, declared.name)
            assert list(settings_of(one, {f"{name}.{declared.name}": [value]})) == [one]
            (here,) = [place for place in places_in(one) if f"{name}.1.{declared.name}" in place.names]
            assert here.kind == declared.kind


# --- texts ---------------------------------------------------------------------------------------------


def test_ranges_are_exact_and_both_ends_are_in():
    found = [parameters["alpha"] for _, parameters in made("bm25-desm", "alpha=0:1:.01")]
    assert found == [float(f"{n // 100}.{n % 100:02}") for n in range(101)]
    assert [one for one, _ in made("bm25-desm", "alpha=0:1:.01")][29:31] == [
        "bm25-desm[alpha=0.29]", "bm25-desm[alpha=0.3]",
    ]  # fmt: skip
    assert [value["b"] for _, value in made("bm25", "b=.1:.95:.4")] == [0.1, 0.5, 0.9]
    assert [value["k1"] for _, value in made("bm25", "k1= 2 , 0:1:0.5,7e-1:0.7:1")] == [2, 0, 0.5, 1, 0.7]
    found = made("iwcs-wmd", "k=10:30:10.0")
    assert [(value["k"], type(value["k"])) for _, value in found] == [(10, int), (20, int), (30, int)]


@given(st.integers(0, 50), st.integers(1, 30), st.integers(0, 60), st.integers(0, 3))
def test_a_range_is_all_decimals_between(start, step, more, places):
    def text(whole):
        return f"{whole / 10**places:.{places}f}"

    grid = f"k1={text(start)}:{text(start + more)}:{text(step)}"
    wanted = [float(text(whole)) for whole in range(start, start + more + 1, step)]
    assert [value["k1"] for _, value in made("bm25", grid)] == wanted


def test_texts_and_lists_are_the_same():
    wanted = made("bm25", {"variant": ["lucene", "atire"], "k1": [1, 2]})
    assert made("bm25", ["variant=lucene, atire", "k1=1,2"]) == wanted
    assert made("bm25", {"variant": "lucene,atire", "k1": "1:2:1"}) == wanted
    assert made("bm25", iter(["variant=lucene,atire", "k1=1,2"])) == wanted
    assert made("bm25", "fields=title,3*title+text") == made("bm25", {"fields": ["title", "3*title+text"]})
    assert made("wcs", "vectors=a:b:c") == made("wcs", {"vectors": ["a:b:c"]})  # a name, no range


def test_a_setting_in_one_line():
    assert shown_setting({"k1": 0.1 + 0.2, "bm25.b": 0.125, "k": 3}) == "k1=0.3,bm25.b=0.125,k=3"
    assert (
        shown_setting({"fields": (("title", 3.0), ("text", None)), "layer": None})
        == "fields=3*title+text,layer=None"
    )


# --- what is no grid ---


@pytest.mark.parametrize(
    ("text", "grid", "told"),
    [
        ("bm25", {"lam": [0.1]}, "bm25 has no parameter 'lam'. It has: layer, fields, k1, b, variant"),
        ("bm25 + ql", {"alpha": [0.1]}, r"bm25 \+ ql has no parameter 'alpha'. It has: .*k1, .*mu"),
        ("bm25-desm", {"mu": [0.1]}, "bm25-desm has no parameter 'mu'. It has: .*alpha"),
        ("bm25", {0: [0.1]}, "bm25 has no parameter 0"),
        ("bm25", {"k1": [1, -1]}, "bm25: k1 must be a number at least 0.*, got -1"),
        ("bm25", {"k1": ["1"]}, "bm25: k1 must be a number at least 0.*, got '1'"),
        ("bm25", {"k1": []}, r"bm25: k1 must have a list of values to try, got \[\]"),
        ("bm25", {"k1": 1.2}, "bm25: k1 must have a list of values to try, got 1.2"),
        ("bm25", {"variant": "nope"}, "bm25: variant must be one of .*, got 'nope'"),
        ("bm25", "k1=", "bm25: k1 must be a number at least 0.*, got ''"),
        ("bm25", "k1", "a grid must give values for parameters, .*, got 'k1'"),
        ("bm25", "=1", "a grid must give values for parameters"),
        ("bm25", [], r"a grid must give values for parameters, .*, got \[\]"),
        ("bm25", [5], "a grid must give values for parameters, .*, got 5"),
        ("bm25", 5, "a grid must give values for parameters, .*, got 5"),
        ("bm25", None, "a grid must give values for parameters, .*, got None"),
        ("bm25", ["k1=1", " k1 =2"], "the parameter 'k1' stands twice in the grid"),
        ("bm25", ["k1=1,x"], "bm25: k1 must be a number at least 0.*, got 'x'"),
        ("bm25-desm", "alpha=0:2:.5", "bm25-desm: alpha must be a number at least 0 and at most 1, got '1.5'"),
        ("bm25", "k1=0:1", "bm25: k1: a range is written start:stop:step, such as 0:1:.01, got '0:1'"),
        ("bm25", "k1=1:0:.1", "a range is written start:stop:step"),
        ("bm25", "k1=0:1:0", "a range is written start:stop:step"),
        ("bm25", "k1=0:1:-1", "a range is written start:stop:step"),
        ("bm25", "k1=0:inf:1", "a range is written start:stop:step"),
        ("bm25", "k1=0:nan:1", "a range is written start:stop:step"),
        ("bm25", "k1=a:b:c", "a range is written start:stop:step"),
        ("bm25", "k1=0:1e9:1", "bm25: k1: a range may have at most 10,000 values, got '0:1e9:1'"),
        ("bm25", "k1=0:1e999999:1e-999999", "a range"),
        ("bm25", ["k1=0:1:.01", "b=0:1:.01"], "a grid may have at most 10,000 settings, got 10,201"),
        ("iwcs-wmd", "k=1:2:.5", "iwcs-wmd: k must be a whole number .*, got '1.5'"),
        ("bm25 + ql", {"tfidf.k1": [1]}, "has no parameter 'tfidf.k1'"),
        ("bm25 + ql", {"bm25.2.k1": [1]}, "has no parameter 'bm25.2.k1'"),
        (
            "bm25 + ql",
            {"weight": [1]},
            r"has no parameter 'weight'. It has: .*weight.1, weight.2; .* such as bm25\.layer",
        ),
        ("bm25 + ql", {"weight.3": [1]}, "has no parameter 'weight.3'"),
        ("bm25 + ql", {"ql.weight": [-1]}, "ql.weight must be a number at least 0.*, got -1"),
        ("bm25 + ql", {"ql.weight": [1], "weight.2": [2]}, "ql.weight and weight.2 stand for the same parameter"),
        ("bm25", {"k1": [1], "bm25.k1": [2]}, "k1 and bm25.k1 stand for the same parameter: leave out one"),
        ("bm25", {"k1": iter([1])}, "bm25: k1 must have a list of values to try"),
        ("bm25", {}, r"a grid must give values for parameters, such as .*, got \{\}"),
        ("bm25", ["k1"], "a grid must give values for parameters"),
    ],
)
def test_grids_that_are_none(text, grid, told):
    with pytest.raises(UsageError, match=told):
        settings_of(ranker(text), grid)
