from __future__ import annotations

from collections import Counter

import pytest

from aboutness.papers.galke2017.tables import (
    CANCELLED,
    PAPER,
    TABLES,
    paper_aggregates_sheet,
    said_by_paper,
    same_rows,
)
from aboutness.papers.printed import printed


def test_all_tables_are_there() -> None:
    counts = Counter(table for table, _, _ in printed(PAPER))
    assert {table: counts[table] for table in TABLES} == dict.fromkeys(TABLES, 60)  # ten models, six numbers each
    assert (counts["aggregates"], counts["words without a vector"], counts["data sets"]) == (14, 8, 9)
    unfinished = [place for place, value in printed(PAPER).items() if value.paper_said == "did not finish"]
    assert {(table, column.split()[0]) for table, _, column in unfinished} == {("Economics", "full-text")}
    assert len(unfinished) == 12


def test_some_numbers() -> None:
    value = printed(PAPER)["NTCIR2, long queries", "IWCS-WMD GLV", "title MAP"]
    assert (value.paper, value.paper_deviation) == (0.42, 0.36)
    value = printed(PAPER)["Reuters", "IWCS W2V", "title MAP"]
    assert (value.paper, value.paper_deviation) == (0.60, 0.33)
    value = printed(PAPER)["Economics", "D2V", "full-text NDCG"]
    assert (value.paper, value.paper_deviation) == (0.22, 0.26)
    assert said_by_paper("IWCS over TF-IDF, Reuters titles") == 15
    assert said_by_paper(*CANCELLED) == 200
    assert printed(PAPER)["words without a vector", "Economics, full-text", "W2V"].paper == 0.141


def test_the_tables_give_what_section_6_says() -> None:
    """Which a wrong number among them would not."""
    differences = [value.difference for _, _, value in paper_aggregates_sheet().values if value.paper is not None]
    assert len(differences) == 14
    assert all(one is not None and abs(one) <= 0.005 for one in differences)
    for _, _, value in paper_aggregates_sheet().values:
        if value.paper is not None:  # deviations, too: those of all values, not of a sample
            assert value.deviation is not None
            assert value.paper_deviation == pytest.approx(value.deviation, abs=0.0051)


def test_rows_that_are_printed_twice() -> None:
    assert same_rows() == [
        ("NTCIR2, long queries", "abstract", "WCS W2V", "WMD W2V"),
        ("Economics", "full-text", "WCS W2V", "IWCS W2V"),
    ]
