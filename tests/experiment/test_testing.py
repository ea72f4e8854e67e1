from __future__ import annotations

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.evaluate.corrections import adjusted
from aboutness.evaluate.pairs import all_pairs
from aboutness.evaluate.rank_tests import friedman, kruskal_wallis
from aboutness.evaluate.significance import fisher
from aboutness.experiment.compare import compare_on
from aboutness.experiment.testing import differences_of
from aboutness.rank.grammar import ranker
from experiment.drawn import DRAWN, RECORDS

NAMES = ["bm25", "ql", "tfidf", "bm25[k1=2]"]


@pytest.fixture(scope="module")
def comparison():
    return compare_on(Index.build(RECORDS).snapshot, DRAWN, list(map(ranker, NAMES)), ["AP", "nDCG@10"])


def values(comparison, measure):
    return {
        row.name: {query: one[measure] for query, one in row.evaluation.per_query.items()}
        for row in comparison.rows
    }


def test_all_pairs(comparison):
    found = differences_of(comparison, "t", "bonferroni")
    assert len(found.rows) == 2 * 6
    for measure in ("AP", "nDCG@10"):
        wanted = all_pairs(values(comparison, measure), test="t", correction="bonferroni").rows()
        some = [row for row in found.rows if row.measure == measure]
        assert [(row.ranker, row.other, row.p, row.adjusted) for row in some] == [
            (one["ranker"], one["other"], one["p"], one["adjusted"]) for one in wanted
        ]
    assert found.baseline is None
    assert found.to_json()["rows"][0]["measure"] == "AP"


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "none"])
def test_against_a_baseline_only_those_tests_are_corrected_for(comparison, correction):
    found = differences_of(comparison, "fisher", correction, "ql")
    assert [(row.ranker, row.other) for row in found.rows[:3]] == [
        ("bm25", "ql"), ("tfidf", "ql"), ("bm25[k1=2]", "ql"),
    ]  # fmt: skip
    own = values(comparison, "AP")
    wanted = [fisher(own[name], own["ql"]) for name in NAMES if name != "ql"]
    assert [row.p for row in found.rows[:3]] == [one.p_value for one in wanted]
    assert [row.difference for row in found.rows[:3]] == pytest.approx([one.difference for one in wanted])
    corrected = adjusted([one.p_value for one in wanted], correction).tolist()
    assert [row.adjusted for row in found.rows[:3]] == corrected
    assert "Fisher" in found.why


@pytest.mark.parametrize("test", ["dunn", "nemenyi"])
def test_tests_that_look_at_all_rankers_at_once(comparison, test):
    found = differences_of(comparison, test, "holm", "ql")
    pairs = all_pairs(values(comparison, "AP"), test=test, correction="holm")
    at = pairs.names.index("ql")
    assert [row.p for row in found.rows[:3]] == [float(pairs.p_values[i, at]) for i in (0, 2, 3)]
    assert found.correction == pairs.correction


def test_the_seed_of_sampled_permutations_is_passed_on(comparison, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "aboutness.experiment.testing.all_pairs",
        lambda *args, **how: seen.append(how["seed"]) or all_pairs(*args, **how),
    )
    differences_of(comparison, seed=5)
    differences_of(comparison, baseline="bm25[k1=2.0]", seed=6)
    assert set(seen) == {5, 6}


def test_what_is_refused(comparison):
    with pytest.raises(UsageError, match="unknown test 'z'"):
        differences_of(comparison, "z")
    with pytest.raises(UsageError, match="unknown correction 'z'"):
        differences_of(comparison, "t", "z")
    with pytest.raises(UsageError, match="baseline must be one of the rankers bm25, ql, tfidf"):
        differences_of(comparison, baseline="lsa")
    one = compare_on(Index.build(RECORDS).snapshot, DRAWN, [ranker("bm25")], ["AP"])
    with pytest.raises(UsageError, match="name at least two, got 1"):
        differences_of(one)


@pytest.mark.parametrize(("test", "whole"), [("dunn", kruskal_wallis), ("nemenyi", friedman)])
@pytest.mark.parametrize("baseline", [None, "ql"])
def test_the_test_of_all_rankers_together_is_told(comparison, test, whole, baseline):
    found = differences_of(comparison, test, "holm", baseline)
    plain = found.to_json()["omnibus"]
    assert plain == {name: whole(values(comparison, name)).to_json() for name in ("AP", "nDCG@10")}
    assert "omnibus" not in differences_of(comparison, "t", "holm", baseline).to_json()
