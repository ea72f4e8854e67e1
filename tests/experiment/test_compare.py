"""Comparing against doing the same by hand: one query at a time, and measures as textbooks define them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.errors import BadInput, NotFound, UsageError
from aboutness.core.record import Query
from aboutness.evaluate.evaluation import evaluate
from aboutness.experiment.asking import without
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import AT_ONCE, Comparison, compare_on, missing_documents, rankings
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers
from evaluate.naive import average_precision, ndcg, precision
from experiment.small import (
    DEFAULTS,
    QRELS,
    QUERIES,
    TERM_MODELS,
    TRAINED,
    documents,
    texts,
    vectors_for,
    with_all,
    with_vectors,
)

SMALL = Collection("small", "nowhere", tuple(texts(QUERIES)), QRELS)
RANKERS = [ranker(text) for text in ("bm25", "ql", "bm25 % 2 >> tfidf")]
EVERY = [ranker(text) for text in (*known_rankers(), "bm25 % 2 >> desm-in-out", "bm25 + 30*desm-in-out")]
MEASURES = ["nDCG@10", "AP", "P@1"]


@pytest.fixture(scope="module")
def index():
    return with_all(Index.build(documents()))


def by_hand(index, one, text, depth=1000, match="or"):
    return pairs(index, bind(one, index.snapshot).top_many([Question(text)], depth, match=match)[0])


def pairs(index, ranking):
    return [
        (index.snapshot.id(number), score)
        for number, score in zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True)
    ]


# --- what is compared ----------------------------------------------------------------------------------


def test_every_ranker_answers_every_judged_query(index):
    rankers = [*RANKERS, *(one for one in EVERY if one not in RANKERS)]
    found = compare_on(index.snapshot, SMALL, rankers, MEASURES)
    assert [row.ranker for row in found.rows] == rankers
    assert found.left_out == {}
    for row in found.rows:
        assert row.run == {query.id: by_hand(index, row.ranker, query.text) for query in SMALL.judged_queries}
        assert list(row.run) == ["q1", "q2", "q3", "q4"]
        assert row.run["q4"] == []
        assert row.evaluation == evaluate(QRELS, row.run, MEASURES)


def test_a_run_is_a_mapping_that_can_be_read_again_and_again(index):
    (row,) = compare_on(index.snapshot, SMALL, RANKERS[:1], MEASURES).rows
    assert isinstance(row.run, Mapping)
    assert not isinstance(row.run, dict)
    assert (len(row.run), list(row.run), "q1" in row.run, "q6" in row.run) == (
        4, ["q1", "q2", "q3", "q4"], True, False,
    )  # fmt: skip
    assert row.run["q1"] == row.run["q1"] == dict(row.run.items())["q1"]
    assert all(type(one) is str and type(score) is float for one, score in row.run["q1"])
    with pytest.raises(KeyError):
        row.run["q6"]
    assert row.run == dict(row.run)
    assert row.run != dict(row.run) | {"q1": []}


def test_values_are_those_of_textbooks(index):
    """Two documents are the same: the measures take the one with the greater id first, as trec_eval does."""
    (row,) = compare_on(index.snapshot, SMALL, [ranker("bm25")], MEASURES).rows
    assert [one for one, _ in row.run["q2"]][:2] == ["d3", "d7"]
    ranked = {
        query: [one for one, _ in sorted(pairs, key=lambda pair: (pair[1], pair[0]), reverse=True)]
        for query, pairs in row.run.items()
    }
    assert ranked["q2"][:2] == ["d7", "d3"]
    for query, grades in QRELS.items():
        ranking = ranked.get(query, [])
        assert row.evaluation.per_query[query] == pytest.approx(
            {
                "nDCG@10": ndcg(grades, ranking, 10),
                "AP": average_precision(grades, ranking),
                "P@1": precision(grades, ranking, 1),
            }
        )
    for name, mean in row.evaluation.mean.items():
        assert mean == math.fsum(values[name] for values in row.evaluation.per_query.values()) / 5
    assert row.evaluation.mean["P@1"] == 2 / 5


def test_judged_queries_without_text_or_hits_count_and_unjudged_ones_do_not(index):
    found = compare_on(index.snapshot, SMALL, RANKERS[:1], ["AP"])
    evaluation = found.rows[0].evaluation
    assert found.queries == evaluation.queries == 5
    assert evaluation.unanswered == ("q4", "q6")
    assert evaluation.unjudged == ()
    assert "q5" not in found.rows[0].run


def test_what_each_ranker_has_no_answer_to(index):
    asked = [ranker("bm25"), ranker("bm25 % 1 >> ql"), ranker("wmd")]
    found = compare_on(index.snapshot, SMALL, asked, ["AP"])
    assert (found.unjudged, found.unasked, found.chosen_by) == (("q5",), ("q6",), 0)
    assert found.unanswered == {("q4",): ["bm25", "bm25 % 1 >> ql", "wmd"]}
    second = replace(found.rows[1].evaluation, unanswered=("q2", "q4", "q6"))
    found = replace(found, rows=(found.rows[0], replace(found.rows[1], evaluation=second)))
    assert found.unanswered == {("q4",): ["bm25"], ("q2", "q4"): ["bm25 % 1 >> ql"]}
    assert found.to_json()["unanswered"] == 2


def test_queries_that_parameters_were_chosen_by(index):
    found = compare_on(index.snapshot, without(SMALL, ["q1", "q2"]), RANKERS[:1], ["AP"])
    assert (found.queries, found.chosen_by, found.unjudged, found.unasked) == (3, 2, ("q5",), ("q6",))


def test_the_same_ranker_is_run_once(index):
    asked = [ranker("bm25"), ranker("ql"), ranker("bm25[k1=1.2]")]
    found = compare_on(index.snapshot, SMALL, asked, ["AP"])
    assert [str(row.ranker) for row in found.rows] == ["bm25", "ql"]


def test_depth_and_match(index):
    shallow = compare_on(index.snapshot, SMALL, RANKERS[:1], ["AP"], depth=1)
    assert [len(pairs) for pairs in shallow.rows[0].run.values()] == [1, 1, 1, 0]
    both = compare_on(index.snapshot, SMALL, RANKERS[:1], ["AP"], match="and")
    assert both.rows[0].run["q1"] == by_hand(index, RANKERS[0], "cities of Mexico", match="and")
    assert [one for one, _ in both.rows[0].run["q1"]] == ["d1"]
    every = compare_on(index.snapshot, SMALL, RANKERS[:1], ["AP"], match="all")
    assert [len(pairs) for pairs in every.rows[0].run.values()] == [7, 7, 7, 0]


@settings(max_examples=20)
@given(
    st.lists(st.sampled_from(list(known_rankers())), max_size=3),
    st.lists(st.sampled_from(["AP", "nDCG@10", "RR", "P@5", "R@100", "Success@1"]), min_size=1, unique=True),
    st.integers(1, 9),
    st.sampled_from([1, 2, None]),
)
def test_any_table(index, names, measures, depth, threads):
    found = compare_on(
        index.snapshot, SMALL, [ranker(name) for name in names], measures, depth=depth, threads=threads
    )
    assert found.measures == tuple(measures)
    assert [str(row.ranker) for row in found.rows] == list(dict.fromkeys(names))
    for row in found.rows:
        assert row.run == {
            query.id: by_hand(index, row.ranker, query.text, depth) for query in SMALL.judged_queries
        }
        assert all(0 <= value <= 1 for value in row.evaluation.mean.values())


def test_what_is_asked_is_checked(index):
    for depth in (0, -1, 1.5, True, "10"):
        with pytest.raises(UsageError, match="k must be a whole number of at least 1"):
            compare_on(index.snapshot, SMALL, RANKERS, MEASURES, depth=depth)
    with pytest.raises(UsageError, match="there is no measure 'nope'"):
        compare_on(index.snapshot, SMALL, RANKERS, ["nope"])
    with pytest.raises(UsageError, match="match must be one of or, and, all, judged, got 'xor'"):
        compare_on(index.snapshot, SMALL, RANKERS, MEASURES, match="xor")
    with pytest.raises(UsageError, match="the index has no layer 'nope'"):
        compare_on(index.snapshot, SMALL, [ranker("bm25[layer=nope]")], MEASURES)
    with pytest.raises(BadInput, match="there are no judgements"):
        compare_on(index.snapshot, Collection("x", "x", SMALL.queries, {}), RANKERS, MEASURES)


def test_an_empty_index_finds_nothing():
    empty = Index.build([])
    found = compare_on(empty.snapshot, SMALL, RANKERS, MEASURES)
    assert [row.evaluation.mean for row in found.rows] == [dict.fromkeys(MEASURES, 0.0)] * 3
    assert found.documents == 0
    assert found.unknown == {query: list(grades) for query, grades in QRELS.items()}


# --- rankers that cannot be used ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spaces", "served"),
    [
        ((), (*TERM_MODELS, *DEFAULTS)),  # in whose place bm25 answers
        (("in",), (*TERM_MODELS, *DEFAULTS, "desm-in-in", "iwcs", "iwcs-wmd", "ketos", "wcs", "wmd")),
        (("in", "out"), tuple(name for name in known_rankers() if name not in TRAINED or name in DEFAULTS)),
    ],
)
def test_optional_rankers_that_the_vectors_do_not_serve_are_left_out_with_the_reason(spaces, served):
    index = Index.build(documents())
    if spaces:
        with_vectors(index, vectors_for(["old", "song", "river"], spaces))
    rankers = [ranker(name) for name in known_rankers()]
    found = compare_on(index.snapshot, SMALL, rankers, MEASURES, optional=rankers)
    assert [str(row.ranker) for row in found.rows] == [name for name in known_rankers() if name in served]
    assert list(found.left_out) == [name for name in known_rankers() if name not in served]
    told = "'out'" if spaces else "has no word vectors"
    assert all(told in why or name in TRAINED for name, why in found.left_out.items())
    plain = found.to_json()
    assert plain.get("left_out", {}) == found.left_out
    assert ("left_out" in plain) == bool(found.left_out)
    alone = compare_on(index.snapshot, SMALL, [row.ranker for row in found.rows], MEASURES)
    assert [row.run for row in found.rows] == [row.run for row in alone.rows]
    for name in found.left_out:
        reason = r"run: index\.train\(" if name in TRAINED else told
        with pytest.raises((NotFound, UsageError), match=reason):
            compare_on(index.snapshot, SMALL, [ranker("bm25"), ranker(name)], MEASURES)
        others = [one for one in rankers if str(one) != name]
        with pytest.raises((NotFound, UsageError), match=reason):
            compare_on(index.snapshot, SMALL, rankers, MEASURES, optional=others)


# --- progress and batches ------------------------------------------------------------------------------


def many(count):
    words = ["city", "old songs", "river", "Mexico", "cats", "nothing"]
    queries = tuple(Query(f"q{n}", f"{words[n % 6]} {words[n % 5]}") for n in range(count))
    return Collection("many", "nowhere", queries, {query.id: {"d1": 1} for query in queries})


@pytest.mark.parametrize("count", [1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 2])
def test_batches_answer_as_one_by_one(index, count):
    collection = many(count)
    for one in (*RANKERS, ranker("iwcs"), ranker("bm25 % 3 >> wmd")):
        bound = bind(one, index.snapshot)
        for threads in (1, 3, None):
            found = rankings(bound, collection.queries, 5, "or", threads)
            assert [(query, pairs(index, ranking)) for query, ranking in found] == [
                (query.id, by_hand(index, one, query.text, 5)) for query in collection.queries
            ]


def test_progress_is_told_for_each_ranker_and_ends_at_the_end(index):
    told = []
    compare_on(index.snapshot, many(150), RANKERS, ["AP"], progress=lambda *news: told.append(news))
    assert told == [(str(one), done, 150) for one in RANKERS for done in (64, 128, 150)]
    told.clear()
    compare_on(index.snapshot, many(64), RANKERS[:1], ["AP"], progress=lambda *news: told.append(news))
    assert told == [("bm25", 64, 64)]


# --- documents that are not there ----------------------------------------------------------------------


def test_judged_documents_that_are_missing_are_told_by_query(index):
    assert compare_on(index.snapshot, SMALL, RANKERS, MEASURES).unknown == {"q2": ["gone"]}
    assert missing_documents(index.snapshot, Collection("x", "x", (), {"q": {"d1": 1, "d6": 0}})) == {}
    assert missing_documents(index.snapshot, Collection("x", "x", (), {})) == {}
    odd = {"q": {"": 1, "d1 ": 1, "D1": 0, "\ud800": 1, "d1": 1}, "r": {"é" * 3000: 1}}
    assert missing_documents(index.snapshot, Collection("x", "x", (), odd)) == {
        "q": ["", "d1 ", "D1", "\ud800"],
        "r": ["é" * 3000],
    }


def test_a_deleted_document_is_missing():
    index = Index.build(documents())
    index.delete("d1")
    assert missing_documents(index.snapshot, SMALL) == {"q1": ["d1"], "q2": ["gone"], "q6": ["d1"]}


# --- what is told --------------------------------------------------------------------------------------


def test_plain_values(index):
    found = compare_on(index.snapshot, SMALL, RANKERS, MEASURES)
    plain = found.to_json()
    assert plain == {
        "collection": "small",
        "documents": 7,
        "analyzer": "english",
        "queries": 5,
        "unjudged": ["q5"],
        "unasked": ["q6"],
        "chosen_by": 0,
        "unanswered": 1,
        "unknown_documents": 1,
        "rows": [{"ranker": str(row.ranker), **row.evaluation.mean} for row in found.rows],
    }
    assert list(plain["rows"][2]) == ["ranker", *MEASURES]
    assert plain["rows"][2]["ranker"] == "bm25 % 2 >> tfidf"
    longer = found.to_json(per_query=True)
    assert longer == plain | {"per_query": {str(row.ranker): row.evaluation.per_query for row in found.rows}}
    assert json.loads(json.dumps(longer, allow_nan=False)) == longer


def test_the_table(index):
    found = compare_on(index.snapshot, SMALL, RANKERS, ["P@1", "nDCG@10"])
    lines = str(found).splitlines()
    assert lines[0] == f"{'ranker':<17}     P@1  nDCG@10"
    assert [line.split()[-2:] for line in lines[1:]] == [
        [f"{row.evaluation.mean[name]:.4f}" for name in ("P@1", "nDCG@10")] for row in found.rows
    ]
    assert lines[3].startswith("bm25 % 2 >> tfidf  0.")
    assert len({len(line) for line in lines}) == 1


def test_no_ranker_gives_no_row(index):
    found = compare_on(index.snapshot, SMALL, [], ["AP"])
    assert isinstance(found, Comparison)
    assert (found.rows, found.queries, str(found)) == ((), 0, "ranker  AP")
    assert found.to_json()["rows"] == []
