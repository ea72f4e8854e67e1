"""The figures: AP by lambda, gains on each collection, query by query, and how vectors grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from aboutness.papers.ai2016.cases import AP
from aboutness.papers.ai2016.compared import Compared
from aboutness.papers.ai2016.ladder import DR, DRJ, PAPERS_OWN, QL, D
from aboutness.papers.ai2016.norms import Growth
from aboutness.papers.ai2016.tables import curve
from aboutness.report.figures.differences import wins
from aboutness.report.figures.sheet import (
    INK,
    PALE,
    drawn,
    fitting,
    legend_below,
    legend_height,
    look,
    panels,
    printable,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _lines(axis: Axes, lines: Mapping[str, Mapping[float, float]]) -> None:
    """Draw a line for each name over its values."""
    for number, values in enumerate(lines.values()):
        one = look(number)
        axis.plot(
            list(values), list(values.values()), color=one.colour, linestyle=one.dash, marker=one.marker,
            markersize=5, markerfacecolor="white" if number % 2 else one.colour, linewidth=1.4, label=str(number),
        )  # fmt: skip
    axis.grid(color=PALE, linewidth=0.5)
    axis.set_axisbelow(True)


@drawn
def by_lambda(compared: Compared) -> Figure:
    """Draw AP over lambda for each model, mean over collections."""
    names = list(PAPERS_OWN[1:])
    figure, (axis,) = panels(1, columns=1, width=6.4, height=3.8, extra=legend_height(names))
    _lines(axis, {name: curve(compared, name) for name in names})
    axis.set_xlabel("lambda: share of topics or paragraph vectors")
    axis.set_ylabel(f"{AP}, mean over collections")
    legend_below(figure, axis, names)
    return figure


@drawn
def gain_bars(compared: Compared) -> Figure:
    """Draw the gain of each model over QL on each collection."""
    names, places = list(PAPERS_OWN[1:]), np.arange(len(compared.cases))
    width = 0.8 / len(names)
    figure, (axis,) = panels(1, columns=1, width=8.6, height=3.6, extra=legend_height(names))
    for number, name in enumerate(names):
        one = look(number)
        gains = [100 * (case.found[name].mean[AP] / case.found[QL].mean[AP] - 1) for case in compared.cases]
        axis.bar(
            places + (number - (len(names) - 1) / 2) * width, gains, 0.92 * width, facecolor="none",
            edgecolor=one.colour, hatch=one.hatch or "....", linewidth=1, label=str(number),
        )  # fmt: skip
    axis.axhline(0, color=INK, linewidth=0.8)
    axis.set_xticks(places, [fitting(case.name, 22) for case in compared.cases], fontsize=8)
    axis.set_ylabel(f"{AP}: gain over {QL}, %")
    axis.grid(axis="y", color=PALE, linewidth=0.5)
    axis.set_axisbelow(True)
    legend_below(figure, axis, names)
    return figure


def query_by_query(compared: Compared, baseline: str) -> Figure:
    """Draw the differences of EPV-DRJ-LM to a baseline by query, for each collection."""
    differences = {}
    for case in compared.cases[:12]:
        ours, base = case.found[DRJ].values(), case.found[baseline].values()
        differences[case.name] = [ours[query] - base[query] for query in ours]
    return wins(differences, f"{baseline}, by {DRJ}", AP)


@drawn
def growing(grown: Growth) -> Figure:
    """Draw how long vectors of short and of long documents are after so many epochs, with and without R."""
    names = [f"{model}, {part}" for model in (D, DR) for part in ("fewest words", "most words")]
    figure, (axis,) = panels(1, columns=1, width=6.4, height=3.4, extra=legend_height(names))
    lines = {
        f"{model}, {part}": dict(zip(grown.epochs, (one[fifth] for one in grown.by_model[model]), strict=True))
        for model in (D, DR)
        for part, fifth in (("fewest words", 0), ("most words", -1))
    }
    _lines(axis, {name: {float(at): value for at, value in one.items()} for name, one in lines.items()})
    axis.set_xlabel("epochs of training")
    axis.set_ylabel("mean length of a document's vector")
    axis.set_ylim(0, None)
    legend_below(figure, axis, names)
    return figure


@drawn
def grids(by_parameter: Mapping[str, Mapping[str, Mapping[float, float]]], logarithmic: Sequence[str]) -> Figure:
    """Draw AP over each parameter of EPV for each model."""
    names = list(next(iter(by_parameter.values())))
    figure, axes = panels(
        len(by_parameter), columns=2, width=4.2, height=3.2, extra=legend_height(names), share=(False, True)
    )
    for axis, (parameter, lines) in zip(axes, by_parameter.items(), strict=True):
        _lines(axis, lines)
        axis.set_xlabel(printable(parameter))
        if parameter in logarithmic:
            axis.set_xscale("log")
            values = list(next(iter(lines.values())))
            axis.set_xticks(
                values, [f"{value:g}" for value in values]
            )  # the usual labels are powers of ten in TeX
            axis.set_xticks([], minor=True)
    axes[0].set_ylabel(f"{AP}, mean over collections")
    legend_below(figure, axes[0], names)
    return figure
