"""Indexes of an experiment: in memory or, so that it can go on after it was interrupted, in a folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from aboutness.app.index import Index
from aboutness.core.errors import IndexBusy, IndexProblem, NotFound
from aboutness.index import disk
from aboutness.index.lock import WriterLock, is_locked

INDEX = "kept.index"
LEFT_OVER = 30 * 24 * 3600  # seconds after which an index is removed with which no experiment went on


@dataclass
class KeptIndexes:
    """Makes indexes, each under a key of all that it depends on; the last one is held.

    One that is kept in a folder is this process's alone, by a lock; another process has its own in memory.
    """

    folder: Path | None = None  # None: all are in memory
    locked: dict[Path, WriterLock] = field(default_factory=dict)
    held: dict[str, Index] = field(default_factory=dict)

    def get(
        self,
        key: str,
        make: Callable[[Path | None], Index],
        prepare: Callable[[Index], object],
    ) -> Index:
        """Return the index with a key; if it is not there, made at a place (None: in memory) and prepared."""
        if key not in self.held:
            self.held.clear()
            index = self._on_disk(key[:32], make) or make(None)
            prepare(index)
            self.held[key] = index
        return self.held[key]

    def remove(self) -> None:
        """Remove what was kept: the experiment is done."""
        for place in self.locked:
            disk.remove(place)
        self.release()

    def release(self) -> None:
        """Leave what was kept to whoever comes next."""
        self.held.clear()
        for lock in self.locked.values():
            lock.release()
        self.locked.clear()

    def _on_disk(self, name: str, make: Callable[[Path], Index]) -> Index | None:
        """Return the index of an experiment that was interrupted, or a new one; None where another has it."""
        if self.folder is None:
            return None
        place = self.folder / name
        with disk.reporting("make the folder", place):
            place.mkdir(parents=True, exist_ok=True)
        for other in self.folder.iterdir():
            with suppress(FileNotFoundError):  # another process has removed its own
                if other != place and time.time() - other.stat().st_mtime > LEFT_OVER and not is_locked(other):
                    disk.remove(other)
        try:
            self.locked[place] = WriterLock(place)
        except IndexBusy:
            return None
        return _whole(place / INDEX) or make(place / INDEX)


def _whole(path: Path) -> Index | None:
    """Return the index that lies there; one that is damaged is removed."""
    if not path.exists():
        return None
    try:
        return Index.open(path, verify=True)
    except (IndexProblem, NotFound):
        disk.remove(path)
        return None
