"""The tables of tests: what the paper's tests decide there and here, and what paired tests decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aboutness.papers.malina2016.testing import (
    PAPER,
    DunnCell,
    Tests,
    agreement,
    dunn_cells,
)
from aboutness.papers.printed import beside
from aboutness.report.numbers import told_p
from aboutness.report.study import Cell, Sheet, Value

SMALLEST = 2.2e-16  # p that R prints
BOTH, SIGN_ONLY, NEITHER = " =", " ~", " ≠"
# Several times as far as another seed of the training moved z, a difference, and a count.
Z, DIFFERENCE, COUNT = 2.0, 0.01, 4


def kruskal_sheet(every: Mapping[str, Tests]) -> Sheet:
    """Return whether the methods differ at all: the paper's test, and the paired one."""
    rows: dict[str, list[Cell]] = {}
    for name, one in every.items():
        kruskal, friedman = one.kruskal, one.friedman
        rows[name] = [
            f"{one.queries:,}",
            beside(PAPER, "kruskal", name, "chi-squared", kruskal.statistic),
            _kruskal_p(name, kruskal.p_value),
            beside(PAPER, "kruskal", name, "rejected", said=_yes(rejected=kruskal.p_value < one.level)),
            Value(friedman.statistic),
            Value(said=_yes(rejected=friedman.p_value < one.level)),
        ]
    return Sheet(
        "Kruskal-Wallis",
        ["queries", "chi-squared", "p", "rejected", "Friedman's chi-squared", "rejected by Friedman"],
        rows,
        "Whether the seven methods differ in max F1, six degrees of freedom. All queries: same label, level .05; "
        "groups: same group, level .05/7. Friedman's test is for the same queries by all methods, as they are.",
        corner="queries of",
        digits=4,
        tolerance=None,
    )


def _kruskal_p(name: str, p: float) -> Value:
    """Return p beside the paper's, as R prints it."""
    if p < SMALLEST:
        return beside(PAPER, "kruskal", name, "p", said=f"< {SMALLEST:g}")
    return replace(beside(PAPER, "kruskal", name, "p", p), shown=f"{p:.4g}".removeprefix("0"))


def _yes(*, rejected: bool) -> str:
    return "yes" if rejected else "no"


def dunn_sheet(tests: Tests) -> Sheet:
    """Return Dunn's z for all pairs beside the paper's, and whether sign and decision agree."""
    cells = dunn_cells(tests)
    order = tests.order
    rows: dict[str, list[Cell]] = {
        row: [
            _z(tests, row, column, cells[row, column]) if (row, column) in cells else "" for column in order[:-1]
        ]
        for row in order[1:]
    }
    told = agreement(cells)
    return Sheet(
        f"Dunn's z, {tests.name}",
        order[:-1],
        rows,
        f"Column less row. *: significant, p below {tests.level_told}.{BOTH}: sign and decision are the paper's;"
        f"{SIGN_ONLY}: only the sign is;{NEITHER}: the sign is not. The sign agrees in {told.sign} of "
        f"{told.pairs} pairs, the decision in {told.decision}.",
        digits=2,
        tolerance=Z,
    )


def _z(tests: Tests, row: str, column: str, cell: DunnCell) -> Value:
    star = "*" if cell.p < cell.level else ""
    agrees = NEITHER if not cell.same_sign else BOTH if cell.same_decision else SIGN_ONLY
    found = beside(PAPER, f"dunn z {tests.name}", row, column, cell.z, mark=star + agrees)
    return replace(found, paper_mark="*" if cell.paper_p < cell.level else "")


def dunn_p_sheet(tests: Tests) -> Sheet:
    """Return the p-values of the same pairs beside the paper's."""
    cells = dunn_cells(tests)
    order = tests.order
    rows: dict[str, list[Cell]] = {
        row: [
            _p(tests, row, column, cells[row, column].p) if (row, column) in cells else "" for column in order[:-1]
        ]
        for row in order[1:]
    }
    return Sheet(
        f"Dunn's p, {tests.name}",
        order[:-1],
        rows,
        "One-sided and times 21, as R's dunn.test prints it.",
        digits=4,
        tolerance=None,
    )


def _p(tests: Tests, row: str, column: str, p: float) -> Value:
    return replace(beside(PAPER, f"dunn p {tests.name}", row, column, p), shown=told_p(p, tests.level))


def agreement_sheet(every: Mapping[str, Tests]) -> Sheet:
    """Return how far the paper's tables of Dunn's test and ours agree."""
    found = {name: agreement(cells) for name, one in every.items() if (cells := dunn_cells(one))}
    columns = [
        "pairs",
        "same sign",
        "same decision",
        "same by R's rule",
        "significant",
        "significant in the paper",
    ]
    rows: dict[str, list[Cell]] = {
        name: [
            Value(count)
            for count in (
                one.pairs, one.sign, one.decision, one.decision_of_r, one.significant, one.significant_in_paper
            )
        ]
        for name, one in found.items()
    }  # fmt: skip
    rows["together"] = [
        Value(sum(one.here or 0 for cells in rows.values() if isinstance(one := cells[place], Value)))
        for place in range(len(columns))
    ]
    return Sheet(
        "Agreement with the paper's tables of Dunn's test",
        columns,
        rows,
        "Pairs of methods, all six tables of the paper. By chance half of the signs would agree. A decision is p "
        "below the level; by R's rule, p not above half of it, which makes the test two-sided.",
        corner="queries of",
        digits=0,
        tolerance=COUNT,
    )


def paired_sheet(tests: Tests) -> Sheet:
    """Return the mean differences of all pairs with the decision of the paired test."""
    pairs, dunn = tests.fisher, tests.decisions(tests.dunn)
    fisher, order = tests.decisions(tests.fisher), tests.order
    rows: dict[str, list[Cell]] = {}
    for place, row in enumerate(order[1:], 1):
        cells: list[Cell] = []
        for other, column in enumerate(order[:-1]):
            pair = frozenset((row, column))
            star = "*" if pair in fisher else ""
            differs = NEITHER if (pair in fisher) != (pair in dunn) else ""
            said = f"p {told_p(float(pairs.adjusted[place, other]), tests.level)}"
            here = float(pairs.differences[other, place])
            cells.append(Value(here, mark=star + differs, said=said) if other < place else "")
        rows[row] = cells
    return Sheet(
        f"Paired test, {tests.name}",
        order[:-1],
        rows,
        f"Mean max F1 of the column's method less that of the row's, with p of Fisher's paired test by Holm. *: "
        f"below {tests.level_told}.{NEITHER}: the unpaired test of the same values, Dunn's, decides otherwise.",
        tolerance=DIFFERENCE,
    )


def decisions_sheet(every: Mapping[str, Tests]) -> Sheet:
    """Return how many pairs each test tells apart."""
    rows: dict[str, list[Cell]] = {}
    for name, one in every.items():
        dunn, fisher, wilcoxon = (one.decisions(test) for test in (one.dunn, one.fisher, one.wilcoxon))
        counts = len(dunn), len(fisher), len(wilcoxon), len(fisher - dunn), len(dunn - fisher)
        rows[name] = [Value(count) for count in counts]
    return Sheet(
        "Pairs of methods told apart",
        ["Dunn", "Fisher, paired", "Wilcoxon, paired", "by Fisher alone", "by Dunn alone"],
        rows,
        "Of 21 pairs, level .05 for all queries and .05/7 for groups; Dunn's by Bonferroni, the paired by Holm.",
        corner="queries of",
        digits=0,
        tolerance=COUNT,
    )
