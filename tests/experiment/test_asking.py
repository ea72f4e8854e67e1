from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import NotFound, UsageError
from aboutness.core.record import Query
from aboutness.experiment.asking import Asking, forms_of, step_of, with_form, without
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import compare_on
from aboutness.experiment.sweep import sweep
from aboutness.experiment.validate import cross_validate
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers
from experiment.drawn import DRAWN, RECORDS
from experiment.small import QRELS, QUERIES, TERM_MODELS, documents, texts, with_all

SMALL = Collection("small", "nowhere", tuple(texts(QUERIES)), QRELS)
TOPICS = Collection(
    "topics",
    "nowhere",
    (
        Query("1", "city", {"title": "city", "desc": "old songs of the sea", "narr": "river"}),
        Query("2", "dogs", {"title": "dogs", "desc": "cats", "narr": "pets"}),
        Query("3", "nobody judged it"),
    ),
    {"1": {"d1": 1}, "2": {"d5": 1}},
)


@pytest.fixture(scope="module")
def index():
    return with_all(Index.build(documents()))


@pytest.fixture(scope="module")
def drawn():
    return Index.build(RECORDS)


# --- forms of queries ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "asked"),
    [
        ("text", ["city", "dogs"]),
        ("title", ["city", "dogs"]),
        ("desc", ["old songs of the sea", "cats"]),
        ("title+narr", ["city river", "dogs pets"]),
        ("title + desc+narr", ["city old songs of the sea river", "dogs cats pets"]),
        ("short", ["city", "dogs"]),
        ("long", ["old songs of the sea", "cats"]),
        ("short+long", ["city old songs of the sea", "dogs cats"]),
    ],
)
def test_queries_are_asked_in_any_form(form, asked):
    made = with_form(TOPICS, form)
    assert [query.text for query in made.judged_queries] == asked
    assert made.queries[2].text == "nobody judged it"
    assert made.qrels == TOPICS.qrels


def test_a_form_that_is_not_there():
    with pytest.raises(
        UsageError, match="query 'q1' has no form 'desc'; its queries have only one form, their text"
    ):
        with_form(SMALL, "desc")
    with pytest.raises(UsageError, match="no form 'summary'; its queries have the forms text, title, desc, narr"):
        with_form(TOPICS, "summary")
    assert [query.text for query in with_form(SMALL, "short").queries] == [query.text for query in SMALL.queries]
    assert forms_of(SMALL) == ["text"]
    with pytest.raises(UsageError, match="documents, which have no form 'title'"):
        with_form(replace(SMALL, by_document=True), "title")


def test_a_collection_without_some_queries():
    left = without(SMALL, ["q1", "q3"])
    assert list(left.qrels) == ["q2", "q4", "q6"]
    assert [query.id for query in left.judged_queries] == ["q2", "q4"]


# --- which documents are ranked ------------------------------------------------------------------------


def test_the_steps():
    assert [step_of(one) for one in ("or", "and", "all", "judged", "bm25 % 10", None)] == [
        "or", "and", "all", "judged", "or", "or",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="match must be one of or, and, all, judged, got 'xor'"):
        Asking(Index.build([]).snapshot, SMALL, "xor")


@pytest.mark.parametrize("name", [*known_rankers(), "bm25 % 1 >> ql", "minmax(bm25) + rrf(ql, tfidf)"])
def test_just_the_judged_documents_are_ranked(index, name):
    (row,) = compare_on(index.snapshot, SMALL, [ranker(name)], ["AP"], match="judged").rows
    everywhere = compare_on(index.snapshot, SMALL, [ranker(name)], ["AP"], match="all").rows[0].run
    for query in ("q1", "q2", "q3", "q4"):
        found = [document for document, _ in row.run[query]]
        assert set(found) <= set(QRELS[query])
        if name in ("bm25", "ql", "wcs", "lsa") and everywhere[query]:
            assert set(found) == set(QRELS[query]) - {"gone"}
            assert found == [document for document, _ in everywhere[query] if document in QRELS[query]]


def test_judged_documents_of_a_tuned_ranker(drawn):
    for tuned in (
        cross_validate(drawn.snapshot, DRAWN, "bm25", {"k1": [0.5, 2]}, "AP", match="judged"),
        sweep(drawn.snapshot, DRAWN, "bm25", {"k1": [0.5, 2]}, "AP", match="judged"),
    ):
        for query, ranking in tuned.run.items():
            assert {document for document, _ in ranking} == set(DRAWN.qrels[query])


# --- documents as queries ------------------------------------------------------------------------------

LIKE = replace(
    SMALL,
    queries=(Query("d3", "an old song"), Query("d4", "Rivers")),
    qrels={"d3": {"d7": 1, "d2": 1}, "d4": {"d7": 1}},
    hidden=frozenset(["d3", "d4"]),
    by_document=True,
)


@pytest.mark.parametrize("name", [*known_rankers(), "bm25 % 3 >> ql", "minmax(bm25) + rrf(ql, tfidf)"])
def test_every_ranker_takes_documents_as_queries(index, name):
    (row,) = compare_on(index.snapshot, LIKE, [ranker(name)], ["AP"]).rows
    assert list(row.run) == ["d3", "d4"]
    for query, ranking in row.run.items():
        found = [document for document, _ in ranking]
        assert found
        assert not {"d3", "d4"} & set(found)
        alike = [hit.id for hit in index.search(like=query, k=9, ranker=name)]
        if name in ("bm25", "tfidf", "wcs", "ql"):
            assert found == [document for document in alike if document not in ("d3", "d4")]
    if name in (*TERM_MODELS, "wcs", "iwcs", "wmd", "ketos"):
        assert row.run["d3"][0][0] == "d7"  # which is the same


def test_documents_that_do_not_belong_are_not_found(index):
    only = replace(LIKE, only=frozenset(["d3", "d4", "d7", "d1"]))
    (row,) = compare_on(index.snapshot, only, [ranker("bm25")], ["AP"], match="all").rows
    assert {document for ranking in row.run.values() for document, _ in ranking} == {"d7", "d1"}
    assert np.flatnonzero(Asking(index.snapshot, only).allowed).tolist() == [0, 6]
    assert Asking(index.snapshot, SMALL).allowed is None


def test_hidden_documents_are_not_found_among_the_judged_ones(index):
    judged = replace(LIKE, qrels={"d3": {"d4": 1, "d7": 1, "d1": 0}})
    (row,) = compare_on(index.snapshot, judged, [ranker("bm25")], ["AP"], match="judged").rows
    assert [document for document, _ in row.run["d3"]] == ["d7", "d1"]


def test_a_query_that_is_no_document(index):
    with pytest.raises(NotFound, match="the index has no document 'gone', which is a query of small"):
        Asking(index.snapshot, LIKE).question(Query("gone", ""))


def test_what_kept_values_depend_on(index):
    plain = {
        Asking(index.snapshot, one, step).plain
        for one in (SMALL, LIKE, replace(LIKE, hidden=frozenset(["d3"])), replace(LIKE, only=frozenset(["d1"])))
        for step in ("or", "judged")
    }
    assert len(plain) == 8
    assert Asking(index.snapshot, SMALL, "and").plain == "and"  # as it was before there were others
