from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import aboutness as ab
from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document, Query
from aboutness.frames.documents import documents_of, queries_of


def test_documents():
    frame = pd.DataFrame(
        {
            "docno": ["a", "b"],
            "text": ["sun and moon", None],
            "title": ["sky", "sea"],
            "year": pd.array([1987, None], dtype="Int64"),
            "weight": [0.5, np.nan],
            "topics": [["x", "y"], None],
            "day": pd.to_datetime(["2020-01-02", None]),
        }
    )
    one, other = documents_of(frame)
    metadata = {"year": 1987, "weight": 0.5, "topics": ["x", "y"], "day": "2020-01-02T00:00:00"}
    assert one == Document("a", {"title": "sky", "text": "sun and moon"}, metadata)
    assert other == Document("b", {"title": "sea", "text": ""}, {})


@pytest.mark.parametrize("name", ["docno", "_id", "id", "doc_id", "docid", "corpus-id"])
def test_names_of_ids(name):
    (document,) = documents_of(pd.DataFrame({name: [7], "text": ["sun"]}))
    assert document == Document("7", {"text": "sun"})


def test_the_docno_is_the_id_beside_a_docid():
    (document,) = documents_of(pd.DataFrame({"docid": [0], "docno": ["a"], "text": ["sun"]}))
    assert document == Document("a", {"text": "sun"}, {"docid": 0})


def test_columns_that_are_missing():
    with pytest.raises(BadInput, match="no id: none of '_id', 'id', 'docno', 'docid' among 'text'"):
        list(documents_of(pd.DataFrame({"text": ["sun"]})))
    with pytest.raises(BadInput, match=r"no text: none of 'title', .* among 'docno', 'x'"):
        list(documents_of(pd.DataFrame({"docno": ["a"], "x": ["sun"]})))
    with pytest.raises(BadInput, match="two columns of the data frame are named 'text'; rename one"):
        list(documents_of(pd.DataFrame([["a", "b", "c"]], columns=["docno", "text", "text"])))


def test_an_index_of_a_frame():
    frame = pd.DataFrame({"docno": [1, 2, 3], "text": ["sun", "moon", "sun moon"], "year": [1987, 1990, 1995]})
    index = ab.Index.build(frame)
    assert [hit.id for hit in index.search("sun")] == ["1", "3"]
    assert [hit.id for hit in index.search("moon", where="year>=1995")] == ["3"]
    index.add(pd.DataFrame({"docno": ["4"], "text": ["star"]}))
    assert "4" in index
    assert len(ab.Index.build(frame[:0])) == 0


def test_a_bad_row_is_named():
    frame = pd.DataFrame({"docno": ["a", "b"], "text": pd.Series(["sun", 5], dtype=object)})
    with pytest.raises(BadRecord, match=r"^data frame, row 1: field 'text' must be a text, got 5"):
        ab.Index.build(frame)
    with pytest.raises(BadRecord, match=r"^data frame, row 1: .*'a'"):
        ab.Index.build(pd.DataFrame({"docno": ["a", "a"], "text": ["sun", "moon"]}))


def test_ids_are_those_of_any_frame():
    frame = pd.DataFrame({"docno": [1.0, None], "text": ["sun", "moon"]})
    assert next(documents_of(frame)).id == "1"
    with pytest.raises(BadRecord, match=r"^data frame, row 1: .*None"):
        ab.Index.build(frame)
    odd = pd.DataFrame({"docno": pd.Series([np.int64(7)], dtype=object), "text": ["sun"]})
    assert next(documents_of(odd)).id == "7"


def test_metadata_of_numpy():
    frame = pd.DataFrame({"docno": ["a"], "text": ["sun"], "new": pd.Series([np.True_], dtype=object)})
    assert ab.Index.build(frame)["a"].metadata == {"new": True}


def test_queries():
    frame = pd.DataFrame({"qid": [7, 8], "query": ["sun", ""]})
    assert queries_of(frame) == [Query("7", "sun"), Query("8", "")]
    assert queries_of(frame[["query"]]) == [Query("0", "sun"), Query("1", "")]
    assert queries_of(pd.DataFrame({"query_id": ["a"], "text": ["x"]})) == [Query("a", "x")]
    with pytest.raises(
        BadInput,
        match=r"there is no column of queries' texts \(query or query_text or text\); the columns are 'qid'",
    ):
        queries_of(frame[["qid"]])
    with pytest.raises(BadInput, match="row 1 of the data frame: a query must be a text, got None"):
        queries_of(pd.DataFrame({"query": ["sun", None]}))


def test_searching_for_the_queries_of_a_frame():
    index = ab.Index.build([{"id": "a", "text": "sun"}, {"id": "b", "text": "moon"}])
    found = index.search_many(pd.DataFrame({"qid": [1, 2], "query": ["moon", "sun"]}))
    assert [[hit.id for hit in hits] for hits in found] == [["b"], ["a"]]
    assert [hits.query for hits in found] == ["moon", "sun"]
