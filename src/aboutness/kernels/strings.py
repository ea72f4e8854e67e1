"""Strings as arrays: many byte strings in one array, found by an open-addressing hash table.

A table is three arrays. `data` holds the strings end to end; string i is `data[ends[i - 1]:ends[i]]` (from 0
for the first). `slots` has a power of two of places; a place is 0 where free, else the upper half of the
string's hash and, in the lower half, its number + 1. The same table serves tokens, terms, ids and metadata.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled

Bytes = NDArray[np.uint8]
Ends = NDArray[np.int64]
Slots = NDArray[np.uint64]
Int: TypeAlias = int | np.signedinteger[Any]

MIX = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
BYTE = np.uint64(8)
WORD_BYTES = 8
LOW = np.uint64(0xFFFFFFFF)
HIGH = np.uint64(0xFFFFFFFF00000000)
FREE = np.uint64(0)
ONE = np.uint64(1)


@compiled
def absorb(state: np.uint64, word: np.uint64) -> np.uint64:
    """Mix eight bytes, or what is left at the end, into a running hash."""
    state = (state ^ word) * MIX
    return state ^ (state >> HALF)


@compiled
def hash_bytes(data: Bytes, start: Int, end: Int) -> np.uint64:
    """Return the hash of `data[start:end]`; `tokenize` computes the same one as it reads."""
    state = np.uint64(0)
    at, stop = np.uint64(start), np.uint64(end)
    for _ in range((end - start) // WORD_BYTES):
        word = np.uint64(0)
        for i in range(WORD_BYTES):
            word = (word << BYTE) | np.uint64(data[at + np.uint64(i)])
        state = absorb(state, word)
        at += np.uint64(WORD_BYTES)
    word = np.uint64(0)
    while at < stop:
        word = (word << BYTE) | np.uint64(data[at])
        at += ONE
    return absorb(state, word ^ np.uint64(end - start))


@compiled
def is_string(data: Bytes, ends: Ends, number: Int, other: Bytes, start: Int, end: Int) -> bool:
    """Tell whether string `number` of the table equals `other[start:end]`."""
    begin = ends[number - 1] if number > 0 else np.int64(0)
    if ends[number] - begin != end - start:
        return False
    for i in range(end - start):
        if data[np.uint64(begin + i)] != other[np.uint64(start + i)]:
            return False
    return True


@compiled
def find(data: Bytes, ends: Ends, slots: Slots, other: Bytes, start: Int, end: Int, code: np.uint64) -> Int:
    """Return the place in `slots` of `other[start:end]`, or of the free place where it belongs.

    For tables that we have made ourselves, which are never full; `find_all` trusts no table.
    """
    mask = np.uint64(len(slots) - 1)
    place = code & mask
    tag = code & HIGH
    while True:
        entry = slots[place]
        if entry == FREE:
            return np.int64(place)
        if (entry & HIGH) == tag:
            number = np.int64(entry & LOW) - 1
            if is_string(data, ends, number, other, start, end):
                return np.int64(place)
        place = (place + ONE) & mask


@compiled
def find_all(
    data: Bytes, ends: Ends, slots: Slots, other: Bytes, other_ends: Ends, numbers: NDArray[np.int64]
) -> None:
    """Write into `numbers`, for each string of `other`, its number in the table, or -1.

    The table may come from a damaged file: nothing outside its arrays is read, and the search ends.
    """
    mask = np.uint64(len(slots) - 1)
    start = np.int64(0)
    for i in range(len(other_ends)):
        end = other_ends[i]
        code = hash_bytes(other, start, end)
        place = code & mask
        numbers[i] = -1
        for _ in range(len(slots)):
            entry = slots[place]
            if entry == FREE:
                break
            number = np.int64(entry & LOW) - 1
            if (entry & HIGH) == (code & HIGH) and number < len(ends):
                begin = ends[number - 1] if number > 0 else np.int64(0)
                inside = 0 <= begin <= ends[number] <= len(data)
                if inside and is_string(data, ends, number, other, start, end):
                    numbers[i] = number
                    break
            place = (place + ONE) & mask
        start = end


@compiled
def insert_all(
    data: Bytes,
    ends: Ends,
    slots: Slots,
    count: Int,
    other: Bytes,
    other_ends: Ends,
    numbers: NDArray[np.int64],
) -> Int:
    """Number each string of `other`, adding the new ones; there must be room. Return the new count."""
    start = np.int64(0)
    used = ends[count - 1] if count > 0 else np.int64(0)
    for i in range(len(other_ends)):
        end = other_ends[i]
        code = hash_bytes(other, start, end)
        place = find(data, ends, slots, other, start, end, code)
        if slots[place] == FREE:
            for j in range(start, end):
                data[used] = other[j]
                used += 1
            ends[count] = used
            count += 1
            slots[place] = (code & HIGH) | np.uint64(count)
        numbers[i] = np.int64(slots[place] & LOW) - 1
        start = end
    return count


@compiled
def fill_slots(data: Bytes, ends: Ends, count: Int, slots: Slots) -> int:
    """Enter the first `count` strings into empty `slots`; return the number of the first repeat, or -1."""
    start = np.int64(0)
    for i in range(count):
        end = ends[i]
        code = hash_bytes(data, start, end)
        place = find(data, ends, slots, data, start, end, code)
        if slots[place] != FREE:
            return i
        slots[place] = (code & HIGH) | np.uint64(i + 1)
        start = end
    return -1


@compiled
def take(data: NDArray[Any], ends: Ends, chosen: NDArray[np.int64], out: NDArray[Any], out_ends: Ends) -> None:
    """Copy the `chosen` strings (or other runs; -1 is an empty one) in that order to `out`, which has room."""
    used = np.int64(0)
    for i in range(len(chosen)):
        number = chosen[i]
        if number >= 0:
            for j in range(ends[number - 1] if number > 0 else 0, ends[number]):
                out[used] = data[j]
                used += 1
        out_ends[i] = used


@compiled
def hash_all(data: Bytes, ends: Ends, out: Slots) -> None:
    """Write the hash of each string."""
    start = np.int64(0)
    for i in range(len(ends)):
        out[i] = hash_bytes(data, start, ends[i])
        start = ends[i]


@compiled
def first_changed(data: Bytes, starts: Ends, ends: Ends, hashes: Slots) -> Int:
    """Return the first run of bytes, by its place, that lies outside or has another hash; -1 where none does."""
    for i in range(len(starts)):
        inside = 0 <= starts[i] <= ends[i] <= len(data)
        if not inside or hash_bytes(data, starts[i], ends[i]) != hashes[i]:
            return i
    return -1
