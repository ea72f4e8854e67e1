"""Documents to the arrays of one segment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.intake import Batch
from aboutness.index.layer import layer_arrays
from aboutness.index.metadata import MetadataColumns
from aboutness.index.segment import DOCUMENTS, document_arrays, layer_role
from aboutness.text.analyzer import Analyzer
from aboutness.text.batch import BatchAnalyzer
from aboutness.text.strings import GrowingTable, StringTable, pack

Arrays = dict[str, NDArray[Any]]

LARGEST_TEXT = 1 << 28  # bytes of text after which a segment is written, so that memory stays bounded
MOST_TOKENS = 1 << 27


class LayerVocabulary:
    """The term numbers of one layer: those the index has, then new ones as they come."""

    def __init__(self, analyzer: Analyzer, known: Sequence[StringTable] = ()) -> None:
        self.batch = BatchAnalyzer(analyzer)
        self.terms = GrowingTable()
        for table in known:
            self.terms.add(table.data, table.ends)
        self._numbers = np.zeros(0, np.int32)  # of the batch analyzer's terms
        self._same = True  # as long as both number terms alike, as they do in a new index

    def analyze(
        self, cells: Sequence[str], packed: tuple[NDArray[np.uint8], NDArray[np.int64]]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the term numbers of all cells, end to end, and where each cell ends."""
        tokens, ends = self.batch.analyze(cells, packed)
        fresh = self.batch.vocabulary.packed(len(self._numbers))
        if len(fresh[1]):
            numbers = self.terms.add(*fresh).astype(np.int32)
            first = len(self._numbers)
            self._same = self._same and bool((numbers == np.arange(first, first + len(numbers))).all())
            self._numbers = np.concatenate([self._numbers, numbers])
        return (tokens if self._same else self._numbers[tokens]), ends


class SegmentBuilder:
    """Collects checked documents with distinct ids; `arrays` gives the contents of the segment's files."""

    def __init__(self, fields: Sequence[str], layers: Mapping[str, LayerVocabulary]) -> None:
        self.fields = list(fields)
        self.ids = GrowingTable()
        self.size = 0
        self.tokens = 0
        self._layers = layers
        self._first_terms = {name: len(layer.terms) for name, layer in layers.items()}
        self._metadata = MetadataColumns()
        self._cells: list[tuple[NDArray[np.uint8], NDArray[np.int64]]] = []
        self._thread = ThreadPoolExecutor(1, "aboutness-analyze")
        self._analysis: Future[None] | None = None
        self._streams: dict[str, list[tuple[NDArray[np.int32], NDArray[np.int64]]]] = {n: [] for n in layers}

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def full(self) -> bool:
        """Tell whether the segment should be written now."""
        return self.size >= LARGEST_TEXT or self.tokens >= MOST_TOKENS

    def find(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number here of each packed id, or -1."""
        return StringTable(self.ids.data, self.ids.ends[: len(self.ids)], self.ids.slots).find_all(data, ends)

    def add(self, batch: Batch) -> None:
        """Add documents; raise ValueError, and add none, where texts or metadata cannot be kept."""
        nothing = [""] * len(batch)
        cells = nothing * len(self.fields)
        for i, name in enumerate(self.fields):
            cells[i :: len(self.fields)] = batch.texts.get(name, nothing)
        try:
            packed = pack(cells)
        except (TypeError, UnicodeEncodeError) as error:
            raise ValueError(str(error)) from None
        self._metadata.add(batch.metadata)
        self.ids.add(*batch.packed_ids)
        self._cells.append(packed)
        self.size += len(packed[0])
        self._wait()
        self._analysis = self._thread.submit(self._analyze, cells, packed)

    def _analyze(self, cells: Sequence[str], packed: tuple[NDArray[np.uint8], NDArray[np.int64]]) -> None:
        """Analyse a batch, in a thread of its own: the compiled part runs beside the reading of the next."""
        for name, layer in self._layers.items():
            stream = layer.analyze(cells, packed)
            self._streams[name].append(stream)
            self.tokens += len(stream[0])

    def _wait(self) -> None:
        if self._analysis is not None:
            self._analysis.result()
            self._analysis = None

    def close(self) -> None:
        """Wait for what is being analysed and end the thread."""
        self._thread.shutdown()

    def roles(self) -> dict[str, Callable[[], Arrays]]:
        """Return for each file, by its role, a function that makes its arrays; they may run side by side."""
        self._wait()
        return {
            DOCUMENTS: self._document_arrays,
            **{layer_role(name): partial(self._layer_arrays, name) for name in self._layers},
        }

    def _document_arrays(self) -> Arrays:
        ids = StringTable.of_packed(*self.ids.packed())
        return document_arrays(ids, *joined(self._cells), self._metadata.arrays())

    def _layer_arrays(self, name: str) -> Arrays:
        layer = self._layers[name]
        terms = StringTable.of_packed(*layer.terms.packed(self._first_terms[name]))
        return layer_arrays(terms, len(layer.terms), *joined(self._streams[name]), len(self.fields))


def joined(parts: Sequence[tuple[NDArray[Any], NDArray[np.int64]]]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return packed strings, or other runs, that came in several parts as one."""
    if len(parts) == 1:
        return parts[0]
    shifts = np.cumsum([0, *(len(data) for data, _ in parts)])
    ends = [end + shift for (_, end), shift in zip(parts, shifts, strict=False)]
    return np.concatenate([data for data, _ in parts]), np.concatenate(ends)
