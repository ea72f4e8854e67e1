"""A ranker on data frames, as PyTerrier's transformers are: columns, ranks, ties, and what is piped through."""

from __future__ import annotations

import pandas as pd
import pytest

import aboutness as ab
from aboutness.core.errors import BadInput, NotFound, UsageError

RECORDS = [
    {"id": "a", "title": "sky", "text": "sun and moon", "year": 1987},
    {"id": "b", "title": "sea", "text": "moon and tide", "year": 1990},
    {"id": "c", "title": "night", "text": "moon and moon and star", "year": 1995},
    {"id": "d", "title": "sea", "text": "moon and tide"},
    {"id": "e", "title": "land", "text": "grass"},
]
QUERIES = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["moon", "quux", "tide sun"]})


@pytest.fixture(scope="module")
def index():
    index = ab.Index.build(RECORDS, analyzer="plain")
    index.train("lsa", dim=2, threads=1)
    return index


def with_ranks(frame):
    """The frame with ranks as PyTerrier's add_ranks gives them: from 0, equal scores in the order in which they stand."""
    ranks = frame.groupby("qid", sort=False)["score"].rank(ascending=False, method="first").astype(int) - 1
    return frame.drop(columns="rank").assign(rank=ranks)[list(frame.columns)]


@pytest.mark.parametrize("ranker", ["bm25", "ql", "lsa", "bm25 % 2 >> lsa", "default"])
def test_results_are_those_of_the_index(index, ranker):
    found = ab.Retriever(index, ranker)(QUERIES)
    assert list(found.columns) == ["qid", "query", "docno", "score", "rank"]
    expected = [
        (qid, query, hit.id, hit.score, hit.rank - 1)
        for qid, query in QUERIES.itertuples(index=False)
        for hit in index.search(query, 1000, ranker)
    ]
    assert list(found.itertuples(index=False, name=None)) == expected
    assert set(found["qid"]) == {"1", "3"}
    pd.testing.assert_frame_equal(with_ranks(found), found, check_dtype=False)


def test_equal_scores_keep_the_order_of_arrival(index):
    found = ab.Retriever(index, "bm25")(QUERIES[2:])
    assert found["docno"].tolist()[1:] == ["b", "d"]
    assert found["score"][1] == found["score"][2]
    assert found["rank"].tolist() == [0, 1, 2]


def test_an_index_is_named_by_its_folder(index, tmp_path):
    index.copy_to(tmp_path / "a.index")
    for named in (tmp_path / "a.index", str(tmp_path / "a.index")):
        pd.testing.assert_frame_equal(ab.Retriever(named, "bm25")(QUERIES), ab.Retriever(index, "bm25")(QUERIES))
    with pytest.raises(NotFound, match="there is no index at nowhere"):
        ab.Retriever("nowhere", "bm25")


def test_how_to_search(index):
    assert len(ab.Retriever(index, "bm25", k=2)(QUERIES[:1])) == 2
    assert ab.Retriever(index, "bm25", where="year>=1990")(QUERIES[:1])["docno"].tolist() == ["c", "b"]
    assert ab.Retriever(index, "bm25", fields=["title"])(pd.DataFrame({"qid": ["1"], "query": ["sea moon"]}))[
        "docno"
    ].tolist() == ["b", "d"]
    assert len(ab.Retriever(index, "lsa", match="all")(QUERIES[2:])) == 5


def test_columns_of_documents(index):
    found = ab.Retriever(index, "bm25", columns=["title", "year"])(QUERIES[:1])
    assert list(found.columns) == ["qid", "query", "docno", "score", "rank", "title", "year"]
    for row in found.itertuples():
        (record,) = (one for one in RECORDS if one["id"] == row.docno)
        assert row.title == record["title"]
        assert pd.isna(row.year) if "year" not in record else row.year == record["year"]


def test_other_columns_and_names_go_along(index):
    frame = pd.DataFrame({"split": ["x"], "query_id": [7], "query": ["tide"], 5: [0.5]}, index=[99])
    found = ab.Retriever(index, "bm25")(frame)
    assert list(found.columns) == ["qid", "query", "split", "5", "docno", "score", "rank"]
    assert found["qid"].tolist() == [7, 7]
    assert found["5"].tolist() == [0.5, 0.5]
    assert list(found.index) == [0, 1]


def test_nothing_found_is_a_frame_without_rows(index):
    for frame in (QUERIES[1:2], QUERIES[:0]):
        found = ab.Retriever(index, "bm25", columns=["title"])(frame)
        assert list(found.columns) == ["qid", "query", "docno", "score", "rank", "title"]
        assert len(found) == 0
        assert len(ab.Retriever(index, "lsa")(found)) == 0
    both = pd.concat([ab.Retriever(index, "bm25")(QUERIES[1:2]), ab.Retriever(index, "bm25")(QUERIES[:1])])
    assert both["rank"].tolist() == [0, 1, 2, 3]


def test_documents_that_are_there_are_ranked_anew(index):
    first, second = ab.Retriever(index, "bm25", k=2), ab.Retriever(index, "lsa", columns=["title"])
    found = QUERIES.pipe(first).pipe(second)
    expected = [
        (qid, hit.id, hit.score, hit.rank - 1)
        for qid, query in QUERIES.itertuples(index=False)
        for hit in index.search(query, 2, "bm25 % 2 >> lsa")
    ]
    assert list(found[["qid", "docno", "score", "rank"]].itertuples(index=False, name=None)) == expected
    assert list(found.columns) == ["qid", "query", "docno", "score", "rank", "title"]
    assert second(found)["score"].tolist() == found["score"].tolist()


def test_all_documents_that_are_there_are_ranked_also_without_a_word(index):
    frame = pd.DataFrame(
        {"qid": "1", "query": "sun", "docno": ["d", "a", "b"], "text": ["x", "y", "z"], "score": 0.0}
    )
    found = ab.Retriever(index, "bm25")(frame)
    assert found["docno"].tolist() == ["a", "b", "d"]
    assert found["score"].tolist()[1:] == [0.0, 0.0]
    assert found["text"].tolist() == ["y", "z", "x"]
    assert list(found.columns) == ["qid", "query", "text", "docno", "score", "rank"]
    assert ab.Retriever(index, "bm25", match="and")(frame)["docno"].tolist() == ["a", "b", "d"]
    only = ab.Retriever(index, "bm25", where="year>=1990")(frame)
    assert only["docno"].tolist() == ["b"]


def test_results_are_measured_as_they_are(index):
    qrels = pd.DataFrame({"qid": ["1", "3"], "docno": ["c", "b"], "label": [1, 1]})
    run = ab.Retriever(index, "bm25")(QUERIES)
    by_frames = ab.evaluate_run(qrels, run, "RR,AP")
    asked = {"1": "moon", "2": "quux", "3": "tide sun"}
    plain = {qid: [(hit.id, hit.score) for hit in index.search(text, 1000, "bm25")] for qid, text in asked.items()}
    assert by_frames.mean == ab.evaluate_run({"1": {"c": 1}, "3": {"b": 1}}, plain, "RR,AP").mean


def test_one_text(index):
    found = ab.Retriever(index, "bm25").search("tide", qid="x")
    assert found[["qid", "docno", "rank"]].values.tolist() == [["x", "b", 0], ["x", "d", 1]]


def test_what_is_refused(index):
    search = ab.Retriever(index, "bm25")
    assert repr(search).startswith("<Retriever: bm25, first 1,000, of <Index ")
    for frame, problem in {
        "moon": "a data frame of queries (qid, query) is needed, got 'moon'; see `search`",
        5: "a data frame of queries (qid, query) is needed, got 5; see `search`",
    }.items():
        with pytest.raises(UsageError) as told:
            search(frame)
        assert str(told.value) == problem
    with pytest.raises(BadInput, match="there is no column of queries"):
        search(QUERIES[["query"]])
    with pytest.raises(BadInput, match="there is no column of queries' texts"):
        search(QUERIES[["qid"]])
    with pytest.raises(BadInput, match="row 1 of the data frame: the query '1' is there twice"):
        search(pd.DataFrame({"qid": [1, 1], "query": ["a", "b"]}))
    with pytest.raises(BadInput, match="row 1 of the data frame: the index has no document 'z'"):
        search(pd.DataFrame({"qid": "1", "query": "sun", "docno": ["a", "z"]}))
    with pytest.raises(BadInput, match="row 1 of the data frame: document 'a' is there twice for query '1'"):
        search(pd.DataFrame({"qid": "1", "query": "sun", "docno": ["a", "a"]}))
    with pytest.raises(BadInput, match="row 1 of the data frame: the query '1' has another text before"):
        search(pd.DataFrame({"qid": "1", "query": ["sun", "moon"], "docno": ["a", "b"]}))
    doubled = pd.DataFrame([["1", "sun", 1.0, 2.0]], columns=["qid", "query", "score", "score"])
    with pytest.raises(BadInput, match="two columns of the data frame are named 'score'; rename one"):
        search(doubled)
    with pytest.raises(UsageError, match="columns are a list of names of fields or metadata, got 'title'"):
        ab.Retriever(index, columns="title")
    with pytest.raises(UsageError, match=r"columns are a list of names of fields or metadata, got \['score'\]"):
        ab.Retriever(index, columns=["score"])
    with pytest.raises(UsageError, match="k must be a whole number of at least 1"):
        ab.Retriever(index, k=0)
    with pytest.raises(UsageError, match="unknown ranker"):
        ab.Retriever(index, "nothing")
