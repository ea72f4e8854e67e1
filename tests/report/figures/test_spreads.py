from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from aboutness.core.errors import UsageError
from aboutness.report.figures.spreads import box_plots, histograms
from report.figures.looking import NAMES, check_texts, words

VALUES = np.random.default_rng(1).random((12, 40))


@pytest.mark.parametrize("count", [1, 12])
def test_boxes_with_names_of_any_length(count):
    figure = box_plots({"": dict(zip(NAMES[:count], VALUES[:count], strict=True))})
    check_texts(figure)
    assert f"median {np.median(VALUES[0]):.2f}, mean {VALUES[0].mean():.2f}" in words(figure)
    boxes = figure.axes[0].patches
    assert len({box.get_hatch() for box in boxes}) == len(boxes) == count


def test_boxes_are_quartiles():
    figure = box_plots({"": {"a": [0.0, 0.25, 0.5, 0.75, 1.0]}})
    x = figure.axes[0].patches[0].get_path().vertices[:, 0]
    assert (x.min(), x.max()) == (0.25, 0.75)


def test_groups():
    groups = {f"group {place}": dict(zip(NAMES[:3], VALUES[:3, : 10 + place], strict=True)) for place in range(3)}
    figure = box_plots(groups)
    check_texts(figure)
    assert [f"group {place} ({10 + place} queries)" in words(figure) for place in range(3)] == [True] * 3


def test_a_group_without_queries():
    check_texts(box_plots({"a": {"one": [0.5], "two": [0.4]}, "b": {"one": [], "two": []}}))


def test_too_many_groups():
    with pytest.raises(UsageError, match="1 to 24 groups, got 25"):
        box_plots({str(place): {"a": [0.5]} for place in range(25)})


@pytest.mark.parametrize("count", [1, 8])
def test_histograms(count):
    figure = histograms(dict(zip(NAMES[:count], VALUES[:count], strict=True)))
    check_texts(figure)
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert len(shown) == count
    for axis, values in zip(shown, VALUES, strict=False):
        assert sum(patch.get_height() for patch in axis.patches) == len(values)
        assert f"median {np.median(values):.2f}" in axis.get_title()


def test_no_query():
    check_texts(histograms({"a": []}))
