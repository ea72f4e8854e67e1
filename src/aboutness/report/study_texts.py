"""A paper done again in Markdown, as one table of numbers, and as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from aboutness.report import facts
from aboutness.report.markdown import escaped
from aboutness.report.study import Drawing, Item, Passage, Sheet, Study, Value
from aboutness.report.study_page import here_text, paper_text


def study_markdown(study: Study, checked: str = "") -> str:
    """Return a study in Markdown; figures are named by their files."""
    claims = [
        [escaped(one.says), escaped(one.where), f"**{escaped(one.verdict)}**", escaped(one.found)]
        for one in study.claims
    ]
    replaced = [[escaped(one.paper), escaped(one.here), escaped(one.why)] for one in study.replaced]
    parts = [f"# {escaped(study.name)} done again", escaped(study.reference), escaped(study.summary)]
    parts += ["## What it claims", _table(["the paper claims", "where", "here", "what was found"], claims)]
    parts += [
        "## What was replaced",
        _table(["in the paper", "here", "why"], replaced) if replaced else "Nothing.",
    ]
    for part in study.parts:
        parts += [f"## {escaped(part.title)}", *(one for item in part.items for one in _item(item))]
    known = [
        f"- {escaped(name)}: {escaped('; '.join(said))}" for name, said in facts.known_data(study.made).items()
    ]
    run = [f"- {escaped(name)}: {escaped(value)}" for name, value in facts.run_facts(study.made, study.earlier)]
    parts += ["## How it was made", *([escaped(checked)] if checked else [])]
    parts += [f"`{study.made.command or f'aboutness reproduce {study.name}'}`", "\n".join([*known, *run])]
    return "\n\n".join(parts) + "\n"


def _item(item: Item) -> Iterator[str]:
    if isinstance(item, str):
        yield escaped(item)
    elif isinstance(item, Sheet):
        yield f"### {escaped(item.name)}"
        if item.caption:
            yield escaped(item.caption)
        rows = [[escaped(row), *(_cell(cell, item.digits) for cell in cells)] for row, cells in item.rows.items()]
        numbers = {column for _, column, _ in item.values}
        places = [place for place, column in enumerate(item.columns, 1) if column in numbers]
        yield _table([escaped(item.corner), *map(escaped, item.columns)], rows, places)
    elif isinstance(item, Drawing):
        yield f"![{escaped(item.caption)}](figures/{item.name}.svg)"
    else:
        yield from _passage(item)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> str:
    """Return a table whose cells are Markdown already; columns of numbers are set to the right."""
    ruled = ["---:" if place in numbers else "---" for place in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ruled, *rows])


def _cell(cell: Value | str, digits: int) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    here, paper = escaped(here_text(cell, digits)), escaped(paper_text(cell, digits))
    return (f"**{here}**" if cell.best else here) + (f"; {paper}" if paper else "")


def _passage(passage: Passage) -> Iterator[str]:
    yield f"### {escaped(passage.title)}"
    if passage.caption:
        yield escaped(passage.caption)
    marks = {"": "", "query": "**", "evidence": "_"}
    words = "".join(
        f"{marks.get(kind, '_')}{escaped(text)}{marks.get(kind, '_')}" if kind else escaped_text(text)
        for text, kind in passage.pieces
    )
    yield f"> {words}"


def escaped_text(text: str) -> str:
    """Return a text that goes on in the same line, with its blanks at either end kept."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return f"{before}{escaped(text)}{after}"


def study_csv(study: Study) -> str:
    """Return every number of all tables in one line each: ours, the paper's and the difference."""
    text = io.StringIO()
    rows = study.table
    lines = csv.DictWriter(text, list(rows[0]) if rows else ["table"], lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    return text.getvalue()


def study_json(study: Study, checked: str = "") -> dict[str, Any]:
    """Return claims, what was replaced, all numbers, and how they were made, in plain values."""
    return {
        "paper": study.name,
        "reference": study.reference,
        "summary": study.summary,
        "checked": checked,
        "claims": [asdict(one) for one in study.claims],
        "replaced": [asdict(one) for one in study.replaced],
        "values": study.table,
        "made": asdict(study.made),
        "earlier": study.earlier,
    }
