"""The figures of a report's section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aboutness.experiment.results import Results
from aboutness.report.figures.curves import WHOLE, ZOOMED, precision_recall
from aboutness.report.figures.differences import significance_matrix
from aboutness.report.figures.inline import inline_svg
from aboutness.report.figures.sheet import MOST_RANKERS, is_there
from aboutness.report.figures.spreads import box_plots, histograms
from aboutness.report.findings import Section
from aboutness.report.result_figures import draw_wins, largest_f1, mean_precision
from aboutness.report.tested import all_against_all

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Illustration:
    """A figure to stand in a page."""

    svg: str
    caption: str
    wide: bool = False


def illustrations(section: Section, results: Results, name: str) -> list[Illustration] | None:
    """Return the figures of a section, or None without matplotlib; of very many rankers, those of the best."""
    if not is_there():
        return None
    comparison = section.comparison
    names = [row.name for row in section.best_rows(MOST_RANKERS)]
    measure = comparison.measures[0]
    chosen = f" The {len(names)} best of {len(section.names)} rankers." if len(names) < len(section.names) else ""
    all_pairs = f"All pairs by {measure}: row less column, and p. Framed where p is below the level."
    ranked = any(len(row.run) for row in comparison.rows) and bool(comparison.qrels)
    precision = mean_precision(comparison, names, (*WHOLE, *ZOOMED)) if ranked else {}
    whole = {ranker: values[: len(WHOLE)] for ranker, values in precision.items()}
    zoomed = {ranker: values[len(WHOLE) :] for ranker, values in precision.items()}
    of_query = largest_f1(comparison, names) if ranked else {}
    f1 = {ranker: list(values.values()) for ranker, values in of_query.items()}
    wanted: list[tuple[bool, str, bool, Callable[[], Figure]]] = [
        (ranked, "Interpolated precision at points of recall, mean of all queries.", False,
         lambda: precision_recall(whole, WHOLE)),
        (ranked, "The same for the first tenth of recall.", False, lambda: precision_recall(zoomed, ZOOMED)),
        (ranked, "The largest F1 of each query: box, median (line) and mean (diamond).", False,
         lambda: box_plots({"": f1})),
        (ranked, "How many queries have which largest F1; dashed: the median.", False, lambda: histograms(f1)),
        (
            len(names) > 1,
            f"{measure} of each query less that by {section.reference}, sorted: queries won and lost.",
            True,
            lambda: draw_wins(results, comparison, rankers=names, measure=measure, baseline=section.reference),
        ),
        (
            bool(section.pairs),
            f"{all_pairs}{all_against_all(section)}",
            True,
            lambda: significance_matrix(section.pairs_of(names, measure)),
        ),
    ]  # fmt: skip
    return [
        Illustration(inline_svg(draw(), f"{name}-f{number}", caption), caption + chosen, wide)
        for number, (there, caption, wide, draw) in enumerate(wanted)
        if there
    ]
