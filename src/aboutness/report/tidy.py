"""A report for programs: one table with a line for each number, or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from aboutness.experiment.results import Results
from aboutness.report import facts, tested
from aboutness.report.findings import Section

COLUMNS = ("collection", "setting", "ranker", "query", "measure", "statistic", "value")


def csv_report(results: Results, sections: Sequence[Section]) -> str:
    """Return one table: a line for each statistic of each ranker, for each value of a query, and for each fact."""
    table = io.StringIO()
    lines = csv.writer(table, lineterminator="\n")
    lines.writerow(COLUMNS)
    told = [
        ("command", facts.command(results)),
        *((f"data: {name}", value) for name, value in facts.data_facts(results)),
        *tested.test_facts(results, sections),
        *facts.made_facts(results),
    ]
    lines.writerows(["", "", "", "", "", name, value] for name, value in [("name", results.name), *told])
    for section in sections:
        lines.writerows(_lines(section))
    return table.getvalue()


def _lines(section: Section) -> Iterator[list[Any]]:
    comparison = section.comparison
    where = [comparison.collection, comparison.setting]
    for note in facts.notes(comparison):
        yield [*where, "", "", "", "note", note]
    for measure, pairs in section.pairs.items():
        if pairs.omnibus is not None:
            name = pairs.omnibus.why.partition(":")[0]
            yield [*where, "", "", measure, f"{name}: chi-squared", pairs.omnibus.statistic]
            yield [*where, "", "", measure, f"{name}: df", pairs.omnibus.df]
            yield [*where, "", "", measure, f"{name}: p", pairs.omnibus.p_value]
    for row in comparison.rows:
        yield [*where, row.name, "", "", "ranker", str(row.ranker)]
        yield [*where, row.name, "", "", "seconds", row.seconds]
        for measure in comparison.measures:
            for statistic, value in _statistics(section, row.name, measure).items():
                yield [*where, row.name, "", measure, statistic, value]
        for query, values in row.evaluation.per_query.items():
            for measure in comparison.measures:
                yield [*where, row.name, query, measure, "value", values[measure]]


def _statistics(section: Section, name: str, measure: str) -> dict[str, Any]:
    """Return all that was found of one ranker by one measure, as far as there is something."""
    found = section.findings[name][measure]
    statistics: dict[str, Any] = {"mean": found.mean, "standard deviation": found.deviation}
    if found.beats:
        of_letter = {letter: other for other, letter in section.letters.items()}
        statistics["better than"] = "; ".join(of_letter[letter] for letter in found.beats)
    if found.difference is not None and found.interval is not None:
        statistics |= {
            f"difference to {section.reference}": found.difference,
            "interval from": found.interval[0],
            "interval to": found.interval[1],
            "p, corrected": found.p_value,
            "effect": found.effect,
        }
    return statistics


def json_report(results: Results, sections: Sequence[Section]) -> str:
    """Return the results in plain values, with what was found of each ranker, all pairs, and every query."""
    plain = results.to_json(per_query=True)
    plain["tests"] = dict(tested.test_facts(results, sections))
    for described, section in zip(plain["comparisons"], sections, strict=True):
        described["notes"] = facts.notes(section.comparison)
        described["reference"] = section.reference
        described["findings"] = {
            name: {measure: _finding(section, name, measure) for measure in section.comparison.measures}
            for name in section.names
        }
        described["pairs"] = {measure: pairs.to_json() for measure, pairs in section.pairs.items()}
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def _finding(section: Section, name: str, measure: str) -> dict[str, Any]:
    found = section.findings[name][measure]
    plain: dict[str, Any] = {"mean": found.mean, "deviation": found.deviation, "best": found.best}
    if section.pairs:
        plain["better_than"] = [other for other, letter in section.letters.items() if letter in found.beats]
    if found.difference is not None and found.interval is not None:
        low, high = found.interval
        plain |= {
            "difference": found.difference,
            "low": low,
            "high": high,
            "p": found.p_value,
            "effect": found.effect,
        }
    return plain
