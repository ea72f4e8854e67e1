"""How values of queries are spread: box plots and histograms."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aboutness.core.counted import counted
from aboutness.report.figures.sheet import (
    INK,
    PALE,
    check_names,
    drawn,
    fitting,
    look,
    panel_width,
    panels,
    printable,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 20
MOST_GROUPS = 24


@drawn
def box_plots(groups: Mapping[str, Mapping[str, Sequence[float]]], measure: str = "max F1") -> Figure:
    """Draw, for each group of queries, a box for each ranker: quartiles, whiskers to 1.5 of their distance, mean.

    The median is the line in the box, the mean the diamond; both are told in numbers beside it.
    """
    names = list(next(iter(groups.values()), {}))
    check_names(names)
    check_names(list(groups), "groups", MOST_GROUPS)
    lines = max(fitting(name, 26).count("\n") + 1 for name in names)
    height = 0.75 + max(0.36, 0.17 * lines) * len(names)
    figure, axes = panels(
        len(groups), columns=2 if len(groups) > 1 else 1,
        width=6.4 if len(groups) == 1 else 5.6, height=height, share=(True, True),
    )  # fmt: skip
    for axis, group in zip(axes, groups, strict=True):
        values = [np.asarray(groups[group][name], np.float64) for name in names]
        drawn_boxes = axis.boxplot(
            values, **_sideways(axis), widths=0.55, patch_artist=True, showmeans=True,
            medianprops={"color": INK, "linewidth": 2}, flierprops={"marker": ".", "markersize": 3},
            meanprops={"marker": "D", "markersize": 5, "markerfacecolor": "white", "markeredgecolor": INK},
        )  # fmt: skip
        for number, box in enumerate(drawn_boxes["boxes"]):
            box.set(facecolor="none", edgecolor=look(number).colour, hatch=look(number).hatch, linewidth=1)
        for place, one in enumerate(values, 1):
            told = f"median {np.median(one):.2f}, mean {one.mean():.2f}" if len(one) else "no query"
            axis.text(1.02, place, told, transform=axis.get_yaxis_transform(), va="center", fontsize=7.5)
        axis.set_yticks(range(1, len(names) + 1), [fitting(name, 26) for name in names])
        axis.set_ylim(len(names) + 0.6, 0.4)
        axis.set_xlim(-0.02, max(1.02, *(one.max(initial=0) for one in values)))
        axis.grid(axis="x", color=PALE, linewidth=0.5)
        axis.set_axisbelow(True)
        if len(groups) > 1:
            axis.set_title(
                f"{fitting(group, 40)} ({counted(len(values[0]), 'query', 'queries')})", fontsize=9, loc="left"
            )
    figure.supxlabel(printable(measure), fontsize=9)
    return figure


def _sideways(axis: Axes) -> dict[str, Any]:
    """Return what makes boxes lie, which has another name before matplotlib 3.10."""
    new = "orientation" in inspect.signature(axis.boxplot).parameters
    return {"orientation": "horizontal"} if new else {"vert": False}


@drawn
def histograms(values: Mapping[str, Sequence[float]], measure: str = "max F1") -> Figure:
    """Draw, for each ranker, how many queries have which value; the dashed line is the median."""
    names = list(values)
    check_names(names)
    figure, axes = panels(len(names), columns=3, width=panel_width(len(names)), height=2.1, share=(True, True))
    highest = max(1.0, *(max(values[name], default=0) for name in names))
    for axis, name in zip(axes, names, strict=True):
        one = np.asarray(values[name], np.float64)
        axis.hist(one, np.linspace(0, highest, BINS + 1).tolist(), color=PALE, edgecolor=INK, linewidth=0.6)
        if len(one):
            axis.axvline(float(np.median(one)), color=INK, linestyle=(0, (4, 2)), linewidth=1.4)
        told = f"median {np.median(one):.2f}" if len(one) else "no query"
        axis.set_title(f"{fitting(name, 30)}\n{told}", fontsize=8.5)
        axis.set_xlim(0, highest)
    figure.supxlabel(printable(measure), fontsize=9)
    figure.supylabel("queries", fontsize=9)
    return figure
