from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.evaluate.corrections import CORRECTIONS, adjusted

p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), max_size=30)


def test_by_hand():
    assert adjusted([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjusted([0.01, 0.04, 0.03, 0.3], "bonferroni").tolist() == pytest.approx([0.04, 0.16, 0.12, 1.0])
    assert adjusted([0.01, 0.04], "none").tolist() == [0.01, 0.04]
    assert adjusted([]).tolist() == []


@given(p_values)
def test_by_what_holm_rejects(p):
    """A difference is significant at the level of its adjusted p, and not at a lower one, going step by step."""
    found = adjusted(p)
    for level in (*found.tolist(), 0.05):
        left = sorted(range(len(p)), key=lambda i: p[i])
        rejected = set()
        while left and p[left[0]] * len(left) <= level:
            rejected.add(left.pop(0))
        if level < 1:
            assert rejected == {i for i, one in enumerate(found) if one <= level}


@given(p_values, st.randoms(use_true_random=False))
def test_the_order_changes_nothing(p, random):
    order = random.sample(range(len(p)), len(p))
    for name in CORRECTIONS:
        found = adjusted(p, name)
        assert (found >= np.array(p)).all()
        assert adjusted([p[i] for i in order], name).tolist() == found[order].tolist()
    assert (adjusted(p) <= adjusted(p, "bonferroni")).all()


@pytest.mark.parametrize("p", [[1.5], [-0.1], [float("nan")], [[0.1]]])
def test_what_is_no_p(p):
    with pytest.raises(UsageError, match="p-values must be numbers from 0 to 1, got"):
        adjusted(p)


def test_an_unknown_correction():
    with pytest.raises(UsageError, match="unknown correction 'home'; did you mean 'holm'"):
        adjusted([0.1], "home")
