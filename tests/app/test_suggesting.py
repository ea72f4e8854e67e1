from __future__ import annotations

import pytest

from aboutness.app.index import Index
from aboutness.app.suggesting import (
    EXAMPLES,
    example_queries,
    metadata_keys,
    ready_rankers,
    respelt,
    unknown_words,
)
from aboutness.rank.grammar import ranker

DOCUMENTS = [
    {
        "id": "a",
        "title": "Harbour of York",
        "text": "ships",
        "year": 1990,
        "topics": ["sea", "city"],
        "open": True,
    },
    {"id": "b", "title": "The harbour at night", "text": "lamps and ships", "year": 1990, "topics": ["sea"]},
    {"id": "c", "title": "Songs", "text": "running at night", "year": 2001.5, "topics": ["art"]},
    {"id": "d", "title": "Cities", "text": "the new city"},
]


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(DOCUMENTS)


def test_example_queries_are_words_of_titles_as_they_are_written(index: Index) -> None:
    assert example_queries(index) == ["harbour", "cities", "night", "songs", "york"]
    assert example_queries(index, most=1) == ["harbour"]


def test_where_there_are_no_titles_beginnings_give_the_examples() -> None:
    assert example_queries(Index.build([{"id": "a", "text": "a comet"}])) == ["comet"]


def test_an_empty_index_has_nothing_to_suggest() -> None:
    index = Index.build([])
    assert (example_queries(index), metadata_keys(index), respelt(index, "moon")) == ([], [], None)


def test_keys_come_with_their_values_the_most_frequent_first(index: Index) -> None:
    assert {one.key: one.conditions for one in metadata_keys(index)} == {
        "open": ["open=true"],
        "topics": ["topics=sea", "topics=city", "topics=art"],
        "year": ["year=1990", "year=2001.5"],
    }


def test_of_many_values_only_the_most_frequent_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, index: Index
) -> None:
    monkeypatch.setattr("aboutness.app.suggesting.ENTRIES", 3)  # one is that topics are lists
    assert {one.key: one.conditions for one in metadata_keys(index)} == {
        "topics": ["topics=sea"],
        "year": ["year=1990"],
    }


def test_what_is_different_in_every_document_is_not_suggested() -> None:
    index = Index.build({"id": str(n), "text": "moon", "address": f"a{n}", "year": n % 2} for n in range(40))
    assert {one.key: one.conditions for one in metadata_keys(index)} == {
        "address": [],
        "year": ["year=0", "year=1"],
    }


def test_each_condition_that_is_suggested_finds_documents(index: Index) -> None:
    for one in metadata_keys(index):
        for condition in one.conditions:
            assert index.where(condition), condition


def test_a_value_that_no_condition_can_say_is_not_suggested() -> None:
    index = Index.build([{"id": "a", "text": "moon", "topic": ["<b>", " x", "", "fine", "x=y"], "a>b": 1}])
    assert [text for one in metadata_keys(index) for text in one.conditions] == ["topic=fine", "topic=x=y"]


def test_rankers_that_need_what_is_not_trained_are_not_suggested() -> None:
    index = Index.build(DOCUMENTS, analyzer="plain")
    before = ready_rankers(index)
    assert {"bm25", "ql", "default", "bm25 + ql"} <= before.keys()
    assert "wcs" not in before
    index.train("word2vec", dim=4, min_count=1, epochs=1, threads=1)
    after = ready_rankers(index)
    assert {"wcs", "rrf(bm25, iwcs)"} <= after.keys()
    for text in set(after) - {"default"}:
        index.search("harbour", ranker=text)


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_are_rankers(text: str) -> None:
    assert str(ranker(text))


def test_words_that_no_document_has_are_told_as_they_are_written(index: Index) -> None:
    assert unknown_words(index, "the Runs of zeppelins, Zeppelins") == ["zeppelins"]
    assert unknown_words(index, "the") == []


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("harbor lamps", "harbour lamps"),
        ("hrabour", "harbour"),
        ("harbourr", "harbour"),
        ("newcity", "new city"),
        ("citiez", "cities"),
        ("runnning", "running"),
        ("Harxour of YORKK", "harbour of york"),
    ],
)
def test_an_unknown_word_is_respelt_as_a_known_one(index: Index, query: str, meant: str) -> None:
    assert respelt(index, query) == meant


@pytest.mark.parametrize("query", ["harbour", "", "qqqqqqqq", "x" * 5000, "(((", "海"])
def test_where_nothing_is_near_nothing_is_said(index: Index, query: str) -> None:
    assert respelt(index, query) is None
