from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from aboutness.evaluate.effects import cliffs_delta, cohens_dz, rank_biserial

sevenths = st.integers(0, 7).map(lambda whole: whole / 7)
pairs = st.lists(st.tuples(sevenths, sevenths), min_size=1, max_size=25)


@given(pairs)
def test_against_the_definitions(both):
    a, b = np.array(both).T
    whole = np.round(7 * a).astype(int) - np.round(7 * b).astype(int)
    if len(whole) > 1 and whole.std() > 0:
        assert cohens_dz(a, b) == pytest.approx(whole.mean() / whole.std(ddof=1), abs=1e-9)
    wins = sum(x > y for x in a for y in b) - sum(x < y for x in a for y in b)
    assert cliffs_delta(a, b) == pytest.approx(wins / len(a) ** 2)
    left = whole[whole != 0]
    ranks = stats.rankdata(np.abs(left))
    expected = (ranks[left > 0].sum() - ranks[left < 0].sum()) / ranks.sum() if len(left) else 0.0
    assert rank_biserial(a, b) == pytest.approx(expected)
    for effect in (cohens_dz, rank_biserial, cliffs_delta):
        assert effect(b, a) == pytest.approx(-effect(a, b))


def test_where_nothing_varies():
    assert cohens_dz([0.5], [0.2]) == 0
    assert cohens_dz([0.5, 0.6], [0.5, 0.6]) == 0
    assert cohens_dz([0.3, 0.4, 0.5], [0.2, 0.3, 0.4]) == math.inf
    assert cohens_dz([0.2, 0.3], [0.3, 0.4]) == -math.inf
    assert cohens_dz([0.1, 0.1, 0.1], [0, 0, 0]) == math.inf
    assert rank_biserial([1, 2], [1, 2]) == 0


def test_ends_and_other_forms():
    assert cliffs_delta([5, 6], [1, 2, 3]) == 1
    assert cliffs_delta({"q1": 1, "q2": 2}, {"p": 3}) == -1
    assert rank_biserial([5, 6], [1, 2]) == 1
    assert cohens_dz({"q1": 1, "q2": 3}, {"q2": 1, "q1": 0}) == pytest.approx(1.5 / math.sqrt(0.5))
