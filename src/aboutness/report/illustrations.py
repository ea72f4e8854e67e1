"""The figures of a report's section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aboutness.experiment.results import Results
from aboutness.report.figures.differences import significance_matrix
from aboutness.report.figures.inline import inline_svg
from aboutness.report.figures.sheet import MOST_RANKERS, is_there
from aboutness.report.findings import Section
from aboutness.report.pictures import FIGURES

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

    def drawn(kind: str, **choices: str) -> Callable[[], Figure]:
        return lambda: FIGURES[kind].draw(results, comparison, rankers=names, **choices)

    ranked = any(len(row.run) for row in comparison.rows) and bool(comparison.qrels)
    wanted: list[tuple[bool, str, bool, Callable[[], Figure]]] = [
        (ranked, "Interpolated precision at points of recall, mean of all queries.", False, drawn("pr")),
        (ranked, "The same for the first tenth of recall.", False, drawn("pr-zoom")),
        (ranked, "The largest F1 of each query: box, median (line) and mean (diamond).", False, drawn("f1-box")),
        (ranked, "How many queries have which largest F1; dashed: the median.", False, drawn("f1-histogram")),
        (
            len(names) > 1,
            f"{measure} of each query less that by {section.reference}, sorted: queries won and lost.",
            True,
            drawn("wins", measure=measure, baseline=section.reference),
        ),
        (
            bool(section.pairs),
            f"All pairs by {measure}: row less column, and p. Framed where p is below the level.",
            True,
            lambda: significance_matrix(section.pairs_of(names, measure)),
        ),
    ]  # fmt: skip
    return [
        Illustration(inline_svg(draw(), f"{name}-f{number}", caption), caption + chosen, wide)
        for number, (there, caption, wide, draw) in enumerate(wanted)
        if there
    ]
