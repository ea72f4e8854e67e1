from __future__ import annotations

import csv
import io
import json

from aboutness.report.study_texts import study_csv, study_json, study_markdown
from papers.drawn import study


def test_markdown_has_tables_that_cannot_break() -> None:
    text = study_markdown(study(), "All is well.")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert "<script>" not in text
    assert "All is well." in text
    assert "![Precision by recall.](figures/curves.svg)" in text
    assert r"| a | **.500\* (.100)**; paper .480\*+ (.200), +.020 | 12.500 | yes |" in rows
    plain = [line.replace(r"\|", "") for line in rows]
    tables: list[set[int]] = []
    for before, line in zip(["", *text.splitlines()], text.splitlines(), strict=False):
        if line.startswith("|"):
            if not before.startswith("|"):
                tables.append(set())
            tables[-1].add(line.replace(r"\|", "").count("|"))
    assert all(len(widths) == 1 for widths in tables)
    assert len(tables) == 4
    assert len(plain) == 5 + 3 + 5 + 3
    assert r"> The **a** \<script\>" in text


def test_numbers_are_set_to_the_right_and_words_to_the_left() -> None:
    lines = study_markdown(study()).splitlines()
    ruled = [line for line in lines if set(line) <= set("|-: ") and "-" in line]
    assert ruled == [
        "| --- | --- | --- | --- |",
        "| --- | --- | --- |",
        "| --- | ---: | ---: | --- |",
        "| --- | ---: |",
    ]


def test_numbers_can_be_read_back() -> None:
    one = study()
    rows = list(csv.DictReader(io.StringIO(study_csv(one))))
    assert [row["here"] for row in rows] == ["0.5", "12.5", "", "-0.25", "0.25", "", "3.0"]
    assert rows[2]["paper"] == "0.3"
    plain = json.loads(json.dumps(study_json(one)))
    assert [claim["verdict"] for claim in plain["claims"]] == [
        "holds here", "does not hold here", "cannot be tested here",
    ]  # fmt: skip
    assert plain["values"][0]["here"] == 0.5
    assert plain["made"]["parameters"] == {"dim": 7}
