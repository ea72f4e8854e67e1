"""Making an index from records: at a new place, in memory, or in place of another."""

from __future__ import annotations

import glob
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from aboutness.app.interrupted import told_if_committed
from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.core.rejects import OnBad, stop
from aboutness.frames.documents import documents_of
from aboutness.frames.frame import Frame, is_frame
from aboutness.index import disk, lock
from aboutness.index.database import NAME as DATABASE
from aboutness.index.intake import Record
from aboutness.index.snapshot import ARRAYS
from aboutness.index.writer import Added, IndexWriter, Progress
from aboutness.text.analyzer import Analyzer

Records: TypeAlias = Iterable[Record] | Frame


@dataclass(frozen=True)
class Build:
    """What an index is made of, and how."""

    analyzers: Mapping[str, Analyzer]
    weights: Mapping[str, float]
    fill: Callable[[IndexWriter], Added]  # puts the documents into an empty index

    def to(self, target: Path, *, overwrite: bool) -> Added:
        """Build at a new place or, with `overwrite`, in place of the index that is there."""
        there = (target / DATABASE).exists()
        return self.instead_of(target, overwrite=overwrite) if there else self.at(target)

    def in_memory(self, target: Path) -> Added:
        """Build in a folder that nobody needs to survive."""
        with IndexWriter.create(target, self.analyzers, self.weights, durable=False) as writer:
            return self._fill(writer)

    def at(self, target: Path) -> Added:
        """Build in a folder beside the target, and give it its name when all is on the disk."""
        check_free(target)
        return self._beside(target, lambda building: disk.move(building, target))

    def _beside(self, target: Path, put_in_place: Callable[[Path], None]) -> Added:
        """Build in a folder beside the target, let it be put in its place, and make that durable."""
        parent = target.absolute().parent
        building = place_beside(target)
        maker, is_built = os.getpid(), False
        try:
            with IndexWriter.create(building, self.analyzers, self.weights) as writer:
                # The names in `building` need no sync of ours: SQLite makes one when a commit ends (see EXTRA).
                added = self._fill(writer)
                is_built = True
                put_in_place(building)
                disk.sync_folder(parent)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and is_built and not building.exists():
                raise KeyboardInterrupt(f"the index is made, at {target}") from None
            if os.getpid() == maker:  # not one that was forked while records came
                disk.remove(building)
            raise
        return added

    def instead_of(self, target: Path, *, overwrite: bool) -> Added:
        """Replace everything in an index by one commit; readers keep the old generation until they refresh."""
        if not overwrite:
            raise UsageError(
                f"there is an index at {target} already; add to it (aboutness add {target} …), or replace it with "
                "--overwrite (overwrite=True in Python)"
            )
        try:
            writer = IndexWriter(target)
        except DamagedIndex:
            return self._instead_of_damaged(target)
        with told_if_committed(writer), writer:
            writer.start_over(self.analyzers, self.weights)
            return self._fill(writer)

    def _instead_of_damaged(self, target: Path) -> Added:
        """Build anew beside what cannot be opened, and change places only when all is on the disk."""
        old = _new_beside(target)

        def change_places(building: Path) -> None:
            disk.move(target, old)
            try:
                disk.move(building, target)
            except BaseException:
                if building.exists():  # an interrupt may come when it has its new name already
                    disk.move(old, target)
                raise

        try:
            return self._beside(target, change_places)
        finally:
            if target.exists():
                disk.remove(old)

    def _fill(self, writer: IndexWriter) -> Added:
        added = self.fill(writer)
        writer.check_fields_used()
        writer.commit()
        return added


def adding(
    records: Records, on_bad: OnBad = stop, progress: Progress | None = None
) -> Callable[[IndexWriter], Added]:
    """Return what fills an index with records."""
    return lambda writer: writer.add(records_of(records), on_bad=on_bad, progress=progress)


def records_of(records: Records) -> Iterable[Record]:
    """Return records as they are, or those that the rows of a data frame are."""
    return documents_of(records) if is_frame(records) else records


def _is_index(folder: Path) -> bool:
    return (folder / DATABASE).is_file() and (folder / ARRAYS).is_dir() and (folder / lock.NAME).is_file()


def check_free(target: Path) -> None:
    """Raise where something stands at a place already, but for an empty folder."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is there already and is not an index; choose another place")
    if around := next(filter(_is_index, target.resolve().parents), None):
        raise UsageError(
            f"{target} lies in the index {around}, which removes what is not its own; choose another place"
        )
    if target.is_symlink():  # nothing can be renamed to it
        raise UsageError(f"{target} is a link to {target.readlink()}; name the place itself, or remove the link")


def place_beside(target: Path) -> Path:
    """Return a new name beside a place, in a folder that is there; remove what was left under such names."""
    parent = target.absolute().parent
    disk.make_durable_folder(parent)
    for left in parent.glob(f"{glob.escape(_passing(target))}*"):
        if left.is_dir() and not lock.is_locked(left):
            disk.remove(left)
    return _new_beside(target)


def _passing(target: Path) -> str:
    """Return how the names of folders begin that are there only while an index is made."""
    return f".{target.name}.building-"


def _new_beside(target: Path) -> Path:
    return target.absolute().parent / f"{_passing(target)}{secrets.token_hex(4)}"
