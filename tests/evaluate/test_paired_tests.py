"""Paired tests against scipy, and against trying all signs."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from aboutness.core.errors import UsageError
from aboutness.evaluate.paired_tests import MOST_EXACT, paired_t, sign_test, wilcoxon
from aboutness.evaluate.significance import TESTS

sevenths = st.integers(0, 7).map(lambda whole: whole / 7)
few = st.lists(st.tuples(sevenths, sevenths), min_size=1, max_size=9)
many = st.lists(st.tuples(sevenths, sevenths), min_size=60, max_size=90)


def drawn(n, seed, shift=0.1):
    chance = np.random.default_rng(seed)
    a = chance.random(n)
    return a, a + chance.normal(shift, 0.3, n)


def by_trying_all_signs(ranks, won):
    """Return how often the sum of the ranks that get a plus is as far from its mean."""
    mean = sum(ranks) / 2
    sums = [sum(itertools.compress(ranks, signs)) for signs in itertools.product((0, 1), repeat=len(ranks))]
    return sum(abs(one - mean) >= abs(won - mean) - 1e-9 for one in sums) / len(sums)


# --- t -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 10, 250])
@pytest.mark.parametrize("shift", [0.0, 0.1, 2.0])
def test_t_as_scipy_has_it(n, shift):
    a, b = drawn(n, n, shift)
    found, wanted = paired_t(a, b), stats.ttest_rel(a, b)
    assert found.statistic == pytest.approx(wanted.statistic)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-9)
    assert (found.n, found.difference) == (n, pytest.approx((a - b).mean()))


@pytest.mark.parametrize(
    ("a", "b", "statistic", "p_value"),
    [
        ([0.5], [0.25], 0.0, 1.0),
        ([0.5], [0.5], 0.0, 1.0),
        ([0.5, 0.25], [0.5, 0.25], 0.0, 1.0),
        ([0.5, 0.75, 1.0], [0.25, 0.5, 0.75], math.inf, 0.0),
        ([0.25, 0.5], [0.5, 0.75], -math.inf, 0.0),
        ([1.0, 0.0], [0.0, 1.0], 0.0, 1.0),
        ([0.1 + 0.2] * 9, [0.3] * 9, 0.0, 1.0),  # what differs by rounding alone does not differ
        ([0.1 + 0.2, 0.5] * 9, [0.3, 0.5] * 9, 0.0, 1.0),
        ([0.1, 0.1, 0.1], [0.0, 0.0, 0.0], math.inf, 0.0),
        ([0.3, 0.4, 0.8], [0.2, 0.3, 0.7], math.inf, 0.0),
    ],
)
def test_t_where_nothing_varies(a, b, statistic, p_value):
    found = paired_t(a, b)
    assert (found.statistic, found.p_value) == (statistic, p_value)
    assert found.to_json()["statistic"] == (statistic if math.isfinite(statistic) else None)
    json.dumps(found.to_json(), allow_nan=False)


# --- Wilcoxon ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 20, MOST_EXACT])
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.5])
def test_wilcoxon_exact_as_scipy_has_it(n, shift):
    a, b = drawn(n, n + 1, shift)
    found, wanted = wilcoxon(a, b), stats.wilcoxon(a - b, method="exact")
    assert (found.statistic, found.p_value) == (wanted.statistic, pytest.approx(wanted.pvalue, rel=1e-12))
    assert "exact" in found.why


@given(few)
def test_wilcoxon_is_exact_with_ties_too(pairs):
    a, b = np.array(pairs).T
    sizes = np.round(a * 7).astype(int) - np.round(b * 7).astype(int)
    sizes = sizes[sizes != 0]
    ranks = stats.rankdata(np.abs(sizes)).tolist()
    won = sum(rank for rank, size in zip(ranks, sizes, strict=True) if size > 0)
    found = wilcoxon(a, b)
    assert found.p_value == pytest.approx(by_trying_all_signs(ranks, won) if ranks else 1.0)
    assert found.statistic == min(won, sum(ranks) - won)
    assert found.n == len(pairs)


@settings(max_examples=25)
@given(many)
def test_wilcoxon_of_many_with_ties_as_scipy_has_it(pairs):
    a, b = np.array(pairs).T
    sizes = np.round(7 * a) - np.round(7 * b)
    found = wilcoxon(a, b)
    if np.count_nonzero(sizes) > MOST_EXACT:
        wanted = stats.wilcoxon(sizes, zero_method="wilcox", correction=False, method="asymptotic")
        assert (found.statistic, found.p_value) == (wanted.statistic, pytest.approx(wanted.pvalue, rel=1e-9))
        assert "normal approximation" in found.why


def test_wilcoxon_without_a_difference():
    for n in (1, 3, 100):
        found = wilcoxon([0.3] * n, [0.1 + 0.2] * n)
        assert (found.statistic, found.p_value, found.n) == (0.0, 1.0, n)


# --- sign ----------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.one_of(few, many))
def test_sign_as_scipy_has_it(pairs):
    a, b = np.array(pairs).T
    won, lost = int((a > b).sum()), int((a < b).sum())
    found = sign_test(a, b)
    wanted = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert (found.statistic, found.p_value) == (won, pytest.approx(wanted, rel=1e-9))


def test_sign_of_very_many():
    a = np.ones(20_000)
    b = np.where(np.arange(20_000) < 10_200, 0.0, 2.0)
    assert sign_test(a, b).p_value == pytest.approx(stats.binomtest(10_200, 20_000).pvalue, rel=1e-6)
    assert sign_test(a, np.zeros(20_000)).p_value == 0.0  # too small for a float


# --- all -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TESTS)
@settings(max_examples=25)
@given(pairs=st.one_of(few, many))
def test_sides_and_order_change_no_p(name, pairs):
    a, b = np.array(pairs).T
    found, other = TESTS[name](a, b), TESTS[name](b, a)
    assert 0 <= found.p_value <= 1
    assert other.p_value == pytest.approx(found.p_value, rel=1e-9)
    assert other.difference == -found.difference
    order = np.random.default_rng(1).permutation(len(a))
    assert TESTS[name](a[order], b[order]).p_value == pytest.approx(found.p_value, rel=1e-9)
    assert TESTS[name](a, a).p_value == 1.0
    assert "paired" in found.why
    json.dumps(found.to_json(), allow_nan=False)


@pytest.mark.parametrize("test", [paired_t, wilcoxon, sign_test])
def test_by_query_and_what_are_no_pairs(test):
    a, b = {"q1": 0.5, "q2": 0.75, "q3": 1.0}, {"q3": 0.0, "q1": 0.25, "q2": 0.75}
    assert test(a, b) == test([0.5, 0.75, 1.0], [0.25, 0.75, 0.0])
    with pytest.raises(UsageError, match="the same queries"):
        test(a, {"q1": 1.0})
    with pytest.raises(UsageError, match="at least one query"):
        test([], [])
    assert str(test(a, b)).startswith("+0.4167, p = ")
