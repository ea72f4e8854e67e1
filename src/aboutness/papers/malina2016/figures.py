"""The paper's figures, drawn again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from aboutness.app.index import Index
from aboutness.papers.malina2016.measured import FIRST, WHOLE, Measured, Mission
from aboutness.papers.malina2016.methods import (
    ALGORITHM1,
    BM25,
    DEEPWALK,
    DOC2VEC,
    ENSEMBLES,
    SEVEN,
    TFIDF,
    Kind,
    names,
)
from aboutness.papers.malina2016.modapte import FIELD
from aboutness.papers.malina2016.testing import Tests, dunn_cells
from aboutness.report.figures import curves, spreads
from aboutness.report.figures.sheet import (
    PALE,
    SOFT,
    drawn,
    legend_below,
    legend_height,
    look,
    panels,
)
from aboutness.report.index_figures import draw_map
from aboutness.report.study import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOOKS = {name: place for place, name in enumerate([*names(SEVEN), *names(ENSEMBLES)])}  # alike in all figures
SUBSETS = {
    "all methods": names(SEVEN),
    "Algorithm 1 and the sparse methods": [ALGORITHM1.name, BM25.name, TFIDF.name],
    "hybrid methods": names(SEVEN, Kind.HYBRID),
    "pure methods and Algorithm 1": [ALGORITHM1.name, DOC2VEC.name, DEEPWALK.name],
}


def first_mission_curves(one: Mission) -> list[Drawing]:
    """Return precision over recall 0 to .1 of all methods, and of the paper's three subsets."""
    return [
        curve_drawing(f"curve-{place}", one, some, f"First mission, {title}.")
        for place, (title, some) in enumerate(SUBSETS.items(), 1)
    ]


def group_curves(found: Measured) -> list[Drawing]:
    """Return precision over recall 0 to .1 of all methods, for the queries of each group."""
    return [
        curve_drawing(
            f"curve-{group}", one, names(SEVEN), f"Second mission, {len(one.queries):,} queries of {group}."
        )
        for group, one in found.groups.items()
    ]


def curve_drawing(name: str, one: Mission, methods: Sequence[str], caption: str) -> Drawing:
    """Return mean interpolated precision at the paper's ten points of recall."""
    lines = {method: one.curve(method) for method in methods}
    return Drawing(name, lambda: curves.precision_recall(lines, FIRST, LOOKS), caption)


def whole_curve_drawing(name: str, one: Mission, caption: str) -> Drawing:
    """Return mean interpolated precision over all recall, with the ensembles."""
    every = 5  # points of 101: so many markers can be told apart
    lines = {method: one.whole_curve(method)[::every] for method in [*names(SEVEN), *names(ENSEMBLES)]}
    return Drawing(name, lambda: curves.precision_recall(lines, WHOLE[::every], LOOKS), caption)


def histogram_drawing(one: Mission) -> Drawing:
    """Return how max F1 is spread, by method."""
    values = {name: one.f1[name].tolist() for name in names(SEVEN)}
    caption = "Max F1 of all queries, first mission; the dashed line is the median."
    return Drawing("histograms", lambda: spreads.histograms(values), caption, wide=True)


def box_drawing(found: Measured) -> Drawing:
    """Return box plots of max F1 for each group."""
    values = {group: {name: one.f1[name].tolist() for name in names(SEVEN)} for group, one in found.groups.items()}
    caption = "Max F1 by group, second mission: quartiles, median (line), mean (diamond)."
    return Drawing("boxes", lambda: spreads.box_plots(values), caption, wide=True)


def map_drawing(index: Index, groups: Mapping[str, str], most: int, seed: int) -> Drawing:
    """Return documents in the plane by Algorithm 1's vectors; t-SNE where openTSNE is installed, else PCA."""
    method = "tsne" if find_spec("openTSNE") else "pca"
    shown = min(most, len(index))

    @cache
    def draw() -> Figure:  # which takes a while
        return draw_map(
            index.snapshot, by=ALGORITHM1.ranker, label=FIELD, groups=groups, method=method, most=most, seed=seed
        )

    told = "t-SNE" if method == "tsne" else "principal components (openTSNE is not installed)"
    caption = f"{shown:,} documents by group: {told} of Algorithm 1's vectors."
    return Drawing("map", draw, caption, wide=True)


def agreement_drawing(every: Sequence[Tests]) -> Drawing:
    """Return our z of Dunn's test against the paper's, a point for each pair of methods."""
    points = {
        one.name: [(cell.paper_z, cell.z) for cell in dunn_cells(one).values()] for one in every if dunn_cells(one)
    }
    caption = (
        "Dunn's z of each pair of methods, the paper's and ours, by table; in the grey quarters the signs differ."
    )
    return Drawing("agreement", _scatter(points), caption)


def _scatter(points: Mapping[str, Sequence[tuple[float, float]]]) -> Callable[[], Figure]:
    @drawn
    def draw() -> Figure:
        figure, (axis,) = panels(1, columns=1, width=5.4, height=4.6, extra=legend_height(list(points)))
        farthest = 1.05 * max((abs(one) for some in points.values() for point in some for one in point), default=1)
        for left, bottom in ((-farthest, 0), (0, -farthest)):
            axis.fill_between(
                [left, left + farthest], bottom, bottom + farthest, color=PALE, alpha=0.5, linewidth=0
            )
        axis.plot([-farthest, farthest], [-farthest, farthest], color=SOFT, linewidth=0.8)
        for number, (name, some) in enumerate(points.items()):
            own = look(number)
            axis.plot(
                *zip(*some, strict=True), linestyle="", marker=own.marker, markersize=4.5, color=own.colour,
                markerfacecolor="white" if number % 2 else own.colour, label=name,
            )  # fmt: skip
        axis.set(xlim=(-farthest, farthest), ylim=(-farthest, farthest), xlabel="z in the paper", ylabel="z here")
        legend_below(figure, axis, list(points))
        return figure

    return draw
