"""What is pooled for judging: the best documents of several rankers, blind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.app.evaluating import evaluate_run
from aboutness.app.index import Index
from aboutness.app.pooling import LONGEST_TEXT, pooled
from aboutness.core.errors import UsageError
from app.sky import RECORDS

RANKERS = ["bm25", "ql", "tfidf"]


def ids(pool):
    return [document.id for document in pool.documents]


def test_it_has_what_any_ranker_finds_once(index):
    pool = pooled(index, "sun sea", RANKERS, 6)
    best = {hit.id for ranker in RANKERS for hit in index.search("sun sea", 6, ranker)}
    assert sorted(ids(pool)) == sorted(best)


def test_what_a_judge_sees_tells_neither_rankers_nor_scores_nor_ranks(index):
    told = pooled(index, "sun sea", RANKERS, 6).to_json()
    assert told["rankers"] == 3
    assert {key for document in told["documents"] for key in document} == {
        "id",
        "fields",
        "marks",
        "metadata",
        "cut",
    }
    text = json.dumps(told)
    assert "bm25" not in text
    assert "score" not in text


def test_the_order_is_by_the_seed_and_not_by_a_ranker(index):
    one, same, other = (ids(pooled(index, "sun", ["bm25"], 15, seed=seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other
    assert sorted(one) == sorted(other)
    assert one != [hit.id for hit in index.search("sun", 15, "bm25")]


def test_a_further_ranker_changes_no_order_of_those_before(index):
    few = ids(pooled(index, "sun sea", ["bm25"], 5))
    more = ids(pooled(index, "sun sea", ["bm25", "ql[mu=1]", "tfidf"], 9))
    assert [one for one in more if one in few] == few


def test_a_ranker_that_is_named_twice_counts_once(index):
    assert list(pooled(index, "sun", ["bm25", " bm25 ", "ql"], 3).rankings) == ["bm25", "ql"]


def test_it_is_revealed_who_had_what(index):
    pool = pooled(index, "sun sea", RANKERS, 6)
    for one in pool.revealed():
        hits = index.search("sun sea", 6, one["ranker"])
        assert [(hit["id"], hit["rank"], hit["score"]) for hit in one["hits"]] == [
            (hit.id, hit.rank, hit.score) for hit in hits
        ]
        assert one["measures"] is None


def test_grades_measure_the_rankers_as_evaluate_does(index):
    pool = pooled(index, "sun sea", RANKERS, 6)
    grades = {one: place % 4 for place, one in enumerate(ids(pool))}
    for one in pool.revealed(grades):
        run = {"q": {hit["id"]: float(100 - hit["rank"]) for hit in one["hits"]}}
        assert one["measures"] == evaluate_run({"q": grades}, run, "nDCG@6,P@6,RR").mean
        assert [hit["grade"] for hit in one["hits"]] == [grades[hit["id"]] for hit in one["hits"]]


def test_long_texts_are_cut_and_it_is_told():
    index = Index.build([{"id": "a", "title": "sun", "text": "sun " * LONGEST_TEXT}])
    (document,) = pooled(index, "sun", ["bm25"]).to_json()["documents"]
    assert document["cut"] == ["text"]
    assert len(document["fields"]["text"]) == LONGEST_TEXT
    assert document["fields"]["title"] == "sun"


def test_words_of_the_query_are_marked_as_the_index_reads_them():
    index = Index.build([{"id": "a", "title": "Runs", "text": "😀 the RUNNING of the sea"}])
    (document,) = pooled(index, "the running", ["bm25"]).to_json()["documents"]
    assert document["marks"] == {"title": [(0, 4)], "text": [(6, 13)]}  # code points: the face is one


@pytest.mark.parametrize(("rankers", "depth"), [([], 5), (["bm25"], 0), (["nobody"], 5)])
def test_what_cannot_be_pooled_is_refused(index, rankers, depth):
    with pytest.raises(UsageError):
        pooled(index, "sun", rankers, depth)


def test_a_query_without_known_words_has_an_empty_pool(index):
    assert pooled(index, "zebra", RANKERS).documents == []


SKY = Index.build(RECORDS)


@given(st.text(max_size=20), st.integers(1, 30), st.integers(-5, 5))
def test_any_query_gives_a_pool(query, depth, seed):
    pool = pooled(SKY, query, ["bm25", "ql"], depth, seed=seed)
    assert len(set(ids(pool))) == len(ids(pool)) <= 2 * depth
    assert set(ids(pool)) == {hit["id"] for one in pool.revealed() for hit in one["hits"]}
