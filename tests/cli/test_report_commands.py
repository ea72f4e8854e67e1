from __future__ import annotations

import re
import sys

import pytest

pytest.importorskip("matplotlib")

from aboutness.experiment.results_folder import save_results
from aboutness.report.pictures import FIGURES
from app.sky import RECORDS
from cli.running import Ran
from experiment.small import write_collection
from report.made_results import comparison, results
from report.pages import Page

NAMES = ("one", "two", "three")


@pytest.fixture
def out(tmp_path):
    """Return the folder of some results."""
    save_results(
        results(*(comparison(NAMES, 3, setting=setting) for setting in ("", "title")), test="t"), tmp_path / "out"
    )
    return tmp_path / "out"


def test_reports(call, out, tmp_path):
    ran = call("report", "out", "-o", "report.html", "-o", "table.tex")
    assert (ran.code, ran.out) == (0, "report.html\ntable.tex\n")
    assert Page((tmp_path / "report.html").read_text("utf-8")).texts("h2")[1:3] == ["chance", "chance, title"]
    assert r"\toprule" in (tmp_path / "table.tex").read_text("utf-8")


def test_from_an_experiment_to_a_report(call, tmp_path, monkeypatch):
    write_collection(tmp_path / "small")
    command = ["experiment", "small", "-r", "bm25,ql", "--measures", "AP", "-o", "out"]
    monkeypatch.setattr(sys, "argv", ["aboutness", *command])
    assert call(*command).code == 0
    assert call("report", "out", "-o", "report.md").code == 0
    told = (tmp_path / "report.md").read_text("utf-8")
    assert f"```\naboutness {' '.join(command)}\n```" in told
    assert re.search(r"checksum [0-9a-f]{8,}", told)
    assert call("figure", "wins", "out", "-o", "wins.svg", "--baseline", "ql").code == 0


def test_figures_of_results(call, out, tmp_path):
    ran = call("figure", "pr", "out", "-o", "pr.svg", "--on", "chance", "-r", "one,two")
    assert (ran.code, ran.out) == (0, "pr.svg\n")
    assert (tmp_path / "pr.svg").exists()
    assert (
        call("figure", "significance", "out", "-o", "s.pdf", "--on", "chance, title", "--measure", "AP").code == 0
    )


def test_figures_of_an_index(call, write, tmp_path):
    write_collection(tmp_path / "small")
    write("sky.jsonl", [{**record, "kind": record["id"][:2]} for record in RECORDS])
    assert call("index", "sky.jsonl", "-o", "x.index").code == 0
    assert call("train", "x.index", "word2vec", "--dim", "8", "--min-count", "1", "--threads", "1").code == 0
    assert (
        call("map", "x.index", "-o", "map.svg", "--label", "kind", "--most", "12", "--seed", "2").out
        == "map.svg\n"
    )
    assert (
        call("figure", "map", "x.index", "-o", "same.svg", "--label", "kind", "--most", "12", "--seed", "2").code
        == 0
    )
    assert (tmp_path / "map.svg").read_bytes() == (tmp_path / "same.svg").read_bytes()
    assert call("index", "small", "-o", "small.index").code == 0
    ran = call(
        "figure", "scores", "small.index", "small", "-o", "scores.png", "-r", "bm25", "-r", "ql", "--random", "2"
    )
    assert (ran.code, ran.out) == (0, "scores.png\n")


def test_help_names_every_kind(call):
    told = call("figure", "--help").out
    assert [name for name in FIGURES if not re.search(rf"\b{name}\b", told)] == []


def test_the_list_of_figures(call):
    assert [row["name"] for row in call("figures", "--json").json] == list(FIGURES)
    assert "mitra2016, fig. 4" in call("figures").out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["report", "nowhere", "-o", "a.html"], 4, "there is no nowhere"),
        (["report", "out", "-o", "a.doc"], 2, "ends in .html, .tex, .md, .csv, .json"),
        (["report", "out", "-o", "no/a.html"], 4, "there is no folder"),
        (
            ["figure", "pr", "out", "-o", "a.svg"],
            2,
            "several comparisons: say which one (on, or --on): chance; chance, title",
        ),
        (["figure", "prr", "out", "-o", "a.svg"], 2, "did you mean 'pr'?"),
        (
            ["figure", "pr", "out", "-o", "a.svg", "--on", "chance", "-r", "ql"],
            2,
            "has no ranker 'ql'. It has: one, two, three",
        ),
        (["figure", "pr", "out", "chance", "-o", "a.svg", "--on", "chance"], 2, "give one"),
        (
            ["figure", "wins", "out", "-o", "a.svg", "--on", "chance", "--measure", "RR"],
            2,
            "It was by: nDCG@10, AP",
        ),
        (["figure", "pr", "out", "-o", "a.svg", "--on", "chance", "--label", "x"], 2, "pr has no 'label'"),
        (["map", "nowhere", "-o", "a.svg"], 4, "nowhere"),
        (["figure", "features", "nowhere", "-o", "a.svg"], 2, "needs a test collection"),
    ],
)
def test_errors_are_one_line(call, out, tmp_path, arguments, code, message):
    ran: Ran = call(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "a.svg").exists()
