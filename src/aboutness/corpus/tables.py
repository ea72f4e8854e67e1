"""A folder of JSON lines, CSV and TSV files, read one after another in the order of their names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.core.errors import BadInput
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.delimited import read_delimited
from aboutness.corpus.files import lies_within, suffix
from aboutness.corpus.jsonl import read_jsonl
from aboutness.corpus.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aboutness.core.record import Document

LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv")


def read_tables(
    folder: str | Path,
    *,
    fields: Sequence[str] | None = None,
    id_key: str | None = None,
    on_bad: OnBad = stop,
) -> Iterator[Document]:
    """Read the documents of all such files of a folder; not of hidden ones, in subfolders, or linked elsewhere."""
    files = _files(folder)
    if not files:
        raise BadInput(f"{folder}: no file ending in {', '.join(LINES + TABLES)} in this folder")
    for file in files:
        yield from read_table(file, fields=fields, id_key=id_key, on_bad=on_bad)


def read_table(
    file: Path, *, fields: Sequence[str] | None = None, id_key: str | None = None, on_bad: OnBad = stop
) -> Iterator[Document]:
    """Read the documents of one such file."""
    read = read_jsonl if suffix(file) in LINES else read_delimited
    return read(file, fields=fields, id_key=id_key, on_bad=on_bad)


def _files(folder: str | Path) -> list[Path]:
    path = Path(folder)
    found = path.iterdir() if path.is_dir() else ()
    return sorted(
        file
        for file in found
        if suffix(file) in LINES + TABLES
        and not file.name.startswith(".")
        and file.is_file()
        and lies_within(file, path)
    )


READER = Reader(
    name="tables",
    about="JSON lines, CSV and TSV files, a document a record",
    sources="folders with such files",
    recognises=lambda source: bool(_files(source)),
    read=lambda source, keys, on_bad: read_tables(source, fields=keys.fields, id_key=keys.id_key, on_bad=on_bad),
    takes_keys=True,
    files=_files,
    read_file=lambda _source, file, keys, on_bad: read_table(
        file, fields=keys.fields, id_key=keys.id_key, on_bad=on_bad
    ),
)
