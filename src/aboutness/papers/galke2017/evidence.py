"""What claims are decided by, and how a decision is put."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from aboutness.papers.galke2017.runs import Method, Runs
from aboutness.papers.galke2017.sets import TITLE, Setting
from aboutness.papers.galke2017.testing import Tested
from aboutness.papers.wording import verdict
from aboutness.report.numbers import signed
from aboutness.report.study import Claim

ALIKE = 0.005  # a difference of MAP that two digits do not show


@dataclass(frozen=True)
class Evidence:
    """Runs, tests, and the queries of which every word has a vector."""

    runs: Runs
    tested: Sequence[Tested]
    known: dict[Setting, list[str]]

    def against(self, other: str) -> list[Tested]:
        """Return the tests of IWCS against a model."""
        return [one for one in self.tested if one.other == other]

    def known_map(self, setting: Setting, method: Method) -> float:
        """Return MAP over the queries of known words."""
        values = self.runs.values(setting, method)
        return sum(values[query] for query in self.known[setting]) / max(1, len(self.known[setting]))

    def known_average(self, methods: Iterable[Method]) -> float:
        """Return the mean of these over all settings and some methods."""
        return fmean(self.known_map(setting, method) for method in methods for setting in self.runs.settings)

    @property
    def both_fields(self) -> tuple[list[Setting], list[Setting]]:
        """Return titles, and longer fields, of the data sets that have both."""
        sets = [one for one in self.runs.sets if TITLE in one.fields and len(one.fields) > 1]
        there = [one for data in sets for one in data.settings]
        return [one for one in there if one.field == TITLE], [one for one in there if one.field != TITLE]


def claim(says: str, where: str, holds: bool | None, found: str, rule: str = "") -> Claim:
    """Return a claim with its verdict (None: it cannot be tested), and the rule by which it was decided."""
    return Claim(says, where, verdict(holds=holds), f"{found} Rule: {rule}." if rule else found)


def relative(one: float, other: float) -> str:
    """Return by how much one number is above another, in per cent."""
    return per_cent(one / other - 1) if other else "from 0"


def per_cent(share: float) -> str:
    """Return a share with its sign, in per cent."""
    return f"{signed(100 * share, 1)} %"


def listed(some: Iterable[Tested]) -> str:
    """Return where some tests were made, or "none"."""
    return ", ".join(map(str, some)) or "none"


def names(settings: Iterable[Setting]) -> str:
    """Return the data sets of some settings."""
    return " and ".join(dict.fromkeys(one.data for one in settings))
