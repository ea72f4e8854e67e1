"""Cross-validation against doing the same by hand: a comparison for each fold, of the other folds' queries only."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aboutness as ab
from aboutness.app.index import Index
from aboutness.core.errors import BadRecord, NotFound, UsageError
from aboutness.evaluate.evaluation import evaluate
from aboutness.evaluate.significance import compare_evaluations
from aboutness.experiment import shared
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import compare_on
from aboutness.experiment.folds import split_queries
from aboutness.experiment.grid import settings_of
from aboutness.experiment.validate import cross_validate
from aboutness.rank.grammar import ranker
from experiment.drawn import DRAWN, RECORDS
from experiment.small import (
    DOCUMENTS,
    QRELS,
    QUERIES,
    documents,
    small_vectors,
    texts,
    vectors_for,
    with_vectors,
    write_collection,
)

GRID = {"k1": [0, 0.5, 2, 10], "b": [0, 0.5, 1]}


@pytest.fixture(scope="module")
def index():
    return Index.build(RECORDS)


@pytest.fixture(scope="module")
def small():
    return with_vectors(Index.build(documents()))


@pytest.fixture(scope="module")
def before(index):
    return cross_validate(index.snapshot, DRAWN, "bm25", GRID, "AP", folds=4)


def without(collection, queries):
    """Return a collection that knows nothing of some queries."""
    left = [query for query in collection.judged_queries if query.id not in queries]
    return replace(collection, queries=tuple(left), qrels={query.id: collection.qrels[query.id] for query in left})


def by_hand(index, collection, rankers, measure, folds, seed, depth=1000, match="or"):
    """Return the ranker that each fold chooses, and the rankings."""
    chosen, run = [], {}
    for part in split_queries([query.id for query in collection.judged_queries], folds, seed):
        others = compare_on(
            index.snapshot, without(collection, part), rankers, [measure], depth=depth, match=match
        )
        best = max(others.rows, key=lambda row: row.evaluation.mean[measure])  # the first of several
        chosen.append((part, best.ranker, best.evaluation.mean[measure]))
        (row,) = compare_on(index.snapshot, collection, [best.ranker], [measure], depth=depth, match=match).rows
        run |= {query: row.run[query] for query in part}
    return chosen, run


# --- what is chosen ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "grid", "measure", "folds", "seed", "named"),
    [
        ("bm25", GRID, "AP", 5, 1, {}),
        ("bm25", {"k1": [0.1, 1, 5]}, "nDCG@5", 2, 4, {"depth": 6}),
        ("bm25[b=.2]", {"variant": ["robertson", "bm25+"], "k1": [0.2, 3]}, "RR", 17, 1, {"match": "and"}),
        ("ql", {"mu": [1, 10, 100, 1000]}, "P@3", 4, 3, {"match": "all", "threads": 1}),
        ("bm25 % 5 >> ql", {"mu": [1, 1000], "k1": [0, 2]}, "AP", 3, 1, {}),
    ],
)
def test_each_fold_by_the_setting_that_is_best_for_the_others(index, text, grid, measure, folds, seed, named):
    found = cross_validate(
        index.snapshot, DRAWN, text, grid, measure, measures="RR,P@1", folds=folds, seed=seed, **named
    )
    rankers = list(settings_of(ranker(text), grid))
    chosen, run = by_hand(
        index, DRAWN, rankers, measure, folds, seed, **{name: named[name] for name in named if name != "threads"}
    )
    assert [(fold.queries, fold.setting.ranker, fold.others_mean) for fold in found.folds] == chosen
    assert dict(found.run) == run
    assert list(found.run) == [query.id for query in DRAWN.queries]
    names = list(dict.fromkeys([measure, "RR", "P@1"]))
    assert found.evaluation == evaluate(DRAWN.qrels, run, names)
    assert len({fold.setting.ranker for fold in found.folds}) > 1  # else little was shown
    assert (found.collection, found.ranker, found.measure, found.seed) == ("drawn", ranker(text), measure, seed)


def test_every_setting_has_its_means_over_all_queries(index):
    found = cross_validate(index.snapshot, DRAWN, "bm25", GRID, "AP", measures=["nDCG@10"])
    rows = compare_on(index.snapshot, DRAWN, list(settings_of(ranker("bm25"), GRID)), ["AP", "nDCG@10"]).rows
    assert [(one.ranker, one.mean) for one in found.settings] == [
        (row.ranker, row.evaluation.mean) for row in rows
    ]
    assert all(fold.setting in found.settings for fold in found.folds)


def test_each_fold_has_its_means_and_all_are_tested_against_the_ranker_as_it_was_given(index):
    found = cross_validate(index.snapshot, DRAWN, "bm25[b=.2]", GRID, "AP", measures="RR", folds=4)
    for fold in found.folds:
        values = [found.evaluation.per_query[query] for query in fold.queries]
        assert fold.mean == {name: math.fsum(one[name] for one in values) / len(values) for name in ("AP", "RR")}
    assert [row["AP"] for row in found.table] == [fold.mean["AP"] for fold in found.folds]
    assert [row["chosen"] for row in found.table] == [str(fold.setting) for fold in found.folds]
    (given,) = compare_on(index.snapshot, DRAWN, [ranker("bm25[b=.2]")], ["AP", "RR"]).rows
    assert found.untuned.ranker == given.ranker
    assert found.untuned.mean == given.evaluation.mean
    assert found.untuned.tests == compare_evaluations(found.evaluation, given.evaluation)
    assert found.to_json()["untuned"]["fisher"]["AP"] == found.untuned.tests["AP"].to_json()
    assert found.untuned.tests["AP"].difference == pytest.approx(
        found.evaluation.mean["AP"] - given.evaluation.mean["AP"]
    )


def test_a_ranker_that_cannot_be_used_as_it_was_given(small):
    """The grid says which vectors: without it nobody knows."""
    both = with_vectors(Index.build(documents()))
    both.keep_vectors(small_vectors(), "others")
    collection = Collection("small", "nowhere", tuple(texts(QUERIES)), QRELS)
    found = cross_validate(both.snapshot, collection, "wcs", {"vectors": ["words", "others"]}, "AP", folds=2)
    assert found.untuned is None
    assert "untuned" not in found.to_json()
    assert [fold.setting.parameters for fold in found.folds] == [{"vectors": "words"}] * 2


@settings(max_examples=12)
@given(st.integers(0, 3), st.data())
def test_judgements_of_a_fold_have_no_say_in_it(index, before, place, data):
    fold = before.folds[place]
    grades = st.dictionaries(st.sampled_from([one["id"] for one in RECORDS]), st.integers(0, 3), min_size=1)
    changed = {query: data.draw(grades) for query in fold.queries}
    other = replace(DRAWN, qrels={**DRAWN.qrels, **changed})
    after = cross_validate(index.snapshot, other, "bm25", GRID, "AP", folds=4)
    assert after.folds[place].queries == fold.queries
    assert after.folds[place].setting.parameters == fold.setting.parameters
    assert after.folds[place].others_mean == fold.others_mean
    for query in fold.queries:
        assert after.run[query] == before.run[query]


def test_judgements_of_other_folds_have(index):
    """Where the others like just what one setting ranks first, that one is chosen."""
    grid = {"k1": [0.1, 8], "b": [0, 1]}
    (fold, *_) = cross_validate(index.snapshot, DRAWN, "bm25", grid, "RR", folds=4).folds
    for one, parameters in settings_of(ranker("bm25"), grid).items():
        (row,) = compare_on(index.snapshot, DRAWN, [one], ["RR"]).rows
        liked = {query: {row.run[query][0][0]: 1} for query in DRAWN.qrels if query not in fold.queries}
        other = replace(DRAWN, qrels={**DRAWN.qrels, **liked})
        (after, *_) = cross_validate(index.snapshot, other, "bm25", grid, "RR", folds=4).folds
        assert (after.queries, after.setting.parameters) == (fold.queries, parameters)


def test_of_settings_that_are_alike_the_first_is_chosen(index):
    for values in ([2, 1, 3], [3, 2, 1]):
        found = cross_validate(index.snapshot, DRAWN, "bm25", {"k1": values, "b": [0]}, "R@1000", match="and")
        assert len({one.mean["R@1000"] for one in found.settings}) == 1
        assert [fold.setting.parameters["k1"] for fold in found.folds] == [values[0]] * 5


def test_each_setting_is_run_once_over_all_queries(index, monkeypatch):
    told, bound = [], []

    def counted(one, *rest):
        bound.append(one)
        return real(one, *rest)

    real = shared.bind
    monkeypatch.setattr(shared, "bind", counted)
    grid = {"k1": [1, 2], "b": [0, 1]}
    found = cross_validate(index.snapshot, DRAWN, "bm25", grid, "AP", progress=lambda *news: told.append(news))
    every = list(settings_of(ranker("bm25"), grid))
    again = list(dict.fromkeys(fold.setting.ranker for fold in found.folds))  # for the rankings
    assert bound == [*every, *again, ranker("bm25")]
    assert told == [(str(one), 17, 17) for one in [*every, ranker("bm25")]]
    bound.clear()
    cross_validate(index.snapshot, DRAWN, "bm25", {"k1": [1, 2, 3]}, "AP", candidates=("ql", 9))
    assert [str(one) for one in bound].count("ql % 9") == 1  # what finds the documents is bound once


def test_threads_change_nothing(index):
    one, two = (
        cross_validate(index.snapshot, DRAWN, "bm25 % 9 >> ql", {"mu": [1, 50]}, "AP", threads=threads)
        for threads in (1, 2)
    )
    assert one.to_json(per_query=True) == two.to_json(per_query=True)
    assert one.run == two.run


# --- documents that are ranked anew --------------------------------------------------------------------


def test_candidates_are_what_another_ranker_finds_first(index):
    grid = {"k1": [0.2, 5], "mu": [1, 200]}
    found = cross_validate(index.snapshot, DRAWN, "bm25 + ql", grid, "AP", candidates=("ql[mu=3]", 4))
    assert str(found.ranker) == "ql[mu=3] % 4 >> bm25 + ql"
    assert [str(one.ranker) for one in found.settings] == [
        f"ql[mu=3] % 4 >> bm25[k1={k1}] + ql[mu={mu}]" for k1 in ("0.2", "5") for mu in ("1", "200")
    ]
    (first,) = compare_on(index.snapshot, DRAWN, [ranker("ql[mu=3]")], ["AP"], depth=4).rows
    for query, pairs in found.run.items():
        assert {one for one, _ in pairs} == {one for one, _ in first.run[query]}
    chosen, run = by_hand(index, DRAWN, [one.ranker for one in found.settings], "AP", 5, 1)
    assert [fold.setting.ranker for fold in found.folds] == [one for _, one, _ in chosen]
    assert dict(found.run) == run
    for same in ("ql[mu=3] % 4", ab.QL(mu=3) % 4, (ab.QL(mu=3), 4)):
        other = cross_validate(index.snapshot, DRAWN, "bm25 + ql", grid, "AP", candidates=same)
        assert other.to_json() == found.to_json()


def test_a_match_step_is_that_of_the_candidates(index):
    named = {"candidates": ("ql", 30), "match": "and"}
    found = cross_validate(index.snapshot, DRAWN, "bm25", {"k1": [0.5, 1]}, "AP", **named)
    (row,) = compare_on(index.snapshot, DRAWN, [ranker("bm25")], ["AP"], match="and").rows
    assert {query: len(pairs) for query, pairs in found.run.items()} == {q: len(p) for q, p in row.run.items()}


@pytest.mark.parametrize(
    ("candidates", "told"),
    [
        (("ql", 0), "cut to a whole number of at least 1, got 0"),
        (("ql",), "candidates must be a ranker and a depth"),
        (("nope", 10), "unknown ranker 'nope'"),
        ("ql", "say how many documents are ranked anew, such as 'ql % 100 >> bm25"),
        (5, "a ranker must be a text or a model"),
    ],
)
def test_candidates_that_are_none(index, candidates, told):
    with pytest.raises(UsageError, match=told):
        cross_validate(index.snapshot, DRAWN, "bm25", {"k1": [1, 2]}, "AP", candidates=candidates)


# --- what is asked -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"ranker": "nope"}, "unknown ranker 'nope'"),
        ({"measure": "nope"}, "there is no measure 'nope'"),
        ({"measure": "AP,RR"}, "settings are chosen by one measure, got 2: 'AP,RR'"),
        ({"measures": "AP,nope"}, "there is no measure 'nope'"),
        ({"folds": 1}, "number of folds of 17 queries must be a whole number from 2 to 17, got 1"),
        ({"folds": 18}, "number of folds of 17 queries must be a whole number from 2 to 17, got 18"),
        ({"seed": -1}, "seed must be"),
        ({"depth": 0}, "k must be a whole number of at least 1"),
        ({"match": "xor"}, "match must be one of or, and, all"),
        ({"threads": 0}, "threads must be a whole number"),
    ],
)
def test_what_is_asked_is_checked(index, named, told):
    asked = {"ranker": "bm25", "grid": {"k1": [1, 2]}, "measure": "AP"} | named
    with pytest.raises(UsageError, match=told):
        cross_validate(index.snapshot, DRAWN, **asked)


def test_rankers_that_the_index_cannot_serve(index):
    with pytest.raises((NotFound, UsageError), match="has no word vectors"):
        cross_validate(index.snapshot, DRAWN, "bm25-desm", {"alpha": [0.1]}, "AP")


def test_vectors_of_the_index(small):
    collection = Collection("small", "nowhere", tuple(texts(QUERIES)), QRELS)
    found = cross_validate(small.snapshot, collection, "bm25-desm", {"alpha": [0, 0.5, 1]}, "AP", folds=2)
    rankers = [ranker(f"bm25-desm[alpha={alpha}]") for alpha in (0, 0.5, 1)]
    chosen, run = by_hand(small, collection, rankers, "AP", 2, 1)
    assert [fold.setting.ranker for fold in found.folds] == [one for _, one, _ in chosen]
    assert dict(found.run) == run


def test_queries_that_cannot_be_ranked_or_judged(small):
    """As in a comparison: judged queries count, with no text as 0; those that nobody judged are left out."""
    qrels = QRELS | {"q5": {}}
    collection = Collection("small", "nowhere", tuple(texts(QUERIES)), qrels)
    found = cross_validate(small.snapshot, collection, "bm25", {"k1": [1.2]}, "AP", folds=4)
    (row,) = compare_on(small.snapshot, collection, [ranker("bm25")], ["AP"]).rows
    assert sorted(query for fold in found.folds for query in fold.queries) == ["q1", "q2", "q3", "q4"]
    assert found.evaluation.mean == row.evaluation.mean
    assert found.evaluation.unanswered == ("q4", "q6")
    assert list(found.run) == ["q1", "q2", "q3", "q4"]


# --- what is told --------------------------------------------------------------------------------------


def test_plain_values(index):
    found = cross_validate(index.snapshot, DRAWN, "bm25", {"k1": [0.5, 2], "fields": ["text"]}, "AP", folds=2)
    plain = found.to_json()
    assert list(plain) == [
        "collection",
        "ranker",
        "measure",
        "seed",
        "queries",
        "AP",
        "folds",
        "settings",
        "untuned",
    ]
    assert (plain["collection"], plain["ranker"], plain["queries"], plain["seed"]) == ("drawn", "bm25", 17, 1)
    assert plain["AP"] == found.evaluation.mean["AP"]
    assert [list(fold) for fold in plain["folds"]] == [["queries", "parameters", "others_mean", "mean"]] * 2
    assert [fold["queries"] for fold in plain["folds"]] == [list(part) for part in split_queries(DRAWN.qrels, 2)]
    assert [one["ranker"] for one in plain["settings"]] == ["bm25[fields=text,k1=0.5]", "bm25[fields=text,k1=2]"]
    assert [one["AP"] for one in plain["settings"]] == [one.mean["AP"] for one in found.settings]
    assert found.to_json(per_query=True) == plain | {"per_query": found.evaluation.per_query}
    assert json.loads(json.dumps(plain))["settings"][0]["parameters"] == {"k1": 0.5, "fields": [["text", None]]}


def test_in_words(index):
    grid = {"k1": np.arange(1, 4) * 0.1, "variant": ["lucene"]}
    found = cross_validate(index.snapshot, DRAWN, "bm25", grid, "AP", measures="P@1")
    assert [str(one) for one in found.settings] == [f"k1={k1},variant=lucene" for k1 in (0.1, 0.2, 0.3)]
    often = [[fold.setting for fold in found.folds].count(one) for one in found.settings]
    assert sum(often) == 5
    chosen = sorted(zip(often, found.settings, strict=True), key=lambda pair: -pair[0])
    assert str(found) == (
        f"bm25 on drawn: AP {found.evaluation.mean['AP']:.4f}, P@1 {found.evaluation.mean['P@1']:.4f} over 17 "
        "queries; chosen by AP: " + "; ".join(f"{one} ({count} of 5 folds)" for count, one in chosen if count)
    )


# --- in Python, on a collection ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_collection(tmp_path_factory.mktemp("tuned") / "small")


def plain(validation):
    return validation.to_json(per_query=True)


def test_a_collection_by_name_or_as_it_is(folder, small):
    wanted = cross_validate(
        small.snapshot, ab.collection(folder), "ql", {"mu": [1, 100]}, "AP", folds=2,
        measures=["nDCG@10", "RR", "P@10", "R@100"],
    )  # fmt: skip
    for on in (folder, str(folder), ab.collection(folder)):
        for index in (None, small):
            assert plain(ab.cross_validate("ql", on, {"mu": [1, 100]}, folds=2, index=index)) == plain(wanted)
    assert plain(ab.cross_validate(ab.QL(), folder, {"mu": (1, 100)}, "AP", folds=2)) == plain(wanted)
    other = ab.cross_validate("ql", folder, {"mu": [1, 100]}, "RR", iter(["P@1"]), folds=2, analyzer="plain")
    assert list(other.evaluation.mean) == ["RR", "P@1"]
    assert (
        other.settings[0].mean
        != ab.cross_validate("ql", folder, {"mu": [1]}, "RR", "P@1", folds=2).settings[0].mean
    )


def test_match_and_fields_are_as_in_search(folder, small):
    named = {"folds": 2, "index": small}
    found = ab.cross_validate("ql", folder, {"mu": [1, 100]}, match="bm25 % 2", fields="text", **named)
    assert [str(one.ranker) for one in found.settings] == [
        f"bm25[fields=text] % 2 >> ql[fields=text,mu={mu}]" for mu in (1, 100)
    ]
    one = found.folds[0]
    for query in [query for query in QUERIES if query["_id"] in one.queries]:
        hits = small.search(
            query["text"], 1000, ab.QL(mu=one.setting.parameters["mu"]), match="bm25 % 2", fields="text"
        )
        assert found.run[query["_id"]] == [(hit.id, hit.score) for hit in hits]
    same = ab.cross_validate("ql", folder, {"mu": [1, 100]}, match=ab.BM25() % 2, fields="text", **named)
    assert plain(same) == plain(found)
    steps = ab.cross_validate("bm25 % 2 >> ql", folder, {"mu": [1, 100]}, match="and", depth=1, **named)
    assert str(steps.ranker) == "bm25 % 2 >> ql"
    assert [len(pairs) for pairs in steps.run.values()] == [1, 1, 1, 0]
    with pytest.raises(UsageError, match="match must be one of"):
        ab.cross_validate("ql", folder, {"mu": [1]}, match="xor", **named)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"ranker": "nope"}, "unknown ranker 'nope'"),
        ({"grid": {"k1": [1]}}, "ql has no parameter 'k1'"),
        ({"measure": "AP,RR"}, "settings are chosen by one measure"),
        ({"measures": "nope"}, "there is no measure 'nope'"),
        ({"folds": 5}, "number of folds of 4 queries"),
        ({"depth": 0}, "k must be"),
        ({"match": "ql"}, "say how many documents are ranked anew"),
        ({"vectors": "nope"}, "there is no file nope"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_indexed(tmp_path, named, told):
    broken = write_collection(tmp_path / "broken")
    (broken / "corpus.jsonl").write_text("nonsense\n")
    asked = {"ranker": "ql", "grid": {"mu": [1, 2]}, "folds": 2, "on": broken}
    with pytest.raises((UsageError, NotFound), match=told):
        ab.cross_validate(**(asked | named))
    with pytest.raises(BadRecord, match=r"corpus\.jsonl:1: "):
        ab.cross_validate(**asked)


def test_what_the_ranker_needs_is_trained_or_given(folder, small):
    named = {"on": folder, "grid": {"alpha": [0, 0.5]}, "folds": 2}
    wanted = ab.cross_validate("bm25-desm", index=small, **named)
    assert plain(ab.cross_validate("bm25-desm", vectors=small_vectors(), **named)) == plain(wanted)
    told = []
    trained = ab.cross_validate("bm25-desm", training=lambda name, _: told.append(name), **named)
    assert set(told) == {"word2vec"}
    assert trained.settings[0].mean == wanted.settings[0].mean
    assert plain(trained) == plain(ab.cross_validate("bm25-desm", **named))
    odd = ab.cross_validate("bm25-desm", vectors=vectors_for(["harbour", "mountain"]), **named)
    assert odd.note
    assert odd.to_json()["note"] == odd.note
    with pytest.raises(UsageError, match="give `index` or `vectors`, not both"):
        ab.cross_validate("bm25-desm", index=small, vectors=small_vectors(), **named)
    with pytest.raises(NotFound, match="there is no file nope"):
        ab.cross_validate("bm25-desm", vectors="nope", **named)


def test_progress(folder):
    indexed, ranked = [], []
    ab.cross_validate(
        "ql", folder, {"mu": [1, 2]}, folds=2, progress=lambda *news: ranked.append(news),
        indexing=lambda *news: indexed.append(news),
    )  # fmt: skip
    assert ranked == [("ql[mu=1]", 4, 4), ("ql[mu=2]", 4, 4), ("ql", 4, 4)]
    assert indexed[-1][0] == len(DOCUMENTS)


def test_cranfield(data_folder):
    found = ab.cross_validate("ql", data_folder / "cranfield", {"mu": [10, 300, 5000]}, depth=100)
    means = [one.mean["AP"] for one in found.settings]
    assert max(means) == means[1] > means[2]
    assert [fold.setting.parameters for fold in found.folds] == [{"mu": 300}] * 5
    assert found.evaluation.mean == found.settings[1].mean
    assert [len(fold.queries) for fold in found.folds] == [45] * 5
