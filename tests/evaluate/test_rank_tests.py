"""Tests by ranks against scipy and scikit-posthocs, and against what malina2016 printed."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from aboutness.core.errors import UsageError
from aboutness.evaluate.rank_tests import critical_difference, friedman, kruskal_wallis, one_sided_p

tenths = st.integers(0, 10).map(lambda whole: whole / 10)


@st.composite
def rankers(draw, least=2):
    k, n = draw(st.integers(least, 6)), draw(st.integers(1, 12))
    return {f"r{i}": draw(st.lists(tenths, min_size=n, max_size=n)) for i in range(k)}


@given(st.lists(st.lists(tenths, min_size=1, max_size=9), min_size=2, max_size=5))
def test_kruskal_as_scipy_has_it(groups):
    found = kruskal_wallis({str(n): group for n, group in enumerate(groups)})
    assert (found.rankers, found.n, found.df) == (len(groups), sum(map(len, groups)), len(groups) - 1)
    if len({value for group in groups for value in group}) == 1:
        assert (found.statistic, found.p_value) == (0.0, 1.0)
        return
    wanted = stats.kruskal(*groups)
    assert found.statistic == pytest.approx(wanted.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-9)


@given(rankers(least=3))
def test_friedman_as_scipy_has_it(values):
    found = friedman(values)
    rows = np.array(list(values.values()))
    assert (found.rankers, found.n, found.df) == (*rows.shape, len(rows) - 1)
    if (rows == rows[0]).all():
        assert (found.statistic, found.p_value) == (0.0, 1.0)
        return
    wanted = stats.friedmanchisquare(*rows)
    assert found.statistic == pytest.approx(wanted.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-9)


def test_friedman_of_two_is_about_the_signs():
    found = friedman({"a": [1, 2, 3, 4], "b": [0, 1, 2, 5]})
    assert found.statistic == pytest.approx((3 - 1) ** 2 / 4)
    assert str(found) == "chi-squared = 1.0000, df = 1, p = 0.32 (Friedman test)"


# q at 0.05 and 0.1 for 2 to 10 classifiers, by the square root of 2, as in the table of Demsar 2006
Q05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
Q10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]


@pytest.mark.parametrize("k", range(2, 11))
def test_critical_differences_are_those_of_the_table(k):
    unit = math.sqrt(k * (k + 1) / (6 * 30))
    assert critical_difference(k, 30) == pytest.approx(Q05[k - 2] * unit, abs=0.0011 * unit)
    assert critical_difference(k, 30, 0.1) == pytest.approx(Q10[k - 2] * unit, abs=0.0011 * unit)


def test_one_sided_p_of_what_was_printed():
    z = np.array([5.125541, 0.493783, -3.783854, -4.083153, -2.019708, -2.513492, -3.361395, -3.062096, 4.426611])
    printed = [0.0000, 1.0000, 0.0016, 0.0005, 0.4558, 0.1255, 0.0081, 0.0231, 0.0001]
    assert np.minimum(21 * one_sided_p(z), 1).round(4).tolist() == printed


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: kruskal_wallis({"a": [1]}), "at least two rankers"),
        (lambda: kruskal_wallis({"a": [1], "b": []}), "at least one value, got none for b"),
        (lambda: kruskal_wallis({"a": [1], "b": ["x"]}), "one number for each query"),
        (lambda: friedman({"a": [1]}), "at least two rankers"),
        (lambda: friedman({"a": [1], "b": [1, 2]}), "a and b: both rankers must have a value for each query"),
        (lambda: critical_difference(1, 5), "rankers must be a whole number from 2"),
        (lambda: critical_difference(3, 0), "queries must be a whole number from 1"),
        (lambda: critical_difference(3, 5, 0.9), "level must be a number above 0 and at most 0.5"),
    ],
)
def test_what_cannot_be_tested(call, told):
    with pytest.raises(UsageError, match=told):
        call()


def test_results_are_plain_and_say_why():
    for test in (kruskal_wallis, friedman):
        found = test({"a": {"q1": 1, "q2": 2}, "b": {"q2": 5, "q1": 4}, "c": {"q1": 2, "q2": 2}})
        assert json.loads(json.dumps(found.to_json()))["why"] == found.why
    assert "Friedman" in kruskal_wallis({"a": [1], "b": [2]}).why
