"""Changing an index: add, update, delete, merge, new layers, trained artefacts; then one commit.

Files are written and synced first; the commit is the one transaction that names them; only after it are files
that nothing names any more removed. Until the commit, and if it fails, the index is what it was.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from aboutness._version import __version__
from aboutness.core.errors import BadRecord, NotFound, UsageError
from aboutness.core.record import Document
from aboutness.core.rejects import OnBad, stop
from aboutness.index import disk
from aboutness.index.arrays import write_arrays
from aboutness.index.builder import LayerVocabulary, SegmentBuilder
from aboutness.index.database import ManifestStore
from aboutness.index.intake import all_good, batches, field_names, only_good
from aboutness.index.layer import layer_arrays
from aboutness.index.lock import WriterLock
from aboutness.index.manifest import ArtefactEntry, FileEntry, Manifest, SegmentEntry
from aboutness.index.merge import merge_run, merged_roles
from aboutness.index.segment import layer_role
from aboutness.index.snapshot import ARRAYS, Snapshot, open_segment
from aboutness.text.analyzer import Analyzer
from aboutness.text.strings import StringTable, pack, unpack

Arrays = Mapping[str, NDArray[Any]]
MakeArrays = Callable[[], Arrays]
Progress = Callable[[int, int], None]  # documents and characters done so far

DEFAULT_FIELD = "text"
SUFFIX = ".safetensors"


@dataclass(frozen=True)
class Added:
    """What came of adding records."""

    added: int = 0
    updated: int = 0


class IndexWriter:
    """The one writer of an index. Nothing is visible to readers before `commit`."""

    def __init__(self, folder: Path, *, durable: bool = True, manifest: Manifest | None = None) -> None:
        self.folder = folder
        self._durable = durable
        self._lock = WriterLock(folder)
        try:
            self._store = ManifestStore(folder, durable=durable, create=manifest is not None)
            if manifest is not None:
                self._store.save(manifest)
            self._committed = self._store.load()
            self._remove_unnamed(self._committed)
            self._reset()
        except BaseException:
            self._lock.release()
            raise

    @classmethod
    def create(
        cls,
        folder: Path,
        layers: Mapping[str, Analyzer],
        weights: Mapping[str, float] | None = None,
        *,
        durable: bool = True,
    ) -> IndexWriter:
        """Make an empty index in a folder that is there and empty; it should get its final name later."""
        disk.make_folder(folder / ARRAYS)
        manifest = Manifest(
            created=now(),
            software=f"aboutness {__version__}",
            fields={name: float(weight) for name, weight in (weights or {}).items()},
            layers={name: analyzer.to_json() for name, analyzer in layers.items()},
        )
        return cls(folder, durable=durable, manifest=manifest)

    def _reset(self) -> None:
        """Start from what is committed."""
        snapshot = Snapshot.of_manifest(self.folder, self._committed)
        self._segments = list(snapshot.segments)
        self._entries = list(self._committed.segments)
        self._fields = dict(self._committed.fields)
        self._layers = {n: Analyzer.from_json(dict(a)) for n, a in self._committed.layers.items()}
        self._artefacts = dict(self._committed.artefacts)
        self._vocabularies: dict[str, LayerVocabulary] | None = None
        self._builder: SegmentBuilder | None = None
        self._changed = False

    def start_over(self, layers: Mapping[str, Analyzer], weights: Mapping[str, float] | None = None) -> None:
        """Drop everything, also what is trained, so that what is added now makes up the whole index."""
        self._discard()
        self._segments, self._entries, self._artefacts = [], [], {}
        self._fields = {name: float(weight) for name, weight in (weights or {}).items()}
        self._layers = dict(layers)
        self._vocabularies = None
        self._changed = True

    # --- documents -------------------------------------------------------------------------------------

    def add(
        self,
        records: Iterable[Document | Mapping[str, Any]],
        *,
        update: bool = False,
        on_bad: OnBad = stop,
        progress: Progress | None = None,
    ) -> Added:
        """Add records. One whose id is there already is bad or, with `update`, replaces the other."""
        before, updated, characters = self._count(), 0, 0
        for batch in batches(records, on_bad):
            updated += self._add_batch(batch, update=update, on_bad=on_bad)
            if progress is not None:
                characters += sum(len(text) for document in batch for text in document.fields.values())
                progress(self._count() - before, characters)
        return Added(self._count() - before, updated)

    def delete(self, identifiers: Iterable[str], *, missing_ok: bool = False) -> int:
        """Delete documents by id; raise, and delete none, where one is not there (unless `missing_ok`)."""
        wanted = list(dict.fromkeys(identifiers))
        self._flush()
        found = self._find(pack(wanted))
        missing = [wanted[i] for i in np.flatnonzero(found < 0)]
        if missing and not missing_ok:
            names = ", ".join(repr(name) for name in missing[:5]) + (", …" if len(missing) > 5 else "")
            raise NotFound(f"{len(missing)} of {len(wanted)} documents are not in the index: {names}")
        self._kill(found[found >= 0])
        return len(wanted) - len(missing)

    def _count(self) -> int:
        return sum(segment.live for segment in self._segments) + (len(self._builder) if self._builder else 0)

    def _add_batch(self, batch: list[Document], *, update: bool, on_bad: OnBad) -> int:
        """Add one batch; return how many of its documents replaced others."""
        if not all_good(batch):
            batch = only_good(batch, on_bad)
        batch, replaced = self._distinct(batch, update=update, on_bad=on_bad)
        if not batch:
            return replaced
        builder = self._ready_builder(batch)
        try:
            builder.add(batch)
        except ValueError:
            batch = only_good(batch, on_bad)
            if batch:
                builder.add(batch)
        self._changed = True
        if builder.full:
            self._flush()
        return replaced

    def _distinct(self, batch: list[Document], *, update: bool, on_bad: OnBad) -> tuple[list[Document], int]:
        """Return the batch without repeated ids, after what it replaces has been removed."""
        ids = [document.id for document in batch]
        if len(set(ids)) < len(ids):
            batch = self._last_of_each(batch) if update else self._first_of_each(batch, on_bad)
            ids = [document.id for document in batch]
        packed = pack(ids)
        if update and self._builder is not None and (self._builder.find(*packed) >= 0).any():
            self._flush()
        old = self._find(packed)
        taken = old >= 0
        if self._builder is not None:
            taken |= self._builder.find(*packed) >= 0
        if not taken.any():
            return batch, 0
        if update:
            self._kill(old[taken])
            return batch, int(taken.sum())
        for document, there in zip(batch, taken, strict=True):
            if there:
                on_bad(_duplicate(document, "is in the index already; use update to replace it"))
        return [document for document, there in zip(batch, taken, strict=True) if not there], 0

    def _find(self, packed: tuple[NDArray[np.uint8], NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the number of each packed id among the written segments, or -1."""
        found = np.full(len(packed[1]), -1, np.int64)
        for segment in self._segments:
            here = segment.find_live(*packed)
            found[here >= 0] = here[here >= 0] + segment.first
        return found

    @staticmethod
    def _first_of_each(batch: Sequence[Document], on_bad: OnBad) -> list[Document]:
        kept: dict[str, Document] = {}
        for document in batch:
            if document.id in kept:
                on_bad(_duplicate(document, "came before"))
            else:
                kept[document.id] = document
        return list(kept.values())

    @staticmethod
    def _last_of_each(batch: Sequence[Document]) -> list[Document]:
        kept: dict[str, Document] = {}
        for document in batch:
            kept.pop(document.id, None)
            kept[document.id] = document
        return list(kept.values())

    def _kill(self, numbers: NDArray[np.int64]) -> None:
        """Mark documents of written segments as dead."""
        for i, segment in enumerate(self._segments):
            here = numbers[(numbers >= segment.first) & (numbers < segment.first + len(segment))] - segment.first
            if len(here):
                segment.dead = np.union1d(segment.dead, here).astype("<i4")
                self._entries[i] = replace(self._entries[i], dead=segment.dead.tobytes())
                self._changed = True

    # --- segments --------------------------------------------------------------------------------------

    def _ready_builder(self, batch: Sequence[Document]) -> SegmentBuilder:
        """Return the builder of the newest segment; one that lacks a field is written and replaced."""
        new: Iterable[str] = ()
        if field_names(batch) - self._fields.keys():
            names = dict.fromkeys(name for document in batch for name in document.fields)
            new = [name for name in names if name not in self._fields]
        if not self._fields and not new:
            new = [DEFAULT_FIELD]
        if new:
            self._flush()
            self._fields.update(dict.fromkeys(new, 1.0))
        if self._vocabularies is None:
            self._vocabularies = {
                name: LayerVocabulary(analyzer, [s.layers[name].new_terms for s in self._segments])
                for name, analyzer in self._layers.items()
            }
        if self._builder is None:
            self._builder = SegmentBuilder(list(self._fields), self._vocabularies)
        return self._builder

    def _flush(self) -> None:
        """Write what has been collected as a segment; nothing names it before the commit."""
        if self._builder is None or not len(self._builder):
            return
        builder, self._builder = self._builder, None
        try:
            self._append(builder.roles(), len(builder))
        finally:
            builder.close()

    def _append(self, roles: Mapping[str, MakeArrays], documents: int) -> None:
        name = f"{self._committed.generation + 1:08d}-{secrets.token_hex(4)}"
        entry = SegmentEntry(name, documents, self._write(name, roles))
        last = self._segments[-1] if self._segments else None
        first_terms = {
            layer: last.layers[layer].first_term + len(last.layers[layer].new_terms) if last else 0
            for layer in self._layers
        }
        first = last.first + len(last) if last else 0
        self._entries.append(entry)
        self._segments.append(open_segment(self.folder / ARRAYS, entry, first, first_terms))
        self._changed = True

    def _write(self, name: str, roles: Mapping[str, MakeArrays]) -> dict[str, FileEntry]:
        """Make and write one file for each role, side by side."""

        def write(item: tuple[str, MakeArrays]) -> FileEntry:
            role, make = item
            file = f"{name}.{role.replace(':', '-')}{SUFFIX}"
            return FileEntry(file, *write_arrays(self.folder / ARRAYS / file, make(), durable=self._durable))

        with ThreadPoolExecutor(2) as pool:
            return dict(zip(roles, pool.map(write, roles.items()), strict=True))

    def merge(self) -> None:
        """Make one segment of all, without the dead documents."""
        self._flush()
        if len(self._segments) > 1 or any(len(segment.dead) for segment in self._segments):
            self._merge_last(len(self._segments))

    def _merge_last(self, count: int) -> None:
        segments = self._segments[-count:]
        roles = merged_roles(segments, max(1, len(self._fields)))
        del self._segments[-count:], self._entries[-count:]
        self._append(roles, sum(segment.live for segment in segments))

    # --- layers and artefacts --------------------------------------------------------------------------

    def add_layer(self, name: str, analyzer: Analyzer) -> None:
        """Analyse the stored documents once more, in another way, as a further layer."""
        if name in self._layers:
            raise UsageError(f"the index has a layer {name!r} already")
        self._flush()
        vocabulary = LayerVocabulary(analyzer)
        for i, (segment, entry) in enumerate(zip(self._segments, self._entries, strict=True)):
            first_term = len(vocabulary.terms)
            cells = unpack(segment.data, segment.ends)
            tokens, ends = vocabulary.analyze(cells, pack(cells))
            terms = StringTable.of_packed(*vocabulary.terms.packed(first_term))
            make = partial(layer_arrays, terms, len(vocabulary.terms), tokens, ends, segment.fields)
            files = self._write(f"{segment.name}-{secrets.token_hex(4)}", {layer_role(name): make})
            self._entries[i] = replace(entry, files={**entry.files, **files})
        self._layers[name] = analyzer
        self._vocabularies = None
        self._reopen()
        self._changed = True

    def _reopen(self) -> None:
        layers = {name: analyzer.to_json() for name, analyzer in self._layers.items()}
        manifest = replace(self._committed, segments=tuple(self._entries), layers=layers)
        self._segments = list(Snapshot.of_manifest(self.folder, manifest).segments)

    def save_artefact(
        self, name: str, kind: str, arrays: Arrays, parameters: Mapping[str, Any], seed: int | None = None
    ) -> None:
        """Keep something trained, with how it was made; one of the same name is replaced."""
        file = f"artefact-{secrets.token_hex(6)}{SUFFIX}"
        size, checksum = write_arrays(self.folder / ARRAYS / file, arrays, durable=self._durable)
        entry = FileEntry(file, size, checksum)
        self._artefacts[name] = ArtefactEntry(
            name, kind, dict(parameters), seed, self._committed.generation, now(), entry
        )
        self._changed = True

    def drop_artefact(self, name: str) -> None:
        """Forget something trained."""
        if self._artefacts.pop(name, None) is None:
            raise NotFound(f"the index has no trained artefact {name!r}")
        self._changed = True

    # --- commit ----------------------------------------------------------------------------------------

    def commit(self) -> int:
        """Make all changes visible and durable at once; return the generation."""
        self._flush()
        if not self._changed:
            return self._committed.generation
        while count := merge_run(self._segments):
            self._merge_last(count)
        manifest = Manifest(
            generation=self._committed.generation + 1,
            created=self._committed.created,
            software=f"aboutness {__version__}",
            fields=self._fields,
            layers={name: analyzer.to_json() for name, analyzer in self._layers.items()},
            segments=tuple(self._entries),
            artefacts=self._artefacts,
        )
        if self._durable:
            disk.sync_folder(self.folder / ARRAYS)
        self._store.save(manifest)
        self._committed = manifest
        self._changed = False
        self._remove_unnamed(manifest)
        return manifest.generation

    def rollback(self) -> None:
        """Forget everything since the last commit."""
        self._discard()
        self._remove_unnamed(self._committed)
        self._reset()

    def _discard(self) -> None:
        if self._builder is not None:
            self._builder.close()
            self._builder = None

    def _remove_unnamed(self, manifest: Manifest) -> None:
        named = manifest.files()
        for path in (self.folder / ARRAYS).glob("*"):
            if path.name not in named:
                disk.remove(path)

    def close(self) -> None:
        """Let go of the index; what was not committed is forgotten."""
        self._discard()
        self._segments = []
        try:
            self._remove_unnamed(self._committed)
        finally:
            self._store.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _duplicate(document: Document, problem: str) -> BadRecord:
    return BadRecord(f"the id {document.id!r} {problem}", origin=document.origin, raw=str(document))


def now() -> str:
    """Return the time as it is stored."""
    return datetime.now(UTC).isoformat(timespec="seconds")
