from __future__ import annotations

import re

import pytest

from aboutness.app.compared import Curve, QueryValues, compared
from aboutness.app.results import OpenResults
from aboutness.app.two_rankings import OneRanking, Ranked
from aboutness.server.pages.compare_charts import (
    LOOKS,
    MOST_BARS,
    draw_bars,
    draw_boxes,
    draw_curves,
    draw_moves,
    mark_path,
    ticks,
)
from report.made_results import comparison, results

RECALL = tuple(tenth / 10 for tenth in range(11))


@pytest.mark.parametrize("highest", [0.003, 0.05, 0.2, 0.31, 0.5, 0.72, 0.999, 1.0, 7.3])
def test_ticks_are_few_and_reach_the_highest(highest):
    found = ticks(highest)
    assert found[0] == 0
    assert found[-2] < highest <= found[-1] + 1e-12
    assert 3 <= len(found) <= 7


def test_curves_stand_at_their_values():
    drawn = draw_curves([Curve("one", tuple(1 - point for point in RECALL))], RECALL, {"one": "a"})
    frame, (curve,) = drawn.frame, drawn.curves
    assert (curve.marks[0].x, curve.marks[0].y) == (frame.left, frame.top)
    assert (curve.marks[-1].x, curve.marks[-1].y) == (frame.right, frame.bottom)
    assert curve.marks[3].text == "one: precision 0.7000 at recall 0.3"
    assert curve.path.count("L") == 10
    assert [tick.text for tick in drawn.upwards] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    ups = [tick.place for tick in drawn.upwards]
    assert ups == sorted(ups, reverse=True)


def test_marks_do_not_touch_the_numbers_of_an_axis():
    drawn = draw_curves([Curve("one", (0.0,) * 11)], RECALL, {"one": "a"})
    numbers = [float(one) for mark in drawn.curves[0].marks for one in re.findall(r"M(-?[\d.]+) ", mark.path)]
    assert min(numbers) >= drawn.frame.left - 6  # the numbers end 7 before the axis
    assert drawn.frame.bottom + 8 < drawn.frame.bottom + 19 - 10  # and begin 19 below it, at 10 high


def test_each_look_has_an_outline():
    assert len({mark_path(look, 0, 0) for look in range(4)}) == 4
    assert all(mark_path(look, 1, 2).startswith("M") for look in range(LOOKS))


def test_boxes_lie_below_each_other():
    found = compared(OpenResults("here", results(comparison(queries=30), test="t"), ()))
    drawn = draw_boxes(found.boxes["AP"], {row.ranker: row.letter for row in found.table})
    for box in drawn.boxes:
        assert (
            drawn.frame.left
            <= box.whiskers[0]
            <= box.lower
            <= box.median
            <= box.upper
            <= box.whiskers[1]
            <= drawn.frame.right
        )
        assert box.label < box.top < box.middle < box.top + box.height
    for one, other in zip(drawn.boxes, drawn.boxes[1:], strict=False):
        assert one.top + one.height < other.label - 10  # room for the name
    assert drawn.boxes[-1].top + drawn.boxes[-1].height < drawn.frame.bottom
    assert drawn.frame.bottom + 19 < drawn.frame.height - 6 - 10


def values(*pairs: tuple[float, float]) -> list[QueryValues]:
    return [QueryValues(f"q{number}", "", 1, pair) for number, pair in enumerate(pairs)]


def test_bars_are_sorted_and_counted():
    drawn = draw_bars(values((0.5, 0.5), (0.1, 0.9), (1.0, 0.6)), 0, 1)
    assert [bar.query for bar in drawn.bars] == ["q2", "q0", "q1"]
    assert [bar.side for bar in drawn.bars] == ["first", "same", "second"]
    assert (drawn.won, drawn.same, drawn.lost, drawn.left_out) == (1, 1, 1, 0)
    assert drawn.largest == pytest.approx(0.8)
    assert [(bar.y, bar.height) for bar in drawn.bars] == [(52, 48), (100, 0), (100, 96)]
    turned = draw_bars(values((0.5, 0.5), (0.1, 0.9), (1.0, 0.6)), 1, 0)
    assert [bar.query for bar in turned.bars] == ["q1", "q0", "q2"]


def test_many_bars_leave_out_the_middle():
    drawn = draw_bars(values(*((number / 1000, 0.5) for number in range(1000))), 0, 1)
    assert len(drawn.bars) == MOST_BARS
    assert drawn.left_out == 1000 - MOST_BARS
    assert (drawn.bars[0].query, drawn.bars[-1].query) == ("q999", "q0")
    assert drawn.won + drawn.lost + drawn.same == 1000


def test_no_difference_at_all():
    assert draw_bars(values((0.5, 0.5)), 0, 1).bars[0].height == 0
    assert draw_bars([], 0, 1).bars == ()


def test_moves_join_what_both_show():
    def ranking(*documents: str) -> OneRanking:
        return OneRanking("r", 3, {}, tuple(Ranked(one, rank, 1.0, grade, None, None) for rank, (one, grade) in enumerate(zip(documents, (1, 0, None), strict=True), 1)))  # fmt: skip

    found = draw_moves(ranking("a", "b", "c"), ranking("c", "x", "a"))
    assert [(one.document, one.start, one.end, one.kind, one.pair) for one in found] == [
        ("a", 5, 25, "relevant", 0),
        ("c", 25, 5, "unjudged", 2),
    ]
