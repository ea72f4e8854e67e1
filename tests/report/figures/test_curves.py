from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from aboutness.core.errors import UsageError
from aboutness.report.figures.curves import WHOLE, ZOOMED, precision_recall, sweep_curve
from report.figures.looking import NAMES, check_texts, words


def curve(place: int) -> list[float]:
    return (np.linspace(0.9, 0.1, 11) * (1 - place / 40)).tolist()


@pytest.mark.parametrize("count", [1, 3, 12])
def test_all_names_have_room(count):
    figure = precision_recall({name: curve(place) for place, name in enumerate(NAMES[:count])})
    check_texts(figure)
    assert words(figure).count("bm25") >= 1


def test_lines_are_the_values():
    given = {name: curve(place) for place, name in enumerate(NAMES)}
    figure = precision_recall(given, ZOOMED)
    lines = figure.axes[0].get_lines()
    assert [line.get_ydata().tolist() for line in lines] == list(given.values())
    assert all(line.get_xdata().tolist() == list(ZOOMED) for line in lines)
    assert len({(line.get_marker(), str(line.get_linestyle())) for line in lines}) == 12
    assert figure.axes[0].get_xlim() == (0, 0.1)


def test_scales():
    low, high = precision_recall({"a": [0.53, 0.21]}, [0, 1]).axes[0].get_ylim()
    assert (low, high) == (0, 0.6)
    low, high = precision_recall({"a": [0.53, 0.51]}, [0, 0.1]).axes[0].get_ylim()
    assert 0.4 < low < 0.51
    assert 0.53 < high < 0.6
    assert precision_recall({"a": [0.0] * 11}, WHOLE).axes[0].get_ylim()[1] == 0.1


def test_a_sweep_in_the_order_of_values():
    figure = sweep_curve([1.0, 0.0, 0.5], [0.3, 0.1, 0.2], [0.6, 0.4, 0.5], 0.5, "alpha", "AP")
    check_texts(figure)
    train, test, best = figure.axes[0].get_lines()
    assert train.get_xdata().tolist() == test.get_xdata().tolist() == [0, 0.5, 1]
    assert train.get_ydata().tolist() == [0.1, 0.2, 0.3]
    assert test.get_ydata().tolist() == [0.4, 0.5, 0.6]
    assert list(best.get_xdata()) == [0.5, 0.5]
    assert "chosen: 0.5" in words(figure)
    for chosen in (0.0, 1.0):
        check_texts(sweep_curve([0.0, 1.0], [0.3, 0.1], [0.6, 0.4], chosen, "alpha", "AP"))


def test_nothing_to_draw():
    with pytest.raises(UsageError, match="no setting"):
        sweep_curve([], [], [], 0, "alpha", "AP")
