from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from aboutness.core.errors import UsageError
from aboutness.evaluate.values import all_paired, average_ranks, differences


def test_several_rankers_in_one_order():
    values = {"a": {"q1": 0.5, "q2": 1.0}, "b": {"q2": 0.25, "q1": 0.0}, "c": {"q1": 1, "q2": 2}}
    assert all_paired(values).tolist() == [[0.5, 1.0], [0.0, 0.25], [1.0, 2.0]]
    assert all_paired({"a": [1, 2], "b": (3, 4)}).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "at least two rankers to compare, got 0"),
        ({"a": [1]}, "at least two rankers to compare, got 1"),
        ({"a": [1], "b": [1, 2]}, "a and b: both rankers must have a value for each query, got 1 and 2"),
        (
            {"a": {"q": 1}, "b": {"q": 1}, "c": {"p": 1}},
            "a and c: both rankers must have values for the same queries",
        ),
        ({"a": [], "b": []}, "at least one query"),
    ],
)
def test_what_are_no_values(values, told):
    with pytest.raises(UsageError, match=told):
        all_paired(values)


@given(st.lists(st.integers(0, 5), max_size=20))
def test_ranks_are_those_of_scipy(whole):
    values = np.array(whole, np.float64) / 7
    ranks, counts = average_ranks(values)
    assert ranks.tolist() == stats.rankdata(values).tolist()
    assert counts.tolist() == np.unique(whole, return_counts=True)[1].tolist()


def test_rounding_makes_no_difference():
    assert 0.1 + 0.2 != 0.3
    found = differences(np.array([0.3, 0.3, 0.2, 1.0]), np.array([0.1 + 0.2, 0.2, 0.1, 0.0]))
    assert found[0] == 0
    assert found[1] == found[2] == pytest.approx(0.1)
    assert average_ranks(np.array([0.3, 0.1 + 0.2, 0.4]))[0].tolist() == [1.5, 1.5, 3.0]
    assert differences(np.zeros(2), np.zeros(2)).tolist() == [0.0, 0.0]
