from __future__ import annotations

import csv
import io
import json

import pytest

from aboutness.report.findings import sections
from aboutness.report.tidy import COLUMNS, csv_report, json_report
from report.made_results import HEBREW, HOSTILE, HOSTILE_NAMES, MADE, comparison, results


def lines(given):
    rows = list(csv.reader(io.StringIO(csv_report(given, sections(given)))))
    assert tuple(rows[0]) == COLUMNS
    assert {len(row) for row in rows} == {len(COLUMNS)}
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows[1:]]


def test_each_number_has_a_line():
    given = results()
    found = sections(given)[0]
    rows = lines(given)
    values = {
        (row["ranker"], row["query"], row["measure"]): float(row["value"])
        for row in rows
        if row["statistic"] == "value"
    }
    assert values == {
        (row.name, query, measure): value
        for row in given.comparisons[0].rows
        for query, of in row.evaluation.per_query.items()
        for measure, value in of.items()
    }
    told = {
        row["statistic"]: row["value"]
        for row in rows
        if (row["ranker"], row["measure"], row["query"]) == ("three", "AP", "")
    }
    one = found.findings["three"]["AP"]
    assert float(told["mean"]) == one.mean
    assert float(told["standard deviation"]) == one.deviation
    assert float(told["difference to one"]) == one.difference
    assert (float(told["interval from"]), float(told["interval to"])) == one.interval
    assert float(told["p, corrected"]) == one.p_value


def test_facts_have_lines():
    told = {row["statistic"]: row["value"] for row in lines(results()) if not row["collection"]}
    assert told["command"] == MADE.command
    assert "checksum abc123" in told["data: chance"]
    assert told["seed"] == "7"
    assert {"test", "correction", "versions", "memory", "time"} <= told.keys()
    assert any(row["statistic"] == "note" for row in lines(results()))


def test_hostile_names_come_back():
    rows = lines(results(comparison(HOSTILE_NAMES, collection=HOSTILE, setting=HEBREW)))
    assert {row["ranker"] for row in rows} - {""} == set(HOSTILE_NAMES)
    assert {row["collection"] for row in rows} - {""} == {HOSTILE}


def test_json():
    given = results(comparison(HOSTILE_NAMES, collection=HOSTILE), baseline=HEBREW)
    plain = json.loads(json_report(given, sections(given)))
    (one,) = plain["comparisons"]
    assert plain["made"]["command"] == MADE.command
    assert plain["tests"]["test"].startswith("Fisher")
    assert one["reference"] == HEBREW
    found = sections(given)[0].findings[HOSTILE]["AP"]
    assert one["findings"][HOSTILE]["AP"]["p"] == pytest.approx(found.p_value)
    assert one["findings"][HOSTILE]["AP"]["low"] == found.interval[0]
    assert one["pairs"]["AP"]["names"] == list(HOSTILE_NAMES)
    assert one["per_query"][HOSTILE]["q0"]["AP"] == given.comparisons[0].rows[0].evaluation.per_query["q0"]["AP"]
    assert "difference" not in one["findings"][HEBREW]["AP"]


def test_little_to_show():
    for one in (comparison([]), comparison(["only"], 1)):
        given = results(one)
        lines(given)
        json.loads(json_report(given, sections(given)))
