"""One way in to every format: say where the text is, and get documents."""

from __future__ import annotations

import errno
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.core.errors import BadInput, NotFound, UsageError, shown
from aboutness.core.registry import Registry
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus import (
    annotated,
    beir,
    delimited,
    folder,
    ir_datasets_source,
    jsonl,
    ntcir,
    rcv1,
    reuters,
    smart,
    stdlib_docs,
    synthetic,
    tables,
    trec,
)
from aboutness.corpus.endings import count_endings, told
from aboutness.corpus.files import files_below, suffix
from aboutness.corpus.keys import Keys
from aboutness.corpus.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aboutness.core.record import Document

READERS = Registry[Reader]("reader")
"""Every format, in the order in which a source is tried."""

OFFICE = frozenset(
    {".pdf", ".doc", ".docx", ".odt", ".rtf", ".epub", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods"}
)
SAVE_AS_TEXT = (
    "PDF and office files are not read; save them as text, HTML or CSV first (pdftotext does it for a PDF)"
)

WHOLE = ("beir", "reuters", "ntcir", "rcv1", "annotated")  # whose folders may hold files of other kinds besides

for _reader in (
    stdlib_docs.READER,
    ir_datasets_source.READER,
    synthetic.READER,
    beir.READER,
    reuters.READER,
    ntcir.READER,
    rcv1.READER,
    annotated.READER,
    jsonl.READER,
    delimited.CSV_READER,
    delimited.TSV_READER,
    trec.READER,
    smart.READER,
    folder.READER,
    tables.READER,
):
    READERS.register(_reader.name, _reader)


def read(
    source: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    fields: Sequence[str] | None = None,
    id_key: str | None = None,
    on_bad: OnBad = stop,
) -> Iterator[Document]:
    """Stream the documents of a source: a file, a folder, `stdlib`, `irds:NAME` or `synthetic:NUMBER`.

    Without `format` (a name in READERS) the first reader that recognises the source reads it; a folder
    `stdlib` is named `./stdlib`. `fields` and `id_key` name the keys of text and id where a format has such
    (`aboutness.corpus.keys`). Records that cannot be used go to `on_bad`, which may raise or go on.
    """
    name = str(source)
    if not name:
        raise UsageError("a source must have a name, got ''; the folder where one is has the name .")
    if isinstance(fields, str) or (fields is not None and not fields):
        raise UsageError(f"fields must be a list of one or more names, got {fields!r}")
    reader = READERS[format] if format is not None else guess(name)
    if (fields is not None or id_key is not None) and not reader.takes_keys:
        able = ", ".join(name for name, one in READERS.items() if one.takes_keys)
        raise UsageError(f"fields and id_key cannot be chosen for format {reader.name!r}, only for {able}")
    return reader.read(name, Keys(id_key, fields), on_bad)


def guess(source: str) -> Reader:
    """Return the reader that recognises a source, or say what was looked for."""
    try:
        return _guess(source)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise NotFound(f"{shown(source)}: no such file or folder: the name is too long for one") from None
        raise BadInput(f"{source}: cannot be read ({error.strerror or error})") from None


def _guess(source: str) -> Reader:
    named = (READERS["stdlib"], READERS["ir-datasets"], READERS["synthetic"])
    path = Path(source)
    if not any(reader.recognises(source) for reader in named) and not path.exists():
        raise NotFound(f"{source}: no such file or folder")
    if path.is_dir() and not any(READERS[name].recognises(source) for name in WHOLE):
        _refuse_mixture(source)
    try:
        found = next((reader for reader in READERS.values() if reader.recognises(source)), None)
    except BadInput:  # such as a packed one, which many office files are
        if suffix(source) in OFFICE:
            raise BadInput(_unread_file(source)) from None
        raise
    if found is None:
        raise BadInput(_unread_folder(source) if path.is_dir() else _unread_file(source))
    return found


def _unread_folder(source: str) -> str:
    endings = count_endings(files_below(source))
    there = f"; it has files ending in: {told(endings)}" if endings else ""
    able = ", ".join((*folder.FORMATS, *tables.LINES, *tables.TABLES))
    do = SAVE_AS_TEXT if OFFICE.intersection(endings) else "`aboutness formats` lists what can"
    return f"{source}: there is no file in it that can be read ({able}, …){there}; {do}"


def _unread_file(source: str) -> str:
    if suffix(source) in OFFICE:
        return f"{source}: {SAVE_AS_TEXT}"
    return (
        f"{source}: cannot tell the format; name it with --format (format= in Python), one of "
        f"{', '.join(READERS)}; `aboutness formats` says what each is"
    )


def _refuse_mixture(source: str) -> None:
    text, records = READERS["folder"], READERS["tables"]
    if text.recognises(source) and records.recognises(source):
        endings = count_endings(files_below(source))
        texts, others = (
            told(Counter({ending: endings[ending] for ending in some if ending in endings}))
            for some in (folder.FORMATS, (*tables.LINES, *tables.TABLES))
        )
        raise BadInput(
            f"{source}: holds both texts ({texts}) and tables ({others}); choose one with --format "
            f"(format= in Python): {text.name} (takes {text.about}) or {records.name} (takes {records.about}); "
            "what that leaves out can be added later, a file at a time: aboutness add"
        )
