"""Relevance judgements: TREC's four columns, or BEIR's three with a header."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Origin
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import lines, utf8

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Judgement(NamedTuple):
    """How relevant a document is to a query: 0 or less is not, more is better."""

    query: str
    document: str
    grade: int


def read_qrels_file(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Judgement]:
    """Read judgements: `query iteration document grade`, or `query document grade`, a line each.

    Columns are separated by tabs, or by blanks in a line without a tab. A first line of three columns whose
    last is no number is a header. All lines have as many columns as the first that is none.
    """
    first, width = True, 0
    for number, line in lines(path):
        if line.isspace():
            continue
        try:
            columns = _columns(utf8(line))
            header = first and len(columns) == 3 and not _is_number(columns[2])
            judgement = None if header else _judgement(columns, width)
        except BadInput as error:
            on_bad(BadRecord(str(error), origin=Origin(str(path), number), raw=line.rstrip(b"\r\n")))
        else:
            if judgement:
                width = len(columns)
                yield judgement
        first = False


def _columns(line: str) -> list[str]:
    return [column.strip() for column in line.split("\t")] if "\t" in line.strip() else line.split()


def _judgement(columns: list[str], width: int) -> Judgement:
    if len(columns) not in {3, 4}:
        raise BadInput(f"a judgement has 3 or 4 columns, this line has {len(columns)}")
    if width and len(columns) != width:
        raise BadInput(f"the judgements before have {width} columns, this line has {len(columns)}")
    if not _is_number(columns[-1]):
        raise BadInput(f"the grade must be a whole number, got {shown(columns[-1])}")
    if not columns[0] or not columns[-2]:
        raise BadInput("the query or document id is empty")
    return Judgement(columns[0], columns[-2], int(columns[-1]))


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 10
