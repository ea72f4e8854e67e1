"""What a report says of each comparison: means, differences, and which of them are more than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from string import ascii_lowercase
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.evaluate.corrections import adjusted
from aboutness.evaluate.intervals import bootstrap
from aboutness.evaluate.pairs import Pairs, all_pairs
from aboutness.experiment.compare import Comparison, Row
from aboutness.experiment.results import Results
from aboutness.report.levels import level_of
from aboutness.report.numbers import LEVEL

Floats: TypeAlias = NDArray[np.float64]


def letters(count: int) -> list[str]:
    """Return so many short names: a to z, then aa, ab and on.

    >>> letters(28)[-3:]
    ['z', 'aa', 'ab']
    """
    first = list(ascii_lowercase)
    return [*first, *(one + other for one in first for other in first)][:count]


@dataclass(frozen=True)
class Finding:
    """One ranker by one measure."""

    mean: float
    deviation: float
    best: bool
    beats: tuple[str, ...] = ()  # the letters of the rankers that it is better than, beyond chance
    difference: float | None = None  # to the reference
    interval: tuple[float, float] | None = None  # of the difference, 95 % by bootstrap
    p_value: float | None = None  # corrected
    effect: float | None = None
    level: float = LEVEL  # below which p counts as more than chance

    @property
    def sure(self) -> bool:
        """Tell whether the difference to the reference is more than chance."""
        return self.p_value is not None and self.p_value < self.level


@dataclass(frozen=True)
class Section:
    """One comparison with what was found of it."""

    comparison: Comparison
    reference: str  # the ranker that differences are to
    pairs: dict[str, Pairs]  # by measure; none where there is one ranker
    findings: dict[str, dict[str, Finding]]  # by ranker and measure
    baseline: str | None = None  # the ranker that others are tested against; None: all pairs are tested

    @cached_property
    def letters(self) -> dict[str, str]:
        """Return a letter for each ranker."""
        return dict(zip(self.names, letters(len(self.names)), strict=True))

    @property
    def names(self) -> list[str]:
        """Return the rankers by name, in the order of the comparison."""
        return [row.name for row in self.comparison.rows]

    @property
    def why(self) -> str:
        """Return which test was made, and why."""
        return next((one.why for one in self.pairs.values()), "One ranker: there is no difference to test.")

    @property
    def level(self) -> float:
        """Return below which p a difference counts as more than chance."""
        return next((level_of(one.test) for one in self.pairs.values()), LEVEL)

    @property
    def effect(self) -> str:
        """Return what the size of a difference is measured by."""
        return next((one.effect for one in self.pairs.values()), "")

    def pairs_of(self, names: Sequence[str], measure: str) -> Pairs:
        """Return the pairs of some rankers; p is corrected for all pairs of the comparison."""
        pairs = self.pairs[measure]
        places = [pairs.names.index(name) for name in names]
        some = np.ix_(places, places)
        return replace(
            pairs, names=tuple(names), differences=pairs.differences[some], p_values=pairs.p_values[some],
            adjusted=pairs.adjusted[some], effects=pairs.effects[some],
        )  # fmt: skip

    def best_rows(self, most: int) -> Sequence[Row]:
        """Return the rows of the best rankers by the first measure and of the reference, in their order."""
        rows = self.comparison.rows
        measure = self.comparison.measures[0]
        order = sorted(rows, key=lambda row: (row.name != self.reference, -row.evaluation.mean[measure]))
        chosen = {row.name for row in order[:most]}
        return [row for row in rows if row.name in chosen]


def sections(results: Results) -> list[Section]:
    """Return all comparisons of some results with what was found."""
    return [section(results, one) for one in results.comparisons]


def section(results: Results, comparison: Comparison) -> Section:
    """Return what was found of one comparison.

    Where the results have a baseline that is among the rankers, the others are tested against it alone; else all
    pairs are tested, and differences are told to the first ranker.
    """
    names = [row.name for row in comparison.rows]
    baseline = results.baseline if results.baseline in names else None
    reference = baseline or (names[0] if names else "")
    found: dict[str, dict[str, Finding]] = {name: {} for name in names}
    pairs: dict[str, Pairs] = {}
    deviations = {row.name: row.evaluation.deviation for row in comparison.rows}
    for measure in comparison.measures if names else ():
        values = {row.name: _values(row, measure) for row in comparison.rows}
        if len(names) > 1:
            pairs[measure] = all_pairs(
                values, measure=measure, test=results.test, correction=results.correction, seed=results.made.seed
            )
        p_values = _against(pairs[measure], names.index(baseline)) if baseline and len(names) > 1 else None
        highest = max(row.evaluation.mean[measure] for row in comparison.rows)
        for row in comparison.rows:
            found[row.name][measure] = Finding(
                mean=row.evaluation.mean[measure],
                deviation=deviations[row.name][measure],
                best=row.evaluation.mean[measure] == highest,
                level=level_of(results.test),
                **(_compared(row.name, reference, pairs[measure], p_values) if pairs else {}),
                **(_interval(values, row.name, reference, results) if pairs and row.name != reference else {}),
            )
    return Section(comparison, reference, pairs, found, baseline)


def _values(row: Row, measure: str) -> dict[str, float]:
    return {query: values[measure] for query, values in row.evaluation.per_query.items()}


def _against(pairs: Pairs, baseline: int) -> Floats:
    """Return for each pair p corrected for the tests against a baseline alone, 1 for those without it."""
    others = [place for place in range(len(pairs.names)) if place != baseline]
    corrected = np.ones_like(pairs.p_values)
    corrected[baseline, others] = corrected[others, baseline] = adjusted(
        pairs.p_values[baseline, others], pairs.correction
    )
    return corrected


def _compared(name: str, reference: str, pairs: Pairs, p_values: Floats | None) -> dict[str, Any]:
    """Return how a ranker compares with the others, and with the reference."""
    names, place = list(pairs.names), pairs.names.index(name)
    corrected = pairs.adjusted if p_values is None else p_values
    short = letters(len(names))
    beats = [
        short[other]
        for other in range(len(names))
        if pairs.differences[place, other] > 0 and corrected[place, other] < level_of(pairs.test)
    ]
    compared: dict[str, Any] = {"beats": tuple(beats)}
    if name != reference:
        other = names.index(reference)
        compared |= {
            "difference": float(pairs.differences[place, other]),
            "p_value": float(corrected[place, other]),
            "effect": float(pairs.effects[place, other]),
        }
    return compared


def _interval(
    values: Mapping[str, Mapping[str, float]], name: str, reference: str, results: Results
) -> dict[str, Any]:
    found = bootstrap(values[name], values[reference], seed=results.made.seed)
    return {"interval": (found.low, found.high)}


@dataclass(frozen=True)
class Overview:
    """Several comparisons by one measure: what each ranker has in each, None where it is not in it."""

    measure: str
    titles: list[str]
    rows: dict[str, list[Finding | None]]


def overview(sections: Sequence[Section]) -> Overview | None:
    """Return all comparisons by the first measure; None where there is only one, or they have none in common."""
    shared = [name for name in _measures(sections[:1]) if all(name in _measures([one]) for one in sections)]
    if len(sections) < 2 or not shared:
        return None
    names = dict.fromkeys(name for section in sections for name in section.names)
    rows = {name: [_of(section, name, shared[0]) for section in sections] for name in names}
    return Overview(shared[0], [section.comparison.title for section in sections], rows)


def _measures(sections: Sequence[Section]) -> tuple[str, ...]:
    return sections[0].comparison.measures if sections else ()


def _of(section: Section, name: str, measure: str) -> Finding | None:
    return section.findings[name][measure] if name in section.findings else None
