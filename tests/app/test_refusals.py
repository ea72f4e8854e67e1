"""What searching and comparing refuse, and how they put it."""

from __future__ import annotations

import json
import sys

import pytest

from aboutness.app.comparing import collection, compare, save_comparison
from aboutness.app.index import Index
from aboutness.core.errors import AboutnessError, NotFound, UsageError
from aboutness.core.record import Document, Query
from experiment.small import documents, write_collection


@pytest.fixture(scope="module")
def index():
    return Index.build(documents())


def test_scores_are_finite_whatever_the_weights(index):
    try:
        hits = index.search({"citi": 1e308, "old": 1e308})
    except UsageError:
        return
    json.dumps(hits.to_json(), allow_nan=False)


def test_where_with_a_lone_surrogate(index):
    for where in ("\ud800=1", "year=\ud800", {"\ud800": 1}):
        assert not index.search("city", where=where)


@pytest.mark.parametrize(
    "query",
    [
        {"citi": "x"},
        {"citi": None},
        {5: 1.0},
        {"citi": 10**400},
        Query("1", None),
        Document("x", {"text": None}),
        Document("x", {"text": 5}),
    ],
)
def test_wrong_queries_are_refused(index, query):
    with pytest.raises(UsageError):
        index.search(query)


@pytest.mark.parametrize("threads", [-1, "x", 1.5])
def test_wrong_threads_are_refused(index, threads):
    with pytest.raises(UsageError):
        index.search_many(["city"] * 100, threads=threads)


def test_one_text_is_not_many(index):
    with pytest.raises(UsageError):
        index.search_many("city")


def test_any_iterable_of_queries(index):
    assert len(index.search_many(text for text in ("city", "old"))) == 2


def test_like_must_be_a_text(index):
    with pytest.raises(AboutnessError):
        index.search(like=5)


def test_where_must_be_conditions(index):
    with pytest.raises(UsageError):
        index.search("city", where=5)


def test_a_missing_folder_is_told_also_without_ir_datasets(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(NotFound, match="there is no such folder"):
        collection("nofolder")


def test_missing_documents_of_a_collection_are_named(tmp_path):
    place = write_collection(tmp_path / "c")
    (place / "corpus.jsonl").unlink()
    with pytest.raises(NotFound, match=r"no corpus\.jsonl"):
        compare("bm25", place)


def test_old_runs_do_not_stay_beside_new_results(index, tmp_path):
    place = write_collection(tmp_path / "c")
    save_comparison(compare(["bm25", "ql"], place, index=index), tmp_path / "o")
    save_comparison(compare(["ql"], place, index=index), tmp_path / "o")
    assert [p.name for p in (tmp_path / "o" / "runs").iterdir()] == ["01-ql.trec"]
