"""Lines: precision over recall, and a measure over the values of a parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from aboutness.core.errors import UsageError
from aboutness.report.figures.sheet import (
    BLUE,
    INK,
    ORANGE,
    PALE,
    SOFT,
    check_names,
    drawn,
    legend_below,
    legend_height,
    look,
    panels,
    printable,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHOLE = tuple(np.linspace(0, 1, 11).tolist())  # recall points
ZOOMED = tuple(np.linspace(0, 0.1, 11).tolist())  # those of malina2016


@drawn
def precision_recall(
    curves: Mapping[str, Sequence[float]],
    points: Sequence[float] = WHOLE,
    looks: Mapping[str, int] | None = None,
) -> Figure:
    """Draw, for each ranker, its mean interpolated precision at some points of recall.

    `looks` numbers how rankers are drawn, so that one looks the same in several figures; else by their order.
    """
    names = list(curves)
    check_names(names)
    figure, (axis,) = panels(1, columns=1, width=6.4, height=4, extra=legend_height(names))
    for number, name in enumerate(names):
        place = number if looks is None else looks[name]
        one = look(place)
        axis.plot(
            points, curves[name], color=one.colour, linestyle=one.dash, marker=one.marker, markersize=5,
            markerfacecolor="white" if place % 2 else one.colour, linewidth=1.4, clip_on=False, label=str(number),
        )  # fmt: skip
    axis.set_xlabel("recall")
    axis.set_ylabel("interpolated precision, mean of all queries")
    axis.set_xlim(0, max(points) or 1)
    highest = max((max(values, default=0) for values in curves.values()), default=1)
    lowest = min((min(values, default=0) for values in curves.values()), default=0)
    if max(points) >= 1 or not highest:
        axis.set_ylim(0, min(1, math.ceil(10 * highest + 0.5) / 10))
    else:  # zoomed in: what matters are the differences
        room = max(0.02, 0.08 * (highest - lowest))
        axis.set_ylim(max(0, lowest - room), min(1, highest + room))
    axis.grid(color=PALE, linewidth=0.5)
    axis.set_axisbelow(True)
    legend_below(figure, axis, names)
    return figure


@drawn
def sweep_curve(
    values: Sequence[float],
    train: Sequence[float],
    test: Sequence[float],
    best: float,
    parameter: str,
    measure: str,
) -> Figure:
    """Draw a measure over the values of a parameter: for the queries that one is chosen by, and for all others."""
    if not values:
        raise UsageError("there is no setting to draw")
    order = np.argsort(np.asarray(values, np.float64), kind="stable")
    x = np.asarray(values, np.float64)[order]
    figure, (axis,) = panels(1, columns=1, width=6.4, height=3.4, extra=legend_height(["queries"]))
    every = max(1, len(x) // 20)
    labels = ["queries that it is chosen by", "all other queries"]
    for of_queries, colour, dash, marker in ((train, BLUE, "-", "o"), (test, ORANGE, (0, (5, 1.5)), "s")):
        axis.plot(
            x, np.asarray(of_queries, np.float64)[order], color=colour, linestyle=dash, linewidth=1.4,
            marker=marker, markersize=4, markevery=every, label=marker,
        )  # fmt: skip
    axis.axvline(best, color=INK, linewidth=0.9, linestyle=":")
    low, high = float(x[0]), float(x[-1])
    right = best > (low + high) / 2
    axis.annotate(
        f"chosen: {best:g}", (best, 1), xycoords=("data", "axes fraction"), xytext=(-4 if right else 4, -2),
        textcoords="offset points", ha="right" if right else "left", va="top", fontsize=8, color=SOFT,
    )  # fmt: skip
    axis.set_xlabel(printable(parameter))
    axis.set_ylabel(f"{printable(measure)}, mean")
    axis.margins(x=0.02, y=0.15)
    axis.grid(color=PALE, linewidth=0.5)
    axis.set_axisbelow(True)
    legend_below(figure, axis, labels)
    return figure
