"""All pairs against one pair at a time, against scikit-posthocs, and against R's form."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.evaluate.corrections import adjusted
from aboutness.evaluate.effects import cliffs_delta, cohens_dz, rank_biserial
from aboutness.evaluate.pairs import PAIR_TESTS, all_pairs, r_table
from aboutness.evaluate.rank_tests import friedman, kruskal_wallis
from aboutness.evaluate.significance import TESTS, fisher
from evaluate.test_rank_tests import rankers

PAIRED = [*TESTS, "nemenyi"]


def several(k=4, n=30, seed=1):
    chance = np.random.default_rng(seed)
    hard = chance.random(n)
    return {f"r{i}": np.round(hard + chance.normal(0.05 * i, 0.2, n), 2) for i in range(k)}


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "none"])
def test_each_pair_as_if_it_were_alone(name, correction):
    values = several()
    found = all_pairs(values, measure="AP", test=name, correction=correction)
    names = list(values)
    assert (found.names, found.measure, found.test, found.correction, found.n) == (
        tuple(names), "AP", name, correction, 30,
    )  # fmt: skip
    upper = []
    effect = rank_biserial if name == "wilcoxon" else cohens_dz
    assert found.effect == ("rank-biserial correlation" if name == "wilcoxon" else "Cohen's d_z")
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            alone = TESTS[name](values[one], values[other])
            assert found.p_values[i, j] == pytest.approx(alone.p_value, rel=1e-9)
            assert found.differences[i, j] == pytest.approx(alone.difference, abs=1e-12)
            assert found.effects[i, j] == pytest.approx(effect(values[one], values[other]), abs=1e-9)
            if i < j:
                upper.append(alone.p_value)
    corrected = found.adjusted[np.triu_indices(4, 1)]
    assert corrected == pytest.approx(adjusted(upper, correction), rel=1e-9)
    assert (found.adjusted == found.adjusted.T).all()
    assert found.why == alone.why
    assert found.omnibus is None


@settings(max_examples=35)
@given(rankers(), st.sampled_from([*PAIR_TESTS]))
def test_the_form_of_all_results(values, name):
    found = all_pairs(values, test=name, permutations=200)
    k = len(values)
    for array in (found.differences, found.p_values, found.adjusted, found.effects):
        assert (array.shape, array.dtype) == ((k, k), np.float64)
    assert not np.diag(found.differences).any()
    assert not np.diag(found.effects).any()
    assert (np.diag(found.p_values) == 1).all()
    assert (np.diag(found.adjusted) == 1).all()
    assert (found.p_values == found.p_values.T).all()
    assert ((found.p_values >= 0) & (found.p_values <= 1)).all()
    assert (found.adjusted >= found.p_values - 1e-15).all()
    assert found.differences == pytest.approx(-found.differences.T)
    assert (found.effects == -found.effects.T).all()
    plain = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert plain["names"] == list(values)
    assert np.array(plain["p_values"]).shape == (k, k)
    assert len(found.rows()) == k * (k - 1) // 2
    assert ("paired" in found.why) == (name in PAIRED)
    assert str(found).endswith(found.why)


@settings(max_examples=15)
@given(rankers())
def test_dunn_as_scikit_posthocs_has_it(values):
    posthocs = pytest.importorskip("scikit_posthocs")
    rows = [list(row) for row in values.values()]
    if len({value for row in rows for value in row}) == 1:
        found = all_pairs(values, test="dunn")
        assert (found.p_values == 1).all()
        return
    for correction, theirs in (("none", None), ("holm", "holm"), ("bonferroni", "bonferroni")):
        found = all_pairs(values, test="dunn", correction=correction)
        wanted = posthocs.posthoc_dunn(rows, p_adjust=theirs).to_numpy()
        assert found.adjusted == pytest.approx(wanted, rel=1e-9)
    assert found.effects[0, 1] == cliffs_delta(rows[0], rows[1])
    assert found.effect == "Cliff's delta"
    assert found.omnibus == kruskal_wallis(values)


@settings(max_examples=12)
@given(rankers(least=3))
def test_nemenyi_as_scikit_posthocs_has_it(values):
    posthocs = pytest.importorskip("scikit_posthocs")
    found = all_pairs(values, test="nemenyi", correction="bonferroni")
    wanted = posthocs.posthoc_nemenyi_friedman(np.array(list(values.values())).T).to_numpy()
    assert found.p_values == pytest.approx(np.clip(wanted, 0, 1), abs=1e-9)
    assert (found.adjusted == found.p_values).all()  # they hold for all pairs together as they are
    assert found.correction == "none"
    assert found.omnibus == friedman(values)


def test_one_sided_dunn_is_half_of_it_before_correction():
    values = several()
    two, one = (all_pairs(values, test=name, correction="none") for name in ("dunn", "dunn-one-sided"))
    off = ~np.eye(4, dtype=bool)
    assert one.p_values[off] == pytest.approx(two.p_values[off] / 2)
    many = all_pairs(values, test="dunn-one-sided", correction="bonferroni")
    assert many.adjusted[off] == pytest.approx(np.minimum(6 * one.p_values[off], 1))
    assert "one-sided as in R's dunn.test" in one.why


def test_as_r_prints_it():
    found = all_pairs(
        {"Alg1": [3, 4, 5, 9], "BM25": [1, 2, 2, 1], "D2V": [4, 4, 6, 8]},
        test="dunn-one-sided",
        correction="bonferroni",
    )
    z = found.statistics
    assert z[0, 1] > 0  # Alg1 is better than BM25, so that column less row is above 0
    assert r_table(found).splitlines() == [
        "                    Alg1        BM25",
        f"        BM25    {z[0, 1]:.6f}",
        f"                  {found.adjusted[0, 1]:.4f}",
        f"         D2V   {z[0, 2]:.6f}   {z[1, 2]:.6f}",
        f"                  {found.adjusted[0, 2]:.4f}      {found.adjusted[1, 2]:.4f}",
    ]
    ranks = {"Alg1": (5 + 7 + 9 + 12) / 4, "BM25": (1.5 + 3.5 + 3.5 + 1.5) / 4}
    ties = 2 * (2**3 - 2) + (3**3 - 3)
    deviation = math.sqrt((12 * 13 / 12 - ties / (12 * 11)) * (1 / 4 + 1 / 4))
    assert z[0, 1] == pytest.approx((ranks["Alg1"] - ranks["BM25"]) / deviation)
    with pytest.raises(UsageError, match="only Dunn's test has such a table, got 'fisher'"):
        r_table(all_pairs(several()))


def test_values_by_query_seed_and_permutations():
    values = {name: {f"q{i}": value for i, value in enumerate(row)} for name, row in several(3, 60).items()}
    shuffled = {name: dict(reversed(row.items())) for name, row in values.items()}
    assert (all_pairs(values).p_values == all_pairs(shuffled).p_values).all()
    few = all_pairs(values, permutations=99, seed=4)
    alone = fisher(values["r0"], values["r1"], permutations=99, seed=4)
    assert few.p_values[0, 1] == alone.p_value
    assert (few.p_values != all_pairs(values, permutations=99, seed=5).p_values).any()


@pytest.mark.parametrize(
    ("values", "named", "told"),
    [
        ({"a": [1]}, {}, "at least two rankers to compare, got 1"),
        ({"a": [1], "b": [1, 2]}, {}, "a and b: both rankers must have a value for each query"),
        ({"a": [1], "b": [1]}, {"test": "dun"}, "unknown test 'dun'; did you mean 'dunn'"),
        ({"a": [1], "b": [1]}, {"correction": "home"}, "unknown correction 'home'"),
        ({"a": [1], "b": [1]}, {"permutations": 0}, "permutations must be"),
    ],
)
def test_what_cannot_be_tested(values, named, told):
    with pytest.raises(UsageError, match=told):
        all_pairs(values, **named)


def test_how_many_pairs_were_sampled():
    chance = np.random.default_rng(1)
    few, more = chance.random((2, 32)), chance.random((3, 33))
    assert (
        all_pairs(dict(zip("ab", few, strict=True))).sampled,
        all_pairs({"a": few[0], "b": few[1]}).permutations,
    ) == (0, 0)
    found = all_pairs(dict(zip("abc", [*more[:2], more[0] + (more[2] > 2)], strict=True)), permutations=50)
    assert (found.sampled, found.permutations) == (2, 50)  # a and c are the same
    assert found.to_json()["sampled"] == 2
    assert "sampled" not in all_pairs(dict(zip("abc", more, strict=True)), test="t").to_json()


def test_one_query_and_two_rankers():
    for name in PAIR_TESTS:
        found = all_pairs({"a": [0.5], "b": [0.25]}, test=name)
        assert found.differences.tolist() == [[0.0, 0.25], [-0.25, 0.0]]
        assert found.p_values[0, 1] > 0.1


def test_seven_rankers_over_a_thousand_queries_take_no_minute():
    values = several(7, 1000)
    start = time.process_time()
    all_pairs(values, permutations=10_000)
    assert time.process_time() - start < 3
