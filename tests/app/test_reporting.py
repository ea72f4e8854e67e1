from __future__ import annotations

import json
from dataclasses import replace

import pytest

pytest.importorskip("matplotlib")

import aboutness as ab
from aboutness.app.comparing import compare
from aboutness.app.reporting import FORMS, write_report
from aboutness.core.errors import NotFound, StorageError, UsageError
from aboutness.experiment.results_folder import save_results
from aboutness.report import illustrations
from experiment.small import write_collection
from report.latex_check import check
from report.made_results import HOSTILE_NAMES, comparison, results
from report.pages import Page


def test_every_form(tmp_path):
    targets = [tmp_path / f"report{ending}" for ending in FORMS]
    assert write_report(results(), *targets) == targets
    page, tex, markdown, table, plain = (target.read_text("utf-8") for target in targets)
    assert Page(page).texts("h1") == ["Made by chance"]
    check(tex)
    assert markdown.startswith("# Made by chance\n")
    assert table.startswith("collection,setting,ranker,query,measure,statistic,value\n")
    assert json.loads(plain)["name"] == "Made by chance"


def test_the_same_results_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_report(results(comparison(["one", "two"], 3)), tmp_path / f"{name}.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_comparison(tmp_path):
    found = compare(["bm25", "ql"], write_collection(tmp_path / "small"), ["AP"])
    ab.write_report(found, tmp_path / "report.md")
    told = (tmp_path / "report.md").read_text("utf-8")
    assert "| a | bm25 | " in told
    assert "1 judged document is not in the collection" in told
    assert "no answer" in told


def test_a_folder_says_the_same_as_the_results(tmp_path):
    given = results(comparison(["one", "two"], texts={"q0": "a question"}), baseline="two")
    save_results(given, tmp_path / "out")
    write_report(given, tmp_path / "a.json", tmp_path / "a.html")
    write_report(tmp_path / "out", tmp_path / "b.json", tmp_path / "b.html")
    first, second = (json.loads((tmp_path / f"{name}.json").read_text("utf-8")) for name in "ab")
    assert first["comparisons"][0]["findings"] == second["comparisons"][0]["findings"]
    assert first["made"] == second["made"]
    pages = [Page((tmp_path / f"{name}.html").read_text("utf-8")) for name in "ab"]
    assert pages[0].texts("tbody")[:2] == pages[1].texts("tbody")[:2]
    assert pages[0].data[0]["first"] == pages[1].data[0]["first"]


def test_hostile_names_in_every_form(tmp_path, monkeypatch):
    monkeypatch.setattr(illustrations, "is_there", lambda: False)  # to be quick
    given = results(comparison(HOSTILE_NAMES, 4), test="t")
    write_report(given, *(tmp_path / f"report{ending}" for ending in FORMS))
    for ending in FORMS:
        assert (tmp_path / f"report{ending}").stat().st_size > 1000


@pytest.mark.parametrize("target", ["report", "report.doc", "report.html.gz"])
def test_unknown_endings(target):
    with pytest.raises(UsageError, match=r"ends in \.html, \.tex, \.md, \.csv, \.json, got 'report"):
        write_report(results(), target)


def test_refusals(tmp_path):
    with pytest.raises(UsageError, match="name a file to write"):
        write_report(results())
    with pytest.raises(UsageError, match="a report is on results, a comparison or a folder of results, got 3"):
        write_report(3, "a.html")
    with pytest.raises(NotFound, match=r"these are no results of"):
        write_report(tmp_path, tmp_path / "a.html")
    with pytest.raises(NotFound, match="there is no folder"):
        write_report(results(), tmp_path / "no" / "a.md")
    (tmp_path / "file.md").mkdir()
    with pytest.raises((UsageError, StorageError), match="folder"):
        write_report(results(), tmp_path / "file.md")
    assert [path.name for path in tmp_path.iterdir()] == ["file.md"]


def test_an_unknown_test_is_told(tmp_path):
    with pytest.raises(UsageError, match="unknown test 'fischer'; did you mean 'fisher'"):
        write_report(replace(results(), test="fischer"), tmp_path / "never.html")


def test_nothing_is_written_where_one_name_cannot_be(tmp_path):
    with pytest.raises(NotFound, match="there is no folder"):
        write_report(results(), tmp_path / "a.md", tmp_path / "no" / "b.md")
    with pytest.raises(UsageError, match="unknown test"):
        write_report(replace(results(), test="x"), tmp_path / "a.md")
    assert not list(tmp_path.iterdir())
