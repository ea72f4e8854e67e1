"""Hits, comparisons, evaluations and results as data frames: the numbers are those of the objects."""

from __future__ import annotations

import pandas as pd
import pytest

import aboutness as ab
from aboutness.app.comparing import results_of
from aboutness.core.errors import BadInput, UsageError

DOCUMENTS = [
    {"id": "a", "title": "sky", "text": "sun and moon"},
    {"id": "b", "title": "sea", "text": "moon and tide"},
    {"id": "c", "title": "land", "text": "grass"},
]
QUERIES = {"q1": "moon tide", "q2": "sun", "q3": "grass moon"}
QRELS = {"q1": {"b": 2, "a": 1}, "q2": {"a": 1}, "q3": {"c": 1}}
FRAMES = (
    pd.DataFrame(DOCUMENTS).rename(columns={"id": "docno"}),
    pd.DataFrame({"qid": list(QUERIES), "query": list(QUERIES.values())}),
    ab.judgements_to_frame(QRELS),
)


@pytest.fixture(scope="module")
def compared():
    return ab.compare(["bm25", "ql"], ab.collection(*FRAMES, name="mine"), ["nDCG@10", "AP"])


def test_hits():
    index = ab.Index.build(DOCUMENTS)
    hits = index.search("moon")
    frame = hits.to_frame()
    assert list(frame.columns) == ["query", "rank", "id", "score", "title", "text"]
    assert frame["id"].tolist() == [hit.id for hit in hits] == ["a", "b"]
    assert frame["rank"].tolist() == [1, 2]
    assert frame["score"].tolist() == [hit.score for hit in hits]
    assert frame["title"].tolist() == ["sky", "sea"]
    nothing = index.search("nothing").to_frame()
    assert (len(nothing), list(nothing.columns)) == (0, list(frame.columns))


def test_a_collection_of_frames_is_one_of_files(compared, tmp_path):
    import json

    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps({**one, "_id": one["id"]}) + "\n" for one in DOCUMENTS)
    )
    (tmp_path / "queries.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in QUERIES.items()))
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{query} 0 {one} {grade}\n" for query, of in QRELS.items() for one, grade in of.items())
    )
    files = [tmp_path / name for name in ("corpus.jsonl", "queries.tsv", "qrels.txt")]
    for parts in (files, (DOCUMENTS, QUERIES, QRELS), (iter(DOCUMENTS), FRAMES[1], QRELS)):
        again = ab.compare(["bm25", "ql"], ab.collection(*parts), ["nDCG@10", "AP"])
        assert again.to_frame().equals(compared.to_frame())
        assert (again.queries, again.documents) == (3, 3)
    assert compared.collection == "mine"
    assert compared.made.data["mine"]["source"] == "in memory"
    assert len(compared.made.data["mine"]["checksum"]) == 64


def test_comparisons(compared):
    frame = compared.to_frame()
    assert list(frame.columns) == ["ranker", "nDCG@10", "AP"]
    assert frame["ranker"].tolist() == ["bm25", "ql"]
    assert frame["AP"].tolist() == [row.evaluation.mean["AP"] for row in compared.rows]
    each = compared.to_frame(per_query=True)
    assert list(each.columns) == ["ranker", "qid", "nDCG@10", "AP"]
    assert len(each) == 6
    means = each.groupby("ranker", sort=False)["AP"].mean()
    assert means.tolist() == pytest.approx(frame["AP"].tolist())


def test_evaluations(compared):
    evaluation = compared.rows[0].evaluation
    frame = evaluation.to_frame()
    assert list(frame.columns) == ["qid", "nDCG@10", "AP"]
    assert dict(zip(frame["qid"], frame["AP"], strict=True)) == {
        query: values["AP"] for query, values in evaluation.per_query.items()
    }


def test_results(compared):
    results = results_of(compared)
    frame = results.to_frame()
    assert list(frame.columns) == ["collection", "setting", "ranker", "seconds", "nDCG@10", "AP"]
    assert frame.to_dict("records") == results.table
    tidy = results.to_frame(per_query=True)
    assert list(tidy.columns) == ["collection", "setting", "ranker", "query", "measure", "value"]
    assert tidy.to_dict("records") == results.per_query
    assert len(tidy) == 2 * 3 * 2


def test_pairs(compared):
    values = {row.name: [of["AP"] for of in row.evaluation.per_query.values()] for row in compared.rows}
    pairs = ab.all_pairs(values, measure="AP")
    frame = pairs.to_frame()
    assert frame.to_dict("records") == pairs.rows()
    assert list(frame.columns) == ["ranker", "other", "difference", "p", "adjusted", "effect"]


def test_a_collection_of_parts_has_three():
    told = "a collection of parts has three: give documents, `queries` and `qrels`"
    for parts in ((FRAMES[0],), FRAMES[:2], (DOCUMENTS, None, QRELS), (DOCUMENTS,), ("notes/", QUERIES)):
        with pytest.raises(UsageError, match=told):
            ab.collection(*parts)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ((5, QUERIES, QRELS), "documents must be a path, a data frame or several records, got 5"),
        (([5], QUERIES, QRELS), "a record must be a Document or a mapping, got 5"),
        ((DOCUMENTS, ["moon"], QRELS), "queries must be a path, a data frame, texts by id, or Query objects, got 'moon'"),
        ((DOCUMENTS, QUERIES, {"q9": {"a": 1}}), "none of its 3 queries has a judgement"),
        ((DOCUMENTS, [ab.Query("q1", "a"), ab.Query("q1", "b")], QRELS), "two queries have the id 'q1'"),
    ],
)  # fmt: skip
def test_parts_that_cannot_be_used(parts, problem):
    with pytest.raises((UsageError, BadInput), match=problem):
        ab.collection(*parts)
