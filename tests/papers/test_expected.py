from __future__ import annotations

from pathlib import Path

import pytest

from aboutness.papers import NAMES, expected
from aboutness.papers.expected import Expected, Place, checked, expected_file, expected_of, found_in
from aboutness.report.study import Verdict
from papers.drawn import study

MEAN = Place("means", "a", "MAP")


def test_numbers_may_move_within_their_tolerance_and_verdicts_not_at_all() -> None:
    wanted = found_in(study(0.5))
    assert wanted[MEAN] == Expected("0.5", 0.01)
    assert Place("times", "a", "seconds") not in wanted  # which has no tolerance
    assert wanted[Place("claims", "a is best", "verdict")].value == "holds here"
    assert checked(study(0.509), wanted).passed
    moved = checked(study(0.511), wanted)
    assert not moved.passed
    assert moved.told == ["means: a, MAP: 0.511, expected 0.5 ± 0.01"]
    assert str(moved) == "6 of 7 numbers and verdicts are as expected, within their tolerance; 1 is not."
    turned = checked(study(verdict=Verdict.FAILS), wanted)
    assert turned.told == ["claims: a is best, verdict: does not hold here, expected holds here"]


def test_what_is_missing_fails_and_what_is_new_does_not() -> None:
    wanted = found_in(study())
    less = {place: one for place, one in wanted.items() if place != MEAN}
    assert checked(study(), less).new == (MEAN,)
    assert checked(study(), less).passed
    more = checked(study(), {**wanted, Place("means", "z", "MAP"): Expected("1", 0.1)})
    assert not more.passed
    assert more.told == ["means: z, MAP: missing"]


def test_nothing_expected_is_said() -> None:
    nothing = checked(study(), {})
    assert str(nothing) == "Nothing is known of what to expect here."
    assert not nothing.passed


def test_the_file_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tested1999").mkdir()
    (tmp_path / "tested1999" / "expected.tsv").write_text(expected_file(study()), "utf-8")
    monkeypatch.setattr(expected, "files", lambda _package: tmp_path)
    assert expected_of("tested1999") == found_in(study())
    assert expected_of("unknown1999") == {}


@pytest.mark.parametrize("name", NAMES)
def test_every_paper_has_what_is_expected_of_it(name: str) -> None:
    wanted = expected_of(name)
    verdicts = {str(one) for one in Verdict}
    claims = {place: one for place, one in wanted.items() if place.table == "claims"}
    assert len(claims) >= 4
    assert {one.value for one in claims.values()} <= verdicts
    numbers = [one for place, one in wanted.items() if place.table != "claims"]
    assert len(numbers) >= 50
    assert all(one.tolerance >= 0 and float(one.value) == float(one.value) for one in numbers)
