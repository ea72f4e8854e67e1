from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aboutness.app.explaining import explained
from aboutness.app.index import Index
from aboutness.app.side_by_side import Asked, side_by_side

DOCUMENTS = [
    {"id": "a", "title": "Running", "text": "a run by the sea", "year": 1990},
    {"id": "b", "text": "😀 runs, RUNNING and a long walk by the sea and the sea", "year": 2001},
    {"id": "c", "title": "Sea", "text": "sea sea sea", "year": 2001},
]
TWO = Asked("running sea", ("bm25", "tfidf"))


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(DOCUMENTS)


def without(hit: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in hit.items() if name not in ("marks", "before")}


@pytest.mark.parametrize(
    "asked",
    [
        TWO,
        replace(TWO, k=1),
        replace(TWO, match="and"),
        replace(TWO, where=("year>=2000",)),
        replace(TWO, fields="3*title+text"),
        replace(TWO, query="", like="a"),
    ],
)
def test_hits_are_those_of_a_search(index: Index, asked: Asked) -> None:
    answer = side_by_side(index, asked)
    assert answer["problems"] == {}
    question = {"like": asked.like} if asked.like else {"query": asked.query}
    for ranker, column in zip(asked.rankers, answer["columns"], strict=True):
        hits = index.search(
            k=asked.k, ranker=ranker, match=asked.match, where=asked.where or None, fields=asked.fields or None,
            **question,
        )  # fmt: skip
        assert [without(hit) for hit in column["hits"]] == hits.to_json()["hits"]
        assert column["ranker"] == ranker


@pytest.mark.parametrize(
    "asked", [TWO, replace(TWO, fields="title"), replace(TWO, fields="3*title+text", match="bm25 % 2")]
)
def test_what_explains_a_column_sums_to_its_scores(index: Index, asked: Asked) -> None:
    for column in side_by_side(index, asked)["columns"]:
        assert column["hits"]
        for hit in column["hits"]:
            why = explained(index.generation, asked.query, hit["id"], column["explained_by"])
            assert why.score == hit["score"]


def test_words_of_the_query_are_marked_as_the_index_reads_them(index: Index) -> None:
    column = side_by_side(index, TWO)["columns"][0]
    for hit in column["hits"]:
        marked = {hit[name][start:end] for name in ("title", "text") for start, end in hit["marks"][name]}
        assert marked <= {"Running", "RUNNING", "run", "runs", "sea", "Sea"}
        assert marked
    by_id = {hit["id"]: hit for hit in column["hits"]}
    assert by_id["b"]["marks"]["text"][0] == (2, 6)  # code points: the face is one


def test_each_hit_tells_its_rank_to_the_left(index: Index) -> None:
    first, second = side_by_side(index, replace(TWO, k=2))["columns"]
    left = {hit["id"]: hit["rank"] for hit in first["hits"]}
    assert all(hit["before"] is None for hit in first["hits"])
    assert [hit["before"] for hit in second["hits"]] == [left.get(hit["id"]) for hit in second["hits"]]


def test_a_ranker_that_cannot_be_read_spoils_only_its_own_column(index: Index) -> None:
    answer = side_by_side(index, Asked("sea", ("bm25", "bm52", "wcs")))
    good, unreadable, untrained = answer["columns"]
    assert len(good["hits"]) == 3
    assert "unknown ranker 'bm52'" in unreadable["problem"]
    assert unreadable["hits"] == unreadable["places"] == []
    assert "vectors" in untrained["problem"]


@pytest.mark.parametrize(
    ("wrong", "name", "said"),
    [
        ({"where": ("year",)}, "where", "a condition is written key=value"),
        ({"match": "some"}, "match", "match must be one of or, and, all or a cut ranker"),
        ({"fields": "body"}, "fields", "the index has no field 'body'. It has: title, text"),
        ({"fields": "0*text"}, "fields", "fields must be fields, with weights"),
        ({"like": "nobody"}, "like", "there is no document 'nobody'"),
        ({"k": 0}, "k", "k must be"),
        ({"rankers": ("bm25",) * 5}, "rankers", "one to 4 rankers"),
        ({"rankers": ()}, "rankers", "one to 4 rankers"),
    ],
)
def test_what_is_wrong_for_all_is_told_once_and_nobody_is_asked(
    index: Index, wrong: dict[str, Any], name: str, said: str
) -> None:
    answer = side_by_side(index, replace(TWO, **wrong))
    assert list(answer["problems"]) == [name]
    assert said in answer["problems"][name]
    assert not any(column["hits"] or column["problem"] for column in answer["columns"])


def test_where_nothing_is_asked_rankers_are_read_all_the_same(index: Index) -> None:
    mixture, unreadable = side_by_side(index, Asked(" ", ("bm25 + ql", "?")))["columns"]
    assert [place["path"] for place in mixture["places"] if place["kind"] == "weight"] == ["0*", "1*"]
    assert (mixture["problem"], mixture["hits"]) == (None, [])
    assert "the name of a ranker was expected" in unreadable["problem"]


def test_a_note_and_a_lack_of_vectors_are_told(index: Index) -> None:
    assert "default is not trained here" in side_by_side(index, Asked("sea"))["columns"][0]["note"]
    plain = Index.build(DOCUMENTS, analyzer="plain")
    plain.train("word2vec", dim=4, min_count=1, epochs=1, threads=1)
    (column,) = side_by_side(plain, Asked("zeppelin", ("wcs",)))["columns"]
    assert column["without_vectors"] is True
    rare = [{"id": "r", "text": "zeppelin"}, *({"id": name, "text": "sea walk"} for name in "abc")]
    rare = Index.build(rare, analyzer="plain")
    rare.train("word2vec", dim=4, min_count=2, epochs=1, threads=1)
    (column,) = side_by_side(rare, Asked("zeppelin", ("wcs[unknown=matched]",)))["columns"]
    assert [hit["id"] for hit in column["hits"]] == ["r"]
    assert "no word of the query has a vector" in column["note"]


def test_an_error_that_is_not_ours_is_not_swallowed(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("aboutness.app.side_by_side.search_one", broken)
    with pytest.raises(ZeroDivisionError):
        side_by_side(index, TWO)
