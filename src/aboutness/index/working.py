"""The segments a writer works on: those that are committed, and those it has written since."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aboutness.core.advance import begin, did
from aboutness.core.errors import DamagedIndex
from aboutness.index import disk
from aboutness.index.arrays import Array, Blocks, write_arrays
from aboutness.index.builder import joined
from aboutness.index.layer import LayerWork, TokenStream
from aboutness.index.manifest import FileEntry, Manifest, SegmentEntry
from aboutness.index.merge import SHARD, is_shard, merged_roles
from aboutness.index.segment import Segment
from aboutness.index.snapshot import ARRAYS, Snapshot, open_segment
from aboutness.text.analyzer import Analyzer
from aboutness.text.batch import BatchAnalyzer
from aboutness.text.strings import StringTable, unpack

Arrays = Mapping[str, Array | Blocks]
MakeArrays = Callable[[], Arrays]
Packed = tuple[NDArray[np.uint8], NDArray[np.int64]]

SUFFIX = ".safetensors"
BATCH_CELLS = 1 << 14


class WorkingSegments:
    """Mapped segments and their entries for the next manifest, kept in step."""

    def __init__(self, folder: Path, manifest: Manifest, *, durable: bool) -> None:
        self.folder = folder
        self.layers = list(manifest.layers)
        self._durable = durable
        try:
            # Artefacts are left alone: one that is damaged must not keep us from dropping it.
            opened = Snapshot.of_manifest(folder, replace(manifest, artefacts={}))
        except FileNotFoundError as error:
            raise DamagedIndex(f"a file of the index is missing: {error.filename}") from None
        self.segments: list[Segment] = list(opened.segments)
        self.entries: list[SegmentEntry] = list(manifest.segments)

    def find(self, packed: Packed) -> NDArray[np.int64]:
        """Return the number of each packed id among living documents, or -1."""
        found = np.full(len(packed[1]), -1, np.int64)
        for segment in self.segments:
            here = segment.find_live(*packed)
            found[here >= 0] = here[here >= 0] + segment.first
        return found

    def kill(self, numbers: NDArray[np.int64]) -> None:
        """Mark documents as dead."""
        for i, segment in enumerate(self.segments):
            here = numbers[(numbers >= segment.first) & (numbers < segment.first + len(segment))] - segment.first
            if len(here):
                segment.dead = np.union1d(segment.dead, here).astype("<i4")
                self.entries[i] = replace(self.entries[i], dead=segment.dead.tobytes())

    def append(self, generation: int, roles: Mapping[str, MakeArrays], documents: int) -> None:
        """Write a new segment at the end."""
        name = _new_name(generation)
        entry = SegmentEntry(name, documents, self._write(name, roles))
        last = self.segments[-1] if self.segments else None
        first_terms = {
            layer: last.layers[layer].first_term + len(last.layers[layer].new_terms) if last else 0
            for layer in self.layers
        }
        first = last.first + len(last) if last else 0
        self.segments.append(open_segment(self.folder / ARRAYS, entry, first, first_terms))
        self.entries.append(entry)

    def adopt(self, entries: Sequence[SegmentEntry]) -> None:
        """Put segments at the end whose files are in their place already."""
        self.entries += entries
        self._reopen()

    def merge_last(self, generation: int, count: int, fields: int) -> None:
        """Replace the last `count` segments by one without their dead documents."""
        self.merge(generation, len(self.segments) - count, count, fields)

    def merge(self, generation: int, first: int, count: int, fields: int) -> None:
        """Replace `count` neighbours by one without their dead documents, after a look whether they are sound."""
        segments, entries = self.segments[first : first + count], self.entries[first : first + count]
        begin(
            "bytes", 2 * sum(file.bytes for entry in entries for file in entry.files.values())
        )  # read, then written
        for file in (file for entry in entries for file in entry.files.values()):
            path = self.folder / ARRAYS / file.name
            try:
                sound = disk.checksum_of(path) == file.checksum
            except FileNotFoundError:
                raise DamagedIndex(f"{path} is gone; see: aboutness check {self.folder}") from None
            if not sound:
                raise DamagedIndex(f"{path} was changed; see: aboutness check {self.folder} --deep")
        name = (SHARD if count == 1 and is_shard(segments[0]) else "") + _new_name(generation)
        files = self._write(name, merged_roles(segments, fields))
        self.entries[first : first + count] = [SegmentEntry(name, sum(s.live for s in segments), files)]
        self._reopen()

    def _reopen(self) -> None:
        manifest = Manifest(layers={key: {} for key in self.layers}, segments=tuple(self.entries))
        self.segments = list(Snapshot.of_manifest(self.folder, manifest).segments)

    def add_layer(self, name: str, analyzer: Analyzer) -> None:
        """Analyse the stored documents in a further way."""
        batch = BatchAnalyzer(analyzer)
        entries = []
        begin(
            "texts", 2 * sum(len(segment.ends) for segment in self.segments)
        )  # analysed, then turned to postings
        for segment, entry in zip(self.segments, self.entries, strict=True):
            first_term = len(batch.vocabulary)
            tokens, ends = joined([batch.analyze(cells) for cells in _batches(segment)])
            terms = StringTable.of_packed(*batch.vocabulary.packed(first_term))
            stream = TokenStream(terms, len(batch.vocabulary), tokens, ends, segment.fields)
            work = LayerWork(name, partial(TokenStream, *stream))
            roles = {work.stream_role: work.stream_arrays, work.posting_role: work.posting_arrays}
            files = self._write(f"{segment.name}-{secrets.token_hex(4)}", roles)
            did("texts", len(segment.ends))
            entries.append(replace(entry, files={**entry.files, **files}))
        self.layers.append(name)
        self.entries = entries
        self._reopen()

    def clear(self, layers: Sequence[str]) -> None:
        """Forget all segments, and begin with other layers."""
        self.segments, self.entries, self.layers = [], [], list(layers)

    def write_artefact(self, arrays: Mapping[str, Array | Blocks]) -> FileEntry:
        """Write the arrays of something trained."""
        file = f"artefact-{secrets.token_hex(6)}{SUFFIX}"
        begin("bytes", sum(array.nbytes for array in arrays.values()))
        return FileEntry(file, *write_arrays(self.folder / ARRAYS / file, arrays, durable=self._durable))

    def _write(self, name: str, roles: Mapping[str, MakeArrays]) -> dict[str, FileEntry]:
        return write_roles(self.folder / ARRAYS, name, roles, durable=self._durable)


def write_roles(
    folder: Path, name: str, roles: Mapping[str, MakeArrays], *, durable: bool
) -> dict[str, FileEntry]:
    """Make and write one file for each role of a segment, side by side."""

    def write(item: tuple[str, MakeArrays]) -> FileEntry:
        role, make = item
        file = f"{name}.{role.replace(':', '-')}{SUFFIX}"
        return FileEntry(file, *write_arrays(folder / file, make(), durable=durable))

    with ThreadPoolExecutor(2) as pool:
        made = [pool.submit(copy_context().run, write, item) for item in roles.items()]
        return dict(zip(roles, [one.result() for one in made], strict=True))


def _new_name(generation: int) -> str:
    return f"{generation:08d}-{secrets.token_hex(4)}"


def _batches(segment: Segment) -> Iterator[list[str]]:
    """Yield the texts of all cells, some at a time; one empty batch where there are none."""
    for first in range(0, max(1, len(segment.ends)), BATCH_CELLS):
        start, ends = segment.cell_start(first), segment.ends[first : first + BATCH_CELLS]
        yield unpack(segment.data[start:], ends - start)
        did("texts", len(ends))
