"""Sweeps against doing the same by hand: a comparison over the queries to choose by, and one over the others."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.evaluate.evaluation import evaluate
from aboutness.evaluate.significance import compare_evaluations
from aboutness.experiment.compare import compare_on
from aboutness.experiment.folds import training_split
from aboutness.experiment.grid import settings_of
from aboutness.experiment.sweep import sweep
from aboutness.rank.grammar import ranker
from experiment.drawn import DRAWN, RECORDS

GRID = {"k1": [0, 0.5, 2, 10], "b": [0, 0.5, 1]}


@pytest.fixture(scope="module")
def index():
    return Index.build(RECORDS)


@pytest.fixture(scope="module")
def before(index):
    return sweep(index.snapshot, DRAWN, "bm25", GRID, "AP")


def only(queries):
    """Return a collection that knows nothing of other queries."""
    return replace(
        DRAWN,
        queries=tuple(query for query in DRAWN.queries if query.id in queries),
        qrels={query: DRAWN.qrels[query] for query in queries},
    )


@pytest.mark.parametrize(
    ("text", "grid", "measure", "split", "seed", "named"),
    [
        ("bm25", GRID, "AP", 0.5, 1, {}),
        ("bm25", "k1=.1:5:.7", "nDCG@5", 0.3, 4, {"depth": 6}),
        ("bm25 + ql", ["ql.weight=0,1,30", "mu=1,100"], "RR", ["q3", "q5", "q11"], 1, {"match": "and"}),
        ("bm25 % 9 >> ql", {"mu": [1, 1000], "k1": [0, 2]}, "P@3", 0.8, 2, {"threads": 1}),
    ],
)
def test_the_best_for_some_queries_is_reported_on_the_others(index, text, grid, measure, split, seed, named):
    found = sweep(index.snapshot, DRAWN, text, grid, measure, measures="R@5", split=split, seed=seed, **named)
    train, test = training_split(DRAWN.qrels, split, seed)
    rankers = list(settings_of(ranker(text), grid))
    on_train, on_test = (
        compare_on(index.snapshot, only(part), rankers, [measure, "R@5"], **named).rows for part in (train, test)
    )
    assert (found.train, found.test) == (train, test)
    assert [one.ranker for one in found.settings] == rankers
    assert [one.train for one in found.settings] == [row.evaluation.mean for row in on_train]
    assert [one.test for one in found.settings] == [row.evaluation.mean for row in on_test]
    best = max(range(len(rankers)), key=lambda place: on_train[place].evaluation.mean[measure])
    assert found.best == found.settings[best]
    assert dict(found.run) == dict(on_test[best].run)
    assert found.evaluation == on_test[best].evaluation
    (given_,) = compare_on(index.snapshot, only(test), [ranker(text)], [measure, "R@5"], **named).rows
    assert found.untuned.mean == given_.evaluation.mean
    assert found.untuned.tests == compare_evaluations(found.evaluation, given_.evaluation)


@settings(max_examples=12)
@given(st.data())
def test_judgements_of_the_others_have_no_say(index, before, data):
    grades = st.dictionaries(st.sampled_from([one["id"] for one in RECORDS]), st.integers(0, 3), min_size=1)
    changed = {query: data.draw(grades) for query in before.test}
    after = sweep(index.snapshot, replace(DRAWN, qrels={**DRAWN.qrels, **changed}), "bm25", GRID, "AP")
    assert after.best.parameters == before.best.parameters
    assert [one.train for one in after.settings] == [one.train for one in before.settings]
    assert dict(after.run) == dict(before.run)


def test_not_even_where_they_would_like_another_setting(index):
    """Where queries find relevant just what a setting ranks first: those to choose by decide, the others do not."""
    grid = {"k1": [0.1, 8], "b": [0, 1]}
    before = sweep(index.snapshot, DRAWN, "bm25", grid, "RR")
    liked_by_the_others = set()
    for one, parameters in settings_of(ranker("bm25"), grid).items():
        (row,) = compare_on(index.snapshot, DRAWN, [one], ["RR"]).rows
        after = {}
        for part in (before.train, before.test):
            liked = {query: {row.run[query][0][0]: 1} for query in part}
            after[part] = sweep(index.snapshot, replace(DRAWN, qrels={**DRAWN.qrels, **liked}), "bm25", grid, "RR")
        assert after[before.train].best.parameters == parameters
        assert after[before.test].best.parameters == before.best.parameters
        liked_by_the_others.add(max(after[before.test].settings, key=lambda swept: swept.test["RR"]).ranker)
    assert len(liked_by_the_others) > 1


def test_of_settings_that_are_alike_the_first_is_chosen(index):
    for values in ([2, 1, 3], [3, 2, 1]):
        found = sweep(index.snapshot, DRAWN, "bm25", {"k1": values}, "R@1000", match="and")
        assert len({one.train["R@1000"] for one in found.settings}) == 1
        assert found.best.parameters == {"k1": values[0]}


def test_candidates_are_left_as_they_are(index):
    found = sweep(index.snapshot, DRAWN, "bm25", {"k1": [0.5, 1]}, "AP", candidates=("bm25", 4))
    assert [str(one.ranker) for one in found.settings] == [f"bm25 % 4 >> bm25[k1={k1}]" for k1 in ("0.5", "1")]
    assert str(found.ranker) == "bm25 % 4 >> bm25"


def test_plain_values_and_words(index, before):
    plain = before.to_json()
    assert list(plain) == [
        "collection", "ranker", "measure", "train", "test", "best", "AP", "settings", "untuned",
    ]  # fmt: skip
    assert json.loads(json.dumps(plain))["best"] == {
        "parameters": before.best.parameters,
        "ranker": str(before.best.ranker),
        "train": before.best.train,
        "test": before.best.test,
    }
    assert plain["AP"] == before.best.test["AP"] == before.evaluation.mean["AP"]
    assert len(plain["settings"]) == 12
    assert before.to_json(per_query=True) == plain | {"per_query": before.evaluation.per_query}
    assert before.table[0] == {
        "setting": "k1=0,b=0", "AP train": before.settings[0].train["AP"], "AP test": before.settings[0].test["AP"],
    }  # fmt: skip
    assert len(before.table) == 12
    assert str(before) == (
        f"bm25 on drawn: AP {before.evaluation.mean['AP']:.4f} over {len(before.test)} queries with {before.best}, "
        f"the best of 12 settings by AP over {len(before.train)} others"
    )


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"ranker": "nope"}, "unknown ranker 'nope'"),
        ({"measure": "AP,RR"}, "settings are chosen by one measure"),
        ({"grid": {}}, "a grid must give values"),
        ({"split": 1}, "others to report on, got 17 and 0 of 17"),
        ({"split": ["q99"]}, "there is no judged query 'q99'"),
        ({"seed": -1}, "seed must be"),
        ({"depth": 0}, "k must be"),
        ({"match": "xor"}, "match must be one of or, and, all"),
    ],
)
def test_what_is_asked_is_checked(index, named, told):
    asked = {"ranker": "bm25", "grid": {"k1": [1, 2]}, "measure": "AP"} | named
    with pytest.raises(UsageError, match=told):
        sweep(index.snapshot, DRAWN, **asked)


def test_queries_that_nobody_judged_are_in_no_part(index):
    collection = replace(DRAWN, qrels={**DRAWN.qrels, "q0": {}, "q77": {"d1": 1}})
    found = sweep(index.snapshot, collection, "bm25", {"k1": [1]}, "AP")
    assert sorted((*found.train, *found.test)) == sorted(set(DRAWN.qrels) - {"q0"})
    assert found.evaluation == evaluate({query: DRAWN.qrels[query] for query in found.test}, found.run, ["AP"])
