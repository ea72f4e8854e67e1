"""SMART collections (Cranfield, CACM, CISI, MED): records that start with `.I` and have lettered sections.

Fields: `title` (.T) and `text` (.W). Metadata: `author` (.A), `bibliography` (.B), `keywords` (.K), `note`
(.N), `categories` (.C). Citations (.X) are left out. Line ends are blanks. A line with any other letter is
text. Records that are not UTF-8 are read as Latin-1. A source is one file or a folder tree of them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document, Origin, Query
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import LONGEST, files_below, lines, opening, suffix, utf8_or_latin1
from aboutness.corpus.reader import Reader
from aboutness.corpus.tree import is_tree_of, read_in_tree, read_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

METADATA = {"A": "author", "B": "bibliography", "K": "keywords", "N": "note", "C": "categories"}
SECTION = re.compile(rb"\.([TWABKNCX])\s*")
START = re.compile(rb"\.I(?:\s+\S+)?\s*")
SUFFIXES = (".all", ".smart")


class _Record(NamedTuple):
    id: str
    origin: Origin
    sections: dict[str, str]


def read_smart(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Document]:
    """Read the documents of a SMART file, or of all files below a folder."""
    return read_tree(path, _documents, on_bad)


def _documents(path: str | Path, on_bad: OnBad) -> Iterator[Document]:
    for record in _records(path, on_bad):
        title, text = record.sections.get("T", ""), record.sections.get("W", "")
        fields = {"title": title, "text": text} if title else {"text": text}
        metadata = {
            name: record.sections[letter] for letter, name in METADATA.items() if record.sections.get(letter)
        }
        yield Document(record.id, fields, metadata, record.origin)


def read_smart_queries(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Query]:
    """Read the queries of a SMART file; the text is section .W, or the title where there is none."""
    for record in _records(path, on_bad):
        text = record.sections.get("W") or record.sections.get("T")
        if text:
            yield Query(record.id, text)
        else:
            on_bad(BadRecord("the query has no text (.W)", origin=record.origin, raw=record.id))


def _records(path: str | Path, on_bad: OnBad) -> Iterator[_Record]:
    block: list[bytes] = []
    start, size = 1, 0
    for number, line in lines(path):
        if START.fullmatch(line):
            yield from _record(Origin(str(path), start), block, on_bad)
            block, start, size = [], number, 0
        elif not block and not line.strip():
            start = number + 1
            continue
        block.append(line)
        size += len(line)
        if size > LONGEST:
            raise BadInput(f"{path}:{start}: a record longer than {LONGEST:,} bytes starts here")
    yield from _record(Origin(str(path), start), block, on_bad)


def _record(origin: Origin, block: list[bytes], on_bad: OnBad) -> Iterator[_Record]:
    if not block:
        return
    raw = b"".join(block)
    name = utf8_or_latin1(block[0][2:]).strip()
    if not START.fullmatch(block[0]):
        on_bad(BadRecord("text before the first .I", origin=origin, raw=raw))
    elif not name:
        on_bad(BadRecord(".I without an id", origin=origin, raw=raw))
    else:
        yield _Record(name, origin, _sections(block[1:]))


def _sections(block: list[bytes]) -> dict[str, str]:
    sections: dict[str, list[bytes]] = {}
    current: list[bytes] = []
    for line in block:
        mark = SECTION.fullmatch(line)
        if mark:
            current = sections.setdefault(mark[1].decode(), [])
        else:
            current.append(line)
    return {letter: " ".join(utf8_or_latin1(b"".join(text)).split()) for letter, text in sections.items()}


def _recognises(source: str) -> bool:
    path = Path(source)
    if path.is_dir():
        return is_tree_of(path, SUFFIXES)
    return path.is_file() and (suffix(source) in SUFFIXES or opening(source).startswith(b".I "))


READER = Reader(
    name="smart",
    about="SMART collections: records with .I, .T and .W sections",
    sources="files ending in "
    + ", ".join(SUFFIXES)
    + ", files that start with .I, folders with files of these endings and no text or table files",
    recognises=_recognises,
    read=lambda source, _keys, on_bad: read_smart(source, on_bad=on_bad),
    files=files_below,
    read_file=lambda _source, file, _keys, on_bad: read_in_tree(file, _documents, on_bad),
)
