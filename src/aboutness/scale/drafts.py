"""The first half of building a shard: its documents as an index of their own, by the code that makes any index.

Shards know nothing of one another here, so each numbers its terms and its fields by itself (see `finals`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from aboutness.core.errors import BadRecord
from aboutness.core.record import Document, Origin
from aboutness.corpus.division import Piece, lines_before
from aboutness.corpus.keys import Keys
from aboutness.index import disk
from aboutness.index.intake import spelled
from aboutness.index.writer import TAKEN, IndexWriter
from aboutness.scale.workplace import Record, digest_of, done_once
from aboutness.text.analyzer import Analyzer

INDEX = "index"
BAD = "bad.jsonl"


@dataclass(frozen=True)
class Making:
    """How documents become an index: analyzers by layer, weights by field, and keys of id and text."""

    analyzers: Mapping[str, Any]
    weights: Mapping[str, float]
    keys: Keys


@dataclass(frozen=True)
class Draft:
    """A shard to be made of some pieces, without documents whose ids stand in shards before it."""

    folder: str
    pieces: Sequence[Piece]
    making: Making
    stops: bool  # at the first bad record
    taken: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()  # in the order of the whole, where the shard would have found another one

    @property
    def name(self) -> str:
        """Return what the work is called: whether it stops at bad records does not change what is finished."""
        return f"draft-{digest_of(self.pieces, self.making, self.taken, self.fields)}"


def draft(wanted: Draft) -> Record:
    """Make the index of one shard, unless that is finished."""
    return done_once(Path(wanted.folder), wanted.name, lambda folder: _make(wanted, folder))


def count(piece: Piece, folder: str, keys: Keys) -> Record:
    """Count the records of a piece, the bad ones left out, unless that is done."""
    name = f"count-{digest_of(piece, keys)}"
    return done_once(Path(folder), name, lambda _: {"records": sum(1 for _ in piece.documents(keys, _pass_over))})


def bad_records(folder: Path, name: str) -> Iterator[BadRecord]:
    """Yield what could not be used of a finished shard."""
    path = folder / name / BAD
    if path.exists():
        with path.open(encoding="ascii") as file:
            for line in file:
                entry = json.loads(line)
                raw = entry["raw"].encode("latin-1") if entry["bytes"] else entry["raw"]
                yield BadRecord(entry["problem"], origin=Origin(*entry["origin"]), raw=raw)


def _make(wanted: Draft, folder: Path) -> Record:
    making, taken = wanted.making, frozenset(wanted.taken)
    analyzers = {name: Analyzer.from_json(dict(plain)) for name, plain in making.analyzers.items()}
    with _Noted(folder / BAD, wanted) as on_bad:

        def documents() -> Iterator[Document]:
            for piece in wanted.pieces:
                for document in piece.documents(making.keys, on_bad):
                    if document.id in taken:
                        on_bad(_duplicate(document))
                    else:
                        yield document

        weights = {name: making.weights.get(name, 1.0) for name in wanted.fields} or making.weights
        with IndexWriter.create(folder / INDEX, analyzers, weights) as writer:
            added = writer.add(documents(), on_bad=on_bad).added
            for piece in wanted.pieces:  # what it is called by is what it was made of
                piece.check_unchanged()
            writer.commit()
            used = writer.fields_used
    return {"documents": added, "used": used, "bad": on_bad.count}


class _Noted:
    """Takes bad records: raises, or writes them down with the lines that they have in the whole file."""

    def __init__(self, path: Path, wanted: Draft) -> None:
        self.count = 0
        self._path = path
        self._stops = wanted.stops
        self._cut = {piece.path: piece for piece in wanted.pieces if piece.span}
        self._before: dict[str, int] = {}
        self._file: IO[str] | None = None

    def __call__(self, error: BadRecord) -> None:
        error = self._placed(error)
        if self._stops:
            raise error
        self.count += 1
        raw = error.raw.decode("latin-1") if isinstance(error.raw, bytes) else error.raw
        entry = {"problem": error.problem, "origin": error.origin, "raw": raw, "bytes": raw is not error.raw}
        with disk.reporting("write", self._path):
            if self._file is None:
                self._file = self._path.open("x", encoding="ascii")
            self._file.write(json.dumps(entry) + "\n")

    def _placed(self, error: BadRecord) -> BadRecord:
        origin = error.origin
        if origin is None or origin.file not in self._cut:
            return error
        if origin.file not in self._before:
            self._before[origin.file] = lines_before(self._cut[origin.file])
        moved = Origin(origin.file, origin.line + self._before[origin.file])
        return BadRecord(error.problem, origin=moved, raw=error.raw)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._file is not None:
            with disk.reporting("write", self._path), self._file:
                self._file.flush()
                os.fsync(self._file.fileno())


def _duplicate(document: Document) -> BadRecord:
    return BadRecord(f"the id {document.id!r} {TAKEN}", origin=document.origin, raw=spelled(document))


def _pass_over(_: BadRecord) -> None:
    """Do nothing: it is told when the record is wanted."""
