"""Is an index what was written? Every problem found, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from aboutness.core.advance import begin, did
from aboutness.core.errors import DamagedIndex
from aboutness.index import disk
from aboutness.index.bounds import out_of_bounds
from aboutness.index.database import database_problems, read_manifest
from aboutness.index.layer import LayerSegment, layer_arrays
from aboutness.index.manifest import FileEntry, Manifest
from aboutness.index.segment import Segment
from aboutness.index.snapshot import ARRAYS, Snapshot
from aboutness.text.strings import slots_for


@dataclass
class CheckReport:
    """What was looked at and what was found wrong."""

    deep: bool
    generation: int = 0
    files: int = 0
    bytes: int = 0
    documents: int = 0
    problems: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)  # named by no commit: harmless, the next writer removes them

    @property
    def ok(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.problems


def check(folder: Path, *, deep: bool = False) -> CheckReport:
    """Check names, sizes and headers; with `deep`, every checksum, every document and every posting too."""
    report = _check(folder, deep=deep)
    while not report.ok and (again := _check(folder, deep=deep)).generation != report.generation:
        report = again  # a commit had replaced files while they were looked at
    return report


def _check(folder: Path, *, deep: bool) -> CheckReport:
    report = CheckReport(deep)
    try:
        manifest = read_manifest(folder)
    except DamagedIndex as error:
        report.problems.append(str(error))
        return report
    report.generation = manifest.generation
    if deep:
        segments = sum(file.bytes for entry in manifest.segments for file in entry.files.values())
        begin("bytes", sum(entry.bytes for entry in manifest.entries()) + segments)
    report.problems += database_problems(folder)
    report.problems += _file_problems(folder, manifest, report)
    if report.ok:
        try:
            snapshot = Snapshot.of_manifest(folder, manifest)
        except (DamagedIndex, FileNotFoundError) as error:
            report.problems.append(str(error))
            return report
        report.documents = snapshot.documents
        if deep:
            for segment, entry in zip(snapshot.segments, manifest.segments, strict=True):
                report.problems += (f"segment {segment.name}: {found}" for found in segment_problems(segment))
                did("bytes", sum(file.bytes for file in entry.files.values()))
    return report


def _file_problems(folder: Path, manifest: Manifest, report: CheckReport) -> Iterator[str]:
    arrays = folder / ARRAYS
    for entry in manifest.entries():
        report.files += 1
        report.bytes += entry.bytes
        try:
            yield from _one_file(arrays / entry.name, entry, deep=report.deep)
        except FileNotFoundError:  # it was there a moment ago
            yield f"{arrays / entry.name} is missing"
    if arrays.is_dir():
        named = manifest.files()
        report.unnamed = sorted(path.name for path in arrays.iterdir() if path.name not in named)


def _one_file(path: Path, entry: FileEntry, *, deep: bool) -> Iterator[str]:
    if not path.is_file():
        yield f"{path} is missing"
    elif (size := path.stat().st_size) != entry.bytes:
        yield f"{path} has {size:,} bytes instead of {entry.bytes:,}"
    elif deep and (checksum := disk.checksum_of(path)) != entry.checksum:
        yield f"{path} was changed: its checksum is {checksum:08x} instead of {entry.checksum:08x}"


def segment_problems(segment: Segment) -> Iterator[str]:
    """Yield what does not fit together inside a segment whose files are as they were written."""
    from aboutness.kernels.strings import fill_slots, hash_all

    if wrong := list(out_of_bounds(segment, derived=False)):
        yield f"numbers that cannot be in {', '.join(wrong)}"
        return
    fields = segment.fields
    hashes = np.empty(len(segment), np.uint64)
    hash_all(segment.data, np.ascontiguousarray(segment.ends[fields - 1 :: fields]), hashes)
    for number in np.flatnonzero(hashes != segment.checksums):
        yield f"the text of document {segment.ids[int(number)]!r} is not what was stored"
    slots = slots_for(len(segment.ids))
    if fill_slots(segment.ids.data, segment.ids.ends, len(segment.ids), slots) >= 0:
        yield "an id stands twice"
    for name, layer in segment.layers.items():
        if wrong := list(_differences(layer)):
            yield f"layer {name!r}: {', '.join(wrong)} do not follow from its token stream"


def _differences(layer: LayerSegment) -> Iterator[str]:
    vocabulary = layer.first_term + len(layer.new_terms)
    expected = layer_arrays(layer.new_terms, vocabulary, layer.tokens, layer.token_ends, layer.fields)
    actual: dict[str, Any] = {
        "forward.ends": layer.forward_ends,
        "forward.terms": layer.forward_terms,
        "forward.counts": layer.forward_counts,
        "postings.terms": layer.terms,
        "postings.ends": layer.posting_ends,
        "postings.documents": layer.posting_documents,
        "postings.counts": layer.posting_counts,
        "postings.totals": layer.totals,
    }
    return (name for name, array in actual.items() if not np.array_equal(array, expected[name]))
