"""Tables with a header row, comma- or tab-separated; `aboutness.corpus.keys` says what each column is.

Both kinds quote as CSV does: a cell that holds the delimiter, a quote or a line end stands in double quotes,
and a quote in it is doubled. All metadata are strings; conditions such as
`price<10` compare those that are written as numbers as such. A quote that is never closed takes the rest of the
file with it: that is one bad record, named by the line it starts on.
"""

from __future__ import annotations

import csv
import threading
from collections import Counter
from typing import TYPE_CHECKING

from aboutness.core import columns
from aboutness.core.counted import counted
from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Document, Origin
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import LONGEST, lines, opening, suffix, utf8
from aboutness.corpus.keys import Keys, roles
from aboutness.corpus.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TAB_SUFFIXES = (".tsv", ".tab")
DELIMITERS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}
TOLD = {
    "end of data": "a quote is opened and never closed",
    "new-line character": "a carriage return without a line feed; end lines with that, or quote the cell",
}
LARGEST_CELL = LONGEST // 2

_limit_changes = threading.Lock()


def read_delimited(
    path: str | Path,
    *,
    delimiter: str | None = None,
    fields: Sequence[str] | None = None,
    id_key: str | None = None,
    on_bad: OnBad = stop,
) -> Iterator[Document]:
    """Read the documents of a table; without `delimiter` the file's name says which it is."""
    file = str(path)
    table = TableRows(path, delimiter or ("\t" if suffix(path) in TAB_SUFFIXES else ","))
    header = read_header(file, table)
    try:
        role = roles(header, Keys(id_key, fields))
    except BadInput as error:
        raise BadInput(f"{file}: {error}{_other_delimiter(header, table.delimiter)}") from None
    missing = [name for name in fields or () if name not in header]
    if missing:
        raise BadInput(f"{file}: no column {missing[0]!r}; the columns are {', '.join(header)}")
    for line, row in sound_rows(file, table, header, on_bad):
        cells = dict(zip(header, row, strict=True))
        texts = {name: cells[name] for name in role.text}
        metadata = {name: cells[name] for name in role.metadata}
        yield Document(cells[role.id_key], texts, metadata, Origin(file, line))


def _other_delimiter(header: Sequence[str], delimiter: str) -> str:
    """Return what to say of a header with one column, in which something else seems to separate several."""
    other = next((one for one in DELIMITERS if one in header[0]), None) if len(header) == 1 else None
    if other is None:
        return ""
    if other in ",\t":
        return f"; it is separated by {DELIMITERS[other]}: say --format {'csv' if other == ',' else 'tsv'}"
    return f"; it seems to be separated by {DELIMITERS[other]}, but must be by {DELIMITERS[delimiter]}"


def delimiter_of(path: str | Path) -> str | None:
    """Return what separates the cells of a table of rankings or judgements whose header names its columns.

    None where there is no such header: its lines are of columns that everybody knows.
    """
    if suffix(path) == ".csv":
        return ","
    first = opening(path).partition(b"\n")[0].decode("utf-8", "replace")
    delimiter = next((one for one in "\t," if one in first), None)
    return delimiter if delimiter and columns.is_header(first.split(delimiter)) else None


def sound_rows(
    file: str, table: TableRows, header: Sequence[str], on_bad: OnBad
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that have as many cells as the header, with their lines; others go to `on_bad`."""
    for line, row in table:
        if row and not table.problem and len(row) != len(header):
            table.problem = f"{counted(len(row), 'cell')}, but the header has {len(header)}"
        if table.problem:
            on_bad(BadRecord(table.problem, origin=Origin(file, line), raw=table.latest))
        elif row:
            yield line, row


class TableRows:
    """Iterate over rows and the lines they start on; `problem` and `raw` are about the latest one."""

    def __init__(self, path: str | Path, delimiter: str) -> None:
        self.problem = ""
        self.raw: list[bytes] = []
        self.line = 0
        self.size = 0  # of `raw`
        self.path = path
        self.delimiter = delimiter
        self.lines = lines(path)
        self.rows = csv.reader(self._texts(), delimiter=delimiter, strict=True)

    @property
    def latest(self) -> bytes:
        """Return the latest row as it stands in the file."""
        return b"".join(self.raw).rstrip(b"\r\n")

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        return self

    def __next__(self) -> tuple[int, list[str]]:
        self.problem = ""
        self.raw.clear()
        start = self.line + 1
        with _limit_changes:  # the limit belongs to the process, so it is put back after every row
            before = csv.field_size_limit(LARGEST_CELL)
            try:
                return start, next(self.rows)
            except csv.Error as error:
                told = next((words for text, words in TOLD.items() if text in str(error)), str(error))
                self.problem = self.problem or f"broken row: {told}"
                return start, []
            finally:
                csv.field_size_limit(before)

    def _texts(self) -> Iterator[str]:
        for number, line in self.lines:
            self.line = number
            self.raw.append(line)
            self.size = self.size + len(line) if len(self.raw) > 1 else len(line)
            if self.size > LONGEST:
                raise BadInput(f"{self.path}:{number}: a row longer than {LONGEST:,} bytes ends here, or later")
            try:
                text = utf8(line)
                if "\0" in text:
                    raise BadInput(f"NUL byte at position {line.index(0) + 1}")
            except BadInput as error:
                self.problem = self.problem or f"{error} of line {number}"
                text = line.replace(b"\0", b"").decode("utf-8", "replace")
            yield text


def read_header(file: str, table: TableRows, *, numbered: bool = False) -> list[str]:
    """Return the names of a table's columns, from its first row; raise BadInput where that has none.

    With `numbered`, the first may have none: data frames write the numbers of their rows so.
    """
    line, header = next(((line, row) for line, row in table if row or table.problem), (1, []))
    problem = table.problem
    if not header:
        problem = problem or "no header row"
    elif "" in (named := header[1:] if numbered else header):
        problem = problem or f"column {len(header) - len(named) + named.index('') + 1} has no name"
    elif len(set(header)) < len(header):
        twice = Counter(header).most_common(1)[0][0]
        problem = problem or f"two columns are named {shown(twice)}"
    if problem:
        raise BadInput(f"{file}:{line}: {problem}")
    return header


def _reader(name: str, delimiter: str, suffixes: tuple[str, ...]) -> Reader:
    return Reader(
        name=name,
        about=f"a table with a header row, {'comma' if delimiter == ',' else 'tab'}-separated",
        sources="files ending in " + ", ".join(suffixes),
        recognises=lambda source: suffix(source) in suffixes,
        read=lambda source, keys, on_bad: read_delimited(
            source, delimiter=delimiter, fields=keys.fields, id_key=keys.id_key, on_bad=on_bad
        ),
        takes_keys=True,
    )


CSV_READER = _reader("csv", ",", (".csv",))
TSV_READER = _reader("tsv", "\t", TAB_SUFFIXES)
