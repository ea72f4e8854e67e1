"""A copy of an index at another place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aboutness.app.build import check_free, place_beside
from aboutness.core.errors import UsageError
from aboutness.index import disk
from aboutness.index.copying import copy_newest
from aboutness.index.database import NAME as DATABASE
from aboutness.index.lock import WriterLock
from aboutness.index.manifest import Manifest


def copy_to(folder: Path, target: Path) -> Manifest:
    """Copy the newest generation to a free place; nothing stands there before all is on the disk."""
    if (target / DATABASE).exists():
        raise UsageError(f"there is an index at {target} already; choose another place, or remove it first")
    if target.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            f"{target} lies in the index {folder} itself, where a copy would not last; choose another place"
        )
    check_free(target)
    copying = place_beside(target)
    disk.make_folder(copying)
    with _locked(copying):
        try:
            manifest = copy_newest(folder, copying)
            disk.move(copying, target)
            disk.sync_folder(target.absolute().parent)
        except BaseException:
            disk.remove(copying)
            raise
    return manifest


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder that is being made, so that nobody takes it for one that was left."""
    lock = WriterLock(folder)
    try:
        yield
    finally:
        lock.release()
