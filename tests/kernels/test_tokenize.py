from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import tokenize as kernel
from aboutness.kernels.strings import hash_bytes
from aboutness.text.classes import ascii_map, code_point_classes

SOME_CLASSES = (np.arange(0x110000) * 7 % 251).astype(np.uint8)

quick = settings(max_examples=80, deadline=None)

# code points of one to four bytes: letters, digits, punctuation, blanks, and the ends of each width
SPECIAL = "aZ_9 -\0\n\x7f\x80éßΣ߿ࠀ—　中￿\uffff\U00010000𐐀😀𝟘\U0010ffff"
cells_of = st.lists(
    st.text(st.sampled_from(SPECIAL) | st.characters(exclude_categories=["Cs"]), max_size=12), max_size=5
)


ENDS_OF_WIDTHS = [0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]


@quick
@given(st.sampled_from(ENDS_OF_WIDTHS) | st.characters(min_codepoint=0x80, exclude_categories=["Cs"]).map(ord))
def test_width_and_class(run, point):
    text = np.frombuffer(bytearray(b"x" + chr(point).encode() + b"x"), np.uint8)
    width, _ = run(kernel.width_of, text[1])
    assert width == len(text) - 2
    assert run(kernel.class_at, text, np.uint64(1), width, SOME_CLASSES)[0] == point * 7 % 251


def tokens_three_ways(run, cells, token, solo, shortest, places):
    """Run the kernel, growing a table that starts with `places` free ones; return the tokens of each cell."""
    texts = [cell.encode() for cell in cells]
    text = np.frombuffer(bytearray(b"".join(texts)), np.uint8)
    cell_ends = np.cumsum([len(one) for one in texts], dtype=np.int64)
    classes, table = code_point_classes(token, solo), ascii_map(token, solo, lowercase=True)
    data, ends = np.zeros(2 * len(text) + 16, np.uint8), np.zeros(places, np.int64)
    slots = np.zeros(2 * places, np.uint64)
    state, tokens = np.zeros(4, np.int64), np.zeros(len(text) + 1, np.int32)
    token_ends = np.zeros(len(texts), np.int64)
    calls = 0
    while True:
        done, after = run(
            kernel.tokenize,
            text,
            cell_ends,
            classes,
            table,
            shortest,
            data,
            ends,
            slots,
            state,
            tokens,
            token_ends,
        )
        *_, data, ends, slots, state, tokens, token_ends = after
        calls += 1
        if done:
            break
        assert state[3] == len(ends)  # it stops when the table is full, and not before
        grown, slots = np.zeros(2 * len(ends), np.int64), np.zeros(2 * len(slots), np.uint64)
        grown[: len(ends)] = ends
        ends = grown
        enter(data, ends[: state[3]], slots)
    assert (state[0], state[1]) == (len(texts), len(text))
    spelled = [data[a:b].tobytes().decode() for a, b in zip([0, *ends], ends[: state[3]], strict=False)]
    assert len(set(spelled)) == len(spelled)
    return [
        [spelled[number] for number in tokens[a:b]] for a, b in zip([0, *token_ends], token_ends, strict=False)
    ], calls


def enter(data, ends, slots):
    start = 0
    for number, end in enumerate(ends):
        code = int(hash_bytes(data, start, end))
        place = code % len(slots)
        while slots[place]:
            place = (place + 1) % len(slots)
        slots[place] = (code >> 32 << 32) | (number + 1)
        start = end


@quick
@given(
    cells_of,
    st.sampled_from([(r"\w", ""), (r"\w", r"[^\w\s]"), (r"[^ ]", ""), ("[a-zé]", "[0-9Σ😀]"), (r"\S", "")]),
    st.integers(1, 4),
)
def test_the_tokens_of_the_expression(run, cells, patterns, shortest):
    token, solo = patterns
    cells = [cell.lower() for cell in cells]
    expression = f"(?:{token}){{{shortest},}}"
    expected = [re.findall(f"{solo}|{expression}" if solo else expression, cell) for cell in cells]
    found, _ = tokens_three_ways(run, cells, token, solo, shortest, places=64)
    assert found == expected


def test_stopping_and_going_on_changes_nothing(run):
    cells = ["ab cd ab ef", "", "gh é ab éé ij kl", "mn op qr st uv wx yz", "  "]
    expected = [cell.split() for cell in cells]
    found, calls = tokens_three_ways(run, cells, r"\w", "", 1, places=2)
    assert found == expected
    assert calls == 4  # 14 distinct tokens: 2, 4, 8, 16


def test_upper_case_ascii_is_folded_on_the_way(run):
    found, _ = tokens_three_ways(run, ["ABC abc aBC Zz@[`{"], r"\w", "", 1, places=8)
    assert found == [["abc", "abc", "abc", "zz"]]


@pytest.mark.parametrize("size", [*range(1, 18), 24, 31, 32, 33])
@pytest.mark.parametrize("letter", ["a", "é", "中", "𐐨"])
def test_the_hash_as_read_is_the_hash_of_the_string(letter, size):
    for text in (letter * size, "x" + letter * size, letter * size + "x"):
        raw = np.frombuffer(bytearray(text.encode()), np.uint8)
        data, ends, slots = np.zeros(len(raw), np.uint8), np.zeros(1, np.int64), np.zeros(2, np.uint64)
        state, tokens = np.zeros(4, np.int64), np.zeros(len(raw) + 1, np.int32)
        assert kernel.tokenize(
            raw, np.array([len(raw)]), code_point_classes(r"\w", ""), ascii_map(r"\w", "", lowercase=True), 1,
            data, ends, slots, state, tokens, np.zeros(1, np.int64),
        )  # fmt: skip
        code = int(hash_bytes(raw, 0, len(raw)))
        assert int(slots[code % 2]) == (code >> 32 << 32) | 1
        assert data.tobytes() == raw.tobytes()
