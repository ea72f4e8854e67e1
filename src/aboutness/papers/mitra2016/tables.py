"""Tables 3 and 4 of the paper beside ours, what was chosen, and the sizes of the stand-ins."""

from __future__ import annotations

from collections.abc import Sequence

from aboutness.papers.mitra2016.rankings import (
    BM25_ROW,
    BODY_TEXT,
    FIRST_ROW,
    LSA_OWN_ROW,
    LSA_ROW,
    PUBLISHED,
    QUERIES,
    SPACES,
    Measured,
    row_of,
)
from aboutness.papers.mitra2016.stand_ins import CUTS, StandIn
from aboutness.papers.printed import beside, printed, with_best
from aboutness.report.numbers import NOTHING
from aboutness.report.study import Cell, Sheet, Value

NAME = "mitra2016"
SIGNIFICANT = 0.05
TOLERANCE = 2.5  # points of NDCG in percent: more than other seeds of the training make (see the ablations)
MARKS = (
    "An asterisk marks a difference to BM25 with p < .05 (Fisher's randomisation test, paired, two-sided; not "
    "corrected for the number of tests)."
)
NOT_RUN = f" {NOTHING} in place of our number: cannot be tested here, for there are no such vectors."


def in_text(row: str, column: str) -> float:
    """Return a number that the paper's text has."""
    found = printed(NAME)["text", row, column].paper
    if found is None:
        raise ValueError(f"{row}, {column}: the paper prints no number")
    return found


def ndcg_sheet(every: Sequence[Measured], *, telescoped: bool) -> Sheet:
    """Return table 3 (telescoping) or 4 (every document for every query), ours beside the paper's, in percent."""
    table = "3" if telescoped else "4"
    rows: dict[str, list[Cell]] = {}
    for row in _rows(every, telescoped=telescoped):
        rows[row] = [_cell(one, table, row, cut, telescoped=telescoped) for one in every for cut in CUTS]
    setting = (
        "; ".join(f"{one.stand_in.name}: {one.stand_in.telescoping}" for one in every)
        if telescoped
        else "every document for every query"
    )
    lacking = any(isinstance(cell, Value) and cell.said for cells in rows.values() for cell in cells)
    return Sheet(
        f"Table {table}: NDCG, {'telescoping' if telescoped else 'all documents'}",
        [f"{one.stand_in.name} NDCG@{cut}" for one in every for cut in CUTS],
        with_best(rows),
        caption=f"NDCG in percent over the test queries. Candidates: {setting}. {MARKS}{NOT_RUN * lacking}",
        corner="ranker",
        digits=2,
        tolerance=TOLERANCE,
    )


def _rows(every: Sequence[Measured], *, telescoped: bool) -> list[str]:
    """Return the rows of a table: the paper's, in its order, and further ones."""
    there = list(dict.fromkeys(row for one in every for row in one.setting(telescoped=telescoped)))
    sources = [BODY_TEXT, QUERIES, *([PUBLISHED] if row_of("in-in", PUBLISHED) in there else [])]
    alone = [row_of(space, source) for space in SPACES for source in sources]
    mixed = [row_of(space, source, mixed=True) for space in SPACES for source in sources]
    if telescoped:  # of which the paper prints none
        mixed = [row for row in mixed if row in there]
    first = [FIRST_ROW] if FIRST_ROW in there else []
    return [*(first if telescoped else []), BM25_ROW, LSA_ROW, LSA_OWN_ROW, *alone, *mixed]


def _cell(one: Measured, table: str, row: str, cut: int, *, telescoped: bool) -> Cell:
    column = f"{one.stand_in.kind} NDCG@{cut}"
    printed_row = row.replace(PUBLISHED, f"trained on {QUERIES}")
    if row not in one.setting(telescoped=telescoped):
        return beside(NAME, table, printed_row, column, said=NOTHING)
    measure = f"nDCG@{cut}"
    p_value = 1.0 if row == BM25_ROW else one.against(row, BM25_ROW, measure, telescoped=telescoped).p_value
    return beside(
        NAME, table, printed_row, column, one.mean(row, measure, telescoped=telescoped),
        mark="*" if p_value < SIGNIFICANT else "",
    )  # fmt: skip


def chosen_sheet(every: Sequence[Measured]) -> Sheet:
    """Return the parameters that are best for the training queries."""
    rows: dict[str, list[Cell]] = {
        "k1 of BM25": [beside(NAME, "text", BM25_ROW, "k1", one.best_bm25.k1) for one in every],
        "b of BM25": [beside(NAME, "text", BM25_ROW, "b", one.best_bm25.b) for one in every],
    }
    for row in dict.fromkeys(row for one in every for row in one.mixed):
        for telescoped in (False, True):
            setting = "candidates alone" if telescoped else "all documents"
            rows[f"alpha of {row}, {setting}"] = [
                Value(one.alpha(row, telescoped=telescoped)) if (row, telescoped) in one.alphas else NOTHING
                for one in every
            ]
    return Sheet(
        "Parameters",
        [one.stand_in.name for one in every],
        rows,
        caption="Chosen by NDCG@10 over the training queries; alpha in steps of .01, 1 for DESM alone. The paper "
        "does not print its alpha.",
        corner="parameter",
        digits=2,
        tolerance=None,  # neighbouring values are nearly as good: the best may be another one on another machine
    )


def sizes_sheet(every: Sequence[StandIn]) -> Sheet:
    """Return how large the stand-ins are."""
    facts = [one.facts for one in every]
    rows: dict[str, list[Cell]] = {name: [_size(one[name]) for one in facts] for name in facts[0]}
    rows["stands in for"] = [f"{one.kind} judgements" for one in every]
    rows["telescoping candidates"] = [one.telescoping for one in every]
    return Sheet(
        "Stand-ins", [one.name for one in every], rows, corner="size",
        caption="The collections in place of the paper's test sets.",
    )  # fmt: skip


def _size(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.1f}"
