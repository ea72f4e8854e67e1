from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import BadInput
from aboutness.vectors.files import Content
from aboutness.vectors.load import load_vectors
from aboutness.vectors.text_file import DECIMAL, TextFile
from vectors.writing import glove, put, word2vec_text

WORDS = [b"sun", b". . .", "été".encode()]
MATRIX = np.array([[0.5, -1.25], [3, 4], [1e-3, 7]], np.float32)
GLOVE = b"sun 0.5 -1.25\n. . . 3 4.0\n\xc3\xa9t\xc3\xa9 1e-3 7\n"


def expect(vectors, words=("sun", ". . .", "été"), matrix=MATRIX):
    assert list(vectors.words) == list(words)
    np.testing.assert_array_equal(vectors.space(), matrix)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_glove(tmp_path, pack):
    vectors = load_vectors(put(tmp_path, "v.txt", pack(GLOVE)))
    expect(vectors)
    assert vectors.provenance["format"] == "glove"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_word2vec_text(tmp_path, pack):
    vectors = load_vectors(put(tmp_path, "v.txt", pack(b"3 2\n" + GLOVE)))
    expect(vectors)
    assert vectors.provenance["format"] == "word2vec-text"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(
            b"3 2 \n" + GLOVE.replace(b"\n", b" \n"), id="a blank at the end of each line, as fastText has"
        ),
        pytest.param(b"3 2\r\n" + GLOVE.replace(b"\n", b"\r\n"), id="line ends of Windows"),
        pytest.param(b"\xef\xbb\xbf3 2\n" + GLOVE, id="a byte order mark before the sizes"),
        pytest.param(b"\xef\xbb\xbf" + GLOVE, id="a byte order mark"),
        pytest.param(GLOVE.rstrip(), id="no line feed at the end"),
        pytest.param(GLOVE + b"\n  \r\n\n", id="empty lines at the end"),
        pytest.param(GLOVE.replace(b" -", b"\t-").replace(b"4", b" 4"), id="tabs and several blanks"),
    ],
)
def test_what_writers_do(tmp_path, content):
    expect(load_vectors(put(tmp_path, "v.txt", content)))


def test_the_first_word_may_have_blanks(tmp_path):
    expect(load_vectors(put(tmp_path, "v.txt", b". . . 1 2\na 3 4\n")), [". . .", "a"], [[1, 2], [3, 4]])


def test_words_may_look_like_numbers(tmp_path):
    content = b"0.1 1 2\nnan 3 4\nroute 66 5 6\ninf 7 8\n"
    expect(
        load_vectors(put(tmp_path, "v.txt", content)),
        ["0.1", "nan", "route 66", "inf"],
        np.arange(1, 9).reshape(4, 2),
    )


def test_a_word_may_be_empty(tmp_path):
    expect(load_vectors(put(tmp_path, "v.txt", b"2 2\n 1 2\na 3 4\n")), ["", "a"], [[1, 2], [3, 4]])


def test_a_first_line_that_could_be_sizes_can_be_a_vector(tmp_path):
    path = put(tmp_path, "v.txt", b"2 1\n7 5\n8 6\n")
    expect(load_vectors(path), ["7", "8"], [[5], [6]])
    expect(load_vectors(path, format="glove"), ["2", "7", "8"], [[1], [5], [6]])


def test_rows_come_in_the_order_they_are_asked_for(tmp_path):
    file = TextFile(Content(put(tmp_path, "v.txt", GLOVE)), has_header=False)
    np.testing.assert_array_equal(file.rows("in", np.array([2, 0, 2])), MATRIX[[2, 0, 2]])


def test_duplicates_and_words_that_are_not_utf8(tmp_path):
    vectors = load_vectors(put(tmp_path, "v.txt", b"a 1 2\n\xff 3 4\nb 5 6\na 7 8\nc 9 0\n"))
    expect(vectors, "abc", [[1, 2], [5, 6], [9, 0]])
    assert (vectors.provenance["duplicates"], vectors.provenance["undecodable"]) == (1, 1)


@pytest.mark.parametrize(
    "text", ["1.00000005960464477539062500001", "1e-60", "1e-40", "0.1000000014901161", "-0.0"]
)
def test_hard_numbers_are_rounded_as_python_does(tmp_path, text):
    vectors = load_vectors(put(tmp_path, "v.txt", f"a {text} 1.5\nb 2.5 {text}\n".encode()))
    value = np.float32(float(text))
    assert vectors.space().tobytes() == np.array([[value, 1.5], [2.5, value]], np.float32).tobytes()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"b 1", "line 2: a word and 2 numbers are needed, got 2 columns; 1 whole vector stands before it"),
        (b"", "line 2: a word and 2 numbers are needed, got 0 columns"),
        (b"b 0.5 1.5 2.5", "line 2: a word and 2 numbers are needed, got more: 'b 0.5'"),
        (b"b 1 x", "line 2: column 2 of the vector is no number: 'x'"),
        (b"b 0x10 1", "line 2: column 1 of the vector is no number: '0x10'"),
        (b"b 1 nan", "line 2, of the word 'b', has nan in column 2"),
        (b"b -inf 1", "line 2, of the word 'b', has -inf in column 1"),
        (b"b 1 1e39", "line 2, of the word 'b', has inf in column 2"),
        (b"b 1 1e999", "line 2, of the word 'b', has inf in column 2"),
    ],
)
@pytest.mark.parametrize("sizes", [b"", b"3 2\n"])
def test_a_bad_line_is_named(tmp_path, line, problem, sizes):
    content = sizes + b"a 1 2\n" + line + b"\nc 3 4\n"
    expected = problem.replace("line 2", "line 3") if sizes else problem
    with pytest.raises(BadInput, match=expected):
        load_vectors(put(tmp_path, "v.txt", content))


@pytest.mark.parametrize(
    ("sizes", "problem"),
    [
        (b"4 2", "promises 4 vectors of 2 numbers, but there are 3"),
        (b"2 2", "promises 2 vectors of 2 numbers, but there are 3"),
        (b"3 3", "line 2: a word and 3 numbers are needed, got 3 columns"),
        (b"3 0", "promises 3 vectors of 0 numbers"),
        (b"-3 2", "promises -3 vectors of 2 numbers"),
        (b"3 99999999999999", "do not fit into"),
        (b"99999999999999 2", "do not fit into"),
    ],
)
def test_a_first_line_that_lies(tmp_path, sizes, problem):
    with pytest.raises(BadInput, match=problem):
        load_vectors(put(tmp_path, "v.txt", sizes + b"\n" + GLOVE))


def test_a_file_of_sizes_alone(tmp_path):
    with pytest.raises(BadInput, match="do not fit"):
        load_vectors(put(tmp_path, "v.txt", b"3 2\n\n"))


def test_a_word_of_a_million_blanks_takes_no_time(tmp_path):
    content = b"a 1 2\nb" + b" x" * 1_000_000 + b" 3 4\n"
    vectors = load_vectors(put(tmp_path, "v.txt", content))
    assert len(vectors.words[1]) == 2_000_001


letter = st.characters(codec="utf-8", exclude_characters=" \t\r\n\ufeff")
column = st.text(letter, min_size=1, max_size=6)
word = (
    st.lists(column, min_size=1, max_size=3)
    .filter(
        lambda columns: len(columns) == 1 or not DECIMAL.fullmatch(columns[-1].encode())
    )  # that is one too many
    .map(" ".join)
)


@given(st.lists(word, min_size=1, unique=True), st.integers(1, 4), st.booleans(), st.data())
def test_round_trip(tmp_path_factory, words, dim, sizes, data):
    values = st.floats(width=32, allow_nan=False, allow_infinity=False)
    row = st.lists(values, min_size=dim, max_size=dim)
    rows = data.draw(st.lists(row, min_size=len(words), max_size=len(words)))
    matrix = np.array(rows, np.float32)
    encoded = [word.encode() for word in words]
    if not sizes:  # the first line tells the dimension: its word may not end in numbers
        encoded.insert(0, b"first")
        matrix = np.concatenate([matrix[:1], matrix])
    content = word2vec_text(encoded, matrix) if sizes else glove(encoded, matrix)
    name = "word2vec-text" if sizes else "glove"
    vectors = load_vectors(put(tmp_path_factory.getbasetemp(), "drawn.txt", content), format=name)
    known = list(dict.fromkeys(encoded))
    assert list(vectors.words) == [word.decode() for word in known]
    expected = matrix[[encoded.index(word) for word in known]]
    np.testing.assert_array_equal(vectors.space().view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("extra", ["1e-05", "2E3", "-.5e+2", "0.25"])
def test_one_number_too_many_is_no_part_of_a_word(tmp_path, extra):
    path = tmp_path / "v.txt"
    path.write_text(f"the 0.1 0.2\nsun {extra} 0.3 0.5\n")
    with pytest.raises(BadInput, match=r"line 2.*a word and 2 numbers are needed, got more"):
        load_vectors(path)


@pytest.mark.parametrize("text", ["2 2\rthe 1 2\rsun 3 4\r", "the 1 2\rsun 3 4\r"])
def test_line_ends_of_old_macs_make_no_words(tmp_path, text):
    path = tmp_path / "v.txt"
    path.write_bytes(text.encode())
    with pytest.raises(
        BadInput, match=r"line 1: a carriage return stands in the word .*; lines must end with a line"
    ):
        load_vectors(path)
