from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import strings

MASK = (1 << 64) - 1
MIX = 0x9E3779B97F4A7C15

words = st.lists(st.binary(max_size=20) | st.sampled_from([b"", b"\0", b"ab", b"12345678", b"1234567812345678"]))
quick = settings(max_examples=60, deadline=None)


def naive_absorb(state: int, word: int) -> int:
    state = (state ^ word) * MIX & MASK
    return state ^ (state >> 32)


def naive_hash(text: bytes) -> int:
    whole = len(text) // 8 * 8
    state = 0
    for at in range(0, whole, 8):
        state = naive_absorb(state, int.from_bytes(text[at : at + 8], "big"))
    return naive_absorb(state, int.from_bytes(text[whole:], "big") ^ len(text))


def packed(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    data = np.frombuffer(bytearray(b"".join(texts)), np.uint8)
    return data, np.cumsum([len(text) for text in texts], dtype=np.int64)


def unpacked(data: np.ndarray, ends: np.ndarray) -> list[bytes]:
    return [data[start:end].tobytes() for start, end in zip([0, *ends], ends, strict=False)]


def table_of(texts: list[bytes], places: int = 64) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A table made by the book: linear probing from the low bits, the high half as a tag."""
    data, ends = packed(texts)
    slots = np.zeros(places, np.uint64)
    for number, text in enumerate(texts):
        code = naive_hash(text)
        place = code % places
        while slots[place]:
            place = (place + 1) % places
        slots[place] = (code >> 32 << 32) | (number + 1)
    return data, ends, slots


def colliding(count: int, seed: int = 1) -> list[bytes]:
    """Different texts of two words each with the same hash in all 64 bits: the second word undoes the first."""
    chance = random.Random(seed)
    target = chance.getrandbits(64)
    texts = []
    for _ in range(count):
        first = chance.getrandbits(64)
        second = naive_absorb(0, first) ^ target
        texts.append(first.to_bytes(8, "big") + second.to_bytes(8, "big"))
    return texts


numbers = st.integers(0, MASK)


@quick
@given(numbers, numbers)
def test_absorb(run, state, word):
    assert run(strings.absorb, np.uint64(state), np.uint64(word))[0] == naive_absorb(state, word)


@quick
@given(st.binary(max_size=40), st.data())
def test_hash_of_any_part(run, text, data):
    end = data.draw(st.integers(0, len(text)))
    start = data.draw(st.integers(0, end))
    array = np.frombuffer(bytearray(text), np.uint8)
    assert run(strings.hash_bytes, array, start, end)[0] == naive_hash(text[start:end])


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=1, max_size=64))
def test_every_single_bit_flip_changes_the_hash(text):
    array = np.frombuffer(bytearray(text), np.uint8)
    plain = strings.hash_bytes(array, 0, len(array))
    flipped = set()
    for bit in range(8 * len(text)):
        array[bit // 8] ^= 1 << bit % 8
        flipped.add(strings.hash_bytes(array, 0, len(array)))
        array[bit // 8] ^= 1 << bit % 8
    assert plain not in flipped
    assert len(flipped) == 8 * len(text) or len(text) > 8  # within one word no two flips meet either


@quick
@given(words)
def test_hash_all(run, texts):
    _, (_, _, out) = run(strings.hash_all, *packed(texts), np.zeros(len(texts), np.uint64))
    assert out.tolist() == [naive_hash(text) for text in texts]


@quick
@given(st.lists(st.binary(max_size=20), min_size=1, max_size=8), st.data())
def test_first_changed(run, texts, data):
    array, ends = packed(texts)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    hashes = np.array([naive_hash(text) for text in texts], np.uint64)
    assert run(strings.first_changed, array, starts, ends, hashes)[0] == -1
    place = data.draw(st.integers(0, len(texts) - 1))
    for harm in ("hash", "before", "beyond", "backwards"):
        first, last, other = starts.copy(), ends.copy(), hashes.copy()
        if harm == "hash":
            other[place] ^= np.uint64(1)
        elif harm == "before":
            first[place] = -1
        elif harm == "beyond":
            last[place] = len(array) + 1
        else:
            first[place] = last[place] + 1
        assert run(strings.first_changed, array, first, last, other)[0] == place


def test_hashes_of_zeros_of_every_length_differ():
    data = np.zeros(1000, np.uint8)
    assert len({strings.hash_bytes(data, 0, end) for end in range(1001)}) == 1001


@quick
@given(st.lists(st.binary(max_size=9), min_size=1), st.binary(max_size=9), st.data())
def test_is_string(run, texts, other, data):
    number = data.draw(st.integers(0, len(texts) - 1))
    other = data.draw(st.sampled_from([other, texts[number], texts[number][:-1], texts[number] + b"x"]))
    array = np.frombuffer(bytearray(b"??" + other + b"?"), np.uint8)
    same, _ = run(strings.is_string, *packed(texts), number, array, 2, 2 + len(other))
    assert same == (texts[number] == other)


@quick
@given(st.lists(st.binary(max_size=9), min_size=1, max_size=30, unique=True), st.binary(max_size=9))
def test_find(run, texts, other):
    data, ends, slots = table_of(texts)
    for text in [*texts[:3], other]:
        array, (end,) = packed([text])
        place, _ = run(strings.find, data, ends, slots, array, 0, end, np.uint64(naive_hash(text)))
        if text in texts:
            assert int(slots[place]) & 0xFFFFFFFF == texts.index(text) + 1
        else:
            assert slots[place] == 0


@quick
@given(st.lists(st.binary(max_size=9), min_size=1, max_size=30, unique=True), words)
def test_find_all(run, texts, others):
    others = [*others, *texts[::2]]
    arguments = (*table_of(texts), *packed(others), np.zeros(len(others), np.int64))
    _, after = run(strings.find_all, *arguments)
    assert after[-1].tolist() == [texts.index(text) if text in texts else -1 for text in others]


@quick
@given(st.lists(words.map(lambda texts: texts[:10]), max_size=3))
def test_insert_all(run, batches):
    known: dict[bytes, int] = {}
    data, ends, slots, count = np.zeros(2_000, np.uint8), np.zeros(100, np.int64), np.zeros(128, np.uint64), 0
    for batch in batches:
        arguments = (data, ends, slots, count, *packed(batch), np.zeros(len(batch), np.int64))
        count, (data, ends, slots, *_, given_numbers) = run(strings.insert_all, *arguments)
        assert given_numbers.tolist() == [known.setdefault(text, len(known)) for text in batch]
        assert count == len(known)
        assert unpacked(data, ends[:count]) == list(known)
        np.testing.assert_array_equal(slots, table_of(list(known), 128)[2])


@quick
@given(words)
def test_fill_slots(run, texts):
    texts = texts[:30]
    data, ends = packed(texts)
    again, (*_, slots) = run(strings.fill_slots, data, ends, len(texts), np.zeros(64, np.uint64))
    repeats = [i for i, text in enumerate(texts) if text in texts[:i]]
    assert again == (repeats[0] if repeats else -1)
    np.testing.assert_array_equal(slots, table_of(texts[:again] if repeats else texts)[2])


@quick
@given(words, st.data())
def test_take(run, texts, data):
    chosen = data.draw(st.lists(st.integers(-1, len(texts) - 1), max_size=20))
    wanted = [texts[i] if i >= 0 else b"" for i in chosen]
    out, out_ends = np.zeros(sum(map(len, wanted)), np.uint8), np.zeros(len(chosen), np.int64)
    _, after = run(strings.take, *packed(texts), np.array(chosen, np.int64), out, out_ends)
    assert unpacked(after[-2], after[-1]) == wanted


def test_take_of_runs_of_numbers(run):
    values, ends = np.array([5, 6, 7, 8, 9], np.int32), np.array([2, 2, 5], np.int64)
    chosen = np.array([2, 1, -1, 0, 2], np.int64)
    _, after = run(strings.take, values, ends, chosen, np.zeros(8, np.int32), np.zeros(5, np.int64))
    assert after[-2].tolist() == [7, 8, 9, 5, 6, 7, 8, 9]
    assert after[-1].tolist() == [3, 3, 3, 5, 8]


def test_texts_whose_hashes_are_equal_are_told_apart(run):
    texts = colliding(24)
    assert len({naive_hash(text) for text in texts}) == 1
    assert len(set(texts)) == 24
    data, ends = packed(texts[:20])
    again, (*_, slots) = run(strings.fill_slots, data, ends, 20, np.zeros(64, np.uint64))
    assert again == -1
    _, after = run(strings.find_all, data, ends, slots, *packed(texts), np.zeros(24, np.int64))
    assert after[-1].tolist() == [*range(20), -1, -1, -1, -1]


@pytest.mark.parametrize("places", [16, 64])
def test_probing_goes_round_the_end(run, places):
    last = [i.to_bytes(2, "big") for i in range(65536) if naive_hash(i.to_bytes(2, "big")) % places == places - 1]
    texts = last[:6]
    data, ends = packed(texts)
    _, (*_, slots) = run(strings.fill_slots, data, ends, 6, np.zeros(places, np.uint64))
    assert [int(slot) & 0xFFFFFFFF for slot in (slots[-1], *slots[:5])] == [1, 2, 3, 4, 5, 6]
    _, after = run(strings.find_all, data, ends, slots, *packed(last[:8]), np.zeros(8, np.int64))
    assert after[-1].tolist() == [0, 1, 2, 3, 4, 5, -1, -1]
