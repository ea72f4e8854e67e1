from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aboutness.papers import printed as home
from aboutness.papers.printed import beside, mean_and_deviation, printed, with_best
from aboutness.report.study import Value
from aboutness.report.study_page import paper_text

HEAD = "table\trow\tcolumn\tvalue\tdeviation\tmark\n"


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    printed.cache_clear()
    yield
    printed.cache_clear()


def written(folder: Path, monkeypatch: pytest.MonkeyPatch, lines: str) -> None:
    (folder / "tested1999").mkdir()
    (folder / "tested1999" / "printed.tsv").write_text(HEAD + lines, "utf-8")
    monkeypatch.setattr(home, "files", lambda _package: folder)


def test_numbers_stand_beside_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, monkeypatch, "1\ta\tMAP\t.46\t.38\t*\n1\tb\tMAP\tdid not finish\t\t\n")
    assert beside("tested1999", "1", "a", "MAP", 0.5, deviation=0.1) == Value(
        0.5, 0.46, 0.1, 0.38, "", "*", paper_digits=2, paper_deviation_digits=2
    )
    assert beside("tested1999", "1", "b", "MAP", 0.5) == Value(0.5, paper_said="did not finish")
    assert beside("tested1999", "1", "c", "MAP", said="no") == Value(said="no")


def test_numbers_keep_the_digits_that_the_paper_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, monkeypatch, "1\ta\tdocuments\t72.98\t329\t\n1\tb\tdocuments\t0.40\t\t\n")
    assert paper_text(beside("tested1999", "1", "a", "documents", 70.0), 1) == "paper 72.98 (329), \u22123.0"
    assert paper_text(beside("tested1999", "1", "b", "documents", 0.4), 3) == "paper .40, .000"


def test_a_number_is_printed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, monkeypatch, "1\ta\tMAP\t.46\t\t\n1\ta\tMAP\t.47\t\t\n")
    with pytest.raises(ValueError, match="printed twice"):
        printed("tested1999")


def test_the_best_of_a_column_is_marked_with_its_equals() -> None:
    rows = with_best({"a": [Value(1.0), "x"], "b": [Value(2.0), Value(1.0)], "c": [Value(2.0), Value(paper=9.0)]})
    assert [cell.best for cell in (rows[name][0] for name in "abc") if isinstance(cell, Value)] == [
        False, True, True,
    ]  # fmt: skip
    alone = rows["b"][1]
    assert isinstance(alone, Value)
    assert not alone.best  # nothing to be better than
    least = with_best({"a": [Value(1.0)], "b": [Value(2.0)]}, least=True)["a"][0]
    assert isinstance(least, Value)
    assert least.best


def test_mean_and_deviation() -> None:
    assert mean_and_deviation([1.0, 3.0]) == (2.0, 1.0)
    assert mean_and_deviation([4.0]) == (4.0, 0.0)
