"""Documents as points: a map by label, documents around their queries, and two rankers' scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aboutness.report.figures.distributions import SET_LOOKS, outside, usual_range
from aboutness.report.figures.sheet import (
    INK,
    ORANGE,
    PALE,
    check_names,
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

F64 = NDArray[np.float64]

MOST_LABELS = 11  # and one look for all others
MANY = 4000  # points that are drawn as pixels, for files of many shapes are slow
OTHERS = "all others"
BOX = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": INK, "linewidth": 0.5, "alpha": 0.85}


@drawn
def document_map(points: F64, labels: Sequence[str | None], axes: tuple[str, str]) -> Figure:
    """Draw documents in the plane; those of the most frequent labels have a look of their own."""
    counts = Counter(label for label in labels if label is not None)
    chosen = [label for label, _ in counts.most_common(MOST_LABELS)]
    places: dict[str | None, list[int]] = {label: [] for label in chosen}
    rest: list[int] = []
    for place, label in enumerate(labels):
        places.get(label, rest).append(place)
    names = [f"{label} ({counts[label]:,})" for label in chosen]
    figure, (axis,) = panels(1, columns=1, width=6.6, height=5.4, extra=legend_height([*names, OTHERS]))
    size = float(np.clip(4000 / max(1, len(points)), 4, 30))
    drawing: dict[str, Any] = {"linewidths": 0.6, "rasterized": len(points) > MANY}
    if rest:
        axis.scatter(points[rest, 0], points[rest, 1], s=size / 2, c=PALE, marker=".", label=OTHERS, **drawing)
    for number, label in enumerate(chosen):
        one = look(number)
        hollow = number % 2 == 1
        axis.scatter(
            points[places[label], 0], points[places[label], 1], s=size, marker=one.marker,
            facecolors="none" if hollow else one.colour, edgecolors=one.colour, label=label, **drawing,
        )  # fmt: skip
    _name_places(axis, {label: points[places[label]] for label in chosen})
    axis.set(xlabel=printable(axes[0]), ylabel=printable(axes[1]), xticks=[], yticks=[])
    told = [f"{OTHERS} ({len(rest):,})", *names] if rest else names
    if told:
        legend_below(figure, axis, told, markerscale=float(np.clip(6 / size**0.5, 1, 3)))
    return figure


def _name_places(axis: Axes, places: Mapping[str, F64]) -> None:
    """Write each label where most of its documents are, or as near as others leave room."""
    taken: list[tuple[float, float, float]] = []
    to_axes = axis.transData + axis.transAxes.inverted()
    for label, points in places.items():
        name = fitting(label, 20, 1)
        x, y = to_axes.transform(np.median(points, axis=0))
        width = 0.0155 * len(name) + 0.02
        x = float(np.clip(x, width / 2, 1 - width / 2))
        steps = sorted(np.arange(-30, 31) * 0.01, key=abs)
        free = (
            y + step for step in steps
            if all(abs(x - a) >= (width + w) / 2 or abs(y + step - b) >= 0.05 for a, b, w in taken)
        )  # fmt: skip
        height = float(np.clip(next(free, y), 0.02, 0.98))
        taken.append((x, height, width))
        axis.text(
            x, height, name, transform=axis.transAxes, ha="center", va="center", fontsize=8, fontweight="bold",
            bbox=BOX,
        )  # fmt: skip


@drawn
def around_queries(spaces: Mapping[str, tuple[F64, NDArray[np.bool_], tuple[float, float]]]) -> Figure:
    """Draw, for each space, documents by how they lie to their query, which is the origin (mitra2016, fig. 1).

    A space is the documents' points, which of them are relevant, and the share of all variance on each axis.
    """
    check_names(list(spaces), "spaces")
    labels = ["relevant", "not relevant", "the query"]
    figure, axes = panels(len(spaces), columns=2, width=4.2, height=3.9, extra=legend_height(labels))
    for axis, (name, (points, relevant, shares)) in zip(axes, spaces.items(), strict=True):
        hit, missed = points[relevant], points[~relevant]
        more: dict[str, Any] = {"alpha": 0.75, "rasterized": len(points) > MANY}
        few_last = 3 if len(hit) <= len(missed) else 2  # the fewer lie above the others
        axis.scatter(
            hit[:, 0], hit[:, 1], s=14, c=ORANGE, marker="^", linewidths=0, label="r", zorder=few_last, **more
        )
        axis.scatter(
            missed[:, 0], missed[:, 1], s=12, facecolors="none", edgecolors=INK, linewidths=0.7, marker="o",
            label="n", zorder=5 - few_last, **more,
        )  # fmt: skip
        axis.scatter([0], [0], s=140, c="white", edgecolors=INK, linewidths=1.2, marker="*", label="q", zorder=4)
        axis.set_title(f"{fitting(name, 34)}\n{len(hit):,} relevant, {len(missed):,} not", fontsize=9)
        axis.set_xlabel(f"first component ({shares[0]:.0%})")
        axis.set_ylabel(f"second component ({shares[1]:.0%})")
        axis.axhline(0, color=PALE, linewidth=0.6, zorder=0)
        axis.axvline(0, color=PALE, linewidth=0.6, zorder=0)
        axis.set_aspect("equal", adjustable="datalim")
    legend_below(figure, axes[0], labels)
    return figure


@drawn
def score_pairs(
    first: str, others: Sequence[str], sets: Mapping[str, Mapping[str, Sequence[float]]], most: int = 2000
) -> Figure:
    """Draw one ranker's scores against those of others: a row for each, a column for each set of documents.

    `sets` has, for each set, the scores of its documents by ranker (mitra2016, fig. 5). Of more documents than
    `most`, evenly spaced ones are drawn.
    """
    check_names(others)
    columns = len(sets)
    figure, axes = panels(columns * len(others), columns=columns, width=2.7, height=2.5, share=(True, "row"))
    limits = {ranker: usual_range([scores[ranker] for scores in sets.values()]) for ranker in (first, *others)}
    for place, axis in enumerate(axes):
        other, (name, scores) = others[place // columns], list(sets.items())[place % columns]
        x, y = (np.asarray(scores[one], np.float64) for one in (first, other))
        some = np.unique(np.linspace(0, max(0, len(x) - 1), min(most, len(x))).astype(np.int64))
        one = look(SET_LOOKS[place % columns])
        axis.scatter(
            x[some], y[some], s=9, marker=one.marker, facecolors="none", edgecolors=one.colour, linewidths=0.5,
            alpha=0.6, rasterized=len(x) > MANY,
        )  # fmt: skip
        axis.set_xlim(limits[first])
        axis.set_ylim(limits[other])
        out = (x < limits[first][0]) | (x > limits[first][1]) | (y < limits[other][0]) | (y > limits[other][1])
        outside(axis, int(out.sum()))
        if place < columns:
            axis.set_title(f"{fitting(name, 28)}\n({len(x):,})", fontsize=9)
        if place % columns == 0:
            axis.set_ylabel(fitting(other, 26))
        if place >= columns * (len(others) - 1):
            axis.set_xlabel(fitting(first, 30))
    return figure
