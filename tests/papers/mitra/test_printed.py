"""The paper's printed tables: all cells are there, and some that were looked up by hand."""

from __future__ import annotations

from collections import Counter

from aboutness.papers.mitra2016.rankings import BODY_TEXT, QUERIES, SPACES, row_of
from aboutness.papers.mitra2016.tables import in_text
from aboutness.papers.printed import printed

PRINTED = printed("mitra2016")


def test_all_cells_are_there() -> None:
    assert Counter(table for table, _, _ in PRINTED) == {"3": 36, "4": 60, "2": 15, "text": 9}


def test_rows_have_the_names_that_ours_have() -> None:
    alone = {row_of(space, source) for space in SPACES for source in (BODY_TEXT, QUERIES)}
    mixed = {row_of(space, source, mixed=True) for space in SPACES for source in (BODY_TEXT, QUERIES)}
    assert {row for table, row, _ in PRINTED if table == "3"} == {"BM25", "LSA"} | alone
    assert {row for table, row, _ in PRINTED if table == "4"} == {"BM25", "LSA"} | alone | mixed


def test_some_cells() -> None:
    best = PRINTED["3", row_of("in-out", QUERIES), "explicit NDCG@10"]
    assert (best.paper, best.paper_mark) == (47.89, "*")
    plain = PRINTED["4", row_of("in-in", BODY_TEXT, mixed=True), "explicit NDCG@10"]
    assert (plain.paper, plain.paper_mark) == (37.48, "")
    assert PRINTED["4", "LSA", "implicit NDCG@3"].paper == 3.24
    assert PRINTED["2", "stuffed", "IN-OUT"].paper == -0.094
    assert PRINTED["2", "about", "count"].paper == 5
    assert in_text("queries", "queries") == 618_644_170
    assert (in_text("BM25", "k1"), in_text("BM25", "b")) == (1.7, 0.95)


def test_bm25_is_never_marked_against_itself() -> None:
    assert not any(value.paper_mark for (_, row, _), value in PRINTED.items() if row == "BM25")
