from __future__ import annotations

import gc
import json
import math
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import aboutness as ab
from aboutness.app.hits import SHOWN
from aboutness.app.index import Index
from aboutness.app.search import DEFAULT_RANKER, How
from aboutness.core.errors import NotFound, UsageError
from aboutness.core.record import Document, Query
from aboutness.rank.known import known_rankers
from experiment.small import (
    BY_WORDS,
    DEFAULTS,
    TERM_MODELS,
    TRAINED,
    documents,
    vectors_for,
    with_all,
    with_vectors,
)

BY_TERMS = [
    *TERM_MODELS,
    "bm25 % 3",
    "bm25 % 4 >> ql",
    "ql[smoothing=jm,lam=.3]",
    "bm25[variant=bm25+,fields=text]",
]
BY_VECTORS = [*BY_WORDS, "bm25 % 4 >> desm-in-out", "bm25 + 30*desm-in-out"]
RANKERS = [*BY_TERMS, *BY_VECTORS, *TRAINED]
FIELDS = "fields must be fields, with weights from 1e-9 to 1e9 where they have some, such as title or 3*title+text"
MATCHES = ["or", "and", "all", "bm25 % 2", "tfidf % 3 >> ql % 1"]

every_ranker = pytest.mark.parametrize("ranker", RANKERS)
without_training = pytest.mark.parametrize("ranker", [*BY_TERMS, *BY_VECTORS])


@pytest.fixture(scope="module")
def index():
    return with_all(Index.build(documents()))


def pairs(hits):
    return [(hit.id, hit.score) for hit in hits]


def ids(hits):
    return [hit.id for hit in hits]


# --- hits ----------------------------------------------------------------------------------------------


def test_hits_have_rank_id_score_and_document(index):
    hits = index.search("cities of Mexico")
    assert ids(hits) == ["d1", "d2", "d4"]
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [hit.document for hit in hits] == [index[hit.id] for hit in hits]
    assert [hit.title for hit in hits] == ["Albuquerque", "City songs", "Rivers"]
    assert hits[0].text == "a city in New Mexico, the largest of its cities"
    assert repr(hits[0]) == f"Hit(rank=1, id='d1', score={hits[0].score:.6g})"
    assert hits.query == "cities of Mexico"
    assert hits.ranker == ab.Default()
    assert hits.took_ms > 0
    assert repr(hits) == "<3 hits for 'cities of Mexico' by default>"
    assert repr(index.search("cities of Mexico", k=1)) == "<1 hit for 'cities of Mexico' by default>"


def test_hits_can_be_printed(index):
    hits = index.search("cities of Mexico", k=1)
    first, row, note = str(hits).splitlines()
    assert first == "1 hit for 'cities of Mexico' by default"
    assert row == f"  1  {hits[0].score:8.4f}  Albuquerque  (d1)"
    assert note.startswith("note: default is not trained here")
    odd = Index.build([{"id": "1", "title": "\x1b[31mred\n\nmoon", "text": ""}])
    assert str(odd.search("moon", ranker="bm25")).endswith("  \ufffd[31mred moon  (1)")
    assert str(index.search("unheard", ranker="bm25")) == "0 hits for 'unheard' by bm25"


def test_a_notebook_shows_hits_as_a_table_in_which_nothing_is_html():
    told = Index.build([{"id": "<1>", "title": "<b>&", "text": "<script>sun</script>\nmoon"}])
    shown = told.search("<i>sun</i>", ranker="bm25")._repr_html_()
    assert "<b>&lt;b&gt;&amp;</b> <code>&lt;1&gt;</code><br>&lt;script&gt;sun&lt;/script&gt; moon" in shown
    assert "1 hit for &#x27;&lt;i&gt;sun&lt;/i&gt;&#x27; by bm25" in shown


def test_hits_are_a_sequence(index):
    hits = index.search("city old river")
    assert len(hits) == len(list(hits)) == 5
    assert hits[-1].rank == 5
    assert [hit.rank for hit in hits[1:3]] == [2, 3]
    assert [hit.rank for hit in reversed(hits)] == [5, 4, 3, 2, 1]
    assert hits[0] is hits[0]
    assert hits[0] in hits
    assert not index.search("unheard")
    with pytest.raises(IndexError):
        hits[5]


def test_equal_documents_come_in_order_of_arrival_with_equal_scores(index):
    hits = index.search("old songs")
    assert ids(hits)[:2] == ["d3", "d7"]
    assert hits[0].score == hits[1].score


def test_what_is_shown_of_a_document():
    records = [
        {"id": "no title", "text": "word\n\n two\t three"},
        {"id": "long", "title": "word " * 100, "text": "word " * 100},
        {"id": "only title", "title": "word"},
        {"id": "two texts", "abstract": "word first", "title": "word second", "text": "word third"},
        {"id": "blank", "text": "word", "title": ""},
    ]
    hits = {hit.id: hit for hit in Index.build(records).search("word")}
    assert (hits["no title"].title, hits["no title"].text) == ("word two three", "word two three")
    assert hits["long"].title == "word " * 100
    assert len(hits["long"].text) == SHOWN
    assert hits["long"].text.endswith("word…")
    assert (hits["only title"].title, hits["only title"].text) == ("word", "")
    assert hits["two texts"].title == "word second"
    assert hits["two texts"].text in ("word first", "word third")
    assert hits["blank"].title == "word"


@pytest.mark.parametrize("explain", [False, True])
@every_ranker
def test_plain_values(index, ranker, explain):
    hits = index.search("old city songs", ranker=ranker)
    plain = hits.to_json(explain=explain)
    assert list(plain) == ["query", "ranker", "took_ms", *(["note"] if ranker in DEFAULTS else []), "hits"]
    assert (plain["query"], plain["ranker"]) == ("old city songs", str(ab.ranker(ranker)))
    for hit, one in zip(hits, plain["hits"], strict=True):
        keys = ["rank", "id", "score", "title", "text", *(["explanation"] if explain else [])]
        assert list(one) == keys
        assert [one[key] for key in keys[:5]] == [hit.rank, hit.id, hit.score, hit.title, hit.text]
        if explain:
            assert one["explanation"] == hit.explain().to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


@without_training
def test_explanations_sum_to_scores(index, ranker):
    hits = index.search("old city songs of Mexico", 100, ranker, match="all")
    assert hits
    for hit in hits:
        explanation = hit.explain()
        assert explanation.score == hit.score
        if explanation.parts:
            assert math.isclose(explanation.total, hit.score, rel_tol=1e-5, abs_tol=1e-6)
        else:
            assert (hit.id, ranker in BY_TERMS) == ("d6", False)  # it has no words: the lowest score
            assert "nothing is known to compare" in explanation.formula
        assert explanation == index.explain("old city songs of Mexico", hit.id, ranker)
        if ranker in BY_TERMS:
            assert {part.name for part in explanation.parts} == {"old", "citi", "song", "mexico"}


@pytest.mark.parametrize(
    ("ranker", "keys"),
    [
        ("bm25", ["in_query", "in_document", "df", "idf", "length_factor"]),
        ("ql", ["in_query", "in_document", "p_in_document", "p_in_collection"]),
        ("tfidf", ["in_query", "in_document", "df", "idf", "component"]),
        ("bm25-cosine", ["in_query", "in_document", "df", "idf", "component"]),
    ],
)
def test_the_numbers_of_an_explanation(index, ranker, keys):
    (part,) = index.explain("old", "d3", ranker).parts
    assert list(part.details) == keys
    assert (part.details["in_query"], part.details["in_document"]) == (1.0, 2.0)
    (plain,) = index.explain("old", "d3", ranker).to_json()["parts"]
    assert list(plain) == ["name", "value", *keys]
    shown = str(index.explain("old", "d3", ranker)).splitlines()[1]
    assert all(f"{key.replace('_', ' ')} " in shown for key in keys)
    assert "_" not in shown


def test_a_document_that_was_not_found_is_explained_too(index):
    explanation = index.explain("cities", "d5")
    assert (explanation.score, [part.value for part in explanation.parts]) == (0.0, [0.0])
    assert index.explain("unheard of", "d5").parts == ()
    with pytest.raises(NotFound, match="there is no document 'nope'"):
        index.explain("cities", "nope")


# --- queries of every kind -----------------------------------------------------------------------------


@without_training
def test_a_query_is_a_text_terms_or_a_query(index, ranker):
    wanted = pairs(index.search("old songs, old cities", ranker=ranker))
    assert wanted
    terms = {"old": 2.0, "song": 1, "citi": np.float32(1), "unheard": 5.0, "mexico": 0.0}
    assert pairs(index.search(terms, ranker=ranker)) == wanted
    assert pairs(index.search(Query("q", "old songs, old cities", {"title": "x"}), ranker=ranker)) == wanted
    assert index.search(terms).query == "old song citi unheard mexico"
    assert index.search(Query("q", "old songs")).query == "old songs"


@without_training
def test_a_query_can_be_a_document(index, ranker):
    for document in documents():
        like = index.search(like=document.id, ranker=ranker)
        hits = index.search(document, 100, ranker)
        assert hits.query == like.query == document.id
        if "%" not in ranker and document.fields:
            assert [pair for pair in pairs(hits) if pair[0] != document.id] == pairs(like)


def test_fields_that_the_index_has_not_are_passed_over(index):
    asked = Document("mine", {"title": "cities", "abstract": "old songs"})
    assert pairs(index.search(asked)) == pairs(index.search("cities")) != []


def test_a_document_must_share_a_field_with_the_index(index):
    alien = Document("mine", {"abstract": "old songs", "body": "cities"})
    told = r"the index has none of the document's fields abstract, body\. It has: title, text$"
    with pytest.raises(UsageError, match=told):
        index.search(alien)
    with pytest.raises(UsageError, match=told):
        index.search_many(["city", documents()[0], alien])
    assert not index.search(Document("mine", {"title": "unheard"}))
    assert not index.search(Document("mine", {}))


@pytest.mark.parametrize("match", MATCHES)
@every_ranker
def test_a_document_is_not_like_itself(index, ranker, match):
    for document in documents():
        hits = index.search(like=document.id, k=100, ranker=ranker, match=match)
        assert document.id not in ids(hits)
        assert hits.query == document.id
        assert document.fields or not hits


def test_like_with_conditions_and_explanations(index):
    hits = index.search(like="d3", where="year>1990")
    assert ids(hits) == ["d7", "d2"]
    assert math.isclose(hits[0].explain().total, hits[0].score, rel_tol=1e-5)
    assert {part.name for part in hits[0].explain().parts} == {"old", "song", "river"}
    assert not index.search(like="d3", where="year>3000")
    assert not index.search(like="d6", match="all")


def test_like_wants_an_id_that_is_there(index):
    for identifier in ("nope", "", "\ud800", "D1"):
        with pytest.raises(NotFound, match="there is no document"):
            index.search(like=identifier)
    for arguments in ({}, {"query": "x", "like": "d1"}, {"query": "", "like": "d1"}):
        with pytest.raises(UsageError, match="give a query, or the id of a document with --like"):
            index.search(**arguments)


@pytest.mark.parametrize("query", [5, b"city", ["city"], 1.5, ("city",), True])
def test_what_is_no_query_is_refused(index, query):
    with pytest.raises(UsageError, match="a query must be a text, a Query, a Document or terms with weights"):
        index.search(query)
    with pytest.raises(UsageError, match="a query must be"):
        index.search_many(["city", query])


@pytest.mark.parametrize("weight", [-1, -1e-9, math.nan, math.inf, -math.inf])
def test_weights_of_terms_are_checked(index, weight):
    with pytest.raises(UsageError, match="the weight of 'citi' must be a number from 0 to"):
        index.search({"old": 1.0, "citi": weight})


# --- how many, which, by what --------------------------------------------------------------------------


@every_ranker
def test_k_takes_from_the_front(index, ranker):
    whole = pairs(index.search("old city songs", 10**9, ranker))
    assert len(whole) >= 3
    for k in (1, 2, 3, 10, 1000, 1001, np.int64(2), 2**63, 10**30):
        assert pairs(index.search("old city songs", k, ranker)) == whole[: int(k)]
    assert pairs(index.search("old city songs", ranker=ranker)) == whole[:10]


@pytest.mark.parametrize("k", [0, -1, 1.5, True, False, None, "3", np.float64(3), np.bool_(True), [1], -(10**30)])
def test_k_is_a_whole_number_of_at_least_1(index, k):
    for ranker in ("bm25", "bm25 % 2 >> ql"):
        with pytest.raises(UsageError, match="k must be a whole number of at least 1, got "):
            index.search("city", k, ranker)
        with pytest.raises(UsageError, match="k must be a whole number of at least 1, got "):
            index.search_many(["city"] * 20, k, ranker)
        with pytest.raises(UsageError, match="k must be a whole number of at least 1, got "):
            index.search(like="d1", k=k, ranker=ranker)


def test_match(index):
    found = {match: ids(index.search("old city songs", match=match)) for match in MATCHES}
    assert sorted(found["or"]) == ["d1", "d2", "d3", "d7"]
    assert found["and"] == []
    assert ids(index.search("old songs", match="and")) == ["d3", "d7"]
    assert ids(index.search("old songs unheard", match="and")) == []
    assert sorted(found["all"]) == ["d1", "d2", "d3", "d4", "d5", "d6", "d7"]
    assert found["all"][:4] == found["or"]
    assert found["bm25 % 2"] == found["or"][:2]
    assert len(found["tfidf % 3 >> ql % 1"]) == 1
    by_object = index.search("old city songs", match=ab.BM25() % 2)
    assert pairs(by_object) == pairs(index.search("old city songs", match="bm25 % 2"))
    assert str(by_object.ranker) == "bm25 % 2 >> default"


@every_ranker
def test_matching_by_a_ranker_is_ranking_anew(index, ranker):
    matched = index.search("old city songs", ranker=ranker, match="bm25 % 2")
    anew = index.search("old city songs", ranker=ab.BM25() % 2 >> ab.ranker(ranker))
    assert pairs(matched) == pairs(anew)
    assert sorted(ids(matched)) == sorted(ids(index.search("old city songs", 2)))


@pytest.mark.parametrize("match", ["", "xor", "bm25 % 0", "OR", "or and", "bm25 %", "[", "all % 3"])
def test_another_way_to_match_is_refused(index, match):
    with pytest.raises(UsageError, match="match must be one of or, and, all or a cut ranker: "):
        index.search("city", match=match)


def test_a_ranker_that_finds_documents_must_say_how_many(index):
    with pytest.raises(UsageError, match="'bm25 % 100 >> ql'"):
        index.search("city", ranker="ql", match="bm25")


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("year>=1950", ["d3", "d7", "d2"]),
        (["year>=1950", "topics=music"], ["d3", "d2"]),
        ({"topics": "music", "year": [1950, 1999]}, ["d3", "d2"]),
        ({"topics": "place"}, ["d2"]),
        ({}, ["d3", "d7", "d2"]),
        ("year=1", []),
        ("unheard=1", []),
    ],
)
def test_where(index, where, found):
    assert ids(index.search("old songs", where=where)) == found
    for k in range(1, len(found) + 1):
        assert ids(index.search("old songs", k, where=where)) == found[:k]
    assert [ids(hits) for hits in index.search_many(["old songs"] * 20, where=where)] == [found] * 20


@every_ranker
def test_conditions_only_take_away(index, ranker):
    if "%" not in ranker:
        whole = pairs(index.search("old city songs", ranker=ranker, match="all"))
        some = index.search("old city songs", ranker=ranker, match="all", where="year>1950")
        assert pairs(some) == [pair for pair in whole if index[pair[0]].metadata.get("year", 0) > 1950]


def test_a_condition_comes_before_a_cut(index):
    hits = index.search("old city songs river", ranker="bm25 % 2 >> ql", where="year>1950")
    assert len(hits) == 2
    assert all(index[hit.id].metadata["year"] > 1950 for hit in hits)


@pytest.mark.parametrize("where", ["nonsense", "", ["year=1", "x"]])
def test_what_is_no_condition_is_refused(index, where):
    with pytest.raises(UsageError, match="a condition is written key=value"):
        index.search("city", where=where)


def test_fields(index):
    titles = index.search("rivers and cities", fields="title")
    assert sorted(ids(titles)) == ["d2", "d4"]
    assert str(titles.ranker) == "default[fields=title]"
    for fields in (["title"], ("title",), {"title": None}, [("title", None)]):
        same = index.search("rivers and cities", fields=fields)
        assert (pairs(same), same.ranker) == (pairs(titles), titles.ranker)
    for fields in ("1*title", {"title": 1}, [("title", 1.0)]):
        once = index.search("rivers and cities", fields=fields)
        assert (pairs(once), str(once.ranker)) == (pairs(titles), "default[fields=1*title]")
    assert pairs(index.search("rivers and cities", fields="title+text")) == pairs(
        index.search("rivers and cities")
    )
    weighted = index.search("rivers and cities", fields={"title": 3, "text": 1})
    assert str(weighted.ranker) == "default[fields=3*title+1*text]"
    assert str(index.search("city", fields="3*title + text").ranker) == "default[fields=3*title+text]"
    assert pairs(weighted) == pairs(index.search("rivers and cities", fields="3*title + text"))
    assert pairs(weighted) == pairs(index.search("rivers and cities", ranker="bm25[fields=3*title+text]"))
    assert pairs(weighted) != pairs(index.search("rivers and cities"))
    assert ids(index.search(like="d2", fields="title")) == []
    assert "d1" in ids(index.search(like="d2", fields="text"))


@pytest.fixture(scope="module")
def weighted():
    return with_vectors(Index.build(documents(), weights={"title": 3}))


@pytest.mark.parametrize("ranker", [*TERM_MODELS, *BY_WORDS])
def test_a_field_without_a_weight_counts_as_the_index_says(index, weighted, ranker):
    asked = "rivers of the city"
    whole = pairs(weighted.search(asked, ranker=ranker))
    for fields in ("title+text", ["title", "text"], "3*title+text", {"text": 1, "title": 3}):
        assert dict(pairs(weighted.search(asked, ranker=ranker, fields=fields))) == dict(whole)
    alike = pairs(index.search(asked, ranker=ranker))
    assert dict(alike) != dict(whole)
    for fields in ("1*title+text", {"title": 1, "text": 1}):
        assert pairs(weighted.search(asked, ranker=ranker, fields=fields)) == alike


def test_fields_reach_every_part_but_those_that_choose_their_own(index):
    hits = index.search("city", ranker="bm25 % 5 >> ql[fields=text] >> tfidf", match="ql % 6", fields="title")
    assert str(hits.ranker) == (
        "ql[fields=title] % 6 >> (bm25[fields=title] % 5 >> ql[fields=text] >> tfidf[fields=title])"
    )
    assert ids(hits) == ["d2"]


def test_fields_reach_every_part_of_a_mixture_and_pipelines():
    how = How("2*(bm25 + ql[fields=text]) % 5 >> tfidf + .5*bm25-desm", fields="title")
    assert str(how.expression) == (
        "2*(bm25[fields=title] + ql[fields=text]) % 5 >> tfidf[fields=title] + 0.5*bm25-desm[fields=title]"
    )
    assert str(How("iwcs-wmd[fields=text] + bm25", fields="title").expression) == (
        "iwcs-wmd[fields=text] + bm25[fields=title]"
    )


def test_a_mixture_is_searched_as_text_and_as_an_expression(index):
    bm25, ql = ab.ranker("bm25"), ab.ranker("ql")
    written, made = (
        index.search("old city", ranker="bm25 + 30*ql"),
        index.search("old city", ranker=bm25 + 30 * ql),
    )
    assert pairs(written) == pairs(made)
    assert str(written.ranker) == "bm25 + 30*ql"
    for hit in written:
        explanation = hit.explain()
        assert math.isclose(explanation.total, hit.score, rel_tol=1e-5)
        assert {part.by for part in explanation.parts} == {"bm25", "ql"}
    anew = index.search("old city", ranker="tfidf", match="(bm25 + ql) % 2")
    assert ids(anew) == ids(index.search("old city", ranker="(bm25 + ql) % 2 >> tfidf"))
    assert len(anew) == 2


@pytest.mark.parametrize(
    "fields",
    ["", [], {}, "0*title", {"title": 0}, {"title": -1}, {"title": 1e-10}, "1e10*title", "title+title", 5, [None]],
)
def test_what_are_no_fields_is_refused(index, fields):
    with pytest.raises(UsageError, match=re.escape(FIELDS)):
        index.search("city", fields=fields)


def test_fields_must_be_there(index):
    with pytest.raises(UsageError, match=r"the index has no field 'body'\. It has: title, text"):
        index.search("city", fields="body")


@pytest.mark.parametrize(
    "ranker", ["bm26", "", "bm25,ql", "BM25", "bm25[k1=-1]", "bm25 >> ql", "bm25[", "bm25[x=1]"]
)
def test_a_ranker_that_is_none_is_refused(index, ranker):
    with pytest.raises(UsageError):
        index.search("city", ranker=ranker)
    with pytest.raises(UsageError):
        index.search_many([], ranker=ranker)
    with pytest.raises(UsageError):
        index.explain("city", "d1", ranker)


@pytest.mark.parametrize("other", [None, 5, ab.BM25, ["bm25"], b"bm25"])
def test_what_is_neither_a_text_nor_a_ranker_is_refused(index, other):
    with pytest.raises(UsageError):
        index.search("city", ranker=other)
    with pytest.raises(UsageError):
        index.search("city", match=other)


def test_an_unknown_ranker_is_told_with_the_known_ones(index):
    known = ", ".join(known_rankers(combinations=True))
    with pytest.raises(UsageError, match=rf"did you mean 'bm25'\? Known: {known}$"):
        index.search("city", ranker="bm26")


def test_the_ranker_may_be_an_object_and_has_a_default(index):
    assert pairs(index.search("city", ranker=ab.QL(mu=5))) == pairs(index.search("city", ranker="ql[mu=5]"))
    assert pairs(index.search("city")) == pairs(index.search("city", ranker=DEFAULT_RANKER))
    assert How().expression == ab.ranker(DEFAULT_RANKER)
    assert (How(match="and").step, How(match="bm25 % 3").step, How(match=ab.BM25() % 3).step) == (
        "and",
        "or",
        "or",
    )
    with pytest.raises(FrozenInstanceError):
        How().k = 5


# --- many ----------------------------------------------------------------------------------------------

TEXTS = ["old songs", "city", "", "the", "unheard", "rivers of Mexico", "cats cats dogs", "OLD", "sea", "song"] * 5


@pytest.mark.parametrize("threads", [None, 1, 2, 7])
@pytest.mark.parametrize("match", ["or", "and", "all", "bm25 % 2"])
@without_training
def test_many_at_once_are_answered_as_one_by_one(index, ranker, match, threads):
    together = index.search_many(TEXTS, 3, ranker, match=match, threads=threads, where="year>1800", fields="text")
    assert [hits.query for hits in together] == TEXTS
    first = [index.search(one, 3, ranker, match=match, where="year>1800", fields="text") for one in TEXTS[:10]]
    assert [pairs(hits) for hits in together] == [pairs(hits) for hits in first] * 5


def test_many_of_every_kind(index):
    asked = ["city", {"song": 2.0}, documents()[3], Query("q", "old"), "", {}, Document("x", {})]
    for several in (asked, asked * 5, asked[:1], [{"song": 2.0}] * 20):
        together = index.search_many(several)
        assert [pairs(hits) for hits in together] == [pairs(index.search(one)) for one in several]


@pytest.mark.parametrize("threads", [None, 1, 4])
@every_ranker
def test_none_at_once(index, ranker, threads):
    assert index.search_many([], ranker=ranker, threads=threads) == []


def test_several_threads_may_search_at_once(index):
    asked = [(text, ranker) for text in TEXTS[:10] for ranker in RANKERS]
    alone = [pairs(index.search(text, 5, ranker)) for text, ranker in asked]
    fresh = with_all(Index.build(documents()))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda one: pairs(fresh.search(one[0], 5, one[1])), asked))
        several = list(
            pool.map(lambda one: [pairs(h) for h in fresh.search_many([one[0]] * 20, 5, one[1])], asked)
        )
    assert found == alone
    assert several == [[one] * 20 for one in alone]


# --- hard texts ----------------------------------------------------------------------------------------

ODD = ["", " ", "the of and", '"', "{", "?", "'", "\\", "[", "(", "*", "\0", "\ud800", "\udcff city", "😀", "שלום עולם",
       '"old songs" {city} [x] (y)* \\ \0 \ud800 😀', "-", "--", "%", "OR", "a\u0301\u200d\ufeff", "İstanbul ﬁ ß ſ"]  # fmt: skip


def assert_same_however_it_is_asked(index, text):
    for ranker in ("bm25", "ql", "bm25 % 3 >> tfidf", "iwcs", "bm25 % 3 >> wmd"):
        alone = index.search(text, ranker=ranker)
        assert pairs(index.search_many([text] * 12, ranker=ranker)[7]) == pairs(alone)
        assert pairs(index.search(Query("q", text), ranker=ranker)) == pairs(alone)
        assert pairs(index.search(Document("x", {"text": text}), ranker=ranker)) == pairs(alone)
        assert all(math.isfinite(hit.score) for hit in alone)
        assert json.loads(json.dumps(alone.to_json(explain=True), allow_nan=False))["query"] == text
        repr(alone)


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_odd_texts(index, text):
    assert_same_however_it_is_asked(index, text)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=40) | st.lists(st.sampled_from([*ODD, "city", "old", "Songs"]), max_size=6).map(" ".join))
@example("\ud800")
@example("city\0city")
def test_any_text(index, text):
    assert_same_however_it_is_asked(index, text)


def test_odd_characters_between_words_change_nothing(index):
    wanted = pairs(index.search("old city songs"))
    for mark in "\"{}?'\\[]()*\0😀%-+,;:|&!\ud800":
        assert pairs(index.search(f"{mark}old{mark} city {mark}{mark}songs{mark}")) == wanted


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (" ".join(f"word{n}" for n in range(100_000)), False),
        (" ".join(f"word{n}" for n in range(100_000)) + " city", True),
        ("city " * 100_000, True),
        ("the " * 100_000, False),
        ("x" * 1_000_000, False),
        ("x" * 1_000_000 + " city", True),
        ("\0" * 1_000_000 + "city", True),
        ("é" * 500_000, False),
    ],
    ids=[
        "all unknown",
        "one known",
        "one word",
        "stop words",
        "no blank",
        "no blank and a word",
        "NULs",
        "letters",
    ],
)
def test_long_texts(index, text, found):
    for ranker, match in (("bm25", "or"), ("ql", "all"), ("bm25 % 3 >> tfidf", "or")):
        hits = index.search(text, ranker=ranker, match=match)
        assert bool(hits) == found
        assert all(math.isfinite(hit.score) for hit in hits)
        assert len(repr(hits)) < 200
    assert [pairs(hits) for hits in index.search_many([text, "city", text])] == [
        pairs(index.search(one)) for one in (text, "city", text)
    ]


def test_a_query_as_long_as_its_collection(index):
    text = " ".join(text for document in documents() for text in document.fields.values())
    hits = index.search(text * 50, match="all")
    assert len(hits) == 7
    assert math.isclose(hits[0].explain().total, hits[0].score, rel_tol=1e-5)


# --- indexes that hold little --------------------------------------------------------------------------


BLANK = [{"id": "a", "text": ""}, {"id": "b", "text": "the"}, {"id": "c", "title": " ", "text": ""}]


@pytest.fixture(scope="module")
def nothing():
    """An index without documents and one of documents without words; vectors know nothing that is asked for."""
    gone, vectors = {"id": "gone", "text": "harbour"}, vectors_for(["harbour"])
    made = [with_all(Index.build([gone, *some], weights={"text": 1}), vectors) for some in ([], BLANK)]
    for index in made:
        index.delete("gone")
    return made


@pytest.mark.parametrize("match", MATCHES)
@every_ranker
def test_nothing_is_found_where_there_is_nothing(nothing, ranker, match):
    empty, blank = nothing
    for index in (empty, blank):
        for query in ("city", "", "the", {"citi": 1.0}, Document("x", {"text": "city"})):
            assert not index.search(query, ranker=ranker, match=match)
        assert [len(hits) for hits in index.search_many(["city", ""] * 10, ranker=ranker, match=match)] == [0] * 20
    assert not blank.search(like="a", ranker=ranker, match=match)
    if ranker in BY_TERMS:
        assert blank.explain("city", "a", ranker).score == 0


@pytest.mark.parametrize("ranker", BY_WORDS)
def test_documents_without_words_are_ranked_by_vectors_only_when_all_match(nothing, ranker):
    for match in ("or", "and", "bm25 % 2"):
        assert [len(index.search("harbour", ranker=ranker, match=match)) for index in nothing] == [0, 0]
    empty, blank = nothing
    assert not empty.search("harbour", ranker=ranker, match="all")
    hits = blank.search("harbour", ranker=ranker, match="all")
    assert ids(hits) == ["a", "b", "c"]
    assert len({hit.score for hit in hits}) == 1
    assert all(math.isfinite(hit.score) and hit.explain().score == hit.score for hit in hits)


def test_one_document():
    index = with_all(Index.build([{"id": "a", "text": "city"}]))
    for ranker in known_rankers():
        # These have no use for words that all documents have.
        assert ids(index.search("city", ranker=ranker)) == ([] if ranker in ("ketos", "lsa") else ["a"])
        assert not index.search(like="a", ranker=ranker, match="all")


# --- generations ---------------------------------------------------------------------------------------


@every_ranker
def test_changes_are_searched_at_once_and_old_hits_stay_as_they_were(tmp_path, ranker):
    index = (with_all if ranker in TRAINED else with_vectors)(Index.build(documents(), tmp_path / "i"))
    old = index.search("old city songs", 100, ranker, match="all")
    before = old.to_json(explain=True)
    index.add([{"id": "d8", "text": "an old city, old songs, old cats"}])
    index.add([{"id": "d3", "text": "something else"}], update=True)
    index.delete(["d2", "d6"])
    index.merge()
    changed = [*(document for document in documents() if document.id not in ("d2", "d3", "d6")),
               {"id": "d8", "text": "an old city, old songs, old cats"}, {"id": "d3", "text": "something else"}]  # fmt: skip
    anew = with_vectors(Index.build([{"id": d.id, **d.fields} if isinstance(d, Document) else d for d in changed]))
    for match in ("or", "and", "all"):
        found = index.search("old city songs", 100, ranker, match=match)
        if ranker not in TRAINED:  # trained anew, it would be on other documents
            assert pairs(found) == pairs(anew.search("old city songs", 100, ranker, match=match))
        assert {"d2", "d6"}.isdisjoint(ids(found))
        assert {"d3", "d8"} <= set(ids(found)) or match != "all" or "%" in ranker
    assert old.to_json(explain=True) == before
    assert [hit.document for hit in old if hit.id == "d2"] in ([], [documents()[1]])


def test_another_writer_is_seen_after_refresh(tmp_path):
    index = Index.build(documents(), tmp_path / "i")
    other = Index.open(tmp_path / "i")
    old = index.search("cats")
    assert not index.refresh()
    assert index.search("cats")._found.generation is old._found.generation
    other.add([{"id": "d8", "text": "cats cats"}])
    other.delete("d5")
    assert pairs(index.search("cats")) == pairs(old)
    assert index.refresh()
    assert ids(index.search("cats")) == ["d8"]
    assert [(hit.id, hit.title) for hit in old] == [("d5", "Pets")]
    assert old[0].explain().score == old[0].score


def test_hits_outlive_their_index():
    hits = Index.build(documents()).search("cats")
    gc.collect()
    assert (hits[0].title, hits[0].document) == ("Pets", documents()[4])
    assert hits[0].explain().score == hits[0].score


def test_threads_may_search_while_another_changes(tmp_path):
    index = Index.build(documents(), tmp_path / "i")
    allowed = [pairs(index.search("cats"))]

    def search(_):
        return [pairs(index.search("cats")) for _ in range(20)]

    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(search, n) for n in range(4)]
        for n in range(5):
            index.add([{"id": f"new{n}", "text": "cats " * (n + 1)}])
            allowed.append(pairs(index.search("cats")))
        answers = [answer for one in found for answer in one.result()]
    assert all(answer in allowed for answer in answers)


# --- ids -----------------------------------------------------------------------------------------------


def test_ids_of_every_kind():
    odd = ["with blank", "tab\u00a0bed", "%41", "é/ü", "😀", "'; --", "0", "-1", "None", "x" * 2000]
    index = Index.build([{"id": one, "text": f"city word{n}"} for n, one in enumerate(odd)])
    assert ids(index.search("city", 100)) == odd
    for n, one in enumerate(odd):
        assert ids(index.search(f"word{n}")) == [one]
        assert sorted(ids(index.search(like=one, k=100))) == sorted(set(odd) - {one})
        assert index.explain("city", one).score > 0


# --- real data -----------------------------------------------------------------------------------------


def test_cranfield(data_folder):
    collection = ab.collection(data_folder / "cranfield")
    index = Index.build(collection.documents())
    texts = [query.text for query in collection.queries]
    for ranker in ("bm25", "ql", "bm25 % 100 >> tfidf"):
        together = index.search_many(texts, 20, ranker)
        assert [pairs(hits) for hits in together[::9]] == [
            pairs(index.search(one, 20, ranker)) for one in texts[::9]
        ]
        for hits in together[::40]:
            for hit in hits[:3]:
                assert math.isclose(hit.explain().total, hit.score, rel_tol=1e-5)
    found = index.search(like="184")
    assert len(found) == 10
    assert "184" not in ids(found)
