"""Batches that are worked on in several lanes."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from aboutness.core.deadline import still_wanted, wanted_until
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.searching import in_lanes

QUESTIONS = [Question(str(number)) for number in range(23)]


def ranked(some):
    return [Ranking(np.array([int(one.text)]), np.zeros(1, np.float32)) for one in some]


@pytest.mark.parametrize("lanes", [1, 3, 50])
@pytest.mark.parametrize("most", [1, 5, 22, 23, 100])
def test_rankings_stand_in_the_order_of_their_questions(lanes, most):
    sizes = []

    def slow_at_first(some):
        sizes.append(len(some))
        time.sleep(0.02 if some[0].text == "0" else 0)
        return ranked(some)

    found = in_lanes(slow_at_first, QUESTIONS, most, lanes)
    assert [int(one.documents[0]) for one in found] == list(range(23))
    assert max(sizes) == min(most, 23)
    assert in_lanes(ranked, [], most, lanes) == []


def test_lanes_are_worked_on_at_once():
    together = threading.Barrier(3, timeout=30)

    def waiting(some):
        together.wait()
        return ranked(some)

    assert len(in_lanes(waiting, QUESTIONS[:6], 2, 3)) == 6


def test_a_lane_knows_until_when_an_answer_is_wanted():
    def late(some):
        still_wanted()
        return ranked(some)

    with wanted_until(time.monotonic() - 1), pytest.raises(TimeoutError):
        in_lanes(late, QUESTIONS, 4, 3)
    with wanted_until(time.monotonic() + 60):
        assert len(in_lanes(late, QUESTIONS, 4, 3)) == 23


def test_after_an_error_nothing_more_is_begun():
    begun = []

    def failing(some):
        begun.append(some[0].text)
        if some[0].text == "0":
            raise MemoryError
        time.sleep(0.05)
        return ranked(some)

    with pytest.raises(MemoryError):
        in_lanes(failing, QUESTIONS, 1, 2)
    assert len(begun) < 10
