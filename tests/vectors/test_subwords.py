from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.vectors.subwords import Subwords, fnv

ROWS = np.arange(22, dtype=np.float32).reshape(11, 2)


def naive_pieces(word: str, shortest: int, longest: int) -> list[str]:
    """The n-grams of the marked word, but no mark alone."""
    marked = f"<{word}>"
    every = [
        (i, marked[i : i + n]) for i in range(len(marked)) for n in range(1, longest + 1) if i + n <= len(marked)
    ]
    ends = (0, len(marked) - 1)
    return [piece for i, piece in every if len(piece) >= shortest and not (len(piece) == 1 and i in ends)]


@pytest.mark.parametrize(
    ("piece", "code"), [(b"", 2166136261), (b"a", 0xE40C292C), (b"foobar", 0xBF9CF968), (b"<th", 1619151151)]
)
def test_hashes_of_ascii_are_those_of_fnv_1a(piece, code):
    assert fnv(piece) == code


@given(st.binary(max_size=9))
def test_bytes_above_127_are_negative_as_in_fasttext(piece):
    value = np.uint32(2166136261)
    with np.errstate(over="ignore"):
        for byte in np.frombuffer(piece, np.int8):
            value = (value ^ byte.astype(np.int32).view(np.uint32)) * np.uint32(16777619)
    assert fnv(piece) == value


@given(st.text("abé한😀<>", max_size=6), st.integers(0, 4), st.integers(0, 6))
def test_pieces(word, shortest, longest):
    expected = [fnv(piece.encode()) % 11 for piece in naive_pieces(word, shortest, longest)]
    assert Subwords(ROWS, shortest, longest).pieces(word) == expected


def test_a_vector_is_the_mean_of_the_rows_of_the_pieces():
    subwords = Subwords(ROWS, 3, 3)
    numbers = [fnv(piece) % 11 for piece in (b"<su", b"sun", b"un>")]
    np.testing.assert_allclose(subwords.vector("sun"), ROWS[numbers].mean(axis=0))
    assert subwords.vector("sun").dtype == np.float32


@pytest.mark.parametrize("subwords", [Subwords(ROWS[:0], 3, 6), Subwords(ROWS, 3, 0), Subwords(ROWS, 9, 9)])
def test_a_word_without_pieces_has_no_vector(subwords):
    assert subwords.vector("sun") is None


def test_through_arrays_and_back():
    arrays = Subwords(ROWS, 2, 5).arrays()
    assert Subwords.are_in(arrays)
    assert not Subwords.are_in({"space.in": ROWS})
    again = Subwords.of_arrays(arrays)
    assert (again.shortest, again.longest) == (2, 5)
    np.testing.assert_array_equal(again.rows, ROWS)
