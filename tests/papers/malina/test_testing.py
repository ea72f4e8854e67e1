from __future__ import annotations

import numpy as np
import pytest

from aboutness.evaluate.pairs import r_table
from aboutness.papers.malina2016.decisions import agreement_sheet, dunn_p_sheet, dunn_sheet, paired_sheet
from aboutness.papers.malina2016.measured import GROUPS, Floats
from aboutness.papers.malina2016.methods import SEVEN, names
from aboutness.papers.malina2016.testing import (
    ALL,
    FAMILY,
    DunnCell,
    against,
    against_best,
    agreement,
    apply_tests,
    dunn_cells,
)
from aboutness.report.study import Value


def spread(best: str = "", worst: str = "", queries: int = 60, noise: float = 0.05) -> dict[str, Floats]:
    """Return max F1 by method: one is better than all others by a little, on each query, and one is worse."""
    chance = np.random.default_rng(3)
    hard = chance.uniform(0.2, 0.8, queries)
    found = {name: hard + noise * chance.uniform(-0.1, 0.1, queries) for name in names(SEVEN)}
    for name, change in ((best, 0.01), (worst, -0.01)):
        if name:
            found[name] = found[name] + change
    return found


def test_cells_are_as_r_prints_them() -> None:
    tests = apply_tests(ALL, spread(best="BM25", noise=3), 1)
    shown = r_table(tests.dunn).split("\n")
    cells = dunn_cells(tests)
    assert len(cells) == 21
    for place, row in enumerate(tests.order[1:]):
        z = [float(one) for one in shown[1 + 2 * place].removeprefix(row.rjust(len(row))).split(row)[-1].split()]
        p = [float(one) for one in shown[2 + 2 * place].split()]
        assert [round(cells[row, column].z, 6) for column in tests.order[: place + 1]] == z
        assert [round(cells[row, column].p, 4) for column in tests.order[: place + 1]] == p


def test_agreement_is_counted_by_hand() -> None:
    cells = {
        ("b", "a"): DunnCell(3.0, 0.01, 2.0, 0.2, 0.05),  # the same sign, another decision
        ("c", "a"): DunnCell(3.0, 0.04, 3.0, 0.01, 0.05),  # all the same, but not by R's rule
        ("c", "b"): DunnCell(-1.0, 1.0, 1.0, 1.0, 0.05),  # another sign, the same decision
        ("d", "a"): DunnCell(0.0, 1.0, 0.5, 1.0, 0.05),  # no sign at all
    }
    found = agreement(cells)
    assert (found.pairs, found.sign, found.decision, found.decision_of_r) == (4, 2, 3, 2)
    assert (found.significant, found.significant_in_paper) == (2, 1)


def test_marks_say_what_agrees() -> None:
    tests = apply_tests(ALL, spread(best="BM25", noise=3), 1)
    cells, sheet = dunn_cells(tests), dunn_sheet(tests)
    for row, column, value in sheet.values:
        one = cells[row, column]
        assert (value.here, value.paper) == (one.z, one.paper_z)
        assert value.mark.startswith("*") == (one.p < 0.05)
        assert value.mark.endswith("≠") == (not one.same_sign)
        assert value.mark.endswith("=") == (one.same_sign and one.same_decision)
    assert len(list(sheet.values)) == len(list(dunn_p_sheet(tests).values)) == 21


def test_tables_are_added_up() -> None:
    every = {name: apply_tests(name, spread(best="TF-IDF", noise=2), 1) for name in (ALL, "economy", "bulk")}
    sheet = agreement_sheet(every)
    assert list(sheet.rows) == [ALL, "bulk", "together"]  # the paper has no table of economy
    together = [one.here for one in sheet.rows["together"] if isinstance(one, Value)]
    counts = [[one.here for one in sheet.rows[name] if isinstance(one, Value)] for name in (ALL, "bulk")]
    assert together == [a + b for a, b in zip(*counts, strict=True) if a is not None and b is not None]


def test_paired_tests_see_what_others_do_not() -> None:
    tests = apply_tests(ALL, spread(best="BM25"), 1)
    others = [name for name in tests.order if name != "BM25"]
    assert not tests.decisions(tests.dunn)
    assert all(tests.decided(tests.fisher, "BM25", name) for name in others)
    assert not any(tests.decided(tests.fisher, name, "BM25") for name in others)
    marks = {(row, column): value.mark for row, column, value in paired_sheet(tests).values}
    assert all(("BM25" in pair) == (mark == "* ≠") for pair, mark in marks.items())


def test_levels() -> None:
    assert apply_tests(ALL, spread(), 1).level == 0.05
    assert apply_tests("metal", spread(), 1).level == FAMILY == pytest.approx(0.05 / len(GROUPS))


def test_against_the_best() -> None:
    values = spread(best="TF-IDF", worst="BM25")
    best, p = against_best(values, 1)
    assert best == "TF-IDF"
    assert p.keys() == set(names(SEVEN)) - {best}
    assert max(p.values()) < 0.05
    some = {name: values[name] for name in ("Doc2Vec", "DeepWalk")}
    assert against(some, "Doc2Vec", 1)["DeepWalk"] > 0.05
