from __future__ import annotations

import gzip
from dataclasses import astuple

import numpy as np
import pytest

from aboutness.core.errors import BadInput, NotFound
from aboutness.evaluate import places_in_file as module
from aboutness.evaluate.places import places
from aboutness.evaluate.places_in_file import places_in_file
from aboutness.evaluate.run_lines import read_scores
from aboutness.evaluate.runs import write_run


def drawn(seed: int, *, queries: int = 30, documents: int = 300, judged: int = 8, distinct: int = 10_000):
    """Return judgements and a run; few distinct scores make many ties."""
    chance = np.random.default_rng(seed)
    qrels, run = {}, {}
    for number in range(queries):
        query = f"{number}"  # one begins as another does
        some = chance.choice(documents + 50, judged, replace=False)
        qrels[query] = {f"{one}": int(chance.integers(-1, 3)) for one in some}
        depth = int(chance.integers(0, documents))
        scores = np.sort(chance.integers(0, distinct, depth))[::-1] / 7
        if depth:
            ids = chance.choice(documents, depth, replace=False)
            run[query] = [(f"{one}", float(score)) for one, score in zip(ids, scores, strict=True)]
    run["unjudged"] = [("1", 2.0), ("2", 1.0)]
    qrels["unanswered"] = {"1": 1}
    return qrels, run


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(astuple(one), astuple(other), strict=True))


@pytest.mark.parametrize("distinct", [5, 300, 10_000])
@pytest.mark.parametrize("judged", [1, 8, 40])
def test_the_same_places(tmp_path, monkeypatch, judged, distinct):
    monkeypatch.setattr(module, "read_scores", None)  # that is: nothing is read as any run
    monkeypatch.setattr(module, "STEP", 200)
    for seed in range(3):
        qrels, run = drawn(seed, judged=judged, distinct=distinct)
        write_run(tmp_path / "run", run, "tag")
        assert same(places_in_file(qrels, tmp_path / "run"), places(qrels, read_scores(tmp_path / "run")))


@pytest.mark.parametrize("name", ["run.trec.gz", "run"])
def test_ids_of_any_kind(tmp_path, name):
    run = {"Q0": [("Q0", 3.0), ("é", 2.0), ("d", 1.5)], "q": [("1", 2.0), ("11", 1.0)], "q1": [("d\u202e", 1.0)]}
    qrels = {"Q0": {"Q0": 1, "é": 1, "0": 1}, "q": {"1": 1, "11": 2}, "q1": {"d\u202e": 1}, "1": {"1": 1}}
    write_run(tmp_path / name, run, "Q0")
    assert same(places_in_file(qrels, tmp_path / name), places(qrels, run))


def test_blanks_that_are_not_of_ascii_are_part_of_ids(tmp_path):
    lines = ["q Q0 a\u00a0x 1 2.0 \u3000", "q Q0 b\u00a0y 2 2.0 \u3000"]  # for str.split, of six words, too
    (tmp_path / "run").write_text("\n".join([*lines, ""]), "utf-8")
    qrels = {"q": {"a\u00a0x": 2, "b\u00a0y": 1, "a": 3}}
    expected = places(qrels, {"q": {"a\u00a0x": 2.0, "b\u00a0y": 2.0}})
    assert same(places_in_file(qrels, tmp_path / "run"), expected)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b" ", b"\t"),
        lambda text: text.replace(b" Q0 ", b"  Q0 "),
        lambda text: b"".join(reversed(text.splitlines(True))),
        lambda text: b"".join(sorted(text.splitlines(True), key=lambda line: line.split()[2])),
        lambda text: text.rstrip(b"\n"),
        lambda text: text.replace(b" Q0 ", b" 0 "),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda _: b"",
    ],
)
def test_files_of_another_form_are_read_as_any_run(tmp_path, change):
    qrels, run = drawn(1)
    write_run(tmp_path / "run", run, "tag")
    (tmp_path / "run").write_bytes(change((tmp_path / "run").read_bytes()))
    assert same(places_in_file(qrels, tmp_path / "run"), places(qrels, read_scores(tmp_path / "run")))


def test_a_large_file_is_read_as_any_run(tmp_path, monkeypatch):
    qrels, run = drawn(2)
    write_run(tmp_path / "run", run, "tag")
    monkeypatch.setattr(module, "MOST", 100)
    assert same(places_in_file(qrels, tmp_path / "run"), places(qrels, run))


def test_a_damaged_file_says_where(tmp_path):
    (tmp_path / "run").write_text("q Q0 d 1 x tag\n")
    with pytest.raises(BadInput, match=r":1: the score must be a finite number"):
        places_in_file({"q": {"d": 1}, "r": {"d": 1}}, tmp_path / "run")
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"q Q0 d 1 1 tag\n" * 100)[:-9])
    with pytest.raises(BadInput):
        places_in_file({"q": {"d": 1}}, tmp_path / "run.gz")
    with pytest.raises(NotFound):
        places_in_file({"q": {"d": 1}}, tmp_path / "none")
