"""Relevance judgements: TREC's four columns, BEIR's three, any table whose header names them, and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aboutness.core import columns
from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Origin
from aboutness.core.rejects import OnBad, stop
from aboutness.core.scores import DIGITS, GRADE_ALLOWED, is_grade
from aboutness.corpus.by_query import is_by_query, read_by_query
from aboutness.corpus.delimited import TableRows, delimiter_of, read_header, sound_rows
from aboutness.corpus.files import lines, utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

BLANKS = " \t\n\v\f\r"


class Judgement(NamedTuple):
    """How relevant a document is to a query: 0 or less is not, more is better."""

    query: str
    document: str
    grade: int


def read_qrels_file(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Judgement]:
    """Read judgements: `query iteration document grade`, or `query document grade`, a line each.

    Columns are separated by tabs, or by blanks in a line without a tab. A first line of three columns whose
    last is no number is a header. All lines have as many columns as the first that is none. A table with commas
    or tabs (`.csv`, `.tsv`) may have its columns in any order, and others besides, if its header names them as
    `aboutness.core.columns` knows them; its cells may be quoted. `.json` is {query: {document: grade}}. A grade
    such as 1.0, as a data frame may write it, is whole, too.
    """
    return (judgement for _, judgement in read_numbered(path, on_bad=on_bad))


def read_numbered(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[tuple[int, Judgement]]:
    """Read the same with the line on which each stands: 0 where there are no lines to speak of."""
    if not Path(path).is_file():  # a pipe, perhaps, which cannot be looked into before it is read
        return _from_lines(path, on_bad)
    if is_by_query(path):
        return _from_json(path, on_bad)
    delimiter = delimiter_of(path)
    return _from_lines(path, on_bad) if delimiter is None else _from_table(path, delimiter, on_bad)


def _from_lines(path: str | Path, on_bad: OnBad) -> Iterator[tuple[int, Judgement]]:
    first, width = True, 0
    for number, line in lines(path):
        if line.isspace():
            continue
        try:
            cells = _columns(line)
            header = first and len(cells) == 3 and not _is_float(cells[2])
            judgement = None if header else _judgement(cells, width)
        except BadInput as error:
            on_bad(BadRecord(str(error), origin=Origin(str(path), number), raw=line.rstrip(b"\r\n")))
        else:
            if judgement:
                width = len(cells)
                yield number, judgement
        first = False


def _columns(line: bytes) -> list[str]:
    """Return the cells of a line; only blanks of ASCII separate them, others may stand in an id."""
    text = utf8(line)
    if "\t" in text and "\t" in text.strip(BLANKS):
        return [cell.strip(BLANKS) for cell in text.split("\t")]
    return text.split() if text.isascii() else [cell.decode() for cell in line.split()]


def _judgement(cells: list[str], width: int) -> Judgement:
    if len(cells) not in {3, 4}:
        run = "; a run has 6: are the two files exchanged?" if len(cells) == 6 else ""
        raise BadInput(f"a judgement has 3 or 4 columns, this line has {len(cells)}{run}")
    if width and len(cells) != width:
        raise BadInput(f"the judgements before have {width} columns, this line has {len(cells)}")
    return _checked(cells[0], cells[-2], cells[-1])


def _checked(query: str, document: str, grade: str) -> Judgement:
    digits = grade.removeprefix("-").removesuffix(".0")
    if not digits.isascii() or not digits.isdigit() or len(digits) > DIGITS:
        raise BadInput(f"{GRADE_ALLOWED}, got {shown(grade)}")
    if not query or not document:
        raise BadInput("the query or document id is empty")
    return Judgement(query, document, -int(digits) if grade.startswith("-") else int(digits))


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _from_table(path: str | Path, delimiter: str, on_bad: OnBad) -> Iterator[tuple[int, Judgement]]:
    file = str(path)
    table = TableRows(path, delimiter)
    header = read_header(file, table, numbered=True)
    try:
        query = columns.need(header, "queries", *columns.QUERY)
        document = columns.need(header, "documents", *columns.DOCUMENT)
        grade = columns.need(header, "grades", *columns.GRADE)
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    for line, row in sound_rows(file, table, header, on_bad):
        cells = [cell.strip() for cell in row]
        try:
            judgement = _checked(cells[query], cells[document], cells[grade])
        except BadInput as error:
            on_bad(BadRecord(str(error), origin=Origin(file, line), raw=table.latest))
        else:
            yield line, judgement


def _from_json(path: str | Path, on_bad: OnBad) -> Iterator[tuple[int, Judgement]]:
    for query, judged in read_by_query(path).items():
        for document, grade in judged.items():
            try:
                judgement = _checked(query, document, _whole(grade))
            except BadInput as error:
                problem = f"query {shown(query)}, document {shown(document)}: {error}"
                on_bad(BadRecord(problem, origin=Origin(str(path))))
            else:
                yield 0, judgement


def _whole(grade: object) -> str:
    """Return a grade of JSON as a text; what is no number but looks like one is none."""
    if not is_grade(grade):
        raise BadInput(f"{GRADE_ALLOWED}, got {shown(grade)}")
    return str(int(grade))  # type: ignore[call-overload]
