from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels.strings import absorb, hash_all
from aboutness.text.strings import GrowingTable, StringTable, pack, slots_for, unpack, wide_strings

quick = settings(max_examples=100, deadline=None)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
many = st.lists(texts | st.sampled_from(["", "\0", "\0\0", "é", "中", "𐐀", "aaaaaaaa", "aaaaaaaaa"]), max_size=30)


@quick
@given(many)
def test_pack(strings):
    data, ends = pack(strings)
    encoded = [string.encode() for string in strings]
    assert data.tobytes() == b"".join(encoded)
    assert ends.tolist() == np.cumsum([len(one) for one in encoded], dtype=np.int64).tolist()
    assert (data.dtype, ends.dtype) == (np.uint8, np.int64)


@quick
@given(many, st.integers(0, 40))
def test_unpack_undoes_pack(strings, first):
    assert unpack(*pack(strings)) == strings
    assert unpack(*pack(strings), first) == strings[first:]


@quick
@given(many)
def test_wide_strings(strings):
    assert wide_strings(strings) == [i for i, one in enumerate(strings) if len(one) != len(one.encode())]


def test_lone_surrogates_cannot_be_packed():
    with pytest.raises(UnicodeEncodeError):
        pack(["a", "\ud800"])


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 512, 513, 1000])
def test_slots_are_a_power_of_two_and_at_most_half_full(count):
    slots = slots_for(count)
    assert len(slots) & (len(slots) - 1) == 0
    assert len(slots) >= max(16, 2 * count)
    assert not slots.any()


@quick
@given(many.map(lambda strings: list(dict.fromkeys(strings))), many)
def test_a_table_is_a_list_with_a_dict(strings, others):
    table = StringTable.of(iter(strings))
    numbers = {string: number for number, string in enumerate(strings)}
    assert list(table) == strings
    assert len(table) == len(strings)
    assert [table[number] for number in range(len(strings))] == strings
    assert table.find_all(*pack(others)).tolist() == [numbers.get(one, -1) for one in others]
    for one in [*strings[:3], *others[:3]]:
        assert table.find(one) == numbers.get(one, -1)
    for number in (-1, len(strings)):
        with pytest.raises(IndexError):
            table[number]


@quick
@given(many)
def test_repeats_are_refused(strings):
    again = next((i for i, one in enumerate(strings) if one in strings[:i]), None)
    if again is None:
        assert len(StringTable.of(strings)) == len(strings)
    else:
        with pytest.raises(ValueError, match=f"^string {again} is there twice$"):
            StringTable.of(strings)


def test_an_empty_table():
    table = StringTable.of([])
    assert (len(table), list(table), table.find(""), table.find("a")) == (0, [], -1, -1)
    assert table.find_all(*pack([])).tolist() == []


@quick
@given(st.lists(many, max_size=4), st.integers(0, 30))
def test_a_growing_table_is_a_dict(batches, first):
    table, numbers = GrowingTable(), {}
    for batch in batches:
        assert table.add(*pack(batch)).tolist() == [numbers.setdefault(one, len(numbers)) for one in batch]
        assert len(table) == len(numbers)
    known = list(numbers)
    assert table.strings() == known
    assert table.strings(first) == known[first:]
    assert table.used == sum(len(one.encode()) for one in known)
    first = min(first, len(known))
    data, ends = table.packed(first)
    assert unpack(data, ends) == known[first:]


def test_growth_over_many_additions():
    chance = random.Random(4)
    table, numbers = GrowingTable(), {}
    for _ in range(200):
        batch = [f"{chance.choice('aé中𐐀')}{chance.randrange(40_000)}" * chance.randrange(4) for _ in range(100)]
        assert table.add(*pack(batch)).tolist() == [numbers.setdefault(one, len(numbers)) for one in batch]
    assert len(table) == len(numbers) > 10_000
    assert table.strings() == list(numbers)
    frozen = StringTable.of_packed(*table.packed())
    assert list(frozen) == list(numbers)
    assert frozen.find_all(*pack(list(numbers))).tolist() == list(range(len(numbers)))


def test_room_asked_for_is_there_and_nothing_moves():
    table = GrowingTable()
    table.add(*pack(["a", "é", ""]))
    table.reserve(5_000, 100_000)
    assert len(table.ends) >= 5_003
    assert len(table.data) >= table.used + 100_000
    assert len(table.slots) >= 2 * 5_003
    assert table.strings() == ["a", "é", ""]
    assert table.add(*pack(["", "b", "a"])).tolist() == [2, 3, 0]


def same_low_bits(count: int, bits: int) -> list[str]:
    strings = [f"t{i}" for i in range(count << bits)]
    codes = np.empty(len(strings), np.uint64)
    hash_all(*pack(strings), codes)
    chosen = np.flatnonzero(codes & np.uint64((1 << bits) - 1) == codes[0] & np.uint64((1 << bits) - 1))
    return [strings[i] for i in chosen]


def same_hash(count: int) -> list[str]:
    """Letters whose hashes are equal in all 64 bits: the second word of each undoes the first."""
    chance, target, found = random.Random(3), None, []
    while len(found) < count:
        first = bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz", k=8))
        state = int(absorb(np.uint64(0), np.uint64(int.from_bytes(first, "big"))))
        if target is None:
            target = state ^ int.from_bytes(b"original", "big")
        second = (state ^ target).to_bytes(8, "big")
        if second.isascii():
            found.append((first + second).decode())
    return found


@pytest.mark.parametrize("strings", [same_low_bits(60, 12), same_hash(20)], ids=["low bits", "all bits"])
def test_collisions(strings):
    codes = np.empty(len(strings), np.uint64)
    hash_all(*pack(strings), codes)
    assert len({int(code) & 0xFFF for code in codes}) == 1
    assert len(set(strings)) == len(strings) >= 20
    half = len(strings) // 2
    table = StringTable.of(strings[:half])
    expected = [*range(half), *[-1] * (len(strings) - half)]
    assert table.find_all(*pack(strings)).tolist() == expected
    growing = GrowingTable()
    for string in strings:
        growing.add(*pack([string]))
    growing.reserve(5_000, 0)  # puts all into new slots
    assert growing.add(*pack(strings)).tolist() == list(range(len(strings)))
    assert growing.strings() == strings


def test_strings_that_only_length_tells_apart():
    strings = ["\0" * size for size in range(100)]
    assert StringTable.of(strings).find_all(*pack(strings)).tolist() == list(range(100))


def test_a_growing_table_becomes_a_table_that_finds_the_same():
    for count in (0, 1, 5, 300, 5000):
        growing = GrowingTable()
        strings = [f"word {n}" for n in range(count)]
        for start in range(0, count, 700):
            growing.add(*pack(strings[start : start + 700]))
        table = growing.table()
        assert list(table) == strings
        assert [table.find(string) for string in strings[:50]] == list(range(count))[:50]
        assert table.find("another") == -1


def test_a_damaged_table_is_searched_without_leaving_its_arrays():
    table = StringTable.of([f"word{n}" for n in range(5)])
    full = np.full(len(table.slots), 0xFFFFFFFF, np.uint64)  # no free place, numbers that no string has
    assert StringTable(table.data, table.ends, full).find("word1") == -1
    same_tag = table.slots | np.uint64(0x7FFFFFFF)  # right tags, wrong numbers
    assert StringTable(table.data, table.ends, same_tag).find("word1") == -1
    for ends in (table.ends + (1 << 40), table.ends - (1 << 40), table.ends[:1]):
        assert StringTable(table.data, ends, table.slots).find("word4") == -1
    assert StringTable(table.data, table.ends, np.zeros(0, np.uint64)).find("word1") == -1
