"""Documents to the arrays of one segment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.analysis import Analysis
from aboutness.index.intake import Batch
from aboutness.index.layer import LayerWork, TokenStream
from aboutness.index.metadata import MetadataColumns
from aboutness.index.segment import DOCUMENTS, document_arrays
from aboutness.text.strings import GrowingTable, StringTable, pack

Arrays = dict[str, NDArray[Any]]

LARGEST_TEXT = 1 << 28  # bytes of text after which a segment is written, so that memory stays bounded
MOST_TOKENS = 1 << 27


class SegmentBuilder:
    """Collects checked documents with distinct ids; `roles` gives the contents of the segment's files."""

    def __init__(self, fields: Sequence[str], analysis: Analysis) -> None:
        self.fields = list(fields)
        self.ids = GrowingTable()
        self.size = 0
        self._analysis = analysis
        self._first_terms = {layer: len(terms) for layer, terms in analysis.terms.items()}
        self._metadata = MetadataColumns()
        self._cells: list[tuple[NDArray[np.uint8], NDArray[np.int64]]] = []
        self._streams = analysis.streams()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def full(self) -> bool:
        """Tell whether the segment should be written now."""
        return self.size >= LARGEST_TEXT or self._streams.tokens >= MOST_TOKENS

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
        self._analysis.submit(cells, packed, self._streams)

    def roles(self, arrived: int = 0) -> dict[str, Callable[[], Arrays]]:
        """Return for each file, by its role, a function that makes its arrays; they may run side by side.

        `arrived` counts the documents that ever came before these.
        """
        self._analysis.finish()
        layers = [LayerWork(name, partial(self._stream, name)) for name in self._analysis.terms]
        return {
            **{layer.stream_role: layer.stream_arrays for layer in layers},
            DOCUMENTS: partial(self._document_arrays, arrived),
            **{layer.posting_role: layer.posting_arrays for layer in layers},
        }

    def _document_arrays(self, arrived: int) -> Arrays:
        ids = self.ids.table()
        arrivals = np.arange(arrived, arrived + len(ids), dtype=np.int64)
        return document_arrays(ids, *joined(self._cells), self._metadata.arrays(), arrivals)

    def _stream(self, layer: str) -> TokenStream:
        terms = self._analysis.terms[layer]
        new = StringTable.of_packed(*terms.packed(self._first_terms[layer]))
        return TokenStream(new, len(terms), *joined(self._streams.of_layer(layer)), len(self.fields))


def joined(parts: Sequence[tuple[NDArray[Any], NDArray[np.int64]]]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return packed strings, or other runs, that came in several parts as one."""
    if len(parts) == 1:
        return parts[0]
    shifts = np.cumsum([0, *(len(data) for data, _ in parts)])
    ends = [end + shift for (_, end), shift in zip(parts, shifts, strict=False)]
    return np.concatenate([data for data, _ in parts]), np.concatenate(ends)
