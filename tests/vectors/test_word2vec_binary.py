from __future__ import annotations

import gzip
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import BadInput
from aboutness.vectors.files import Content
from aboutness.vectors.load import load_vectors
from aboutness.vectors.word2vec_binary import Word2vecBinary
from vectors.writing import put, word2vec_binary

WORDS = [b"sun", b"New_York", "été".encode()]
MATRIX = np.array([[0.5, -1.25], [3, 4], [1e-3, 7]], np.float32)
GOOD = word2vec_binary(WORDS, MATRIX)


@pytest.mark.parametrize("feed", [b"\n", b""])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_words_and_vectors(tmp_path, feed, pack):
    vectors = load_vectors(put(tmp_path, "v.bin", pack(word2vec_binary(WORDS, MATRIX, feed))))
    assert list(vectors.words) == ["sun", "New_York", "été"]
    np.testing.assert_array_equal(vectors.space("in"), MATRIX)
    assert list(vectors.spaces) == ["in"]


def test_provenance_names_the_file_but_not_where_it_lies(tmp_path):
    vectors = load_vectors(put(tmp_path, "v.bin", GOOD))
    assert vectors.provenance == {
        "file": "v.bin", "format": "word2vec-binary", "bytes": len(GOOD), "duplicates": 0, "undecodable": 0,
    }  # fmt: skip


def test_rows_come_in_the_order_they_are_asked_for(tmp_path):
    file = Word2vecBinary(Content(put(tmp_path, "v.bin", GOOD)))
    np.testing.assert_array_equal(file.rows("in", np.array([2, 0, 2])), MATRIX[[2, 0, 2]])
    assert file.rows("in", np.array([], np.int64)).shape == (0, 2)


def test_of_a_word_that_comes_twice_the_first_counts(tmp_path):
    matrix = np.arange(8, dtype=np.float32).reshape(4, 2)
    file = Word2vecBinary(Content(put(tmp_path, "v.bin", word2vec_binary([b"a", b"b", b"a", b"c"], matrix))))
    assert (list(file.words), file.duplicates) == (["a", "b", "c"], 1)
    np.testing.assert_array_equal(file.rows("in", np.arange(3)), matrix[[0, 1, 3]])


def test_words_that_are_not_utf8_are_left_out_and_counted(tmp_path):
    """The third and fourth word are a letter together, but neither is one alone."""
    words = [b"a", b"\xff", b"x\xc3", b"\xa9", b"b"]
    matrix = np.arange(10, dtype=np.float32).reshape(5, 2)
    vectors = load_vectors(put(tmp_path, "v.bin", word2vec_binary(words, matrix)))
    assert list(vectors.words) == ["a", "b"]
    assert vectors.provenance["undecodable"] == 3
    np.testing.assert_array_equal(vectors.space(), matrix[[0, 4]])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_vector_that_is_not_finite_is_refused_with_its_word_and_place(tmp_path, value):
    matrix = MATRIX.copy()
    matrix[1, 1] = value
    with pytest.raises(BadInput, match=rf"vector 2, of the word 'New_York', has {value} in column 2"):
        load_vectors(put(tmp_path, "v.bin", word2vec_binary(WORDS, matrix)))


def test_only_the_rows_that_are_wanted_must_be_finite(tmp_path):
    matrix = MATRIX.copy()
    matrix[1, 1] = math.nan
    path = put(tmp_path, "v.bin", word2vec_binary(WORDS, matrix))
    np.testing.assert_array_equal(load_vectors(path, only=["été", "sun"]).space(), MATRIX[[0, 2]])


@pytest.mark.parametrize(("cut", "whole"), [(1, 3), (2, 2), (9, 2), (20, 1), (len(GOOD) - 4, 0)])
def test_a_truncated_file_says_how_many_whole_vectors_there_are(tmp_path, cut, whole):
    """Without the last line feed nothing is missing."""
    path = put(tmp_path, "v.bin", GOOD[:-cut])
    if whole == 3:
        assert len(load_vectors(path)) == 3
    else:
        with pytest.raises(BadInput, match=f"promises 3 vectors of 2 numbers, but there are {whole} whole ones"):
            load_vectors(path, format="word2vec-binary")


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        (b"4 2\n", "promises 4 vectors of 2 numbers, but there are 3 whole ones"),
        (b"2 2\n", "16 bytes follow the last one"),
        (b"3 0\n", "promises 3 vectors of 0 numbers"),
        (b"0 2\n", "promises 0 vectors of 2 numbers"),
        (b"3 -2\n", "promises 3 vectors of -2 numbers"),
        (b"99999999999999999999 99999999999999999999\n", "but there are 0 whole ones"),
        (b"1 99999999999999\n", "but there are 0 whole ones"),
        (b"99999999999999 2\n", "but there are 3 whole ones"),
        (b"three two\n", 'must be "count dim"'),
        (b"3 2 1\n", 'must be "count dim"'),
    ],
)
def test_a_first_line_that_lies(tmp_path, head, problem):
    with pytest.raises(BadInput, match=problem):
        load_vectors(put(tmp_path, "v.bin", head + GOOD[4:]), format="word2vec-binary")


def test_a_file_without_a_blank_is_read_once(tmp_path):
    with pytest.raises(BadInput, match="there are 0 whole ones"):
        load_vectors(put(tmp_path, "v.bin", b"1000 1\n" + b"\x00" * 100_000), format="word2vec-binary")


names = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters=" \n"), max_size=8), min_size=1, unique=True
)


@given(names, st.integers(1, 4), st.booleans(), st.data())
def test_round_trip(tmp_path_factory, words, dim, feed, data):
    values = st.floats(width=32, allow_nan=False, allow_infinity=False)
    row = st.lists(values, min_size=dim, max_size=dim)
    rows = data.draw(st.lists(row, min_size=len(words), max_size=len(words)))
    matrix = np.array(rows, np.float32)
    content = word2vec_binary([word.encode() for word in words], matrix, b"\n" if feed else b"")
    vectors = load_vectors(put(tmp_path_factory.getbasetemp(), "drawn.bin", content), format="word2vec-binary")
    assert list(vectors.words) == words
    np.testing.assert_array_equal(vectors.space().view(np.uint32), matrix.view(np.uint32))
