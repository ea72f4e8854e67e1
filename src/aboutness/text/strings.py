"""Many strings in three arrays, found by hash: the vocabulary, the ids and the metadata values of an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ends = NDArray[np.int64]
Slots = NDArray[np.uint64]
T = TypeVar("T", bound=np.generic)

FEW = 50  # strings that are taken one by one


def pack(strings: Sequence[str]) -> tuple[Bytes, Ends]:
    """Return the strings end to end in UTF-8, and where each ends."""
    data = "".join(strings).encode()
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    if lengths.sum() != len(data):
        for i in wide_strings(strings):
            lengths[i] = len(strings[i].encode())
    return np.frombuffer(data, np.uint8), lengths.cumsum()


def wide_strings(strings: Sequence[str]) -> list[int]:
    """Return which strings are not ASCII."""
    narrow = np.fromiter(map(str.isascii, strings), np.bool_, len(strings))
    wide: list[int] = np.flatnonzero(~narrow).tolist()
    return wide


def unpack(data: Bytes, ends: Ends, first: int = 0) -> list[str]:
    """Return the strings from number `first` on."""
    if first >= len(ends):
        return []
    start = int(ends[first - 1]) if first else 0
    return cut(data[start : int(ends[-1])].tobytes(), (ends[first:] - start).tolist())


def cut(whole: bytes, stops: Sequence[int]) -> list[str]:
    """Return the strings that end at some places."""
    text = whole.decode("ascii") if whole.isascii() else None
    if text is None:
        return [whole[a:b].decode() for a, b in zip([0, *stops], stops, strict=False)]
    return [text[a:b] for a, b in zip([0, *stops], stops, strict=False)]


def take(data: NDArray[T], ends: Ends, chosen: NDArray[np.integer[Any]]) -> tuple[NDArray[T], Ends]:
    """Return the chosen strings (or other runs of items; -1 is an empty one), end to end, in that order."""
    from aboutness.kernels.strings import take as copy

    if not len(ends):
        return data, np.zeros(len(chosen), np.int64)
    wanted = chosen.astype(np.int64)
    there = wanted[wanted >= 0]
    starts = np.where(there > 0, ends[there - 1], 0)
    out = np.empty(int((ends[there] - starts).sum()), data.dtype)
    out_ends = np.empty(len(wanted), np.int64)
    copy(data, ends, wanted, out, out_ends)
    return out, out_ends


def slots_for(count: int) -> Slots:
    """Return empty slots for `count` strings, at most half full."""
    return np.zeros(1 << max(4, (2 * count - 1).bit_length()), np.uint64)


class StringTable(Sequence[str]):
    """Numbered strings that no longer change, as read from or written to a file."""

    def __init__(self, data: Bytes, ends: Ends, slots: Slots) -> None:
        self.data = data
        self.ends = ends
        self.slots = slots

    @classmethod
    def of(cls, strings: Iterable[str]) -> StringTable:
        """Make a table of distinct strings."""
        return cls.of_packed(*pack(list(strings)))

    @classmethod
    def of_packed(cls, data: Bytes, ends: Ends) -> StringTable:
        """Make a table of distinct strings that are packed already."""
        from aboutness.kernels.strings import fill_slots

        slots = slots_for(len(ends))
        if (again := fill_slots(data, ends, len(ends), slots)) >= 0:
            raise ValueError(f"string {again} is there twice")
        return cls(data, ends, slots)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> str:  # type: ignore[override]
        if not 0 <= number < len(self.ends):
            raise IndexError(number)
        start = self.ends[number - 1] if number else 0
        return self.data[start : self.ends[number]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return iter(unpack(self.data, self.ends))

    def some(self, numbers: NDArray[np.int64]) -> list[str]:
        """Return the strings with some numbers."""
        if len(numbers) > FEW:
            return unpack(*take(self.data, self.ends, numbers))
        starts = np.where(numbers > 0, self.ends[numbers - 1], 0).tolist() if len(self.ends) else []
        data = self.data
        return [data[a:b].tobytes().decode() for a, b in zip(starts, self.ends[numbers].tolist(), strict=True)]

    def find(self, string: str) -> int:
        """Return the number of `string`, or -1."""
        return int(self.find_all(*pack([string]))[0])

    def find_all(self, data: Bytes, ends: Ends) -> NDArray[np.int64]:
        """Return the number of each packed string, or -1."""
        from aboutness.kernels.strings import find_all

        numbers = np.empty(len(ends), np.int64)
        if len(self):
            find_all(self.data, self.ends, self.slots, data, ends, numbers)
        else:
            numbers.fill(-1)
        return numbers


class GrowingTable:
    """A string table that takes new strings; the numbers it has given never change."""

    def __init__(self) -> None:
        self.count = 0
        self.data = np.empty(1 << 12, np.uint8)
        self.ends = np.empty(1 << 9, np.int64)
        self.slots = slots_for(1 << 9)

    def __len__(self) -> int:
        return self.count

    @property
    def used(self) -> int:
        """Return how many bytes the strings take."""
        return int(self.ends[self.count - 1]) if self.count else 0

    def reserve(self, strings: int, size: int) -> None:
        """Make room for so many more strings of so many bytes in all."""
        from aboutness.kernels.strings import fill_slots

        if self.used + size > len(self.data):
            self.data = _enlarged(self.data, self.used, self.used + size)
        if self.count + strings > len(self.ends):
            self.ends = _enlarged(self.ends, self.count, self.count + strings)
        if self.count + strings > len(self.slots) // 2:
            self.slots = slots_for(2 * (self.count + strings))
            fill_slots(self.data, self.ends, self.count, self.slots)

    def add(self, data: Bytes, ends: Ends) -> NDArray[np.int64]:
        """Number each packed string, the new ones in the order in which they come."""
        from aboutness.kernels.strings import insert_all

        self.reserve(len(ends), len(data))
        numbers = np.empty(len(ends), np.int64)
        self.count = int(insert_all(self.data, self.ends, self.slots, self.count, data, ends, numbers))
        return numbers

    def strings(self, first: int = 0) -> list[str]:
        """Return the strings from number `first` on."""
        return unpack(self.data, self.ends[: self.count], first)

    def table(self) -> StringTable:
        """Return all strings as a table; it is good for as long as nothing is added."""
        if len(self.slots) == len(slots_for(self.count)):
            return StringTable(*self.packed(), self.slots)
        return StringTable.of_packed(*self.packed())

    def packed(self, first: int = 0) -> tuple[Bytes, Ends]:
        """Return the strings from number `first` on, packed."""
        start = int(self.ends[first - 1]) if first else 0
        return self.data[start : self.used], self.ends[first : self.count] - start


def _enlarged(array: NDArray, kept: int, needed: int) -> NDArray:  # type: ignore[type-arg]
    larger = np.empty(max(needed, 2 * len(array)), array.dtype)
    larger[:kept] = array[:kept]
    return larger
