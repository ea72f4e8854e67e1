"""Metadata as arrays: each (key, value) is a string of one table; documents and values refer to one another.

A document's entries stand in their order, so its metadata can be read back exactly: `year = 1987` is the entry
`year␀1987` (key, NUL, value as JSON), and a list is the entry `topics␀[` followed by one for each item.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import shown
from aboutness.core.record import Value
from aboutness.text.strings import StringTable

LIST = "["
OPENING = object()  # stands for the opening of a list among values
SEPARATOR = "\0"
LARGEST_BITS = 1024  # of a whole number


class MetadataColumns:
    """Collects the metadata of documents, one batch after the other."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[Any, int]] = {}  # key -> value -> number; all but texts with their type
        self._strings: list[str] = []
        self._entries: list[NDArray[np.int32]] = []
        self._ends: list[NDArray[np.int64]] = []
        self._count = 0

    def add(self, documents: Sequence[Mapping[str, Any]]) -> None:
        """Add the metadata of some documents; raise ValueError, and add none, where some cannot be kept."""
        if list(documents).count({}) == len(documents):
            self._ends.append(np.full(len(documents), self._count, np.int64))
            return
        entries: list[Any] = []
        ends: list[int] = []
        try:
            for metadata in documents:
                for key, value in metadata.items():
                    known = self._numbers.get(key)
                    if known is None:
                        known = self._numbers.setdefault(_checked_key(key), {})
                    if isinstance(value, (list, tuple)):
                        numbers = [known.get(item) for item in (OPENING, *value)]  # finds all but new and numbers
                        entries += (
                            [self._number(key, item, known) for item in (OPENING, *value)]
                            if None in numbers
                            else numbers
                        )
                    else:
                        number = known.get(value) if type(value) is str else None
                        entries.append(self._number(key, value, known) if number is None else number)
                ends.append(len(entries))
        except (TypeError, AttributeError) as error:
            raise ValueError(str(error)) from None
        self._entries.append(np.array(entries, np.int32))
        self._ends.append(np.array(ends, np.int64) + self._count)
        self._count += len(entries)

    def _number(self, key: str, value: Any, known: dict[Any, int]) -> int:  # noqa: ANN401 - any JSON scalar
        typed = _typed(value)
        number = known.get(typed)
        if number is None:
            if value is not OPENING and not _is_scalar(value):
                raise ValueError(f"not a scalar: {shown(value)}")
            text = LIST if value is OPENING else json.dumps(value, ensure_ascii=False)
            number = known[typed] = len(self._strings)
            self._strings.append(f"{key}{SEPARATOR}{text}")
        return number

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as arrays."""
        entries = np.concatenate([np.zeros(0, np.int32), *self._entries])
        ends = np.concatenate([np.zeros(0, np.int64), *self._ends])
        return metadata_arrays(StringTable.of(self._strings), entries, ends)


def metadata_arrays(values: StringTable, entries: NDArray[np.int32], ends: NDArray[np.int64]) -> dict[str, Any]:
    """Return the arrays of some documents' entries, by document and by value."""
    documents = np.repeat(np.arange(len(ends), dtype=np.int32), np.diff(ends, prepend=0))
    order = np.argsort(entries, kind="stable")
    return {
        "metadata.values.data": values.data,
        "metadata.values.ends": values.ends,
        "metadata.values.slots": values.slots,
        "metadata.entries": entries,
        "metadata.ends": ends,
        "metadata.documents": documents[order],
        "metadata.document.ends": np.bincount(entries, minlength=len(values)).cumsum(),
    }


def entry_texts(value: object) -> set[str]:
    """Return all ways in which an entry may have a value: 5 may stand as 5.0, and 0 as -0.0."""
    if not _is_scalar(value):
        return set()
    texts = {json.dumps(value, ensure_ascii=False)}
    if isinstance(value, float) and value.is_integer():
        texts.add(json.dumps(int(value)))
    elif isinstance(value, int) and not isinstance(value, bool):
        with suppress(OverflowError):
            texts |= {json.dumps(float(value))} if float(value) == value else set()
    return texts | ({"0", "0.0", "-0.0"} if value == 0 and not isinstance(value, bool) else set())


def decode_entry(entry: str) -> tuple[str, Any]:
    """Return the key and the value of one entry; the value of a list's opening is None."""
    key, _, text = entry.partition(SEPARATOR)
    return key, None if text == LIST else json.loads(text)


def decode_entries(entries: Sequence[str]) -> dict[str, Value]:
    """Return the metadata that the entries of one document spell."""
    metadata: dict[str, Any] = {}
    for key, value in map(decode_entry, entries):
        if value is None:
            metadata[key] = []
        elif key in metadata:
            metadata[key].append(value)
        else:
            metadata[key] = value
    return metadata


def problem(metadata: Any) -> str:  # noqa: ANN401 - anything may come
    """Return what is wrong with a document's metadata, or an empty string."""
    if not isinstance(metadata, Mapping):
        return f"the metadata of a document must be a mapping of keys to values, got {shown(metadata)}"
    for key, value in metadata.items():
        try:
            _checked_key(key)
        except ValueError as error:
            return str(error)
        items = value if isinstance(value, (list, tuple)) else [value]
        for wrong in (item for item in items if not _is_scalar(item)):
            return (
                f"metadata {shown(key)} must be a text, a finite number, true or false, or a list of those, "
                f"got {shown(wrong)}"
            )
    return ""


def _checked_key(key: object) -> str:
    if not isinstance(key, str) or not key or SEPARATOR in key or not _encodes(key):
        raise ValueError(f"a metadata key must be a non-empty text without NUL, got {shown(key)}")
    return key


def _typed(value: Any) -> Any:  # noqa: ANN401 - any JSON scalar
    """Return what tells a value from others: 1 from 1.0 and True, 0.0 from -0.0, but no type from its subtypes."""
    if isinstance(value, str):
        return str.__str__(value)
    if value is OPENING:
        return OPENING
    if isinstance(value, float):
        return float, float.__repr__(value)
    return (int, int(value)) if isinstance(value, int) and not isinstance(value, bool) else (type(value), value)


def _is_scalar(value: object) -> bool:
    if isinstance(value, str):
        return _encodes(value)
    if isinstance(value, int):
        return value.bit_length() <= LARGEST_BITS
    return isinstance(value, float) and math.isfinite(value)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
