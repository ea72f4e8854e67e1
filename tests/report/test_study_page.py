from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from aboutness.report import study_page as home
from aboutness.report.study import Value
from aboutness.report.study_page import here_text, paper_text, study_page, told
from papers.drawn import HOSTILE, study


class Seen(HTMLParser):
    """Gathers the tags and texts of a page, and fails where tags do not match."""

    VOID = frozenset({"meta", "link", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_holds_claims_tables_and_figures_and_nothing_from_elsewhere() -> None:
    pytest.importorskip("matplotlib")
    page = study_page(study(), "7 of 7 are as expected.")
    seen = Seen(page)
    text = " ".join(seen.texts)
    assert seen.tags.count("svg") == 2
    assert seen.tags.count("script") == 2  # data, and our own
    assert seen.tags.count("blockquote") == 1
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=\"(?!#|data:)", page)
    for said in (
        "holds here",
        "does not hold here",
        "cannot be tested here",
        "7 of 7 are as expected.",
        "dim",
        "7",
    ):
        assert said in text
    assert text.count(HOSTILE) == 7  # as text everywhere: summary, claim, replaced, paragraph, row, cell, passage
    assert '<mark class="query">a</mark>' in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'href="#(s\d+|made)"', page):
        assert target in ids


def test_prose_has_labels_where_cells_are_stacked() -> None:
    page = study_page(study())
    assert page.count('<td data-label="what was found">') == 3
    assert page.count('<td data-label="here">') == page.count('<td data-label="why">') == 1


def test_verdicts_are_counted_with_the_right_verb() -> None:
    seen = " ".join(Seen(study_page(study())).texts)
    assert "✓ 1 holds here" in seen
    assert "✗ 1 does not hold here" in seen
    assert home._plural(home.Verdict.FAILS) == "do not hold here"
    assert home._plural(home.Verdict.HOLDS) == "hold here"


def test_without_matplotlib_captions_stand_for_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "is_there", lambda: False)
    seen = Seen(study_page(study()))
    assert "svg" not in seen.tags
    assert "Precision by recall." in " ".join(seen.texts)
    assert "pip install" in " ".join(seen.texts)


def test_cells_say_ours_and_the_papers() -> None:
    one = Value(0.5, 0.48, 0.1, 0.2, "*", "+")
    assert here_text(one, 3) == ".500* (.100)"
    assert paper_text(one, 3) == "paper .480+ (.200), +.020"
    assert here_text(Value(said="did not finish"), 2) == "did not finish"
    assert here_text(Value(0.5, said="=="), 2) == ".50 =="
    assert here_text(Value(), 2) == "–"
    assert paper_text(Value(0.5, paper_said="did not finish"), 2) == "paper: did not finish"
    assert paper_text(Value(0.5), 2) == ""
    assert paper_text(Value(10_789, 12_895), 0) == "paper 12,895, \u22122,106"
    assert paper_text(Value(90, 90), 0) == "paper 90, 0"
    assert paper_text(Value(0.5, 0.5), 2) == "paper .50, .00"
    assert paper_text(Value(0.5004, 0.5), 3) == "paper .500, .000"
    assert paper_text(Value(0.5, 0.4, 0.1, 0.2, paper_digits=2), 3) == "paper .40 (.20), +.100"
    assert paper_text(Value(70.0, 72.98, 1, 329, paper_digits=2, paper_deviation_digits=0), 1) == (
        "paper 72.98 (329), \u22123.0"
    )
    assert here_text(Value(0.00001, shown="<.001", mark="*"), 4) == "<.001*"


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.5, 3, ".500"), (-0.25, 1, "\u2212.2"), (-0.0001, 2, ".00"), (1234.5, 1, "1,234.5"), (10.0, 0, "10")],
)
def test_numbers_are_told_short(value: float, digits: int, text: str) -> None:
    assert told(value, digits) == text
