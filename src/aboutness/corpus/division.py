"""Sources cut into parts of about equal size that can be read by themselves, in the same order.

Small files stay whole. JSON lines that are not packed are cut between two lines. Another source that is much
larger than a part is cut between two records: all its records are read once to count them, and each part then
reads what stands before it once more; so many files are better than one large one that is packed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document
from aboutness.core.rejects import OnBad
from aboutness.corpus import beir
from aboutness.corpus.files import BUFFER, GZIP, LONGEST, files_below, open_bytes, suffix
from aboutness.corpus.jsonl import read_jsonl
from aboutness.corpus.keys import Keys
from aboutness.corpus.read import READERS, guess, read
from aboutness.corpus.tables import LINES

NAMED = ("stdlib", "ir-datasets", "synthetic")  # sources that are no files
WHOLE = 0.25  # of a part: smaller files are not cut
RELUCTANT = 1.5  # parts: other sources are not cut unless they are larger

Count = Callable[["Piece"], int]


@dataclass(frozen=True)
class Piece:
    """Some neighbouring documents of a source: all, one file of a folder, or some bytes or records of those."""

    source: str
    reader: str
    file: str = ""
    span: tuple[int, int] | None = None
    records: tuple[int, int | None] | None = None
    stamp: tuple[int, int] = (0, 0)  # bytes, and when they changed last: another stamp is another piece

    @cached_property
    def path(self) -> str:
        """Return the file or folder that is read."""
        return self.file or self.source

    @property
    def has_lines(self) -> bool:
        """Tell whether the piece is a file that may be cut between any two lines."""
        lined = self.reader == "jsonl" or (self.reader == "tables" and suffix(self.file) in LINES)
        if not lined or not Path(self.path).is_file():
            return False
        with Path(self.path).open("rb") as file:
            return file.read(2) != GZIP and Path(self.path).suffix.lower() != ".gz"

    def check_unchanged(self) -> None:
        """Raise where the file or folder is not what it was when it was divided."""
        if self.stamp != (0, 0) and _stamp(Path(self.path)) != self.stamp:
            raise BadInput(f"{self.path} was changed while it was read; run the same command again")

    def documents(self, keys: Keys, on_bad: OnBad) -> Iterator[Document]:
        """Read the documents. Line numbers of some bytes count from their start (see `lines_before`)."""
        reader = READERS[self.reader]
        if self.span is not None:
            return read_jsonl(self.path, fields=keys.fields, id_key=keys.id_key, on_bad=on_bad, span=self.span)
        if self.records is not None:
            return _some(replace(self, records=None), *self.records, keys, on_bad)
        if self.file and reader.read_file is not None:
            return reader.read_file(self.source, Path(self.file), keys, on_bad)
        return reader.read(self.path, keys, on_bad)


def divided(
    sources: Sequence[str],
    format: str | None,  # noqa: A002 - the word users know
    keys: Keys,
    count: int,
    counted: Count,
) -> list[list[Piece]]:
    """Return at most `count` parts of the sources; `counted` tells how many records a piece has."""
    pieces = [piece for source in sources for piece in _pieces(source, format, keys)]
    sizes = [piece.stamp[0] for piece in pieces]
    if not sum(sizes):  # of sources that are no files nobody knows the size
        sizes = [counted(piece) for piece in pieces]
    total, start = sum(sizes), 0
    bounds = [total * i // count for i in range(1, count)]
    parts: list[list[Piece]] = [[] for _ in range(count)]
    for piece, size in zip(pieces, sizes, strict=True):
        inside = [bound - start for bound in bounds if start < bound < start + size]
        enough = total / count * (WHOLE if inside and piece.has_lines else RELUCTANT)
        if inside and size > enough:
            first = bisect_right(bounds, start)
            for place, some in enumerate(_cut(piece, size, inside, counted), first):
                parts[place] += [some] if some is not None else []
        else:
            parts[bisect_right(bounds, start + size // 2)].append(piece)
        start += size
    return [part for part in parts if part]


def lines_before(piece: Piece) -> int:
    """Return how many lines of its file stand before some bytes of it."""
    if piece.span is None:
        return 0
    left, count = piece.span[0], 0
    with open_bytes(piece.path) as file:
        while left and (block := file.read(min(left, BUFFER))):
            left -= len(block)
            count += block.count(b"\n")
    return count


def _pieces(source: str, format: str | None, keys: Keys) -> Iterator[Piece]:  # noqa: A002
    """Yield the files of a source, or the source where it cannot be read file by file."""
    read(source, format=format, fields=keys.fields, id_key=keys.id_key)  # raises where this is not allowed
    reader = READERS[format] if format is not None else guess(source)
    if reader.name in NAMED:
        yield Piece(source, reader.name)
        return
    source = str(Path(source).absolute())
    if reader.name == "beir" and (corpus := beir.corpus_file(source)):
        yield Piece(source, "jsonl", str(corpus), stamp=_stamp(corpus))
    elif reader.files is not None and Path(source).is_dir():
        files = list(reader.files(source))
        yield from (Piece(source, reader.name, str(file), stamp=_stamp(file)) for file in files)
        if not files:
            yield Piece(source, reader.name)
    else:
        yield Piece(source, reader.name, stamp=_stamp(Path(source)))


def _stamp(path: Path) -> tuple[int, int]:
    """Return the size of a file, or of all files of a folder, and when it changed last."""
    stats = [file.stat() for file in (files_below(path) if path.is_dir() else [path]) if file.exists()]
    return sum(stat.st_size for stat in stats), max((stat.st_mtime_ns for stat in stats), default=0)


def _cut(piece: Piece, size: int, places: Sequence[int], counted: Count) -> Iterator[Piece | None]:
    """Yield the piece in parts that end at about these places; None for a part without anything in it."""
    if piece.has_lines:
        edges = [0, *(_line_start(piece.path, place) for place in places), size]
        for first, last in pairwise(edges):
            yield replace(piece, span=(first, last)) if first < last else None
        return
    count = counted(piece)
    ends = [count * place // size for place in places]
    for begin, end in pairwise([0, *ends]):
        yield replace(piece, records=(begin, end)) if begin < end else None
    yield replace(piece, records=(ends[-1], None))  # with what is bad behind the last record


def _line_start(path: str, place: int) -> int:
    """Return where the first line starts that does not start before a place."""
    with open_bytes(path) as file:
        file.seek(place - 1)
        return place - 1 + len(file.readline(LONGEST + 1))


def _some(piece: Piece, first: int, last: int | None, keys: Keys, on_bad: OnBad) -> Iterator[Document]:
    """Read from record `first` up to `last`; what is bad belongs to the record that follows it."""
    at = 0

    def if_here(error: BadRecord) -> None:
        if at >= first:
            on_bad(error)

    for document in piece.documents(keys, if_here):
        if at >= first:
            yield document
        at += 1
        if at == last:
            return
