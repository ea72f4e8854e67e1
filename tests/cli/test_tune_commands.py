from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from aboutness.app.index import Index
from aboutness.app.tuning import cross_validate, sweep
from aboutness.cli import tune_commands
from cli.running import environment
from experiment.small import documents, small_vectors, vectors_for, with_vectors, write_collection


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    place = write_collection(tmp_path_factory.mktemp("cli") / "small")
    with_vectors(Index.build(documents(), place / "small.index"))
    small_vectors().save(place / "small.safetensors")
    return place


def same(found):
    return json.loads(json.dumps(found))


def test_folds_as_in_python(call, small):
    ran = call(
        "tune", small, "-r", "bm25", "--grid", "k1=0.5,2", "--grid", "b=0:1:.5", "--folds", "2", "--index",
        small / "small.index", "--measure", "RR", "--measures", "AP,P@1", "--seed", "3", "-k", "4", "--match", "and",
        "--fields", "text", "--json", "--per-query",
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    wanted = cross_validate(
        "bm25", small, {"k1": [0.5, 2], "b": [0, 0.5, 1]}, "RR", "AP,P@1", folds=2, seed=3, depth=4, match="and",
        fields="text",
    )  # fmt: skip
    assert ran.json == same(wanted.to_json(per_query=True))


def test_a_split_as_in_python(call, small, write):
    write("ids.txt", "q1\nq2\n")
    for train, split in ((".5", 0.5), ("0.25", 0.25), ("ids.txt", ["q1", "q2"])):
        ran = call(
            "tune", small, "-r", "bm25-desm", "--grid", "alpha=0:1:.25", "--train", train, "--json",
            "--vectors", small / "small.safetensors", "--analyzer", "plain", "--cache", "kept",
        )  # fmt: skip
        assert (ran.code, ran.err) == (0, "")
        wanted = sweep(
            "bm25-desm", small, "alpha=0:1:.25", split=split, vectors=small / "small.safetensors", analyzer="plain"
        )
        assert ran.json == same(wanted.to_json())


def test_folds_in_words(call, small):
    ran = call("tune", small, "-r", "ql", "--grid", "mu=1,100", "--folds", "2", "--measures", "P@1", "--per-query")
    assert (ran.code, ran.err) == (0, "")
    found = cross_validate("ql", small, "mu=1,100", "AP", "P@1", folds=2)
    title, queries, folds, means, sentence = ran.out.split("\n\n")
    assert title == "small: ql, 2 settings, chosen by AP"
    assert len(queries.splitlines()) == 1 + 5
    assert folds.splitlines()[0].split() == ["fold", "queries", "chosen", "AP", "P@1"]
    assert [line.split()[:4] for line in folds.splitlines()[1:]] == [
        [str(n), "2", str(fold.setting), f"{fold.mean['AP']:.4f}"] for n, fold in enumerate(found.folds, 1)
    ]
    tuned, given, difference, p = (line.split() for line in means.splitlines()[1:])
    assert tuned == ["tuned", *(f"{found.evaluation.mean[name]:.4f}" for name in ("AP", "P@1"))]
    assert given == ["as", "given", *(f"{found.untuned.mean[name]:.4f}" for name in ("AP", "P@1"))]
    assert difference == [
        "difference",
        *(f"{found.untuned.tests[name].difference:+.4f}" for name in ("AP", "P@1")),
    ]
    assert p == ["p", "(Fisher)", *(f"{found.untuned.tests[name].p_value:.2g}" for name in ("AP", "P@1"))]
    assert sentence == f"{found}\n"


def test_a_curve_in_words(call, small, tmp_path):
    ran = call(
        "tune", small, "-r", "bm25 + ql", "--grid", "ql.weight=0:1:.1", "--train", ".5", "-o", "out",
        "--index", small / "small.index",
    )  # fmt: skip
    found = sweep("bm25 + ql", small, "ql.weight=0:1:.1")
    title, curve, means, *rest = ran.out.split("\n\n")
    assert title == "small: bm25 + ql, 11 settings, chosen by AP"
    assert [line.split()[:3] for line in curve.splitlines()[1:]] == [
        [f"ql.weight={n / 10:g}", f"{one.train['AP']:.4f}", f"{one.test['AP']:.4f}"]
        for n, one in enumerate(found.settings)
    ]
    assert means.splitlines()[1].split()[1] == f"{found.evaluation.mean['AP']:.4f}"
    assert rest == [str(found), "3 files are in out\n"]
    written = [path.relative_to(tmp_path) for path in (tmp_path / "out").rglob("*.*")]
    assert sorted(map(str, written)) == ["out/results.json", "out/runs/01-bm25-ql-tuned.trec", "out/settings.csv"]


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["-r", "bm25"], 2, "Missing option '--grid'"),
        (["--grid", "k1=1"], 2, "Missing option '-r'"),
        (["-r", "bm25", "--grid", "k1"], 2, "aboutness: a grid must give values for parameters, such as"),
        (["-r", "bm25", "--grid", "k1="], 2, "bm25: k1 must be a number at least 0"),
        (["-r", "bm25", "--grid", "mu=1"], 2, "bm25 has no parameter 'mu'. It has: layer, fields, k1, b"),
        (["-r", "bm25", "--grid", "b=2"], 2, "bm25: b must be a number at least 0 and at most 1, got '2'"),
        (["-r", "bm25", "--grid", "b=0:1"], 2, "a range is written start:stop:step"),
        (["-r", "nope", "--grid", "b=0"], 2, "unknown ranker 'nope'"),
        (["-r", "bm25", "--grid", "b=0"], 2, "the number of folds of 4 queries must be a whole number from 2 to 4, got 5"),
        (["-r", "bm25", "--grid", "b=0", "--folds", "0"], 2, "number of folds of 4 queries .*, got 0"),
        (["-r", "bm25", "--grid", "b=0", "--folds", "2", "--train", ".5"], 2, "--folds cross-validates and --train"),
        (["-r", "bm25", "--grid", "b=0", "--train", "1"], 2, "others to report on, got 4 and 0 of 4"),
        (["-r", "bm25", "--grid", "b=0", "--train", "nope.txt"], 4, "nope.txt: no such file"),
        (["-r", "bm25", "--grid", "b=0", "--folds", "2", "--cache", "file"], 6, "cannot make the folder file"),
        (["-r", "bm25", "--grid", "b=0", "--folds", "2", "-o", "file"], 6, "cannot make the folder file"),
        (["-r", "bm25", "--grid", "b=0", "--index", "x", "--analyzer", "plain"], 2, "--index or --analyzer, not both"),
        (["-r", "bm25", "--grid", "b=0", "--index", "x", "--vectors", "x"], 2, "--index or --vectors, not both"),
        (["-r", "bm25", "--grid", "b=0", "--index", "x"], 4, "x"),
        (["-r", "bm25", "--grid", "b=0", "--measure", "AP,RR"], 2, "settings are chosen by one measure, got 2"),
    ],
)  # fmt: skip
def test_refusals(call, write, small, options, code, told):
    write("file", "")
    ran = call("tune", small, *options)
    assert (ran.code, ran.out) == (code, "")
    words = " ".join(ran.err.replace("│", " ").split())
    assert all(part in words for part in told.split(" .*"))


def test_a_collection_that_is_not_there(call, tmp_path):
    ran = call("tune", tmp_path / "nowhere", "-r", "bm25", "--grid", "b=0")
    assert ran.code == 4
    assert "there is no such folder" in ran.err


def test_vectors_that_do_not_fit_are_told(call, small, tmp_path):
    vectors_for(["harbour", "mountain"]).save(tmp_path / "odd.safetensors")
    options = ["-r", "bm25-desm", "--grid", "alpha=0,1", "--folds", "2", "--vectors", "odd.safetensors"]
    ran = call("tune", small, *options)
    assert ran.code == 0
    assert ran.err == f"{call('tune', small, *options, '--json').json['note']}\n"


def test_off_a_terminal_a_line_now_and_then(call, small, monkeypatch):
    clock = iter(range(0, 10_000, 16))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    ran = call("tune", small, "-r", "ql", "--grid", "mu=1,2", "--folds", "2", "--index", small / "small.index")
    assert ran.code == 0
    assert ran.err.splitlines() == [f"{n} of 2 settings are measured" for n in (1, 2, 2)]


def test_on_a_terminal_which_setting_of_how_many():
    told = []
    tell = tune_commands._counted(lambda *news: told.append(news), 2)
    for news in [("ql[mu=1]", 64, 70), ("ql[mu=1]", 70, 70), ("ql[mu=2]", 70, 70), ("ql", 70, 70)]:
        tell(*news)
    assert told == [
        ("1 of 2: ql[mu=1]", 64, 70), ("1 of 2: ql[mu=1]", 70, 70), ("2 of 2: ql[mu=2], about 0:00 left", 70, 70),
        ("ql", 70, 70),
    ]  # fmt: skip


def test_ctrl_c_keeps_what_is_measured(small, tmp_path, call):
    options = [
        "tune", small, "-r", "bm25", "--grid", "k1=0:30:.01", "--folds", "2", "--index", small / "small.index",
        "--cache", "kept", "--measures", "AP",
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "aboutness", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment(),
        start_new_session=True,
    )  # fmt: skip
    try:
        start = time.monotonic()
        while len(list(tmp_path.glob("kept/*.json"))) < 3:
            assert time.monotonic() - start < 60
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == "aboutness: interrupted; what is measured is kept in kept: the same again goes on from there\n"
    kept = sorted((tmp_path / "kept").iterdir())
    assert all(path.suffix in (".json", ".txt") for path in kept)
    assert all("seal" in json.loads(path.read_text()) for path in kept if path.suffix == ".json")
    before = {path: path.stat().st_mtime_ns for path in kept if path.suffix == ".json"}
    options[5] = "k1=0:.02:.01"
    ran = call(*options, "--json")
    assert ran.code == 0
    assert {path: path.stat().st_mtime_ns for path in before} == before  # nothing was measured again
    wanted = cross_validate("bm25", small, "k1=0:.02:.01", folds=2, measures="AP")
    assert ran.json == same(wanted.to_json())
