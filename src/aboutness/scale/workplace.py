"""Where a long job keeps what is finished, so that it goes on from there when it is run again.

Each piece of work has a name: a digest of everything that decides its result. Its folder has that name only once
all that is in it is on the disk, with a record of checksums. So who finds the folder need not do the work again,
whoever did it, and work on other sources or with other options has another name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from aboutness._version import __version__
from aboutness.core.errors import StorageError
from aboutness.index import disk, lock

RECORD = "record.json"
PASSING = ".passing-"  # stands in the names of folders that are being made

Record = dict[str, Any]


def digest_of(*parts: object) -> str:
    """Return a name for work that depends on these values, and on the version of this package."""
    text = json.dumps([__version__, *parts], sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return str(value)


class Workplace:
    """A folder for the work on one target, beside it; one process works there at a time."""

    def __init__(self, target: Path) -> None:
        self.folder = target.absolute().parent / f".{target.name}.building"
        disk.make_durable_folder(self.folder)
        self._lock = lock.WriterLock(self.folder)
        for left in self.folder.glob(f"*{PASSING}*"):
            if not lock.is_locked(left):  # else somebody still works for a job that was killed
                disk.remove(left)

    def keep_only(self, names: set[str], pattern: str) -> None:
        """Remove what earlier jobs left for other sources or options: all but these names, and such as these."""
        names = names | {path.name for path in self.folder.glob(pattern)}
        for path in self.folder.iterdir():
            if path.name not in names and path.name != lock.NAME and PASSING not in path.name:
                disk.remove(path)

    def remove(self) -> None:
        """Remove everything: the work has reached its target."""
        disk.remove(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        with contextlib.suppress(OSError):
            if [path.name for path in self.folder.iterdir()] == [lock.NAME]:
                self.remove()  # nothing was finished
        self._lock.release()


def done_once(folder: Path, name: str, work: Callable[[Path], Mapping[str, Any]]) -> Record:
    """Return the record of some work, done now by `work(new folder)` unless it was finished before."""
    if (record := finished(folder / name)) is not None:
        return record
    passing = folder / f"{name}{PASSING}{secrets.token_hex(4)}"
    try:
        disk.make_folder(passing)
        # Held while we work, so that nobody takes what we make for something that a killed process left.
        held = lock.WriterLock(passing)
        try:
            made = {**work(passing), "files": _files(passing)}
        finally:
            held.release()
        (passing / lock.NAME).unlink(missing_ok=True)
        disk.write_new(passing / RECORD, [json.dumps(made).encode()], durable=True)
        disk.sync_folder(passing)
        try:
            disk.move(passing, folder / name)
        except StorageError:  # somebody else, who was taken for dead, may have finished it meanwhile
            if (record := finished(folder / name)) is None:
                raise
            return record
        disk.sync_folder(folder)
    finally:
        disk.remove(passing)
    return made


def finished(path: Path) -> Record | None:
    """Return the record of finished work; None, and remove it, where files are missing or were changed."""
    try:
        record: Record = json.loads((path / RECORD).read_bytes())
        sound = all(disk.checksum_of(path / name) == checksum for name, checksum in record["files"].items())
    except FileNotFoundError:
        sound = False
    except (ValueError, KeyError, TypeError, AttributeError):
        sound = False
    if not sound and path.exists():
        disk.remove(path)
    return record if sound else None


def _files(folder: Path) -> dict[str, int]:
    """Return the checksum of each file that was made, but for the lock."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != lock.NAME]
    return {path.relative_to(folder).as_posix(): disk.checksum_of(path) for path in files}
