"""Making an index hold just the documents of a source: what is new, changed or gone there is so here, too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from aboutness.app.build import Records, records_of
from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document
from aboutness.core.rejects import OnBad, stop
from aboutness.index.intake import Batch, Record, batches, spelled
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import Added, Progress

if TYPE_CHECKING:
    from aboutness.app.index import Index
    from aboutness.app.sources import Sources

Reading: TypeAlias = Callable[[OnBad], Iterable[Record]]
"""What gives the records, and is told who takes the bad ones."""


@dataclass(frozen=True)
class Synced(Added):
    """What came of it: how many documents are new, replaced others, stayed as they were, and were deleted.

    With `dry_run` it only would be so.
    """

    unchanged: int = 0
    deleted: int = 0
    dry_run: bool = field(default=False, repr=False, compare=False, kw_only=True)


def sync(
    index: Index,
    records: Records,
    *,
    on_bad: OnBad = stop,
    progress: Progress | None = None,
    dry_run: bool = False,
) -> Synced:
    """Do as `Index.sync`."""
    read: Reading = lambda _: records_of(records)  # noqa: E731 - its type is told
    return _preview(index, read, on_bad) if dry_run else _sync(index, read, on_bad, progress)


def sync_sources(
    index: Index,
    sources: Sources,
    *,
    on_bad: OnBad = stop,
    progress: Progress | None = None,
    dry_run: bool = False,
) -> Synced:
    """Do as `Index.sync` with the documents of sources; one that has none is refused: it may be out of reach."""
    read = sources.documents_of_each
    return _preview(index, read, on_bad) if dry_run else _sync(index, read, on_bad, progress)


def _sync(index: Index, read: Reading, on_bad: OnBad, progress: Progress | None) -> Synced:
    with index.changes() as writer:
        index.refresh()  # now that nobody else writes
        incoming = _Incoming(index.snapshot, read, on_bad)
        added = writer.add(incoming.changed(), update=True, on_bad=incoming.on_bad, progress=progress)
        gone = incoming.gone(added.added)
        deleted = writer.delete(gone) if gone else 0
    return Synced(added.added, added.updated, incoming.unchanged, deleted)


def _preview(index: Index, read: Reading, on_bad: OnBad) -> Synced:
    """Return what would come of it."""
    index.refresh()
    incoming = _Incoming(index.snapshot, read, on_bad)
    changed = sum(1 for _ in incoming.changed())
    gone = incoming.gone(incoming.new)
    return Synced(incoming.new, changed - incoming.new, incoming.unchanged, len(gone), dry_run=True)


class _Incoming:
    """Documents that come, compared with those that are there."""

    def __init__(self, there: Snapshot, read: Reading, on_bad: OnBad) -> None:
        self.seen = np.zeros(there.size, np.bool_)  # documents that are there and come again
        self.unchanged = 0
        self.bad = 0
        self._there = there
        self._read = read
        self._on_bad = on_bad
        self._new: set[str] = set()

    @property
    def new(self) -> int:
        """Return how many documents came that are not there."""
        return len(self._new)

    def on_bad(self, error: BadRecord) -> None:
        """Take a bad record: what it would have been is not known, so that nothing may be deleted."""
        self.bad += 1
        self._on_bad(error)

    def changed(self) -> Iterator[Document]:
        """Yield what is not there already as it is."""
        for batch in batches(self._read(self.on_bad), self.on_bad):
            sound = batch if batch.sound() else batch.only_good(self.on_bad)
            yield from self._changed(sound)

    def _changed(self, batch: Batch) -> Iterator[Document]:
        documents = batch.documents()
        numbers = self._there.numbers([one.id for one in documents])
        known = iter(self._there.documents_of(numbers[numbers >= 0]))
        for one, number in zip(documents, numbers.tolist(), strict=True):
            old = next(known) if number >= 0 else None
            if self.seen[number] if number >= 0 else one.id in self._new:
                problem = f"the id {one.id!r} stands twice in the sources"
                self.on_bad(BadRecord(problem, origin=one.origin, raw=spelled(one)))
                continue
            if number >= 0:
                self.seen[number] = True
            else:
                self._new.add(one.id)
            if old is not None and _content(one) == _content(old):
                self.unchanged += 1
            else:
                yield one

    def gone(self, added: int) -> list[str]:
        """Return the ids of documents to delete; raise where none came. `added` were taken in as new."""
        if not self.seen.any() and not added:
            if self.bad:
                raise BadInput(f"no record could be used, {self.bad:,} were bad; nothing was changed")
            raise BadInput("there are no documents, so all would be deleted; delete the index if that is meant")
        if self.bad:
            return []
        return self._there.ids_of(np.flatnonzero(self._there.alive & ~self.seen))


def _content(document: Document) -> tuple[dict[str, str], str]:
    """Return what is kept of a document: its texts, but for empty ones, and its metadata."""
    texts = {name: text for name, text in document.fields.items() if text}
    return texts, json.dumps(dict(document.metadata), default=repr, sort_keys=True)
