"""The tables of parts of the curve: which method is best for which reader, and what ensembles add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aboutness.papers.malina2016.measured import SEGMENTS, Floats, Measured, Mission
from aboutness.papers.malina2016.methods import ENSEMBLES, SEVEN, names
from aboutness.papers.malina2016.tables import MEANS, SAME_GROUP, SAME_LABEL, STAR
from aboutness.papers.malina2016.testing import against, against_best
from aboutness.papers.printed import mean_and_deviation, with_best
from aboutness.report.numbers import LEVEL
from aboutness.report.study import Cell, Sheet, Value

BEST = "the best of the seven"


def segments_sheet(one: Mission, mission: str, seed: int) -> Sheet:
    """Return which method is best on which part of the curve, and whether it is surely better than the others."""
    every = names(SEVEN)
    columns: dict[str, list[Value]] = {}
    for segment in SEGMENTS:
        values = one.segments(every, segment)
        columns[segment] = _tested(values, seed)
    columns["max F1"] = _tested(one.f1_of(every), seed)
    rows: dict[str, list[Cell]] = {
        name: [column[place] for column in columns.values()] for place, name in enumerate(every)
    }
    return Sheet(
        f"Parts of the curve, {mission}",
        list(columns),
        with_best(rows),
        "Mean interpolated precision over a part of the curve. Recall 0 to .1 is for readers of few results, who "
        "mind precision; .5 to 1 for those who must find all, and mind recall. "
        f"{STAR}: surely worse than the best of the column (Fisher's paired test, Holm, .05).",
        tolerance=MEANS,
    )


def _tested(values: Mapping[str, Floats], seed: int) -> list[Value]:
    """Return the means of methods; those that are surely worse than the best are marked."""
    _, p = against_best(values, seed)
    return [Value(float(one.mean()), mark=STAR if p.get(name, 1) < LEVEL else "") for name, one in values.items()]


def ensemble_sheet(one: Mission, mission: str, parts: Sequence[str], seed: int) -> Sheet:
    """Return the ensembles beside their parts and the best of the seven methods, on each part of the curve."""
    columns = {segment: one.segments([*names(SEVEN), *names(ENSEMBLES)], segment) for segment in SEGMENTS}
    columns["max F1"] = one.f1_of([*names(SEVEN), *names(ENSEMBLES)])
    rows: dict[str, list[Cell]] = {name: [] for name in (*parts, BEST, *names(ENSEMBLES))}
    for values in columns.values():
        best = max(names(SEVEN), key=lambda name: float(values[name].mean()))
        p = against({name: values[name] for name in (best, *names(ENSEMBLES))}, best, seed)
        for name in parts:
            rows[name].append(Value(float(values[name].mean())))
        rows[BEST].append(Value(float(values[best].mean()), said=best))
        for name in names(ENSEMBLES):
            mean, least = float(values[name].mean()), float(values[best].mean())
            sign = "" if p[name] >= LEVEL else "+" if mean > least else "-"
            rows[name].append(Value(mean, mark=sign))
    return Sheet(
        f"Ensembles, {mission}",
        list(columns),
        with_best(rows),
        "Fixed ways of adding up methods, the first two those above. + and -: surely better or worse than the "
        "best of the seven (Fisher's paired test, Holm, .05), which these queries chose: that favours it.",
        tolerance=MEANS,
    )


def fresh_sheet(found: Measured, seed: int) -> Sheet:
    """Return the best single method and the best ensemble by other queries than those that chose them."""
    best, combined = found.same_label.f1
    missions = {SAME_LABEL: found.same_label, SAME_GROUP: found.same_group}
    rows: dict[str, list[Cell]] = {best: [], combined: []}
    for one in missions.values():
        better = float((one.f1[combined] - one.f1[best]).mean()) > 0
        sure = against(one.f1, best, seed)[combined] < LEVEL
        for name, mark in ((best, ""), (combined, ("+" if better else "-") if sure else "")):
            mean, deviation = mean_and_deviation(one.f1[name].tolist())
            rows[name].append(Value(mean, deviation=deviation, mark=mark))
    return Sheet(
        "The best ensemble on other queries",
        list(missions),
        with_best(rows),
        f"Max F1 of the best single method and the best ensemble by the first queries, on {len(found.group_of):,} "
        "queries that had no part in that. + and -: surely better or worse (Fisher's paired test, .05).",
        tolerance=MEANS,
    )
