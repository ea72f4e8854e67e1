from __future__ import annotations

from dataclasses import replace

import pytest

from aboutness.report.study import Sheet, Value
from papers.drawn import study


def test_a_number_differs_from_the_papers_where_both_are_there() -> None:
    assert Value(0.5, 0.75).difference == -0.25
    assert Value(0.5).difference is None
    assert Value(paper=0.5).difference is None


def test_a_row_must_have_a_cell_for_each_column() -> None:
    with pytest.raises(ValueError, match="means: a has 1 cells for 2 columns"):
        Sheet("means", ["x", "y"], {"a": [Value(1.0)]})


def test_tables_figures_and_claims_have_names_of_their_own() -> None:
    one = study()
    for parts, what in (
        ([one.parts[0], one.parts[0]], "two tables are called 'means'"),
        ([one.parts[1], one.parts[1]], "two tables are called 'times'"),
    ):
        with pytest.raises(ValueError, match=what):
            replace(one, parts=parts)
    with pytest.raises(ValueError, match="two claims are called 'a is best'"):
        replace(one, claims=[one.claims[0], one.claims[0]])


def test_all_numbers_stand_in_one_table() -> None:
    table = study().table
    assert [(row["table"], row["row"][:1], row["column"]) for row in table] == [
        ("means", "a", "MAP"), ("means", "a", "seconds"), ("means", "b", "MAP"), ("means", "b", "seconds"),
        ("means", "c", "MAP"), ("means", "c", "seconds"), ("times", "a", "seconds"),
    ]  # fmt: skip
    assert table[0] == {
        "table": "means", "row": "a", "column": "MAP", "here": 0.5, "paper": 0.48,
        "difference": pytest.approx(0.02), "deviation": 0.1, "paper deviation": 0.2, "mark": "*", "paper mark": "*+",
    }  # fmt: skip


def test_in_short_it_is_its_claims() -> None:
    assert str(study()).splitlines()[0] == "holds here: a is best a has 0.5."
