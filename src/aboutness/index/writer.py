"""Changing an index: add, update, delete, merge, new layers, trained artefacts; then one commit.

Files are written and synced first; the commit is the one transaction that names them; only after it are files
that nothing names any more removed. Until the commit, and if it fails, the index is what it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from aboutness._version import __version__
from aboutness.core.clock import now
from aboutness.core.errors import AboutnessError, BadRecord, NotFound, StorageError, UsageError
from aboutness.core.rejects import OnBad, stop
from aboutness.index import disk
from aboutness.index.analysis import Analysis
from aboutness.index.arrays import Array, Blocks
from aboutness.index.builder import SegmentBuilder
from aboutness.index.database import ManifestStore
from aboutness.index.fields import checked_weights, with_new_fields
from aboutness.index.intake import Batch, Record, batches, spelled
from aboutness.index.lock import WriterLock
from aboutness.index.manifest import ArtefactEntry, Manifest, SegmentEntry
from aboutness.index.merge import hollow, merge_run
from aboutness.index.segment import pack_ids
from aboutness.index.snapshot import ARRAYS
from aboutness.index.working import WorkingSegments
from aboutness.text.analyzer import Analyzer

Progress = Callable[[int, int], None]  # documents and characters done so far

DEFAULT_FIELD = "text"
TAKEN = "is in the index already; keep one of them, or replace it with add --update (update=True in Python)"


@dataclass(frozen=True)
class Added:
    """What came of adding records: how many documents are new, and how many replaced others."""

    added: int = 0
    updated: int = 0


class IndexWriter:
    """The one writer of an index. Nothing is visible to readers before `commit`."""

    def __init__(self, folder: Path, *, durable: bool = True, manifest: Manifest | None = None) -> None:
        self.folder = folder
        self._durable = durable
        self._builder: SegmentBuilder | None = None
        self._analysis: Analysis | None = None
        self.has_committed = False  # known for sure once it is closed
        self._settled = -1  # the generation that no power loss takes back, or that had nothing beside it
        self._lock = WriterLock(folder)
        try:
            self._store = ManifestStore(folder, durable=durable, create=manifest is not None)
            if manifest is not None:
                self._store.save(manifest)
            self._reset()
            self._first = self._committed.generation
        except BaseException:
            if hasattr(self, "_store"):
                self._store.close()
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
        """Make an empty index in a folder that is not there yet; it should get its final name later."""
        disk.make_folder(folder / ARRAYS)
        manifest = Manifest(
            created=now(),
            software=f"aboutness {__version__}",
            fields=checked_weights(weights or {}),
            layers={name: analyzer.to_json() for name, analyzer in layers.items()},
        )
        return cls(folder, durable=durable, manifest=manifest)

    def _reset(self) -> None:
        """Start from what is committed, and remove what a writer before us may have left."""
        self._discard()
        self._committed = self._store.load()
        self._remove_unnamed(self._committed)
        self._working = WorkingSegments(self.folder, self._committed, durable=self._durable)
        self._fields = dict(self._committed.fields)
        self._layers = {n: Analyzer.from_json(dict(a)) for n, a in self._committed.layers.items()}
        self._artefacts = dict(self._committed.artefacts)
        self._fields_used: set[str] = set()
        self._arrivals = self._committed.arrivals
        self._changed = False

    def start_over(self, layers: Mapping[str, Analyzer], weights: Mapping[str, float] | None = None) -> None:
        """Drop everything, also what is trained, so that what is added now makes up the whole index."""
        self._discard()
        self._working.clear(list(layers))
        self._artefacts = {}
        self._fields = checked_weights(weights or {})
        self._layers = dict(layers)
        self._fields_used = set()
        self._changed = True

    # --- documents -------------------------------------------------------------------------------------

    def add(
        self,
        records: Iterable[Record],
        *,
        update: bool = False,
        on_bad: OnBad = stop,
        progress: Progress | None = None,
    ) -> Added:
        """Add records. One whose id is there already is bad or, with `update`, replaces the other.

        Where this raises, the records before the bad one are collected already: roll back, or close.
        """
        done, updated, characters = 0, 0, 0
        for batch in batches(records, on_bad):
            taken, replaced = self._add_batch(batch, update=update, on_bad=on_bad)
            done += taken
            updated += replaced
            if progress is not None:
                characters += batch.characters
                progress(done, characters)
        return Added(done - updated, updated)

    def _add_batch(self, batch: Batch, *, update: bool, on_bad: OnBad) -> tuple[int, int]:
        """Add one batch; return how many documents were taken, and how many of those replaced others."""
        if not batch.sound() or len(set(batch.ids)) < len(batch):  # of those with one id, only good ones count
            batch = batch.only_good(on_bad)
        again = 0  # documents that others of the same batch replace
        if len(set(batch.ids)) < len(batch):
            before, batch = len(batch), _last_of_each(batch) if update else _first_of_each(batch, on_bad)
            again = before - len(batch) if update else 0
        batch = self._unless_there(batch, update=update, on_bad=on_bad)
        if not len(batch):
            return 0, 0
        fields = dict(self._fields)
        builder = self._ready_builder(batch)
        try:
            builder.add(batch)
        except ValueError:
            if not len(builder):  # made for this batch: some of its fields may be those of bad records only
                self._builder = None
                self._fields = fields
            batch = batch.only_good(on_bad)
            if not len(batch):
                return 0, 0
            builder = self._ready_builder(batch)
            builder.add(batch)
        # Only now, when the new ones are in, may the old ones go.
        old = self._working.find(batch.packed_ids) if update else np.zeros(0, np.int64)
        old = old[old >= 0]
        self._working.kill(old)
        self._changed = True
        if builder.full:
            self._flush()
        self._fields_used.update(batch.texts)
        return len(batch) + again, len(old) + again

    def _unless_there(self, batch: Batch, *, update: bool, on_bad: OnBad) -> Batch:
        """Return the batch without documents whose id is taken; with `update`, see that they can be replaced."""
        packed = batch.packed_ids
        building = self._builder.find(*packed) >= 0 if self._builder else np.zeros(len(batch), np.bool_)
        if update:
            if building.any():
                self._flush()
            return batch
        taken = building | (self._working.find(packed) >= 0)
        if not taken.any():
            return batch
        for i in np.flatnonzero(taken):
            on_bad(_duplicate(batch, int(i), TAKEN))
        return batch.take(np.flatnonzero(~taken).tolist())

    def adopt(self, entries: Sequence[SegmentEntry], fields: Mapping[str, float], used: Iterable[str]) -> None:
        """Take over segments that lie in the folder already, as all that the index has; `used` stood in documents.

        Their documents must have the arrivals that come next, and their terms the numbers from 0.
        """
        self._working.adopt(entries)
        self._fields = dict(fields)
        self._fields_used.update(used)
        self._arrivals += sum(entry.documents for entry in entries)
        self._changed = True

    @property
    def arrived(self) -> int:
        """Return how many documents ever came."""
        return self._arrivals

    @property
    def fields_used(self) -> list[str]:
        """Return the fields that stood in documents that were added, in the order of the index's fields."""
        return [name for name in self._fields if name in self._fields_used]

    def check_fields_used(self) -> None:
        """Raise where documents were added but a field with a weight stood in none of them."""
        unused = [name for name in self._fields if name not in self._fields_used]
        if self._fields_used and unused:
            known = ", ".join(sorted(self._fields_used))
            raise UsageError(
                f"there is a weight for field {unused[0]!r}, but no document has it. There are: {known}"
            )

    def delete(self, identifiers: Iterable[str], *, missing_ok: bool = False) -> int:
        """Delete documents by id; raise, and delete none, where one is not there (unless `missing_ok`)."""
        wanted = list(dict.fromkeys(identifiers))
        self._flush()
        found = self._working.find(pack_ids(wanted))
        missing = [wanted[i] for i in np.flatnonzero(found < 0)]
        if missing and not missing_ok:
            names = ", ".join(repr(name) for name in missing[:5]) + (", …" if len(missing) > 5 else "")
            which = f"{len(missing)} of {len(wanted)} documents" if len(wanted) > 1 else "the document"
            are = "is" if len(missing) == 1 else "are"
            raise NotFound(
                f"{which} {are} not in the index: {names}; "
                "nothing was deleted; to pass over what is missing: --missing-ok (missing_ok=True in Python)"
            )
        self._kill(found[found >= 0])
        return len(wanted) - len(missing)

    def _kill(self, numbers: NDArray[np.int64]) -> None:
        if len(numbers):
            self._working.kill(numbers)
            self._changed = True

    # --- segments --------------------------------------------------------------------------------------

    def _ready_builder(self, batch: Batch) -> SegmentBuilder:
        """Return the builder of the newest segment; one that lacks a field is written and replaced."""
        new = [name for name in batch.texts if name not in self._fields]
        if not self._fields and not new:
            new = [DEFAULT_FIELD]
        if new:
            self._flush()
            self._fields = with_new_fields(self._fields, new)
        if self._analysis is None:
            known = {n: [s.layers[n].new_terms for s in self._working.segments] for n in self._layers}
            self._analysis = Analysis(self._layers, known)
        if self._builder is None:
            self._builder = SegmentBuilder(list(self._fields), self._analysis)
        return self._builder

    def _flush(self) -> None:
        """Write what has been collected as a segment; nothing names it before the commit."""
        if self._builder is not None and len(self._builder):
            self._working.append(self._next, self._builder.roles(self._arrivals), len(self._builder))
            self._arrivals += len(self._builder)
        self._builder = None

    @property
    def _next(self) -> int:
        return self._committed.generation + 1

    def merge(self) -> None:
        """Make one segment of all, without the dead documents."""
        self._check_place()
        self._flush()
        segments = self._working.segments
        if len(segments) > 1 or any(len(segment.dead) for segment in segments):
            self._merge_last(len(segments))
            self._changed = True

    def _merge_last(self, count: int) -> None:
        self._working.merge_last(self._next, count, max(1, len(self._fields)))

    # --- layers and artefacts --------------------------------------------------------------------------

    def add_layer(self, name: str, analyzer: Analyzer) -> None:
        """Analyse the stored documents once more, in another way, as a further layer."""
        if name in self._layers:
            raise UsageError(f"the index has a layer {name!r} already")
        self._flush()
        self._working.add_layer(name, analyzer)
        self._layers[name] = analyzer
        self._discard()
        self._changed = True

    def save_artefact(
        self,
        name: str,
        kind: str,
        arrays: Mapping[str, Array | Blocks],
        parameters: Mapping[str, Any],
        seed: int | None = None,
        *,
        generation: int | None = None,
    ) -> None:
        """Keep something trained, with how it was made; one of the same name is replaced.

        `generation` is that of the documents it was trained on, the newest unless said.
        """
        try:
            json.dumps(parameters)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the parameters of an artefact must be plain values: {error}") from None
        file = self._working.write_artefact(arrays)
        trained_on = self._committed.generation if generation is None else generation
        self._artefacts[name] = ArtefactEntry(name, kind, dict(parameters), seed, trained_on, now(), file)
        self._changed = True

    def drop_artefact(self, name: str) -> None:
        """Forget something trained."""
        if self._artefacts.pop(name, None) is None:
            raise NotFound(f"the index has no trained artefact {name!r}")
        self._changed = True

    # --- commit ----------------------------------------------------------------------------------------

    def commit(self) -> int:
        """Make all changes visible and durable at once; return the generation."""
        self._check_place()
        self._flush()
        if not self._changed:
            return self._committed.generation
        while count := merge_run(self._working.segments):
            self._merge_last(count)
        while (first := hollow(self._working.segments)) >= 0:
            self._working.merge(self._next, first, 1, max(1, len(self._fields)))
        manifest = Manifest(
            generation=self._next,
            arrivals=self._arrivals,
            created=self._committed.created,
            software=f"aboutness {__version__}",
            fields=dict(self._fields),
            layers={name: analyzer.to_json() for name, analyzer in self._layers.items()},
            segments=tuple(self._working.entries),
            artefacts=dict(self._artefacts),
        )
        if self._durable:
            disk.sync_folder(self.folder / ARRAYS)
        self._check_place()
        self._store.save(manifest)
        self._committed = manifest
        self._settled = manifest.generation
        self._changed = False
        self._remove_unnamed(manifest)
        return manifest.generation

    def _check_place(self) -> None:
        """Raise where something else stands in our place: files would go there, and be named here."""
        if not self._lock.is_held:
            raise UsageError(
                f"this writer of {self.folder} is closed, or belongs to the process that forked this one"
            )
        if not self._lock.is_of(self.folder):
            raise StorageError(
                f"{self.folder} was moved, removed or replaced while it was written to, and nothing was kept; "
                "open it again"
            )

    def rollback(self) -> None:
        """Forget everything since the last commit."""
        self._reset()

    def _discard(self) -> None:
        """Forget what has been collected, and with it the numbers of terms that no segment holds."""
        self._builder = None
        if self._analysis is not None:
            self._analysis.close()
            self._analysis = None

    def _remove_unnamed(self, manifest: Manifest) -> None:
        """Remove files that a generation does not name, once it is sure that this is the one that will be found.

        Where the commit before us was cut short with its journal removed and that not synced, a power loss could
        bring the journal back, and with it the generation before, which needs the files that it names.
        """
        named = manifest.files()
        unnamed = [path for path in (self.folder / ARRAYS).glob("*") if path.name not in named]
        if not self._lock.is_of(self.folder):
            return  # these are the files of another index, which has taken our place
        if unnamed and self._durable and manifest.generation != self._settled:
            try:
                disk.sync_folder(self.folder)
            except StorageError:
                return  # the next writer removes them
        for path in unnamed:
            disk.remove(path)
        self._settled = manifest.generation

    def close(self) -> None:
        """Let go of the index; what was not committed is forgotten."""
        self._discard()
        self._working.clear([])
        try:
            # The database is asked: a commit that an interrupt or error cut short may have gone through.
            with suppress(AboutnessError):
                last = self._store.load()
                self.has_committed = last.generation != self._first
                self._remove_unnamed(last)
        finally:
            self._store.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _first_of_each(batch: Batch, on_bad: OnBad) -> Batch:
    """Return the batch without documents whose id came before in it; those go to `on_bad`."""
    seen: dict[str, int] = {}
    for i, identifier in enumerate(batch.ids):
        if seen.setdefault(identifier, i) != i:
            on_bad(_duplicate(batch, i, "came before"))
    return batch.take(list(seen.values()))


def _last_of_each(batch: Batch) -> Batch:
    """Return the batch without documents whose id comes again in it."""
    last = {identifier: i for i, identifier in enumerate(batch.ids)}
    return batch.take(sorted(last.values()))


def _duplicate(batch: Batch, number: int, problem: str) -> BadRecord:
    record = batch.records[number]
    origin = getattr(record, "origin", None)
    return BadRecord(f"the id {batch.ids[number]!r} {problem}", origin=origin, raw=spelled(record))
