"""Rankers against each other: query by query, and all pairs with what a test says."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from aboutness.core.counted import counted
from aboutness.report.figures.sheet import (
    BLUE,
    INK,
    ORANGE,
    PALE,
    SOFT,
    check_names,
    drawn,
    fitting,
    panel_width,
    panels,
    printable,
)
from aboutness.report.levels import by_test, level_of
from aboutness.report.numbers import signed, told_p

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from aboutness.evaluate.pairs import Pairs

LETTERS = 14  # of the smallest text that have room on an inch
MOST_STEPS = 200  # of a curve over queries: more cannot be seen


@drawn
def wins(differences: Mapping[str, Sequence[float]], baseline: str, measure: str) -> Figure:
    """Draw, for each ranker, its differences to a baseline, query by query, sorted; and how many it wins."""
    names = list(differences)
    check_names(names)
    largest = max((max(map(abs, differences[name]), default=0) for name in names), default=0) or 1
    width = panel_width(len(names))
    figure, axes = panels(len(names), columns=3, width=width, height=2.2, extra=0.3, share=(False, True))
    for axis, name in zip(axes, names, strict=True):
        values = np.sort(np.asarray(differences[name], np.float64))[::-1]
        won, lost = int((values > 0).sum()), int((values < 0).sum())
        steps = min(len(values), MOST_STEPS)
        edges = np.linspace(0, len(values), steps + 1)
        shown = values[np.linspace(0, len(values) - 1, steps).round().astype(np.int64)] if steps else values
        above, below = np.where(shown > 0, shown, 0), np.where(shown < 0, shown, 0)
        axis.stairs(above, edges, fill=True, facecolor=BLUE, edgecolor=BLUE)
        axis.stairs(below, edges, fill=True, facecolor="none", edgecolor=ORANGE, hatch="//////")
        axis.stairs(below, edges, color=ORANGE, linewidth=0.9)
        axis.axhline(0, color=INK, linewidth=0.8)
        told = f"{won:,} better, {len(values) - won - lost:,} equal, {lost:,} worse"
        axis.set_title(f"{fitting(name, 30)}\n{told}", fontsize=8.5)
        axis.set_ylim(-1.05 * largest, 1.05 * largest)
        axis.set_xlim(0, max(1, len(values)))
    told = f"queries, from the most won to the most lost against\n{fitting(baseline, 50, 1)}"
    figure.supxlabel(told, fontsize=9)
    figure.supylabel(f"difference in {printable(measure)}", fontsize=9)
    return figure


@drawn
def significance_matrix(pairs: Pairs, level: float | None = None) -> Figure:
    """Draw all pairs: the mean of the row less that of the column, and the adjusted p.

    A triangle says which is better where p is below the level, and the cell is framed; others are pale.
    """
    level = level_of(pairs.test) if level is None else level
    names = list(pairs.names)
    check_names(names)
    count = len(names)
    letters = ascii_lowercase[:count]
    labels = [fitting(f"({letter}) {name}", 34, 2) for letter, name in zip(letters, names, strict=True)]
    width = 2.9 + 0.78 * count
    told = [
        f"{printable(pairs.measure)}: row less column; p by {by_test(pairs, printable)}",
        f"▲ row better, ▼ row worse, p < {level:g}; {counted(pairs.n, 'query', 'queries')}",
    ]
    below = [line for one in told for line in textwrap.wrap(one, int(width * LETTERS))]
    figure, (axis,) = panels(1, columns=1, width=width, height=0.75 + 0.15 * len(below) + 0.5 * count)
    size = float(np.abs(pairs.differences).max()) or 1.0
    for row in range(count):
        for column in range(count):
            if row != column:
                _cell(axis, row, column, pairs, size, level)
    axis.set_xticks(range(count), [f"({letter})" for letter in letters])
    axis.xaxis.tick_top()
    axis.set_yticks(range(count), labels)
    axis.tick_params(length=0)
    axis.set_xlim(-0.5, count - 0.5)
    axis.set_ylim(count - 0.5, -0.5)
    for spine in axis.spines.values():
        spine.set_visible(False)
    figure.supxlabel("\n".join(below), fontsize=8)  # in the middle of the sheet: names may take half of it
    return figure


def _cell(axis: Axes, row: int, column: int, pairs: Pairs, size: float, level: float) -> None:
    """Draw one pair; `size` is the largest difference of all."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    difference, p_value = float(pairs.differences[row, column]), float(pairs.adjusted[row, column])
    sure = p_value < level
    ink = INK if sure else SOFT
    strength = 0.08 + 0.27 * abs(difference) / size if sure else 0.0
    colour = to_rgba(BLUE if difference > 0 else ORANGE, strength)
    axis.add_patch(
        Rectangle(
            (column - 0.47, row - 0.47), 0.94, 0.94, facecolor=colour, edgecolor=INK if sure else PALE,
            linewidth=1.2 if sure else 0.5,
        )
    )  # fmt: skip
    sign = "▲" if difference > 0 else "▼"
    axis.text(
        column, row - 0.16, f"{f'{sign} ' if sure else ''}{signed(difference)}", ha="center", va="center",
        fontsize=7.5, fontweight="bold" if sure else "normal", color=ink,
    )  # fmt: skip
    axis.text(column, row + 0.2, f"p {told_p(p_value, level)}", ha="center", va="center", fontsize=7, color=ink)
