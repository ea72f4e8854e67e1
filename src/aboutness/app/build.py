"""Making an index from records: at a new place, in memory, or in place of another."""

from __future__ import annotations

import glob
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.core.rejects import OnBad
from aboutness.index import disk, lock
from aboutness.index.intake import Record
from aboutness.index.writer import Added, IndexWriter, Progress
from aboutness.text.analyzer import Analyzer

Records: TypeAlias = Iterable[Record]


@dataclass(frozen=True)
class Build:
    """What an index is made of, and how."""

    records: Records
    analyzers: Mapping[str, Analyzer]
    weights: Mapping[str, float]
    on_bad: OnBad
    progress: Progress | None

    def in_memory(self, target: Path) -> Added:
        """Build in a folder that nobody needs to survive."""
        with IndexWriter.create(target, self.analyzers, self.weights, durable=False) as writer:
            return self._fill(writer)

    def at(self, target: Path) -> Added:
        """Build in a folder beside the target, and give it its name when all is on the disk."""
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise UsageError(f"{target} is there already and is not an index; choose another place")
        parent = target.absolute().parent
        disk.make_durable_folder(parent)
        prefix = f".{target.name}.building-"
        for left in parent.glob(f"{glob.escape(prefix)}*"):
            if left.is_dir() and not lock.is_locked(left):
                disk.remove(left)
        building = parent / f"{prefix}{secrets.token_hex(4)}"
        try:
            with IndexWriter.create(building, self.analyzers, self.weights) as writer:
                added = self._fill(writer)
                disk.sync_folder(building)
                disk.move(building, target)
                disk.sync_folder(parent)
        except BaseException:
            disk.remove(building)
            raise
        return added

    def instead_of(self, target: Path, *, overwrite: bool) -> Added:
        """Replace everything in an index by one commit; readers keep the old generation until they refresh."""
        if not overwrite:
            raise UsageError(
                f"there is an index at {target} already; add to it (aboutness add {target} …), or replace it with "
                "overwrite (--overwrite)"
            )
        try:
            writer = IndexWriter(target)
        except DamagedIndex:
            return self._instead_of_damaged(target)
        with writer:
            writer.start_over(self.analyzers, self.weights)
            return self._fill(writer)

    def _instead_of_damaged(self, target: Path) -> Added:
        """Build anew beside what cannot be opened, and change places only when all is on the disk."""
        parent, mark = target.absolute().parent, secrets.token_hex(4)
        new, old = parent / f".{target.name}.new-{mark}", parent / f".{target.name}.damaged-{mark}"
        added = self.at(new)
        disk.move(target, old)
        disk.move(new, target)
        disk.sync_folder(parent)
        disk.remove(old)
        return added

    def _fill(self, writer: IndexWriter) -> Added:
        added = writer.add(self.records, on_bad=self.on_bad, progress=self.progress)
        writer.check_fields_used()
        writer.commit()
        return added
