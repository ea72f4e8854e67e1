from __future__ import annotations

import numpy as np
import pytest

from aboutness.evaluate.curves import max_f1, precision_at_recall
from aboutness.evaluate.places import places
from aboutness.papers.malina2016.measured import EARLY, FIRST, SEGMENTS, WHOLE, Measured, measured

LABELS = {"a": {"x": 2, "y": 2, "z": 1}, "b": {"z": 2, "x": 1, "y": 1}}
RUN = {
    "a": [("x", 4.0), ("u", 3.0), ("z", 2.0), ("y", 1.0), ("v", 0.5)],
    "b": [("y", 4.0), ("x", 3.0), ("u", 2.0), ("v", 1.0), ("z", 0.5)],
}


@pytest.fixture
def found() -> Measured:
    return measured(["a", "b"], {"method": places(LABELS, RUN)}, {"a": "metal", "b": "fuel"})


def test_missions_differ_by_grade(found: Measured) -> None:
    narrow = {query: {one: 1 for one, grade in grades.items() if grade == 2} for query, grades in LABELS.items()}
    wide = {query: dict.fromkeys(grades, 1) for query, grades in LABELS.items()}
    for one, qrels in ((found.same_label, narrow), (found.same_group, wide)):
        assert one.f1["method"].tolist() == list(max_f1(qrels, RUN).values())
        wanted = np.array(list(precision_at_recall(qrels, RUN, [*FIRST, *WHOLE]).values()))
        assert np.array_equal(one.precision["method"], wanted)


def test_points_and_segments(found: Measured) -> None:
    assert len(FIRST) == 10
    assert (FIRST[0], FIRST[-1], WHOLE[0], WHOLE[-1]) == (0, 0.1, 0, 1)
    one = found.same_label
    assert one.curve("method")[0] == pytest.approx((1 + 1 / 5) / 2)
    assert one.whole_curve("method")[-1] == pytest.approx((2 / 4 + 1 / 5) / 2)
    assert one.segment("method", EARLY).tolist() == pytest.approx([1, 1 / 5])
    last = list(SEGMENTS)[-1]
    assert one.segment("method", last)[0] == pytest.approx(0.5, abs=0.06)  # beyond recall .5 both are needed


def test_groups_have_their_queries(found: Measured) -> None:
    assert list(found.groups) == ["metal", "fuel"]
    assert found.groups["fuel"].queries == ("b",)
    assert found.groups["fuel"].f1["method"].tolist() == [found.same_group.f1["method"][1]]
