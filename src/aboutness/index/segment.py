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
from aboutness.text.strings import StringTable, pack, unpack

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

    def document(self, number: int, field_names: list[str]) -> Document:
        """Return one document; raise `DamagedIndex` where its text is not what was stored."""
        from aboutness.kernels.strings import hash_bytes

        first = number * self.fields
        start, end = self.cell_start(first), int(self.ends[first + self.fields - 1])
        sane = 0 <= start <= end <= len(self.data)
        if not sane or int(hash_bytes(self.data, start, end)) != int(self.checksums[number]):
            raise DamagedIndex(f"the text of document {self.ids[number]!r} in segment {self.name} was changed")
        cells = unpack(self.data[start:end], self.ends[first : first + self.fields] - start)
        fields = {name: text for name, text in zip(field_names, cells, strict=False) if text}
        entry = int(self.entry_ends[number - 1]) if number else 0
        entries = [self.values[int(value)] for value in self.entries[entry : self.entry_ends[number]]]
        return Document(self.ids[number], fields, decode_entries(entries))

    def cell_start(self, cell: int) -> int:
        """Return where the text of a cell starts."""
        return int(self.ends[cell - 1]) if cell else 0
