from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("matplotlib")

import aboutness as ab
from aboutness.app.index import Index
from aboutness.app.picturing import chosen_comparison, figure, known_figures
from aboutness.app.tuning import save_tuning, sweep
from aboutness.core.errors import BadInput, NotFound, UsageError
from aboutness.experiment.results_folder import save_results
from aboutness.report.pictures import FIGURES
from app.sky import RECORDS
from cli.running import environment
from experiment.small import write_collection
from report.made_results import comparison, results

SIGNS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
OF_RESULTS = [name for name, kind in FIGURES.items() if kind.of == "results"]


@pytest.mark.parametrize("kind", OF_RESULTS)
def test_every_kind_of_results(kind, tmp_path):
    assert figure(kind, results(test="t"), tmp_path / "a.svg") == tmp_path / "a.svg"
    assert (tmp_path / "a.svg").read_bytes().startswith(SIGNS["svg"])


def test_a_comparison_alone(tmp_path):
    figure("pr", comparison(), tmp_path / "b.png")
    assert (tmp_path / "b.png").read_bytes().startswith(SIGNS["png"])


def test_a_folder_of_results_gives_the_same_figure(tmp_path):
    given = results(comparison(["one", "two"], 6))
    save_results(given, tmp_path / "out")
    for kind in ("pr", "wins"):
        ab.figure(kind, given, tmp_path / "a.svg")
        ab.figure(kind, tmp_path / "out", tmp_path / "b.svg")
        assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_sweep_and_its_folder(tmp_path):
    found = sweep("bm25", write_collection(tmp_path / "small"), {"b": [0.0, 0.5, 1.0]}, "AP", split=0.5)
    save_tuning(found, tmp_path / "out")
    figure("alpha", found, tmp_path / "a.svg")
    figure("alpha", tmp_path / "out", tmp_path / "b.svg", parameter="b")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    save_results(results(), tmp_path / "results")
    with pytest.raises(UsageError, match="no results of a sweep"):
        figure("alpha", tmp_path / "results", tmp_path / "c.svg")
    with pytest.raises(NotFound, match="aboutness tune"):
        figure("alpha", tmp_path / "nowhere", tmp_path / "c.svg")
    (tmp_path / "results.json").write_text("[")
    with pytest.raises(BadInput, match="this is no JSON"):
        figure("alpha", tmp_path, tmp_path / "c.svg")
    (tmp_path / "results.json").write_text(json.dumps([]))
    with pytest.raises(BadInput, match="no results of a sweep"):
        figure("alpha", tmp_path, tmp_path / "c.svg")
    assert not (tmp_path / "c.svg").exists()


def test_an_index(tmp_path):
    index = Index.build(RECORDS, tmp_path / "x.index")
    index.train("word2vec", dim=8, min_count=1, epochs=1, threads=1)
    figure("map", index, tmp_path / "map.pdf", by="wcs", groups=None)
    assert (tmp_path / "map.pdf").read_bytes().startswith(SIGNS["pdf"])
    small = write_collection(tmp_path / "small")
    held = Index.build(ab.read(small))
    figure("scores", held, tmp_path / "scores.svg", on=small, rankers=["bm25", "ql"])
    figure("scores", held, tmp_path / "again.svg", on=ab.collection(small), rankers=["bm25", "ql"])
    assert (tmp_path / "scores.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()
    with pytest.raises(UsageError, match="the figure features needs a test collection"):
        figure("features", tmp_path / "x.index", tmp_path / "never.svg")


def test_groups_from_a_file(tmp_path):
    (tmp_path / "groups.tsv").write_text("q0\tfirst\nq1\tsecond\n")
    figure("f1-box", results(), tmp_path / "a.svg", groups=tmp_path / "groups.tsv")
    figure("f1-box", results(), tmp_path / "b.svg", groups={"q0": "first", "q1": "second"})
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    (tmp_path / "groups.tsv").write_text("q0 first\n")
    with pytest.raises(BadInput, match=r"groups\.tsv:1: "):
        figure("f1-box", results(), tmp_path / "c.svg", groups=str(tmp_path / "groups.tsv"))


def test_which_comparison():
    title, text = comparison(setting="title"), comparison(setting="text")
    other = comparison(collection="other")
    every = results(title, text, other)
    assert chosen_comparison(every, "chance, text") is text
    assert chosen_comparison(every, "other") is other
    assert chosen_comparison(results(title)) is title
    assert chosen_comparison(results(other, comparison(collection="other", setting="x")), "other") is other
    for on in (None, "chance"):
        with pytest.raises(
            UsageError, match=r"several comparisons: say which one .*: chance, title; chance, text; other"
        ):
            chosen_comparison(every, on)
    with pytest.raises(NotFound, match=r"no comparison 'no'\. There are: chance, title; "):
        chosen_comparison(every, "no")


@pytest.mark.parametrize(
    ("kind", "of", "target", "choices", "message"),
    [
        ("pie", results(), "a.svg", {}, "unknown figure 'pie'"),
        ("pr", results(), "a.jpg", {}, r"ends in \.svg, \.pdf or \.png"),
        ("pr", results(), "a.svg", {"label": "x"}, "the figure pr has no 'label'; it has: rankers"),
        ("pr", 3, "a.svg", {}, "drawn from results, a comparison or a folder of results, got 3"),
        ("map", results(), "a.svg", {}, "drawn from an index, got"),
        ("alpha", 3, "a.svg", {}, "drawn from a sweep, or the folder of one, got 3"),
        ("pr", results(), "a.svg", {"groups": {}}, "the figure pr has no 'groups'"),
    ],
)
def test_refusals(kind, of, target, choices, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        figure(kind, of, tmp_path / target, **choices)
    assert not list(tmp_path.iterdir())


def test_known_figures():
    known = known_figures()
    assert [one["name"] for one in known] == list(FIGURES)
    assert {one["from"] for one in known} == {"results", "tuning", "index"}
    assert all(one["shows"] for one in known)
    assert "method" in next(one["choices"] for one in known if one["name"] == "map")


def test_nothing_heavy_is_imported_before_something_is_drawn():
    code = (
        "import sys, aboutness.app.picturing, aboutness.app.reporting\n"
        "print([name for name in ('matplotlib', 'openTSNE', 'numba') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
