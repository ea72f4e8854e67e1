"""What papers print: the numbers of their tables, from files beside their code."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from statistics import fmean, pstdev

from aboutness.report.study import Value

FILE = "printed.tsv"
COLUMNS = ("table", "row", "column", "value", "deviation", "mark")


@cache
def printed(paper: str) -> Mapping[tuple[str, str, str], Value]:
    """Return the printed numbers of a paper by table, row and column.

    The file has the columns table, row, column, value, deviation and mark. A value that is no number is a text
    that the paper has in its place.
    """
    text = files(__package__).joinpath(paper, FILE).read_text("utf-8")
    found: dict[tuple[str, str, str], Value] = {}
    for line in csv.DictReader(text.splitlines(), delimiter="\t"):
        key = (line["table"], line["row"], line["column"])
        if key in found:
            raise ValueError(f"{paper}: {key} is printed twice")
        try:
            number = float(line["value"])
        except ValueError:
            found[key] = Value(paper_said=line["value"])
            continue
        found[key] = Value(
            paper=number,
            paper_deviation=float(line["deviation"]) if line["deviation"] else None,
            paper_mark=line["mark"] or "",
            paper_digits=_digits(line["value"]),
            paper_deviation_digits=_digits(line["deviation"]) if line["deviation"] else None,
        )
    return found


def _digits(text: str) -> int:
    """Return how many digits a number has after its point.

    >>> _digits("72.98"), _digits("329"), _digits(".46")
    (2, 0, 2)
    """
    return len(text.partition(".")[2])


def beside(
    paper: str, table: str, row: str, column: str, here: float | None = None, *, deviation: float | None = None,
    mark: str = "", said: str = "",
) -> Value:  # fmt: skip
    """Return our number beside the one that a paper prints there, if it does."""
    of_paper = printed(paper).get((table, row, column), Value())
    return replace(of_paper, here=here, deviation=deviation, mark=mark, said=said)


def with_best(rows: Mapping[str, list[Value | str]], *, least: bool = False) -> dict[str, list[Value | str]]:
    """Return rows with the best number of ours in each column marked."""
    found = {name: list(cells) for name, cells in rows.items()}
    for place in range(max((len(cells) for cells in found.values()), default=0)):
        there = {
            name: cell.here
            for name, cells in found.items()
            if isinstance(cell := cells[place], Value) and cell.here is not None
        }
        if len(there) < 2:
            continue
        best = (min if least else max)(there.values())
        for name, here in there.items():
            cell = found[name][place]
            if here == best and isinstance(cell, Value):
                found[name][place] = replace(cell, best=True)
    return found


def mean_and_deviation(values: Iterable[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation of all there is (not of a sample), as galke2017 prints them."""
    every = list(values)
    return fmean(every), pstdev(every)
