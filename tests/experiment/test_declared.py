from __future__ import annotations

import pytest

import aboutness as ab
from aboutness.core.errors import UsageError
from aboutness.experiment.declared import Condition, Declared, Experiment, Labels, Tune, check_step
from aboutness.rank.grammar import ranker


def test_what_is_given_in_short_is_made_whole(tmp_path):
    made = Experiment("cranfield", "bm25", measures="AP, nDCG@10", fields=None, match="all")
    assert made == Experiment(
        ["cranfield"], [ab.BM25()], measures=["AP", "nDCG@10"], fields=[None], match=("all",)
    )
    assert made.rankers == (Declared(ranker("bm25")),)
    named = Experiment([tmp_path], {"ours": "bm25+ql", "theirs": ab.QL()})
    assert named.collections == (str(tmp_path),)
    assert [one.shown for one in named.rankers] == ["ours", "theirs"]
    assert ab.Experiment is Experiment


def test_conditions_are_all_combinations():
    made = Experiment("x", ["bm25", "ql"], fields=["title", None], queries=["short", "long"], match=["or", "all"])
    conditions = list(made.conditions)
    assert len(conditions) == len(set(conditions)) == 8
    assert [one.fields for one in conditions] == ["title"] * 4 + [None] * 4  # of one index, one after another
    assert made.units == 16


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ((None, "text", "or"), ""),
        (("title", "text", "or"), "fields title"),
        ((None, "desc", "all"), "desc queries, all documents"),
        (("title", "long", "judged"), "fields title, long queries, judged documents"),
        ((None, "text", "bm25 % 100"), "telescoped bm25 % 100"),
        ((None, "text", "and"), "all words"),
    ],
)
def test_conditions_in_words(condition, shown):
    assert str(Condition(*condition)) == shown


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"rankers": []}, "at least one of its rankers"),
        ({"collections": []}, "at least one of its collections"),
        ({"rankers": ["bm26"]}, "unknown ranker 'bm26'; did you mean 'bm25'"),
        ({"rankers": ["bm25", "bm25"]}, "two rankers are called 'bm25'"),
        ({"rankers": [Declared(ranker("bm25"), "a"), Declared(ranker("ql"), "a")]}, "two rankers are called 'a'"),
        ({"collections": ["x", "y", "x"]}, "'x' stands twice in collections"),
        ({"match": ["or", "or"]}, "'or' stands twice in match"),
        ({"measures": ["nope"]}, "there is no measure 'nope'"),
        ({"fields": ["3**title"]}, "fields must be fields, with weights"),
        ({"match": ["xor"]}, "match must be one of or, and, all, judged or a cut ranker: unknown ranker 'xor'"),
        ({"match": ["bm25"]}, r"or a cut ranker \(bm25 % 100\), got 'bm25'"),
        ({"depth": 0}, "depth must be a whole number"),
        ({"analyzer": "nope"}, "unknown analyzer 'nope'"),
        ({"test": "fischer"}, "unknown test 'fischer'; did you mean 'fisher'"),
        ({"correction": "hom"}, "unknown correction 'hom'; did you mean 'holm'"),
        ({"baseline": "tfidf"}, "baseline must be one of the rankers bm25, ql, got 'tfidf'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"rankers": [Declared(ranker("bm25"), grid=("mu=1,2",))]}, "mu"),
    ],
)
def test_what_is_refused(given, why):
    with pytest.raises(UsageError, match=why):
        Experiment(**{"collections": ["x"], "rankers": ["bm25", "ql"], **given})


def test_tuning_that_is_refused():
    for given, why in (({"by": "nope"}, "nope"), ({"folds": 1}, "folds must be a whole number from 2")):
        with pytest.raises(UsageError, match=why):
            Tune(**given)


def test_the_baseline_may_be_written_otherwise():
    assert Experiment("x", ["bm25[k1=1.70]", "ql"], baseline="bm25[ k1=1.7 ]").baseline == "bm25[k1=1.7]"


def test_steps():
    for step in ("or", "and", "all", "judged", "bm25 % 10", "(bm25 + ql) % 5", "bm25 % 10 >> ql"):
        check_step(step)


def test_in_plain_values():
    made = Experiment("x", ["bm25"], depth=None, labels=Labels("topics"), fields=[None, "title"])
    plain = made.to_json()
    assert plain["depth"] == "all"
    assert plain["fields"] == ["all", "title"]
    assert plain["labels"] == {"field": "topics", "queries": 1000, "single": True}
    assert plain["tune"] == {"by": "AP", "folds": 5}
    assert made.to_json(short=True) == {
        "name": "experiment", "collections": ["x"], "measures": list(made.measures), "rankers": ["bm25"],
        "fields": ["all", "title"], "depth": "all", "labels": plain["labels"],
    }  # fmt: skip
