"""Sequences of changes against a dictionary; thousands of them are in `python -m tests.stress.state_machine`."""

from __future__ import annotations

import pytest

from reliability.by_hand import assert_ranked
from stress.state_machine import IndexMachine, sequences

TestSequences = IndexMachine.TestCase
TestSequences.settings = sequences(100)


@pytest.mark.parametrize(
    "found",
    [
        [("a", 2.0)],  # too few
        [("b", 1.0), ("a", 2.0)],  # the worse one first
        [("a", 2.0), ("c", 1.0)],  # of equals the later one first
        [("a", 2.0), ("b", 1.1)],  # another score
        [("a", 2.0), ("d", 0.5)],  # a better one left out
        [("a", 2.0), ("a", 2.0)],  # one twice
    ],
)
def test_a_wrong_ranking_is_seen(found):
    expected = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.5}
    assert_ranked([("a", 2.0), ("b", 1.0)], expected, 2)
    with pytest.raises(AssertionError):
        assert_ranked(found, expected, 2)
