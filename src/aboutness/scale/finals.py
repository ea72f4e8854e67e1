"""The second half of building a shard: its segments with the terms and fields of the whole index."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from aboutness.index.manifest import FileEntry, SegmentEntry
from aboutness.index.merge import SHARD
from aboutness.index.renumbered import renumbered_roles
from aboutness.index.snapshot import Snapshot
from aboutness.index.working import write_roles
from aboutness.scale.drafts import INDEX
from aboutness.scale.numbering import ShardNumbers
from aboutness.scale.workplace import Record, digest_of, done_once


@dataclass(frozen=True)
class Final:
    """A drafted shard that gets its place in the whole."""

    folder: str
    draft: str
    numbers: str  # the file with the numbers of its terms
    places: tuple[int, ...]  # of its fields
    arrived: int  # documents before it
    shard: int

    @property
    def name(self) -> str:
        """Return what the work is called."""
        return f"final-{digest_of(self.draft, self.numbers, self.places, self.arrived, self.shard)}"


def finish(wanted: Final) -> Record:
    """Write the files of one shard as they stand in the whole, unless that is done."""
    return done_once(Path(wanted.folder), wanted.name, lambda folder: _write(wanted, folder))


def entries_of(record: Record) -> Iterator[SegmentEntry]:
    """Yield the segments of a finished shard."""
    for entry in record["segments"]:
        files = {role: FileEntry(**file) for role, file in entry["files"].items()}
        yield SegmentEntry(entry["name"], entry["documents"], files)


def _write(wanted: Final, folder: Path) -> Record:
    drafted = Snapshot.open(Path(wanted.folder) / wanted.draft / INDEX)
    numbers = ShardNumbers(Path(wanted.folder) / wanted.numbers)
    places, arrived = np.array(wanted.places, np.int64), wanted.arrived
    segments = []
    for place, segment in enumerate(drafted.segments):
        name = (
            f"{SHARD}{wanted.shard:05d}-{place}-{secrets.token_hex(4)}"  # another one each time: never used again
        )
        roles = renumbered_roles(segment, numbers.of(segment, place), places, arrived)
        files = write_roles(folder, name, roles, durable=True)
        segments.append(
            {"name": name, "documents": len(segment), "files": {r: asdict(f) for r, f in files.items()}}
        )
        arrived += len(segment)
    return {"segments": segments}
