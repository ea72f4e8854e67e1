from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given

from aboutness.report.findings import sections
from aboutness.report.markdown import escaped, markdown_report
from report.made_results import HEBREW, HOSTILE, HOSTILE_NAMES, MADE, comparison, results
from text.hard_texts import texts


def made(given) -> str:
    return markdown_report(given, sections(given))


def tables(text: str) -> list[list[list[str]]]:
    """Return the cells of each table; a bar behind a backslash is none."""
    found, now = [], []
    for line in [*text.split("\n"), ""]:
        if line.startswith("|"):
            now.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif now:
            found.append(now)
            now = []
    return found


def test_tables():
    given = results()
    means, differences = tables(made(given))
    found = sections(given)[0]
    assert means[0] == ["", "ranker", "nDCG@10", "AP", "seconds"]
    assert means[1] == ["---", "---", "---:", "---:", "---:"]
    for row, name in zip(means[2:], found.names, strict=True):
        one = found.findings[name]["AP"]
        assert row[1] == name
        assert f"{one.mean:.4f}" in row[3]
        assert row[3].startswith("**") == one.best
        assert f"({one.deviation:.2f})" in row[3]
    assert [row[0] for row in differences[2:]] == ["two", "three"]


def test_everything_that_makes_it_again_is_told():
    text = made(results())
    for part in (
        f"```\n{MADE.command}\n```",
        "data/chance",
        "abc123",
        "12.5 s",
        "346 MB",
        "python 3.13",
        "Holm",
        "seed: 7",
    ):
        assert part in text


def test_hostile_names():
    one = comparison(HOSTILE_NAMES, collection=HOSTILE, setting=HEBREW, note=HOSTILE, left_out={HOSTILE: HOSTILE})
    text = made(replace(results(one, made=replace(MADE, command="a ``` b\n# c")), name=HOSTILE))
    for table in tables(text):
        assert len({len(row) for row in table}) == 1
        assert len(table) >= 6
    outside = text.replace("<sup>", "").replace("</sup>", "")
    assert not re.search(r"(?<!\\)<", outside)
    assert "````\na ``` b\n# c\n````" in text
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 2  # one is in the code


@given(texts)
def test_any_text_is_only_text(text):
    told = escaped(text)
    assert not re.search(r"(?<!\\)(\\\\)*[<>*_`|\[\]~#$&]", re.sub(r"\\.", "", told))
    assert re.sub(r"\\(.)", r"\1", told) == " ".join(text.split())


def test_little_to_show():
    assert "There is no ranker." in made(results(comparison([])))
    assert len(tables(made(results(comparison(["only"], 1))))) == 1


def test_all_comparisons_together():
    every, *_ = tables(
        made(results(comparison(["one", "two"], 3), comparison(["two", "x|1"], 3, setting="title")))
    )
    assert every[0] == ["ranker", "chance", "chance, title"]
    assert [row[0] for row in every[2:]] == ["one", "two", r"x\|1"]
    assert every[2][2] == every[4][1] == "\u2013"
