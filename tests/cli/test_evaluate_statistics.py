from __future__ import annotations

import json

import pytest

import aboutness as ab


@pytest.fixture
def runs(write):
    """Write judgements and three runs; two of them rank the same documents in other orders."""
    write(
        "qrels",
        "".join(f"q{q} 0 d{d} {(q * d) % 3}\n" for q in range(1, 13) for d in range(1, 9)) + "zero 0 d1 0\n",
    )
    for name, step in (("a", 1), ("b", 3), ("c", 5)):
        lines = (f"q{q} Q0 d{d} 1 {(d * step + q) % 11} t\n" for q in range(1, 12) for d in range(1, 11))
        write(name, "".join(lines) + "new Q0 d1 1 1 t\n")
    return ["evaluate", "qrels", "a", "b", "c"]


def values(name):
    judged = ab.read_judgements("qrels")
    return {
        run: {q: row[name] for q, row in ab.evaluate_run(judged, run, name).per_query.items()} for run in "abc"
    }


def test_queries_that_are_special_are_told(call, runs):
    ran = call(*runs[:3], "--measures", "AP")
    assert ran.err == (
        "a: 2 judged queries have no ranking: they count 0\n"
        "a: 1 ranked query has no judgement: it is left out\n"
        "a: 5 judged queries have no relevant document\n"
    )
    row = call(*runs[:3], "--measures", "AP", "--json").json["rows"][0]
    assert [row[key] for key in ("queries", "unanswered", "unjudged", "without_relevant")] == [13, 2, 1, 5]


def test_deviations_stand_beside_means(call, runs):
    found = ab.evaluate_run("qrels", "a", "AP,MaxF1")
    ran = call(*runs[:3], "--measures", "AP,MaxF1", "--deviation")
    head, row = ran.out.splitlines()
    assert head.split() == ["run", "queries", "AP", "MaxF1"]
    assert row.split() == [
        "a", "13",
        *(word for name in found.mean for word in (f"{found.mean[name]:.4f}", f"({found.deviation[name]:.4f})")),
    ]  # fmt: skip


def test_measures_of_our_own(call, runs):
    asked = "IPrec@0.003,MaxF1,AP(convention='galke2017-printed')@20"
    row = call(*runs[:3], "--measures", asked, "--json").json["rows"][0]
    mean = ab.evaluate_run("qrels", "a", asked).mean
    assert {name: row[name] for name in mean} == mean


def test_a_convention(call, runs):
    ran = call(*runs[:3], "--convention", "galke2017", "--json")
    names = [f"{name}(convention='galke2017')@20" for name in ("AP", "RR", "nDCG")]
    assert list(ran.json["rows"][0])[5:-1] == names
    ran = call(*runs[:3], "--convention", "galke2017-printed", "--measures", "MAP@5,P@5", "--json")
    assert list(ran.json["rows"][0])[5:-1] == ["AP(convention='galke2017-printed')@5", "P@5"]
    ran = call(*runs[:3], "--convention", "galke")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "aboutness: unknown convention 'galke'. Known: trec_eval, galke2017, galke2017-printed\n"
    assert call(*runs[:3], "--measures", "").code == 2


@pytest.mark.parametrize("test", ["fisher", "t", "wilcoxon", "sign"])
def test_all_tests_against_the_first(call, runs, test):
    ran = call(*runs, "--measures", "AP", "--test", test, "--json")
    first, *others = ran.json["rows"]
    assert test not in first
    judged = values("AP")
    tests = {"fisher": ab.fisher, "t": ab.paired_t, "wilcoxon": ab.wilcoxon, "sign": ab.sign_test}
    p_values = [tests[test](judged[run], judged["a"]).p_value for run in "bc"]
    assert [row[test]["AP"]["p_value"] for row in others] == p_values
    assert [row[test]["AP"]["adjusted"] for row in others] == ab.adjusted(p_values).tolist()
    others = call(*runs, "--measures", "AP", "--test", test, "--correction", "bonferroni", "--json").json["rows"][
        1:
    ]
    assert [row[test]["AP"]["adjusted"] for row in others] == ab.adjusted(p_values, "bonferroni").tolist()
    shown = call(*runs, "--measures", "AP", "--test", test, "--correction", "none").out
    assert f"against a ({test}):" in shown
    assert "p (holm)" not in shown
    assert "paired" in shown.splitlines()[-1]


@pytest.mark.parametrize("test", [None, "t", "nemenyi", "dunn", "dunn-one-sided"])
def test_all_pairs(call, runs, test):
    asked = ["--pairs"] if test is None else ["--test", test, *(["--pairs"] if test == "t" else [])]
    ran = call(*runs, "--measures", "AP,RR", *asked, "--json")
    assert (ran.code, ran.err) == (0, "")
    wanted = {name: ab.all_pairs(values(name), measure=name, test=test or "fisher") for name in ("AP", "RR")}
    assert ran.json["pairs"] == {name: json.loads(json.dumps(one.to_json())) for name, one in wanted.items()}
    out = call(*runs, "--measures", "AP,RR", *asked).out
    assert out.count("each against each") == 2
    assert out.endswith(f"\n{wanted['AP'].why}\n")
    for row in wanted["AP"].rows():
        assert f"{row['ranker']}    {row['other']}      {row['difference']:+.4f}" in out
    assert ("all together: chi-squared" in out) == (test in ("nemenyi", "dunn", "dunn-one-sided"))
    assert ("mean ranks must differ by" in out) == (test == "nemenyi")
    assert ("as R's dunn.test has them" in out) == (test == "dunn-one-sided")


def test_corrections(call, runs):
    for correction in ("holm", "bonferroni", "none"):
        found = call(*runs, "--measures", "AP", "--pairs", "--correction", correction, "--json").json["pairs"][
            "AP"
        ]
        upper = [found["p_values"][i][j] for i, j in ((0, 1), (0, 2), (1, 2))]
        assert [found["adjusted"][i][j] for i, j in ((0, 1), (0, 2), (1, 2))] == ab.adjusted(
            upper, correction
        ).tolist()
        assert found["correction"] == correction


def test_intervals(call, runs):
    ran = call(*runs, "--measures", "AP", "--interval", "--test", "t", "--json")
    judged = values("AP")
    assert ran.json["rows"][1]["intervals"]["AP"] == ab.bootstrap(judged["b"]).to_json()
    assert ran.json["rows"][1]["differences"]["AP"] == ab.bootstrap(judged["b"], judged["a"]).to_json()
    out = call(*runs, "--measures", "AP", "--interval", "--test", "t").out
    interval = ab.bootstrap(judged["b"], judged["a"])
    assert "95 % intervals of the means (bootstrap):" in out
    assert f"{interval.low:+.4f}" in out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--correction", "holm"], "--correction is for tests: give --test or --pairs, too"),
        (["--pairs", "--correction", "home"], "unknown correction 'home'; did you mean 'holm'?"),
        (["--pairs", "--test", "dun"], "unknown test 'dun'; did you mean 'dunn'?"),
        (["--test", "nope"], "unknown test 'nope'"),
    ],
)
def test_what_cannot_be_asked(call, runs, options, told):
    ran = call(*runs, *options)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


def test_pairs_want_two_different_runs(call, runs):
    ran = call(*runs[:3], "--pairs")
    assert (ran.code, ran.err) == (
        2,
        "aboutness: a test compares runs with each other: name at least two, got 1\n",
    )
    ran = call(*runs[:3], "a", "--test", "dunn")
    assert (ran.code, ran.err) == (2, "aboutness: a run is named twice; to test all pairs, name each once\n")


def test_the_list_of_measures(call):
    out = call("measures").out
    for name in ("MaxF1", "IPrec", "AP(convention='galke2017-printed')", "nDCG(convention='galke2017')@20"):
        assert name in out
