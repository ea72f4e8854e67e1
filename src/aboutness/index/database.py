"""Connections to `index.db`: one for the writer, short-lived ones for readers."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from aboutness.core.errors import DamagedIndex, IndexBusy, NoIndex, StorageError
from aboutness.index import disk
from aboutness.index.manifest import Manifest, create_tables, load_manifest, save_manifest

T = TypeVar("T")

NAME = "index.db"
PATIENCE_S = 30.0  # a commit holds readers up for the few milliseconds in which its pages are written


def read_manifest(folder: Path) -> Manifest:
    """Read what the index consists of now."""
    path = folder / NAME
    with disk.reporting("read", path):
        if not path.is_file():
            raise _no_index(folder)
    with _reporting(path):
        return _read(folder, load_manifest)


def _read(folder: Path, use: Callable[[sqlite3.Connection], T]) -> T:
    """Use a short-lived connection to the database of a folder."""
    try:
        with contextlib.closing(_connect(folder / NAME, "rw")) as connection:
            return use(connection)
    except sqlite3.OperationalError:
        # A commit was cut short by a kill and this folder cannot be written: roll it back in a copy.
        if not (folder / f"{NAME}-journal").exists():
            raise
        with tempfile.TemporaryDirectory() as copy:
            for name in (NAME, f"{NAME}-journal"):
                shutil.copyfile(folder / name, Path(copy) / name)
            with contextlib.closing(_connect(Path(copy) / NAME, "rw")) as connection:
                return use(connection)


class ManifestStore:
    """The writer's connection: reads the manifest and replaces it in one transaction."""

    def __init__(self, folder: Path, *, durable: bool, create: bool = False) -> None:
        self._path = folder / NAME
        with _reporting(self._path):
            self._connection = _connect(self._path, "rwc" if create else "rw")
            self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.execute(f"PRAGMA synchronous = {'EXTRA' if durable else 'OFF'}")
            if create:
                create_tables(self._connection)

    def load(self) -> Manifest:
        """Read the manifest."""
        with _reporting(self._path):
            return load_manifest(self._connection)

    def save(self, manifest: Manifest) -> None:
        """Replace the manifest; when this returns it is durable, when it raises nothing has changed.

        There is one exception: a disk that fails at the very last sync, when the change is there but may be lost.
        """
        with _reporting(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                save_manifest(self._connection, manifest)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def database_problems(folder: Path) -> list[str]:
    """Return what SQLite finds wrong with the database of a folder."""
    try:
        rows = _read(folder, lambda connection: connection.execute("PRAGMA integrity_check").fetchall())
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return [f"{NAME}: {error}"]
    return [f"{NAME}: {row[0]}" for row in rows if row[0] != "ok"]


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(bytes(path.absolute()))}?mode={mode}"  # bytes: a name need not be UTF-8
    return sqlite3.connect(uri, uri=True, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False)


@contextlib.contextmanager
def _reporting(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise DamagedIndex(f"{path} is damaged: {error}") from error
    except sqlite3.DatabaseError as error:
        problem = str(error)
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_IOERR,
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_CANTOPEN,
        ):
            advice = "; free some space and run the command again" if code == sqlite3.SQLITE_FULL else ""
            raise StorageError(f"cannot use {path}: {problem}{advice}") from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise IndexBusy(f"{path} is locked by another process; try again in a moment") from error
        raise DamagedIndex(f"{path} is damaged: {problem}") from error


def _no_index(folder: Path) -> NoIndex:
    if not folder.exists():
        problem = f"there is no index at {folder}; make one with: aboutness index SOURCE -o {folder}"
    else:
        problem = f"{folder} is not an aboutness index (it holds no {NAME})"
        problem += "; make one with: aboutness index SOURCE -o DIR"
    return NoIndex(problem, folder=folder)
