"""Claims are decided by their rules, on numbers that are given here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from aboutness.papers.mitra2016.claims import DUAL, TERMS, evidence_claim, ranking_claims
from aboutness.papers.mitra2016.evidence import Told
from aboutness.papers.mitra2016.rankings import BM25_ROW, BODY_TEXT, LSA_ROW, Measured, row_of
from aboutness.papers.mitra2016.stand_ins import CUTS, EXPLICIT
from aboutness.report.study import Claim, Verdict

IN_IN, IN_OUT = (row_of(space, BODY_TEXT) for space in ("in-in", "in-out"))
MIXED = row_of("in-out", BODY_TEXT, mixed=True)
QUERIES = 40


@dataclass(frozen=True)
class Named:
    """What claims want to know of a stand-in."""

    name: str
    kind: str = EXPLICIT
    sources: tuple[str, ...] = (BODY_TEXT,)


def measured(name: str, **steps: float) -> Measured:
    """Return values that grow by a step from query to query; a row has a higher mean by what is given."""
    rows = {BM25_ROW: 0.2, LSA_ROW: 0.1, IN_IN: 0.1, IN_OUT: 0.05, MIXED: 0.2 + steps["mixture"]}
    values = {
        row: {
            f"q{number}": {
                f"nDCG@{cut}": base
                + 0.01 * number
                + (steps.get("noise", 0) * (-1) ** number if row == MIXED else 0)
                for cut in CUTS
            }
            for number in range(QUERIES)
        }
        for row, base in rows.items()
    }
    stand_in: Any = Named(name)
    sweep: Any = None
    return Measured(stand_in, sweep, values, values, {})


def best(*every: Measured) -> Claim:
    return next(one for one in ranking_claims(every) if "best of all" in one.says)


def test_the_best_is_better_than_the_next_by_more_than_chance_everywhere() -> None:
    sure, unsure = measured("one", mixture=0.05), measured("two", mixture=0.01, noise=0.2)
    assert best(sure).verdict is Verdict.HOLDS
    assert best(sure, unsure).verdict is Verdict.FAILS
    assert "one: 44.50, the best other is BM25 with 39.50 (p < .001)" in best(sure, unsure).found
    assert "two: 40.50, the best other is BM25 with 39.50 (p = " in best(sure, unsure).found
    assert best(measured("three", mixture=-0.05)).verdict is Verdict.FAILS


def told(in_out: float, by_length: float) -> Told:
    """Return shares around two means."""
    spread = [0.02 * (number % 5 - 2) for number in range(QUERIES)]
    return Told(100, {DUAL[1]: [in_out + one for one in spread], TERMS: [by_length + one / 2 for one in spread]})


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([(0.6, 0.5)], Verdict.HOLDS),
        ([(0.55, 0.57)], Verdict.FAILS),  # above chance, and below what lengths tell
        ([(0.5, 0.4)], Verdict.FAILS),  # above lengths, and no better than chance
        ([(0.6, 0.5), (0.55, 0.57)], Verdict.FAILS),
    ],
)
def test_what_a_text_is_about_is_told_better_than_by_lengths(
    shares: list[tuple[float, float]], expected: Verdict
) -> None:
    found = evidence_claim({f"c{number}": told(*one) for number, one in enumerate(shares)}, "titles", ["other"])
    assert found.verdict is expected
    assert f"has {100 * shares[0][1]:.1f} %" in found.found
    assert found.found.endswith("other has no such texts.")


def test_without_such_texts_nothing_is_tested() -> None:
    assert evidence_claim({}, "titles").verdict is Verdict.UNTESTED
