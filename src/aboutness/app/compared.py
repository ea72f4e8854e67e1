"""An experiment's results as a page shows them: table, curves, boxes, tests, and the values of each query.

All is by one measure, so that no more is tested than is looked at; the numbers are those of the reports.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from aboutness.app.results import OpenResults, as_text
from aboutness.core.errors import NotFound, shown
from aboutness.core.finite import finite
from aboutness.evaluate.curves import ELEVEN
from aboutness.evaluate.formulas import precision_at
from aboutness.evaluate.judgements import checked
from aboutness.evaluate.places import places
from aboutness.evaluate.places_in_file import places_in_file
from aboutness.experiment.compare import Comparison, Row
from aboutness.experiment.results import Results
from aboutness.experiment.results_folder import RunFile
from aboutness.report import facts, tested
from aboutness.report.findings import Section, section

WHISKER = 1.5  # of the distance of the quartiles
MOST_OUTSIDE = 100  # values beyond the whiskers that are told one by one

Decision = Literal["better", "worse", "unsure"]


@dataclass(frozen=True)
class Mean:
    """One ranker by one measure."""

    mean: float
    deviation: float
    best: bool


@dataclass(frozen=True)
class Against:
    """A ranker against the reference by the chosen measure."""

    difference: float
    low: float  # of the 95 % interval of the difference, by bootstrap
    high: float
    p: float | None  # corrected
    effect: float | None
    sure: bool  # whether it is more than chance


@dataclass(frozen=True)
class RankerRow:
    """One row of the table."""

    ranker: str
    letter: str
    expression: str
    chosen: str  # the setting of a tuned ranker
    seconds: float
    means: dict[str, Mean]  # by measure
    better_than: tuple[str, ...]  # letters, by the chosen measure and beyond chance
    against: Against | None  # None for the reference itself, or where there is one ranker


@dataclass(frozen=True)
class Curve:
    """A ranker's mean interpolated precision at some points of recall."""

    ranker: str
    precision: tuple[float, ...]


@dataclass(frozen=True)
class Box:
    """How a ranker's values are spread over the queries: five numbers, the whiskers, and what is beyond them."""

    ranker: str
    lowest: float
    lower: float  # quartile
    median: float
    upper: float
    highest: float
    mean: float
    whiskers: tuple[float, float]
    outside: tuple[float, ...]


@dataclass(frozen=True)
class Pair:
    """One ranker against another by the chosen measure; the decision is what to think of the first."""

    ranker: str
    other: str
    difference: float
    p: float | None
    adjusted: float | None
    effect: float | None
    decision: Decision


@dataclass(frozen=True)
class Significance:
    """All pairs by the chosen measure."""

    test: str
    correction: str
    level: float
    effect: str  # what the size of a difference is measured by
    why: str
    notes: tuple[str, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class QueryValues:
    """One query: the value of each ranker by the chosen measure, in the order of the table."""

    query: str
    text: str
    relevant: int
    values: tuple[float, ...]


@dataclass(frozen=True)
class ComparedResults:
    """One comparison of an experiment, by one measure."""

    name: str
    title: str
    on: str  # which comparison this is
    parts: tuple[str, ...]  # which ones there are
    measure: str
    measures: tuple[str, ...]
    collection: str
    documents: int
    queries: int
    reference: str  # the ranker that differences are to
    notes: tuple[str, ...]
    made: dict[str, str]
    table: tuple[RankerRow, ...]
    recall: tuple[float, ...]
    curves: tuple[Curve, ...]
    boxes: dict[str, tuple[Box, ...]]  # by measure
    significance: Significance | None  # None where there is one ranker
    values: tuple[QueryValues, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all in plain values."""
        return asdict(self)


def compared(opened: OpenResults, on: str | None = None, measure: str | None = None) -> ComparedResults:
    """Return what is shown of results: of the comparison of a title, by a measure; the first ones unless said."""
    comparison = part_of(opened, on)
    chosen = measure_of(comparison, measure)
    return opened.once(("compared", comparison.title, chosen), lambda: _compared(opened, comparison, chosen))


def part_of(opened: OpenResults, on: str | None) -> Comparison:
    """Return the comparison of a title, the first one unless said."""
    parts = {one.title: one for one in opened.results.comparisons}
    if not parts:
        raise NotFound(f"the results {shown(opened.name)} hold no comparison: make them again")
    if on is None:
        return next(iter(parts.values()))
    if on not in parts:
        raise NotFound(f"the results {shown(opened.name)} have no part {shown(on)}; there are {'; '.join(parts)}")
    return parts[on]


def measure_of(comparison: Comparison, measure: str | None) -> str:
    """Return a measure of a comparison, the first one unless said."""
    if measure is not None and measure not in comparison.measures:
        raise NotFound(f"the measure must be one of {', '.join(comparison.measures)}, got {shown(measure)}")
    return measure or comparison.measures[0]


def _compared(opened: OpenResults, comparison: Comparison, measure: str) -> ComparedResults:
    results = opened.results
    found = section(results, replace(comparison, measures=(measure,)))
    title = comparison.title
    return ComparedResults(
        name=opened.name,
        title=as_text(results.name),
        on=title,
        parts=tuple(one.title for one in results.comparisons),
        measure=measure,
        measures=comparison.measures,
        collection=comparison.collection,
        documents=comparison.documents,
        queries=comparison.queries,
        reference=found.reference,
        notes=tuple(map(as_text, facts.notes(comparison))),
        made=_made(results),
        table=_table(comparison, found, measure),
        recall=ELEVEN,
        curves=opened.once(("curves", title), lambda: tuple(_curve(comparison, row) for row in comparison.rows)),
        boxes=opened.once(("boxes", title), lambda: _boxes(comparison)),
        significance=_significance(results, found, measure) if found.pairs else None,
        values=_values(comparison, measure),
    )


def _made(results: Results) -> dict[str, str]:
    return {"command": as_text(facts.command(results))} | {
        name: as_text(value) for name, value in facts.made_facts(results)
    }


def _table(comparison: Comparison, found: Section, measure: str) -> tuple[RankerRow, ...]:
    highest = {one: max(row.evaluation.mean[one] for row in comparison.rows) for one in comparison.measures}
    rows = []
    for row in comparison.rows:
        of, deviation = row.evaluation.mean, row.evaluation.deviation
        finding = found.findings[row.name][measure]
        against = None
        if finding.difference is not None and finding.interval is not None:
            low, high = finding.interval
            p, effect = finite(finding.p_value), finite(finding.effect)
            against = Against(finding.difference, low, high, p, effect, finding.sure)
        means = {one: Mean(of[one], deviation[one], of[one] == highest[one]) for one in comparison.measures}
        rows.append(
            RankerRow(
                row.name, found.letters[row.name], as_text(row.ranker), as_text(row.chosen), row.seconds, means,
                finding.beats, against,
            )
        )  # fmt: skip
    return tuple(rows)


def _curve(comparison: Comparison, row: Row) -> Curve:
    """Return a curve; a run in a file is read for it and not kept: it is the largest part of results."""
    judged = checked(comparison.qrels)
    found = places_in_file(judged, row.run.path) if isinstance(row.run, RunFile) else places(judged, row.run)
    return Curve(row.name, tuple(precision_at(found, list(ELEVEN), {}).mean(axis=0).tolist()))


def _boxes(comparison: Comparison) -> dict[str, tuple[Box, ...]]:
    return {
        measure: tuple(
            _box(row.name, [values[measure] for values in row.evaluation.per_query.values()])
            for row in comparison.rows
        )
        for measure in comparison.measures
    }


def _box(name: str, values: Sequence[float]) -> Box:
    """Return a box as the reports draw it: whiskers to the last values within 1.5 of the quartiles' distance."""
    numbers = np.sort(np.asarray(values, np.float64))
    lowest, lower, median, upper, highest = np.percentile(numbers, [0, 25, 50, 75, 100]).tolist()
    reach = WHISKER * (upper - lower)
    inside = numbers[(numbers >= lower - reach) & (numbers <= upper + reach)]
    low, high = min(float(inside.min(initial=lower)), lower), max(float(inside.max(initial=upper)), upper)
    outside = np.unique(numbers[(numbers < low) | (numbers > high)])
    some = outside[np.linspace(0, len(outside) - 1, min(len(outside), MOST_OUTSIDE)).astype(np.int64)]
    mean = math.fsum(values) / len(values)
    return Box(name, lowest, lower, median, upper, highest, mean, (low, high), tuple(some.tolist()))


def _significance(results: Results, found: Section, measure: str) -> Significance:
    pairs = found.pairs[measure]
    told = dict(tested.test_facts(results, [found]))
    notes = [told["correction"], *tested.omnibus(found), tested.all_against_all(found).strip()]
    rows = []
    for row in pairs.rows():
        sure = row["adjusted"] < found.level
        decision: Decision = "unsure" if not sure else "better" if row["difference"] > 0 else "worse"
        p, adjusted, effect = (finite(row[name]) for name in ("p", "adjusted", "effect"))
        rows.append(Pair(row["ranker"], row["other"], row["difference"], p, adjusted, effect, decision))
    return Significance(
        test=pairs.test,
        correction=pairs.correction,
        level=found.level,
        effect=pairs.effect,
        why=pairs.why,
        notes=tuple(filter(None, notes)),
        pairs=tuple(rows),
    )


def _values(comparison: Comparison, measure: str) -> tuple[QueryValues, ...]:
    rows = comparison.rows
    return tuple(
        QueryValues(
            query,
            as_text(comparison.texts.get(query, "")),
            sum(grade > 0 for grade in comparison.qrels.get(query, {}).values()),
            tuple(row.evaluation.per_query[query][measure] for row in rows),
        )
        for query in (rows[0].evaluation.per_query if rows else ())
    )
