"""An index as it was at one generation: read-only, complete, and not disturbed by later commits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.advance import begin
from aboutness.core.errors import DamagedIndex, NotFound, UsageError
from aboutness.core.record import Document
from aboutness.index import disk
from aboutness.index.arrays import map_arrays
from aboutness.index.bounds import out_of_bounds
from aboutness.index.database import read_manifest
from aboutness.index.fields import checked_weights
from aboutness.index.filters import Where, matching
from aboutness.index.layer import LayerSegment, layer_roles
from aboutness.index.manifest import FileEntry, Manifest, SegmentEntry
from aboutness.index.segment import DOCUMENTS, Segment, pack_ids
from aboutness.index.similar_ids import did_you_mean
from aboutness.index.trained import Trained
from aboutness.index.view import LayerView
from aboutness.text.analyzer import Analyzer

ARRAYS = "arrays"  # the folder of the immutable files
TRIES = 20
MOST_VIEWS = 32  # kept
TOGETHER = 256  # documents that are read together

T = TypeVar("T")


class Snapshot:
    """One generation of an index, mapped into memory. Document numbers rise with arrival; some are dead."""

    verified = False  # whether every file was what its checksum says when it was opened

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        segments: Sequence[Segment],
        trained: Trained | None = None,
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self.segments = tuple(segments)
        self.trained = trained or Trained(folder)
        self._views: dict[tuple[str, tuple[float, ...]], LayerView] = {}

    @classmethod
    def open(cls, folder: str | Path, *, verify: bool = False, sure: AbstractSet[str] = frozenset()) -> Snapshot:
        """Map the newest generation; with `verify`, compare the checksums of files that are not `sure`."""
        try:
            newest = cls._newest(Path(folder), verify=verify, sure=sure)
        except DamagedIndex as error:
            raise DamagedIndex(f"{error}; the index is damaged: restore a copy, or build it anew") from error
        if newest is None:
            raise DamagedIndex(f"{folder} changes faster than it can be opened")
        return newest

    @classmethod
    def _newest(cls, folder: Path, *, verify: bool, sure: AbstractSet[str]) -> Snapshot | None:
        """Return the newest generation, or None where each was replaced before it was mapped."""
        manifest = read_manifest(folder)
        for _ in range(TRIES):
            try:
                return cls.of_manifest(folder, manifest, verify=verify, sure=sure)
            except FileNotFoundError as error:
                # A commit may have replaced the file after the manifest was read: read it again.
                newer = read_manifest(folder)
                if newer == manifest:
                    raise DamagedIndex(f"a file of the index is missing: {error.filename}") from None
                manifest = newer
        return None

    @classmethod
    def of_manifest(
        cls, folder: Path, manifest: Manifest, *, verify: bool = False, sure: AbstractSet[str] = frozenset()
    ) -> Snapshot:
        """Map the files that a manifest names."""
        if verify:
            begin("bytes", sum(file.bytes for file in manifest.entries() if file.name not in sure))
        first = 0
        first_terms = dict.fromkeys(manifest.layers, 0)
        segments = []
        for entry in manifest.segments:
            unsure = verify and not all(file.name in sure for file in entry.files.values())
            segment = open_segment(folder / ARRAYS, entry, first, first_terms, verify=unsure)
            segments.append(segment)
            first += len(segment)
            for name, layer in segment.layers.items():
                first_terms[name] += len(layer.new_terms)
        artefacts: dict[str, dict[str, NDArray[Any]] | Exception] = {}
        for name, artefact in manifest.artefacts.items():
            try:
                unsure = verify and artefact.file.name not in sure
                artefacts[name] = open_arrays(folder / ARRAYS, artefact.file, verify=unsure)
            except (DamagedIndex, FileNotFoundError) as error:
                if verify:
                    raise
                artefacts[name] = error  # told when it is asked for: the documents can be searched without it
        made = cls(folder, manifest, segments, Trained(folder, manifest.artefacts, artefacts))
        made.verified = verify
        return made

    @property
    def lender(self) -> Snapshot:
        """Return the index whose statistics and trained artefacts these are: itself, unless they are borrowed."""
        return self

    @property
    def generation(self) -> int:
        """Return how many commits there had been."""
        return self.manifest.generation

    @property
    def fields(self) -> list[str]:
        """Return the names of the text fields."""
        return list(self.manifest.fields)

    @property
    def size(self) -> int:
        """Return how many document numbers there are, the dead included."""
        return sum(len(segment) for segment in self.segments)

    @property
    def documents(self) -> int:
        """Return how many documents there are, the dead not counted."""
        return sum(segment.live for segment in self.segments)

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Return for each document number whether it is alive."""
        return ~np.concatenate([np.zeros(0, np.bool_), *(segment.dead_mask() for segment in self.segments)])

    @cached_property
    def arrivals(self) -> NDArray[np.int64]:
        """Return for each document number a number that stays the same for good, unlike the first after a merge.

        They ascend; so what was trained for documents is found again by `numpy.searchsorted`.
        """
        return np.concatenate([np.zeros(0, np.int64), *(segment.arrivals for segment in self.segments)])

    def analyzer(self, layer: str | None = None) -> Analyzer:
        """Return the analyzer of a layer (the first one unless named)."""
        return Analyzer.from_json(dict(self.manifest.layers[self.layer_name(layer)]))

    def layer_name(self, layer: str | None = None) -> str:
        """Return the name of a layer that exists: the given one, or the first."""
        names = list(self.manifest.layers)
        if layer is not None and layer not in names:
            raise UsageError(f"the index has no layer {layer!r}. It has: {', '.join(names)}")
        return layer or names[0]

    def view(
        self, layer: str | None = None, fields: Mapping[str, float] | Sequence[str] | None = None
    ) -> LayerView:
        """Return the matrix of a layer over all fields, some of them, or with other weights.

        The same view is returned when it is asked for again, so that its statistics are made only once.
        """
        weights = self._weights(fields)
        name = self.layer_name(layer)
        key = (name, tuple(weights.tolist()))
        if (found := self._views.get(key)) is not None:
            return found
        if len(self._views) >= MOST_VIEWS:
            self._views = {}  # weights can be anything: there is no end to them
        return self._views.setdefault(key, self._made_view(name, weights))

    def _made_view(self, layer: str, weights: NDArray[np.float64]) -> LayerView:
        return LayerView(self.segments, layer, self.analyzer(layer), weights, self.fields, self.trained)

    def _weights(self, fields: Mapping[str, float] | Sequence[str] | None) -> NDArray[np.float64]:
        known = self.manifest.fields
        chosen = known if fields is None else fields
        if isinstance(chosen, str):
            chosen = [chosen]
        weights = dict(chosen) if isinstance(chosen, Mapping) else {name: known.get(name, 1.0) for name in chosen}
        for name in weights:
            if name not in known:
                raise UsageError(f"the index has no field {name!r}. It has: {', '.join(known)}")
        checked = checked_weights({name: weight for name, weight in weights.items() if weight != 0})
        return np.array([checked.get(name, 0.0) for name in known], np.float64)

    def number(self, identifier: str) -> int:
        """Return the number of a living document."""
        numbers = self.numbers([identifier])
        if numbers[0] < 0:
            hint = did_you_mean(self, identifier)
            raise NotFound(f"there is no document {identifier!r} in {self.folder}{hint}")
        return int(numbers[0])

    def numbers(self, identifiers: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each living document, or -1."""
        packed = pack_ids(identifiers)
        found = np.full(len(identifiers), -1, np.int64)
        for segment in self.segments:
            here = segment.find_live(*packed)
            found[here >= 0] = here[here >= 0] + segment.first
        return found

    def locate(self, number: int) -> tuple[Segment, int]:
        """Return the segment of a document and its number there."""
        for segment in self.segments:
            if segment.first <= number < segment.first + len(segment):
                return segment, number - segment.first
        raise NotFound(f"there is no document number {number}; the index has numbers 0 to {self.size - 1}")

    def document(self, number: int) -> Document:
        """Return a document by its number."""
        segment, here = self.locate(number)
        return segment.documents(np.array([here]), self.fields)[0]

    def documents_of(self, numbers: NDArray[np.int64]) -> list[Document]:
        """Return documents by their numbers: faster than one by one."""
        return self._of_segments(numbers, lambda segment, here: segment.documents(here, self.fields))

    def id(self, number: int) -> str:
        """Return the id of a document by its number."""
        segment, here = self.locate(number)
        return segment.ids[here]

    def ids_of(self, numbers: NDArray[np.int64]) -> list[str]:
        """Return the ids of documents by their numbers."""
        return self._of_segments(numbers, lambda segment, here: segment.ids.some(here))

    def _of_segments(
        self, numbers: NDArray[np.int64], of: Callable[[Segment, NDArray[np.int64]], list[T]]
    ) -> list[T]:
        """Return what segments have for some documents, in the order in which these are asked for."""
        if len(self.segments) == 1:
            return of(self.segments[0], numbers)
        gathered = np.empty(len(numbers), np.object_)
        for segment in self.segments:
            here = np.flatnonzero((numbers >= segment.first) & (numbers < segment.first + len(segment)))
            for place, one in zip(here.tolist(), of(segment, numbers[here] - segment.first), strict=True):
                gathered[place] = one
        found: list[T] = gathered.tolist()
        return found

    def where(self, where: Where) -> NDArray[np.bool_]:
        """Return for each document number whether it is alive and has the metadata asked for."""
        return matching(self.segments, where)

    def live_numbers(self) -> NDArray[np.int64]:
        """Return the numbers of all living documents, in order of arrival."""
        return np.flatnonzero(self.alive)

    def __iter__(self) -> Iterator[Document]:
        numbers = self.live_numbers()
        parts = (numbers[start : start + TOGETHER] for start in range(0, len(numbers), TOGETHER))
        return (document for some in parts for document in self.documents_of(some))

    def ids(self) -> Iterable[str]:
        """Return the ids of all living documents, in order of arrival."""
        return (self.id(int(number)) for number in self.live_numbers())

    def artefact(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of something trained."""
        return self.trained.artefact(name)


def open_segment(
    arrays: Path, entry: SegmentEntry, first: int, first_terms: Mapping[str, int], *, verify: bool = False
) -> Segment:
    """Map the files of one segment."""
    opened = {role: open_arrays(arrays, file, verify=verify) for role, file in entry.files.items()}
    try:
        layers = {}
        for name, first_term in first_terms.items():
            stream, postings = layer_roles(name)
            layers[name] = LayerSegment({**opened[stream], **opened[postings]}, first_term)
        dead = np.frombuffer(entry.dead, "<i4")
        segment = Segment(entry.name, first, opened[DOCUMENTS], layers, dead)
    except (KeyError, ValueError) as error:
        raise DamagedIndex(f"segment {entry.name} is incomplete: {error}") from None
    if any(len(layer.token_ends) != len(segment) * layer.fields for layer in layers.values()):
        raise DamagedIndex(f"segment {entry.name} has layers that do not fit its documents")
    if verify and (wrong := next(out_of_bounds(segment), None)):
        raise DamagedIndex(f"segment {entry.name} has numbers that cannot be in {wrong}")
    if len(segment) != entry.documents:
        raise DamagedIndex(
            f"segment {entry.name} holds {len(segment)} documents, but index.db says {entry.documents}"
        )
    return segment


def open_arrays(folder: Path, entry: FileEntry, *, verify: bool = False) -> dict[str, NDArray[Any]]:
    """Map one file after checking its size and, with `verify`, its checksum."""
    path = folder / entry.name
    size = path.stat().st_size
    if size != entry.bytes:
        raise DamagedIndex(f"{path} has {size:,} bytes, but index.db says {entry.bytes:,}")
    if verify and (checksum := disk.checksum_of(path)) != entry.checksum:
        raise DamagedIndex(f"{path} was changed: checksum {checksum:08x}, but index.db says {entry.checksum:08x}")
    with disk.reporting("read", path, passing=(FileNotFoundError,)):
        return map_arrays(path)
