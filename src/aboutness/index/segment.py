"""Some neighbouring documents of an index, as mapped from their files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex
from aboutness.core.record import Document
from aboutness.index.layer import LayerSegment
from aboutness.index.metadata import SEPARATOR, decode_entries, decode_entry, entry_texts
from aboutness.text.strings import StringTable, cut, pack

SURROGATE = re.compile("[\ud800-\udfff]")
DOCUMENTS = "documents"  # the role of the file with the documents themselves


def pack_ids(identifiers: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return ids to look for, packed; one with a lone surrogate, which no document has, as an empty one."""
    try:
        return pack(identifiers)
    except UnicodeEncodeError:
        return pack(["" if SURROGATE.search(identifier) else identifier for identifier in identifiers])


def document_arrays(
    ids: StringTable,
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    metadata: Mapping[str, NDArray[Any]],
    arrivals: NDArray[np.int64],
) -> dict[str, NDArray[Any]]:
    """Return the arrays of some documents: ids, the texts of their cells, a checksum each, metadata, arrivals."""
    from aboutness.kernels.strings import hash_all

    fields = len(ends) // len(ids) if len(ids) else 1
    checksums = np.empty(len(ids), np.uint64)
    hash_all(data, np.ascontiguousarray(ends[fields - 1 :: fields]), checksums)
    return {
        "ids.data": ids.data,
        "ids.ends": ids.ends,
        "ids.slots": ids.slots,
        "cells.data": data,
        "cells.ends": ends,
        "checksums": checksums,
        "arrivals": arrivals,
        **metadata,
    }


class Segment:
    """The documents `first`, `first + 1`, … of an index, some of them perhaps dead."""

    def __init__(
        self,
        name: str,
        first: int,
        arrays: Mapping[str, NDArray[Any]],
        layers: Mapping[str, LayerSegment],
        dead: NDArray[np.int32],
    ) -> None:
        self.name = name
        self.first = first
        self.layers = layers
        self.ids = StringTable(arrays["ids.data"], arrays["ids.ends"], arrays["ids.slots"])
        self.data: NDArray[np.uint8] = arrays["cells.data"]
        self.ends: NDArray[np.int64] = arrays["cells.ends"]
        self.arrivals: NDArray[np.int64] = arrays["arrivals"]  # ascending, and the same for good
        self.checksums: NDArray[np.uint64] = arrays["checksums"]
        self.values = StringTable(*(arrays[f"metadata.values.{part}"] for part in ("data", "ends", "slots")))
        self.entries: NDArray[np.int32] = arrays["metadata.entries"]
        self.entry_ends: NDArray[np.int64] = arrays["metadata.ends"]
        self.value_documents: NDArray[np.int32] = arrays["metadata.documents"]
        self.value_ends: NDArray[np.int64] = arrays["metadata.document.ends"]
        self.dead = dead  # ascending; replaced, never changed
        self._masked: NDArray[np.int32] | None = None  # what the mask was made of
        self._mask = np.zeros(0, np.bool_)

    def __len__(self) -> int:
        return len(self.ids)

    def metadata_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the metadata as they are stored."""
        return {
            "metadata.values.data": self.values.data,
            "metadata.values.ends": self.values.ends,
            "metadata.values.slots": self.values.slots,
            "metadata.entries": self.entries,
            "metadata.ends": self.entry_ends,
            "metadata.documents": self.value_documents,
            "metadata.document.ends": self.value_ends,
        }

    @property
    def fields(self) -> int:
        """Return how many fields the documents had when the segment was written."""
        return len(self.ends) // len(self.ids) if len(self.ids) else 1

    @property
    def live(self) -> int:
        """Return how many documents are not dead."""
        return len(self.ids) - len(self.dead)

    @cached_property
    def values_by_key(self) -> dict[str, list[tuple[int, Any]]]:
        """Return each metadata key with the numbers of its distinct values and the values."""
        by_key: dict[str, list[tuple[int, Any]]] = {}
        for number, entry in enumerate(self.values):
            key, value = decode_entry(entry)
            of_key = by_key.setdefault(key, [])
            if value is not None:
                of_key.append((number, value))
        return by_key

    def value_numbers(self, key: str, value: object) -> list[int]:
        """Return the numbers of the values of a key that equal `value` (1 equals 1.0, but not '1' nor true)."""
        entries = [f"{key}{SEPARATOR}{text}" for text in entry_texts(value)]
        return [int(number) for number in self.values.find_all(*pack_ids(entries)) if number >= 0]

    def dead_mask(self) -> NDArray[np.bool_]:
        """Return for each document whether it is dead; not to be changed."""
        if self._masked is not self.dead:
            self._mask = np.zeros(len(self), np.bool_)
            self._mask[self.dead] = True
            self._masked = self.dead
        return self._mask

    def find_live(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number here of each packed id, or -1 where it is not here or dead."""
        numbers = self.ids.find_all(data, ends)
        if len(self.dead):
            numbers[(numbers >= 0) & self.dead_mask()[numbers]] = -1
        return numbers

    def documents(self, numbers: NDArray[np.int64], field_names: list[str]) -> list[Document]:
        """Return some documents; raise `DamagedIndex` where the text of one is not what was stored."""
        from aboutness.kernels.strings import first_changed

        last = self.ends[(numbers + 1) * self.fields - 1]
        starts = np.where(numbers > 0, self.ends[numbers * self.fields - 1], 0)
        if (changed := first_changed(self.data, starts, last, self.checksums[numbers])) >= 0:
            name = self.ids[int(numbers[changed])]
            raise DamagedIndex(f"the text of document {name!r} in segment {self.name} was changed")
        try:
            return self._decoded(numbers, starts, field_names)
        except ValueError as error:  # no UTF-8, or no JSON
            raise DamagedIndex(f"a document in segment {self.name} cannot be read: {error}") from None

    def _decoded(
        self, numbers: NDArray[np.int64], starts: NDArray[np.int64], field_names: list[str]
    ) -> list[Document]:
        stops = (self.ends[numbers[:, None] * self.fields + np.arange(self.fields)] - starts[:, None]).tolist()
        entries = self._entries_of(numbers)
        texts = [
            self.data[start : start + ends[-1]].tobytes()
            for start, ends in zip(starts.tolist(), stops, strict=True)
        ]
        rows = zip(self.ids.some(numbers), texts, stops, entries, strict=True)
        return [
            Document(
                identifier,
                {name: cell for name, cell in zip(field_names, cut(text, ends), strict=False) if cell},
                decode_entries(values) if values else {},
            )
            for identifier, text, ends, values in rows
        ]

    def _entries_of(self, numbers: NDArray[np.int64]) -> list[list[str]]:
        """Return the metadata of some documents, as it is stored."""
        ends = self.entry_ends[numbers].tolist()
        starts = np.where(numbers > 0, self.entry_ends[numbers - 1], 0).tolist()
        found = zip(starts, ends, strict=True)
        return [[self.values[value] for value in self.entries[start:end].tolist()] for start, end in found]

    def cell_start(self, cell: int) -> int:
        """Return where the text of a cell starts."""
        return int(self.ends[cell - 1]) if cell else 0
