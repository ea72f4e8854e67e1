from __future__ import annotations

import math
import re
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aboutness.kernels import vector_files
from aboutness.vectors.subwords import Subwords

quick = settings(max_examples=60, deadline=None)
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


def bytes_of(text: bytes) -> np.ndarray:
    return np.frombuffer(bytearray(text), np.uint8)


def places(count: int) -> np.ndarray:
    return np.zeros(count, np.int64)


@quick
@given(
    st.lists(st.tuples(st.binary(max_size=5), st.binary(min_size=8, max_size=8)), max_size=6),
    st.booleans(),
    st.integers(0, 9),
    st.binary(max_size=12),
)
def test_scan_records(run, records, line_feeds, room, rest):
    records = [(word.replace(b" ", b"_").lstrip(b"\n"), vector) for word, vector in records]
    feed = b"\n" if line_feeds else b""
    text = b"2 2\n" + b"".join(word + b" " + vector + feed for word, vector in records)
    rest = rest.replace(b" ", b"_")
    count, (*_, starts, ends) = run(
        vector_files.scan_records, bytes_of(text + rest), 4, len(text + rest), 8, places(room), places(room)
    )
    assert count == min(room, len(records))
    words = [text[start:end] for start, end in zip(starts[:count], ends[:count], strict=True)]
    assert words == [word for word, _ in records[:count]]
    assert [text[end + 1 : end + 9] for end in ends[:count]] == [vector for _, vector in records[:count]]


@quick
@given(st.binary(max_size=20), st.integers(0, 9))
def test_scan_records_never_counts_one_that_is_cut(run, text, size):
    count, (*_, ends) = run(vector_files.scan_records, bytes_of(text), 0, len(text), size, places(30), places(30))
    assert all(end + 1 + size <= len(text) for end in ends[:count])


@quick
@given(st.binary(max_size=30), st.data())
def test_copy_spans(run, text, data):
    spans = []
    for _ in range(data.draw(st.integers(0, 5))):
        end = data.draw(st.integers(0, len(text)))
        spans.append((data.draw(st.integers(0, end)), end))
    wanted = [text[start:end] for start, end in spans]
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T.copy()
    room = np.zeros(sum(map(len, wanted)), np.uint8)
    _, (*_, out) = run(vector_files.copy_spans, bytes_of(text), starts, ends, room)
    assert out.tobytes() == b"".join(wanted)


@quick
@given(st.binary(min_size=8, max_size=40), st.data())
def test_copy_rows(run, text, data):
    chosen = data.draw(st.lists(st.integers(0, len(text) - 8), max_size=6))
    _, (*_, out) = run(
        vector_files.copy_rows, bytes_of(text), np.array(chosen, np.int64), np.zeros((len(chosen), 8), np.uint8)
    )
    assert [row.tobytes() for row in out] == [text[at : at + 8] for at in chosen]


@quick
@given(st.lists(st.lists(floats | st.just(math.nan) | st.just(-math.inf), min_size=3, max_size=3), max_size=6))
def test_first_not_finite(run, rows):
    matrix = np.array(rows, np.float32).reshape(-1, 3)
    bad = [i for i, row in enumerate(rows) if not all(map(math.isfinite, row))]
    assert run(vector_files.first_not_finite, matrix)[0] == (bad[0] if bad else -1)


@pytest.mark.parametrize("byte", range(256))
def test_is_blank(run, byte):
    assert run(vector_files.is_blank, np.uint8(byte))[0] == (bytes([byte]) in b" \t\r")


@quick
@given(st.text(st.sampled_from("ab1.é\x00\x0b \t\r\n"), max_size=9).map(str.encode), st.data())
def test_column_end(run, text, data):
    at = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(at, len(text)))
    column = re.match(rb"[^ \t\r\n]*", text[at:stop])[0]
    assert run(vector_files.column_end, bytes_of(text), at, stop)[0] == at + len(column)


pieces = st.text(st.sampled_from("ab1.é"), min_size=1, max_size=4).map(str.encode)
gaps = st.text(st.sampled_from(" \t"), min_size=1, max_size=2).map(str.encode)


@st.composite
def lines(draw, dim: int, least: int = 0) -> tuple[bytes, bytes]:
    """A word of some pieces, and the line with it and `dim` columns."""
    word = b""
    for _ in range(draw(st.integers(least, 3))):
        word += (draw(gaps) if word else b"") + draw(pieces)
    line = word
    for _ in range(dim):
        line += draw(gaps) + draw(pieces)
    return word, line + draw(st.sampled_from([b"", b" ", b"\r", b"\t \r"]))


@quick
@given(st.integers(1, 4).flatmap(lambda dim: st.tuples(st.just(dim), lines(dim))))
def test_word_before(run, case):
    dim, (word, line) = case
    array = bytes_of(b"??" + line + b"?")
    assert run(vector_files.word_before, array, 2, 2 + len(line), dim)[0] == 2 + len(word)


@quick
@given(st.integers(1, 4).flatmap(lambda dim: st.tuples(st.just(dim), st.lists(lines(dim), max_size=5))))
def test_scan_lines(run, case):
    dim, found = case
    text = b"\n".join(line for _, line in found)
    words, at = [], 0
    while at < len(text):
        count, (*_, starts, ends, state) = run(
            vector_files.scan_lines, bytes_of(text), at, len(text), dim, places(2), places(2), places(2)
        )
        assert state[1] == -1
        words += [text[start:end] for start, end in zip(starts[:count], ends[:count], strict=True)]
        at = state[0]
    assert words == [word for word, _ in found]


@quick
@given(st.lists(lines(3, least=1), max_size=3), st.integers(0, 2))
def test_scan_lines_stops_where_columns_are_missing(run, found, columns):
    short = b" ".join([b"x"] * columns)
    text = b"\n".join([line for _, line in found] + [short, b"y 1 2 3"])
    count, (*_, state) = run(
        vector_files.scan_lines, bytes_of(text), 0, len(text), 3, places(9), places(9), places(2)
    )
    assert (count, state[1]) == (len(found), columns)


HARD = [
    "0", "-0.0", "+.5", "5.", "1e5", "1E-5", "1e+22", "1e-22", "9007199254740993", "0.1", "3.4028235e38",
    "3.4028236e38", "-1e39", "1e-45", "1.17549435e-38", "1e-60", "16777217", "16777219",
    "0.30000001192092896", "1.00000005960464477539062500", "1.00000005960464477539062501",
    "123456789012345678901234567890", "0.00000000000000000000000000000000000000000000001e46",
    "1e400", "1e-400", "nan", "inf", "-Infinity", "", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x1p3", "1_0", "1,5",
    "٣", "1\x0c", "00000000000000000000000000000000001", "1.0000000000000000000000000000000000000",
]  # fmt: skip


def naive_float(text: str) -> float | None:
    try:
        with np.errstate(over="ignore", under="ignore"):
            return np.float32(float(text.encode()))
    except ValueError:
        return None


def check_decimal(run, text: str) -> bool:
    """What is certain must be right to the bit; tell whether it was certain."""
    array = bytes_of(b"?" + text.encode() + b" 7")
    (value, end, certain), _ = run(vector_files.decimal, array, 1, len(array))
    assert end == len(array) - 2
    if certain:
        expected = naive_float(text)
        assert expected is not None
        assert struct.pack("f", value) == struct.pack("f", expected)
    else:
        assert np.isnan(value)
    return certain


@pytest.mark.parametrize("text", HARD)
def test_decimal(run, text):
    check_decimal(run, text)


def naive_half_way(mantissa: int, power: int) -> str:
    """A decimal between two neighbouring floats, to the last digit: the worst that can be asked."""
    low = np.ldexp(float(2 * mantissa + 1), power)
    return f"{low:.60f}".rstrip("0")


@quick
@given(st.integers(1 << 23, (1 << 24) - 1), st.integers(-40, 0), st.sampled_from(["", "1", "000001"]))
def test_decimal_half_way_between_two_floats(run, mantissa, power, tail):
    check_decimal(run, naive_half_way(mantissa, power) + tail)


@settings(max_examples=200, deadline=None)
@given(floats, st.sampled_from(["{!r}", "{:.6f}", "{:.5g}", "{:.17g}", "{:e}", "{:.25e}"]))
def test_what_writers_write_is_certain(run, value, form):
    text = form.format(value)
    assert check_decimal(run, text) or not 1e-25 < abs(value) < 1e38


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("0123456789.eE+-"), max_size=30))
@example("1e99999999999999999999")
@example("1e-99999999999999999999")
@example("0e99999999999999999999")
def test_decimal_of_anything(run, text):
    check_decimal(run, text)


@quick
@given(
    st.lists(st.lists(floats, min_size=3, max_size=3), max_size=5),
    st.sampled_from(["hard", "nan", "1e-60", "0.5"]),
)
def test_parse_rows(run, rows, hard):
    """Values that are not certain are handed back one by one, and reading goes on behind them."""
    text, starts = b"", []
    for i, row in enumerate(rows):
        starts.append(len(text))
        columns = [hard if (i + j) % 3 == 1 else repr(float(np.float32(value))) for j, value in enumerate(row)]
        text += b" \t" + " ".join(columns).encode() + b"\r\n"
    out, state, handed = np.zeros((len(rows), 3), np.float32), places(4), []
    while True:
        done, (*_, out, state) = run(
            vector_files.parse_rows, bytes_of(text), np.array(starts, np.int64), len(text), out, state
        )
        if done:
            break
        row, column, start, end = state.tolist()
        handed.append((row, column))
        out[row, column] = -7 if text[start:end].decode() == hard else naive_float(text[start:end].decode())
        state[1], state[2] = column + 1, end
    special = np.float32(0.5 if hard == "0.5" else -7)
    expected = [
        [special if (i + j) % 3 == 1 else np.float32(value) for j, value in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    assert out.tolist() == np.array(expected, np.float32).reshape(-1, 3).tolist()
    if hard != "0.5":
        assert {(i, j) for i in range(len(rows)) for j in range(3) if (i + j) % 3 == 1} <= set(handed)


@quick
@given(
    st.lists(st.tuples(st.binary(max_size=5), st.integers(-(2**63), 2**63 - 1), st.integers(0, 255)), max_size=5),
    st.integers(0, 12),
)
def test_scan_dictionary(run, entries, cut):
    entries = [(word.replace(b"\0", b"_"), count, kind) for word, count, kind in entries]
    text = b"??" + b"".join(word + b"\0" + struct.pack("<qB", count, kind) for word, count, kind in entries)
    stop = max(2, len(text) - cut)
    room = [places(len(entries)) for _ in range(3)]
    end, (*_, starts, ends, counts, kinds) = run(
        vector_files.scan_dictionary, bytes_of(text), 2, stop, *room, np.zeros(len(entries), np.uint8)
    )
    assert end == (len(text) if stop == len(text) else -1)
    if end >= 0:
        words = [text[a:b] for a, b in zip(starts, ends, strict=True)]
        assert list(zip(words, counts.tolist(), kinds.tolist(), strict=True)) == entries


letters = st.text(st.sampled_from("abcé한😀<"), max_size=6)


@quick
@given(letters, st.integers(0, 4), st.integers(0, 5), st.integers(1, 7))
def test_add_pieces(run, word, shortest, longest, count):
    rows = np.arange(count * 2, dtype=np.float32).reshape(count, 2) + 0.5
    marked = bytes_of(f"<{word}>".encode())
    found, (*_, total) = run(vector_files.add_pieces, marked, rows, shortest, longest, np.ones(2))
    numbers = Subwords(rows, shortest, longest).pieces(word)
    assert found == len(numbers)
    assert total.tolist() == (1 + rows[numbers].sum(axis=0, dtype=np.float64)).tolist()


@quick
@given(st.lists(st.tuples(letters, st.booleans()), max_size=5), st.integers(0, 5))
def test_mean_rows(run, words, count):
    chance = np.random.default_rng(count)
    own = chance.normal(size=(len(words), 3)).astype(np.float32)
    rows = chance.normal(size=(count, 3)).astype(np.float32)
    data = bytes_of("".join(word for word, _ in words).encode())
    ends = np.cumsum([len(word.encode()) for word, _ in words], dtype=np.int64)
    whole = np.array([alone for _, alone in words], np.bool_)
    room = np.zeros((len(words), 3), np.float32)
    _, (*_, out) = run(vector_files.mean_rows, data, ends, whole, own, rows, 2, 3, room)
    for i, (word, alone) in enumerate(words):
        numbers = [] if alone or not count else Subwords(rows, 2, 3).pieces(word)
        expected = np.concatenate([own[[i]], rows[numbers]]).mean(axis=0, dtype=np.float64)
        np.testing.assert_allclose(out[i], expected, rtol=1e-6, atol=1e-7)
