"""How scores are spread over sets of documents (mitra2016, fig. 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aboutness.report.figures.sheet import (
    DASHES,
    SOFT,
    check_names,
    drawn,
    fitting,
    legend_below,
    legend_height,
    look,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 40
SET_LOOKS = (1, 2, 0)  # of relevant, irrelevant and random documents
RARE = 0.01  # share of a set's documents at each end that may be left out, where they are far from the others


def usual_range(sets: Sequence[Sequence[float] | NDArray[np.float64]]) -> tuple[float, float]:
    """Return the lowest and the highest score, but for a few that are further away than all others together.

    A document of which a ranker knows nothing has the lowest score there is: it would fill the picture.
    """
    ends = [np.quantile(one, [0, RARE, 1 - RARE, 1]) for one in sets if len(one)] or [np.array([0, 0, 1, 1])]
    least, low = min(one[0] for one in ends), min(one[1] for one in ends)
    high, most = max(one[2] for one in ends), max(one[3] for one in ends)
    size = high - low
    low, high = (low if low - least > size else least), (high if most - high > size else most)
    room = 0.03 * (high - low) or 0.5
    return float(low - room), float(high + room)


def outside(axis: Axes, count: int) -> None:
    """Say how many documents are not in the picture."""
    if count:
        axis.text(
            0.98,
            0.98,
            f"{count:,} outside",
            transform=axis.transAxes,
            ha="right",
            va="top",
            fontsize=7,
            color=SOFT,
        )


@drawn
def score_distributions(sets: Mapping[str, Mapping[str, Sequence[float]]], rankers: Sequence[str]) -> Figure:
    """Draw, for each ranker, which share of the documents of each set has which score."""
    check_names(rankers)
    names = [f"{name} ({len(next(iter(scores.values()), ())):,})" for name, scores in sets.items()]
    figure, axes = panels(len(rankers), columns=2, width=3.9, height=2.5, extra=legend_height(names))
    for axis, ranker in zip(axes, rankers, strict=True):
        values = [np.asarray(scores[ranker], np.float64) for scores in sets.values()]
        low, high = usual_range(values)
        edges = np.linspace(low, high, BINS + 1)
        for number, (one, name) in enumerate(zip(values, names, strict=True)):
            counts, _ = np.histogram(one, edges)
            own = look(SET_LOOKS[number])
            axis.stairs(
                counts / max(1, len(one)),
                edges,
                color=own.colour,
                linestyle=DASHES[number],
                linewidth=1.6,
                label=name,
            )
        outside(axis, sum(int(((one < low) | (one > high)).sum()) for one in values))
        axis.set_title(fitting(ranker, 40), fontsize=9)
        axis.set_xlabel("score")
        axis.set_ylabel("share of the documents")
        axis.margins(x=0.01)
    legend_below(figure, axes[0], names)
    return figure
