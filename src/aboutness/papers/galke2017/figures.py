"""The figures: aggregates beside the paper's, how values are spread, and queries won and lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from aboutness.papers.galke2017.runs import IWCS, PAPERS, TFIDF, Method, Runs
from aboutness.papers.galke2017.tables import ALL, PAPER, aggregates_sheet, groups, settings_of
from aboutness.papers.printed import mean_and_deviation, printed
from aboutness.report.figures import differences, spreads
from aboutness.report.figures.sheet import BLUE, INK, MOST_RANKERS, ORANGE, PALE, drawn, panels
from aboutness.report.figures.spreads import MOST_GROUPS
from aboutness.report.study import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Point = tuple[float, float]  # mean and standard deviation


def figures(runs: Runs) -> list[Drawing]:
    """Return all figures of the study."""
    here = {
        name: mean_and_deviation(runs.maps(methods, settings_of(runs, ALL)))
        for name, methods in groups(runs).items()
    }
    theirs = {
        row: (value.paper, value.paper_deviation or 0.0)
        for (table, row, column), value in printed(PAPER).items()
        if table == "aggregates" and column == ALL and value.paper is not None
    }
    first = Drawing(
        "aggregates",
        partial(beside_the_paper, here, theirs),
        f"MAP over all settings and embeddings, the means of the table {aggregates_sheet(runs, PAPERS).name!r}: "
        "a dot is ours, an open diamond the paper's, lines are standard deviations.",
    )
    spread = {
        str(setting): {one.row: list(runs.values(setting, one).values()) for one in runs.methods[:MOST_RANKERS]}
        for setting in runs.settings[:MOST_GROUPS]
    }
    boxes = Drawing(
        "average-precision",
        partial(spreads.box_plots, spread, "average precision of a query"),
        "How the average precision of queries is spread, as in the paper's tables: quartiles, median and mean.",
        wide=True,
    )
    return [first, *(_wins(runs, one.key) for one in runs.embeddings), boxes]


def _wins(runs: Runs, key: str) -> Drawing:
    ours = {
        str(setting): [
            value - runs.values(setting, Method(TFIDF))[query]
            for query, value in runs.values(setting, Method(IWCS, key)).items()
        ]
        for setting in runs.settings[:MOST_RANKERS]
    }
    return Drawing(
        f"wins-{key.lower()}",
        partial(differences.wins, ours, TFIDF, "average precision"),
        f"What {IWCS} {key} wins and loses against {TFIDF}, query by query.",
    )


@drawn
def beside_the_paper(here: Mapping[str, Point], theirs: Mapping[str, Point]) -> Figure:
    """Draw means with their deviations, ours and the paper's, a line for each model."""
    names: Sequence[str] = list(here)
    figure, (axis,) = panels(1, columns=1, width=6.4, height=0.6 + 0.42 * len(names))
    for place, name in enumerate(names):
        for shift, known, colour, marker in ((-0.12, here, BLUE, "o"), (0.12, theirs, ORANGE, "D")):
            if name in known:
                mean, deviation = known[name]
                axis.errorbar(
                    [mean], [place + shift], xerr=[[deviation], [deviation]], fmt=marker, color=colour, capsize=2,
                    markerfacecolor=colour if marker == "o" else "white", markersize=5, linewidth=1,
                )  # fmt: skip
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.set_xlim(0, 1)
    axis.grid(axis="x", color=PALE, linewidth=0.5)
    axis.set_axisbelow(True)
    axis.set_xlabel("MAP", color=INK)
    return figure
