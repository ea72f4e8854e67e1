"""Results fit into the terminal that shows them, and stay as they are for files and programs."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.cli import fitting

WORDS = st.text("abcdefgh", min_size=1, max_size=30)
CELLS = st.lists(WORDS, max_size=12).map(" ".join)
TABLES = st.integers(1, 7).flatmap(
    lambda count: st.lists(st.lists(CELLS, min_size=count, max_size=count), min_size=1, max_size=5)
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(width, work):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", Terminal())
        patch.setenv("COLUMNS", str(width))
        return work()


def test_without_a_terminal_lines_are_as_long_as_they_are(monkeypatch):
    monkeypatch.setattr("sys.stdout", io.StringIO())
    monkeypatch.setenv("COLUMNS", "50")
    assert fitting.columns() is None
    assert fitting.wrapped("word " * 100, "> ") == ["> " + "word " * 100]
    assert fitting.hanging(f"a  {'b, ' * 100}") == [f"a  {'b, ' * 100}"]
    assert list(fitting.fitted([["a", "b"], ["x " * 50, "y " * 50]])) == [
        f"a{' ' * 101}b",
        f"{'x ' * 50}  {'y ' * 50}".rstrip(),
    ]


def test_text_is_broken_between_words_and_indented():
    text = "one two three four five six seven eight nine ten"
    assert on_a_terminal(50, lambda: fitting.wrapped(text, "  1  ", "     ")) == [
        "  1  one two three four five six seven eight nine",
        "     ten",
    ]
    assert on_a_terminal(50, lambda: fitting.wrapped("", "  1  ")) == ["  1"]


def test_the_last_column_is_broken_at_commas_below_itself():
    line = "  0.1234  word  in document 1, similarity 0.9876, weight 0.5"
    assert on_a_terminal(50, lambda: fitting.hanging(line)) == [
        "  0.1234  word  in document 1, similarity 0.9876,",
        "                weight 0.5",
    ]
    long = f"  0.1234  {'w' * 30}  in document 1, similarity 0.9876"
    assert on_a_terminal(50, lambda: fitting.hanging(long)) == [
        f"  0.1234  {'w' * 30}",
        f"{' ' * 12}in document 1, similarity 0.9876",
    ]
    short = "  0.1234  word  in document 1"
    assert on_a_terminal(50, lambda: fitting.hanging(short)) == [short]


def test_a_wide_column_is_broken_and_the_others_stay():
    cells = [["name", "about"], ["bm25", "a word counts more the rarer it is, and the shorter the text"]]
    assert on_a_terminal(50, lambda: list(fitting.fitted(cells))) == [
        "name  about",
        "bm25  a word counts more the rarer it is, and the",
        "      shorter the text",
    ]


def test_columns_that_do_not_fit_come_below_with_the_first_again():
    cells = [["run", *(f"measure{i}" for i in range(8))], ["mine", *(f"0.{i}" for i in range(8))]]
    assert on_a_terminal(50, lambda: list(fitting.fitted(cells))) == [
        "run   measure0  measure1  measure2  measure3",
        "mine  0.0       0.1       0.2       0.3",
        "",
        "run   measure4  measure5  measure6  measure7",
        "mine  0.4       0.5       0.6       0.7",
    ]


@given(cells=TABLES, width=st.integers(60, 120))
def test_every_table_fits_and_nothing_is_lost(cells, width):
    head = [[f"c{i}" for i in range(len(cells[0]))]]
    lines = on_a_terminal(width, lambda: list(fitting.fitted(head + cells)))
    assert all(len(line) <= width for line in lines)
    letters = sorted("".join("".join(row[1:]) for row in cells).replace(" ", ""))
    shown = "".join(lines).replace(" ", "")
    assert all(shown.count(letter) >= letters.count(letter) for letter in set(letters))


@given(text=st.lists(WORDS, max_size=40).map(" ".join), width=st.integers(40, 120))
def test_wrapped_text_fits_and_is_the_same_text(text, width):
    lines = on_a_terminal(width, lambda: fitting.wrapped(text, "    "))
    assert all(len(line) <= width for line in lines)
    assert " ".join(line.strip() for line in lines) == text
