"""Rows of documents of shards: fetched once, as long as there is room, and never another document's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from aboutness.scale import spread_rows
from aboutness.scale.spread_rows import SpreadRows

DIM, ENDS = 3, [40, 70, 100]
ROWS = np.random.default_rng(1).normal(size=(ENDS[-1], DIM)).astype(np.float32)
ROWS[::9] = 0


class Asked:
    """Shards that answer from a matrix, and keep what they were asked for; some do not answer."""

    def __init__(self, silent=()):
        self.shards = SimpleNamespace(ends=ENDS)
        self.asked: list[list[int]] = []
        self.silent = silent

    def about(self, method, documents):
        assert method == "rows"
        assert np.all(np.diff(documents) > 0)
        self.asked.append(documents.tolist())
        ends = np.searchsorted(documents, ENDS).tolist()
        places = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
        return places, [
            None if shard in self.silent or place.stop == place.start else ROWS[documents[place]]
            for shard, place in enumerate(places)
        ]


@pytest.fixture
def room(monkeypatch):
    """Leave room for so many rows."""
    return lambda rows: monkeypatch.setattr(spread_rows, "KEPT_BYTES", 4 * DIM * rows)


def numbers(*some):
    return np.array(some, np.int64)


def test_rows_are_fetched_once_and_come_in_the_order_that_is_asked_for():
    asked = Asked()
    rows = SpreadRows(asked, DIM)
    rows.at_hand([numbers(5, 99), numbers(41, 5), numbers()])
    assert asked.asked == [[5, 41, 99]]
    assert rows.has_all(numbers(99, 5))
    assert not rows.has_all(numbers(99, 6))
    np.testing.assert_array_equal(rows.some(numbers(99, 5, 41, 99)), ROWS[[99, 5, 41, 99]])
    np.testing.assert_array_equal(rows.some(numbers(7, 5)), ROWS[[7, 5]])
    assert asked.asked == [[5, 41, 99], [7]]
    assert rows.has(numbers(5, 9, 10)).tolist() == [True, False, True]
    assert rows.some(numbers()).shape == (0, DIM)


def test_the_rows_of_a_shard_that_does_not_answer_are_0_and_asked_for_again():
    asked = Asked(silent=[1])
    rows = SpreadRows(asked, DIM)
    found = rows.some(numbers(3, 50, 80))
    np.testing.assert_array_equal(found, np.where([[True], [False], [True]], ROWS[[3, 50, 80]], 0))
    asked.silent = ()
    np.testing.assert_array_equal(rows.some(numbers(3, 50, 80)), ROWS[[3, 50, 80]])
    assert asked.asked == [[3, 50, 80], [50]]


def test_where_there_is_no_room_others_are_dropped_but_not_those_that_are_asked_for(room):
    room(10)
    asked = Asked()
    rows = SpreadRows(asked, DIM)
    rows.at_hand([np.arange(8)])
    np.testing.assert_array_equal(rows.some(np.arange(5, 12)), ROWS[5:12])
    assert asked.asked == [[*range(8)], [8, 9, 10, 11]]
    assert rows.has_all(np.arange(5, 12))
    assert not rows.has_all(numbers(0))
    np.testing.assert_array_equal(rows.some(np.arange(60)), ROWS[:60])  # more than there is room for


@pytest.mark.parametrize("rows_kept", [1, 20, 60, 1000])
def test_many_threads_get_the_rows_that_they_ask_for(room, rows_kept):
    room(rows_kept)
    rows = SpreadRows(Asked(), DIM)

    def work(seed):
        chance = np.random.default_rng(seed)
        for _ in range(300):
            some = chance.integers(0, ENDS[-1], chance.integers(0, 30))
            rows.at_hand([some])
            np.testing.assert_array_equal(rows.some(some), ROWS[some])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
