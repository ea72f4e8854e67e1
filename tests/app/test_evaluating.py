from __future__ import annotations

import json

import pytest

import aboutness as ab
from aboutness.app.evaluating import evaluate_run, evaluate_runs, is_of_all, pairs_of_runs
from aboutness.core.errors import BadRecord, UsageError

QRELS = "".join(f"q{q} 0 d{d} {(q * d) % 3}\n" for q in range(1, 13) for d in range(1, 9))


@pytest.fixture
def files(tmp_path):
    """Write judgements and three runs that order the same documents differently."""
    (tmp_path / "qrels").write_text(QRELS)
    runs = []
    for number, step in enumerate((1, 3, 5)):
        lines = (f"q{q} Q0 d{d} 1 {(d * step + q) % 11} t\n" for q in range(1, 12) for d in range(1, 11))
        (tmp_path / f"r{number}").write_text("".join(lines))
        runs.append(tmp_path / f"r{number}")
    return tmp_path / "qrels", runs


def test_files_or_mappings(files):
    qrels, runs = files
    by_file = evaluate_run(qrels, runs[0], "AP,MaxF1")
    assert by_file == ab.evaluate_run(ab.read_judgements(qrels), ab.read_run(runs[0]), ["AP", "MaxF1"])
    assert by_file == evaluate_runs(qrels, runs[:1], "AP,MaxF1")[0].evaluation
    assert by_file.unanswered == ("q12",)
    conventional = evaluate_run(qrels, runs[0], "AP", convention="galke2017").mean
    assert list(conventional) == ["AP(convention='galke2017')@20"]
    with pytest.raises(BadRecord, match=r"bad:1: a line of a run has 6 columns"):
        (qrels.parent / "bad").write_text("q d\n")
        evaluate_run(qrels, qrels.parent / "bad")


def test_p_is_corrected_for_the_number_of_runs(files):
    qrels, runs = files
    first, *others = evaluate_runs(qrels, runs, "AP,RR", test="t", correction="bonferroni")
    assert (first.tests, first.adjusted) == ({}, {})
    for one in others:
        for name, result in one.tests["t"].items():
            wanted = ab.paired_t(
                *({q: row[name] for q, row in e.evaluation.per_query.items()} for e in (one, first))
            )
            assert result == wanted
            assert one.adjusted[name] == pytest.approx(min(1.0, 2 * wanted.p_value))
        assert one.to_json()["t"]["AP"]["adjusted"] == one.adjusted["AP"]
        assert one.to_json()["deviation"] == one.evaluation.deviation


def test_intervals_of_means_and_differences(files):
    qrels, runs = files
    first, other, _ = evaluate_runs(qrels, runs, "AP", test="fisher", interval=True)
    values = [[row["AP"] for row in one.evaluation.per_query.values()] for one in (first, other)]
    assert first.intervals == {"AP": ab.bootstrap(values[0])}
    assert other.differences == {"AP": ab.bootstrap(values[1], values[0])}
    assert first.differences == {}
    plain = json.loads(json.dumps(other.to_json(), allow_nan=False))
    assert plain["intervals"]["AP"]["low"] < plain["AP"] < plain["intervals"]["AP"]["high"]
    assert plain["differences"]["AP"]["mean"] == pytest.approx(plain["fisher"]["AP"]["difference"])


def test_all_pairs_of_runs(files):
    qrels, runs = files
    found = evaluate_runs(qrels, runs, "AP,RR")
    tested = pairs_of_runs(found, "wilcoxon", "bonferroni")
    assert list(tested) == ["AP", "RR"]
    for name, pairs in tested.items():
        assert pairs.names == tuple(map(str, runs))
        assert (pairs.measure, pairs.test, pairs.correction, pairs.n) == (name, "wilcoxon", "bonferroni", 12)
        means = [one.evaluation.mean[name] for one in found]
        assert pairs.differences[0, 2] == pytest.approx(means[0] - means[2])


def test_what_cannot_be_tested(files):
    qrels, runs = files
    found = evaluate_runs(qrels, runs, "AP")
    with pytest.raises(UsageError, match="name at least two, got 1"):
        pairs_of_runs(found[:1])
    with pytest.raises(UsageError, match="a run is named twice"):
        pairs_of_runs([found[0], found[0]])
    with pytest.raises(UsageError, match="unknown correction 'nope'"):
        evaluate_runs(qrels, runs, "AP", test="t", correction="nope")
    with pytest.raises(UsageError, match="unknown test 'nope'"):
        is_of_all("nope")
    assert [name for name in ("fisher", "t", "nemenyi", "dunn", "dunn-one-sided") if is_of_all(name)] == [
        "nemenyi", "dunn", "dunn-one-sided",
    ]  # fmt: skip
