"""Whether results depend on which queries are drawn, where training starts, and how words are made."""

from __future__ import annotations

from collections.abc import Mapping

from aboutness.papers.malina2016.measured import Measured
from aboutness.papers.malina2016.methods import SEVEN, names
from aboutness.papers.malina2016.testing import agreement, all_tests, dunn_cells
from aboutness.papers.printed import mean_and_deviation
from aboutness.report.study import Cell, Sheet, Value


def settings_sheet(every: Mapping[str, Measured], seed: int) -> Sheet:
    """Return mean max F1 of the seven methods in each setting, and how far Dunn's test agrees with the paper's."""
    rows: dict[str, list[Cell]] = {}
    for name, found in every.items():
        counts = [agreement(dunn_cells(one)) for one in all_tests(found, seed).values() if dunn_cells(one)]
        cells: list[Cell] = []
        for method in names(SEVEN):
            mean, deviation = mean_and_deviation(found.same_label.f1[method].tolist())
            cells.append(Value(mean, deviation=deviation))
        cells += [Value(sum(one.sign for one in counts)), Value(sum(one.decision for one in counts))]
        rows[name] = cells
    return Sheet(
        "Max F1 in other settings",
        [*names(SEVEN), "same sign", "same decision"],
        rows,
        "First mission, mean (standard deviation); then in how many pairs of all tables sign and decision of "
        "Dunn's test are the paper's.",
        tolerance=None,
    )
