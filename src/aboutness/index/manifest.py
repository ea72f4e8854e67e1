"""What an index consists of at one moment: the rows of `index.db`, read and written as one record.

Everything large lies in immutable files; the database names them. A commit is one SQLite transaction that
replaces these rows, so a reader finds the old generation or the new one and nothing between. A seal over all
rows makes any change to them that no commit made show.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aboutness.core.errors import DamagedIndex, FormatMismatch

FORMAT = 1
APPLICATION = 0x61626F75  # "abou": marks the database as ours

SCHEMA = """
BEGIN;
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE field (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, weight REAL NOT NULL);
CREATE TABLE layer (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, analyzer TEXT NOT NULL);
CREATE TABLE segment (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, documents INTEGER NOT NULL,
  dead BLOB NOT NULL);
CREATE TABLE file (name TEXT PRIMARY KEY, owner TEXT NOT NULL, role TEXT NOT NULL, bytes INTEGER NOT NULL,
  checksum INTEGER NOT NULL, UNIQUE (owner, role));
CREATE TABLE artefact (name TEXT PRIMARY KEY, kind TEXT NOT NULL, parameters TEXT NOT NULL, seed INTEGER,
  generation INTEGER NOT NULL, created TEXT NOT NULL);
COMMIT;
"""
COLUMNS = {"setting": 2, "field": 3, "layer": 3, "segment": 4, "file": 5, "artefact": 6}

Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class FileEntry:
    """One immutable file in `arrays/`."""

    name: str
    bytes: int
    checksum: int


@dataclass(frozen=True)
class SegmentEntry:
    """Some neighbouring documents: their files by role, and which of them are dead (int32, ascending)."""

    name: str
    documents: int
    files: Mapping[str, FileEntry]
    dead: bytes = b""


@dataclass(frozen=True)
class ArtefactEntry:
    """Something trained, with how, from what and when."""

    name: str
    kind: str
    parameters: Mapping[str, Any]
    seed: int | None
    generation: int
    created: str
    file: FileEntry


@dataclass(frozen=True)
class Manifest:
    """Everything an index consists of."""

    generation: int = 0
    created: str = ""
    software: str = ""
    fields: Mapping[str, float] = field(default_factory=dict)  # name -> weight
    layers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # name -> analyzer
    segments: tuple[SegmentEntry, ...] = ()
    artefacts: Mapping[str, ArtefactEntry] = field(default_factory=dict)
    arrivals: int = 0  # documents that ever came

    def entries(self) -> list[FileEntry]:
        """Return all files the index needs."""
        of_segments = [entry for segment in self.segments for entry in segment.files.values()]
        return of_segments + [artefact.file for artefact in self.artefacts.values()]

    def files(self) -> set[str]:
        """Return the names of all files the index needs."""
        return {entry.name for entry in self.entries()}


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of a new index."""
    connection.executescript(SCHEMA)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def save_manifest(connection: sqlite3.Connection, manifest: Manifest) -> None:
    """Replace all rows by those of `manifest`; the caller holds the transaction."""
    for table in COLUMNS:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names are ours
    rows = _to_rows(manifest)
    rows["setting"].append(("seal", _seal(rows)))
    for table, of_table in rows.items():
        marks = ", ".join("?" * COLUMNS[table])
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", of_table)  # noqa: S608 - the names are ours


def _to_rows(manifest: Manifest) -> Rows:
    """Return the rows of all tables, but for the seal."""
    settings = {name: getattr(manifest, name) for name in ("generation", "arrivals", "created", "software")}
    files = [(e.name, s.name, role, e.bytes, e.checksum) for s in manifest.segments for role, e in s.files.items()]
    files += [
        (a.file.name, a.name, "artefact", a.file.bytes, a.file.checksum) for a in manifest.artefacts.values()
    ]
    return {
        "setting": [(key, str(value)) for key, value in settings.items()],
        "field": [(i, name, float(weight)) for i, (name, weight) in enumerate(manifest.fields.items())],
        "layer": [(i, name, json.dumps(analyzer)) for i, (name, analyzer) in enumerate(manifest.layers.items())],
        "segment": [(i, s.name, s.documents, s.dead) for i, s in enumerate(manifest.segments)],
        "file": files,
        "artefact": [
            (a.name, a.kind, json.dumps(a.parameters), a.seed, a.generation, a.created)
            for a in manifest.artefacts.values()
        ],
    }


def _seal(rows: Rows) -> str:
    """Return a checksum over all rows, but for that of the seal itself."""
    sealed = {**rows, "setting": [row for row in rows["setting"] if row[0] != "seal"]}
    plain = {
        table: sorted(json.dumps(row, default=bytes.hex) for row in of_table) for table, of_table in sealed.items()
    }
    return f"{zlib.crc32(json.dumps(plain).encode()):08x}"


def load_manifest(connection: sqlite3.Connection) -> Manifest:
    """Read everything in one short transaction; raise where it is not ours, too new, or damaged."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application == APPLICATION and version > FORMAT:
        raise FormatMismatch(
            f"the index has format {version}; this version of aboutness reads up to {FORMAT}: upgrade aboutness"
        )
    if application != APPLICATION:
        raise DamagedIndex("index.db is not the database of an aboutness index")
    connection.execute("BEGIN")
    try:
        rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in COLUMNS}  # noqa: S608
    finally:
        connection.execute("ROLLBACK")
    try:
        if _seal(rows) != dict(rows["setting"])["seal"]:
            raise DamagedIndex("the rows of index.db were changed by something other than aboutness")
        return _from_rows(rows)
    except (KeyError, ValueError, TypeError, OverflowError, MemoryError, AttributeError) as error:
        raise DamagedIndex(f"the rows of index.db do not fit together: {error!r}") from None


def _from_rows(rows: Rows) -> Manifest:
    settings: dict[str, str] = dict(rows["setting"])
    files: dict[str, dict[str, FileEntry]] = {}
    for name, owner, role, size, checksum in rows["file"]:
        if "/" in name or "\0" in name or name in ("", ".", ".."):  # it would lie elsewhere than in the index
            raise ValueError(f"no name of a file: {name!r}")
        files.setdefault(owner, {})[role] = FileEntry(name, size, checksum)
    return Manifest(
        generation=int(settings["generation"]),
        arrivals=int(settings["arrivals"]),
        created=settings["created"],
        software=settings["software"],
        fields={name: weight for _, name, weight in sorted(rows["field"])},
        layers={name: json.loads(analyzer) for _, name, analyzer in sorted(rows["layer"])},
        segments=tuple(
            SegmentEntry(name, documents, files[name], bytes(dead))
            for _, name, documents, dead in sorted(rows["segment"])
        ),
        artefacts={
            name: ArtefactEntry(
                name, kind, json.loads(parameters), seed, generation, created, files[name]["artefact"]
            )
            for name, kind, parameters, seed, generation, created in rows["artefact"]
        },
    )
