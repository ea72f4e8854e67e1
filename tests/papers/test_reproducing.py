from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aboutness.core.errors import StorageError, UsageError
from aboutness.papers import known, reproducing
from aboutness.papers.expected import Expected, Place, found_in
from aboutness.papers.paper import Step
from aboutness.papers.reproducing import check_ready, reproduce
from papers.drawn import Drawn, study


@pytest.fixture(autouse=True)
def _wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproducing, "expected_of", lambda _name: found_in(study(0.5)))


def test_what_is_usual_is_checked_and_nothing_else() -> None:
    assert str(reproduce(Drawn()).check).startswith("7 of 7")
    for other in (
        reproduce(Drawn(best=0.7)),
        reproduce(Drawn(), seed=2),
        reproduce(Drawn(), full=True),
        reproduce(Drawn(), on=["robust04"]),
        reproduce(Drawn(), embeddings=["a.bin"]),
        reproduce(Drawn(), queries="queries.txt"),
    ):
        assert other.check is None


def test_the_report_is_written_with_its_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    told: list[Step] = []
    found = reproduce(Drawn(), progress=told.append, command="aboutness reproduce tested1999")
    written = found.save(tmp_path / "new" / "folder")
    assert told == [Step("half", 0.5, 61.0)]
    assert sorted(str(path.relative_to(tmp_path / "new" / "folder")) for path in written) == [
        "expected.tsv", "figures/again.svg", "figures/curves.svg", "index.html", "report.json", "report.md",
        "values.csv",
    ]  # fmt: skip
    assert all(path.stat().st_size for path in written)
    assert "aboutness reproduce tested1999" in (tmp_path / "new" / "folder" / "index.html").read_text("utf-8")
    assert json.loads((tmp_path / "new" / "folder" / "report.json").read_text("utf-8")) == found.to_json()
    again = tmp_path / "again"
    found.save(again)
    for path in written:
        assert (again / path.relative_to(tmp_path / "new" / "folder")).read_bytes() == path.read_bytes()


def test_a_number_that_moved_is_said_in_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {**found_in(study()), Place("means", "a", "MAP"): Expected("0.6", 0.01)}
    monkeypatch.setattr(reproducing, "expected_of", lambda _name: wanted)
    found = reproduce(Drawn())
    assert found.check is not None
    assert not found.check.passed
    assert "1 is not." in found.page


def test_lists_are_lists() -> None:
    with pytest.raises(UsageError, match="on and embeddings are lists"):
        reproduce(Drawn(), on="robust04")


def test_what_cannot_be_done_is_told_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown paper"):
        check_ready("nothing", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"cannot make the folder .* is a file"):
        check_ready("ai2016", tmp_path / "file" / "x")
    check_ready("ai2016", tmp_path / "new" / "fine")
    check_ready("ai2016", tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]  # nothing is left behind


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(reproducing, "TemporaryDirectory", refused)
    with pytest.raises(StorageError, match=r"cannot write to .*: Permission denied"):
        check_ready("ai2016", tmp_path / "new")


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("galke2017", {"embeddings"}),
        ("ai2016", set()),
        ("malina2016", set()),
        ("mitra2016", {"queries", "embeddings"}),
    ],
)
def test_what_a_paper_makes_no_use_of_is_refused(name: str, takes: set[str]) -> None:
    given: dict[str, Any] = {"queries": "queries.txt", "embeddings": ["a.bin"]}
    assert set(known.paper(name).takes) == takes
    for what in given.keys() - takes:
        with pytest.raises(UsageError, match=f"{name} makes no use of {what}"):
            reproduce(name, **{what: given[what]})


def test_what_was_made_before_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Drawn, "study", lambda _, work: work.count("runs", 2, 3) or study())
    found = reproduce(Drawn())
    assert ", with 2 of 3 runs from before" in found.page
    assert found.to_json()["earlier"] == ", with 2 of 3 runs from before"
