"""What a paper done again is expected to give: every number with its tolerance, and the verdict on every claim."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

from aboutness.report.study import Study

FILE = "expected.tsv"
COLUMNS = ("table", "row", "column", "value", "tolerance")
CLAIMS, VERDICT = "claims", "verdict"


class Place(NamedTuple):
    """Where a number stands."""

    table: str
    row: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}: {self.row}, {self.column}"


@dataclass(frozen=True)
class Expected:
    """A number and how far it may be from it; or a text, which must be the same."""

    value: str
    tolerance: float

    def allows(self, found: str) -> bool:
        """Tell whether what was found is near enough."""
        try:
            return abs(float(found) - float(self.value)) <= self.tolerance
        except ValueError:
            return found == self.value


@dataclass(frozen=True)
class Check:
    """How a study compares with what is expected of it."""

    left: dict[Place, tuple[Expected, str]]  # what is not as expected, and what was found
    missing: tuple[Place, ...]  # what is expected and not there
    new: tuple[Place, ...]  # what is there and not expected
    count: int

    @property
    def passed(self) -> bool:
        """Tell whether something is expected, and all of it is there, within its tolerance."""
        return bool(self.count) and not self.left and not self.missing

    def __str__(self) -> str:
        if not self.count:
            return "Nothing is known of what to expect here."
        wrong = len(self.left) + len(self.missing)
        good = self.count - wrong
        told = f"{good:,} of {self.count:,} numbers and verdicts are as expected, within their tolerance"
        return f"{told}." if not wrong else f"{told}; {wrong:,} {'is' if wrong == 1 else 'are'} not."

    @property
    def told(self) -> list[str]:
        """Return in one line each what is not as expected."""
        return [
            f"{place}: {found}, expected {one.value}" + (f" ± {one.tolerance:g}" if one.tolerance else "")
            for place, (one, found) in self.left.items()
        ] + [f"{place}: missing" for place in self.missing]


def expected_of(paper: str) -> dict[Place, Expected]:
    """Return what is expected of a paper, from the file beside its code; empty where there is none."""
    file = files(__package__).joinpath(paper, FILE)
    if not file.is_file():
        return {}
    return {
        Place(line["table"], line["row"], line["column"]): Expected(line["value"], float(line["tolerance"]))
        for line in csv.DictReader(file.read_text("utf-8").splitlines(), delimiter="\t")
    }


def found_in(study: Study) -> dict[Place, Expected]:
    """Return all that can be checked of a study: numbers of tables that have a tolerance, and verdicts."""
    numbers = {
        Place(sheet.name, row, column): Expected(f"{value.here:.6g}", sheet.tolerance)
        for sheet in study.sheets
        if sheet.tolerance is not None
        for row, column, value in sheet.values
        if value.here is not None
    }
    verdicts = {Place(CLAIMS, one.says, VERDICT): Expected(str(one.verdict), 0.0) for one in study.claims}
    return numbers | verdicts


def checked(study: Study, expected: dict[Place, Expected]) -> Check:
    """Compare a study with what is expected of it."""
    found = found_in(study)
    return Check(
        {
            place: (one, found[place].value)
            for place, one in expected.items()
            if place in found and not one.allows(found[place].value)
        },
        tuple(place for place in expected if place not in found),
        tuple(place for place in found if place not in expected),
        len(expected),
    )


def expected_file(study: Study) -> str:
    """Return the file by which later studies of a paper are checked, as this one is."""
    text = io.StringIO()
    lines = csv.writer(text, delimiter="\t", lineterminator="\n")
    lines.writerow(COLUMNS)
    lines.writerows(_line(place, one) for place, one in found_in(study).items())
    return text.getvalue()


def _line(place: Place, one: Expected) -> Sequence[str]:
    if any("\t" in part or "\n" in part for part in place):
        raise ValueError(f"{place}: a name may have no tab and no line's end")
    return (*place, one.value, f"{one.tolerance:g}")
