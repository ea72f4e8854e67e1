from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, NotFound
from aboutness.index.arrays import map_arrays, write_arrays
from aboutness.text.strings import StringTable
from aboutness.vectors import store
from aboutness.vectors.load import load_vectors
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors
from vectors.writing import npy, put, safetensors

WORDS = "sun\nnew york\nété\n".encode()
MATRIX = np.array([[0.5, -1.25, 2], [3, 4, 5], [1e-3, 7, 8]], np.float32)


def expect(vectors, matrix=MATRIX):
    assert list(vectors.words) == ["sun", "new york", "été"]
    assert vectors.space().dtype == np.float32
    np.testing.assert_array_equal(vectors.space(), matrix)


@pytest.mark.parametrize("name", ["vocab.txt", "v.f16.txt", "v.f16.vocab", "v.txt", "v.vocab"])
def test_the_vocabulary_lies_beside_the_matrix(tmp_path, name):
    put(tmp_path, name, WORDS)
    vectors = load_vectors(put(tmp_path, "v.f16.npy", npy(MATRIX)))
    expect(vectors)
    assert vectors.provenance["vocabulary"] == name


def test_the_vocabulary_can_be_named(tmp_path):
    put(tmp_path, "vocab.txt", b"wrong\n")
    words = put(tmp_path, "words", WORDS.replace(b"\n", b"\r\n"))
    expect(load_vectors(put(tmp_path, "v.npy", npy(MATRIX)), vocab=words))


def test_a_vocabulary_is_needed(tmp_path):
    with pytest.raises(
        NotFound, match=r"needs a vocabulary, one word a line: there is none of v.vocab, v.txt, vocab.txt"
    ):
        load_vectors(put(tmp_path, "v.npy", npy(MATRIX)))
    with pytest.raises(NotFound, match="there is no file"):
        load_vectors(put(tmp_path, "v.npy", npy(MATRIX)), vocab=tmp_path / "no")


def test_the_vocabulary_must_fit(tmp_path):
    put(tmp_path, "vocab.txt", WORDS + b"more")
    with pytest.raises(BadInput, match=r"has 3 vectors, but 4 words are in .*vocab\.txt"):
        load_vectors(put(tmp_path, "v.npy", npy(MATRIX)))


def test_a_text_file_of_vectors_is_no_vocabulary(tmp_path):
    put(tmp_path, "v.txt", b"sun" + b" 0.5" * 20 + b"\nmoon" + b" 1.5" * 20)
    with pytest.raises(BadInput, match="one word a line, but its first line has 21 columns"):
        load_vectors(put(tmp_path, "v.npy", npy(np.zeros((2, 20), np.float32))))


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", ">f4", ">f2", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_kind_of_float(tmp_path, kind, order):
    put(tmp_path, "vocab.txt", WORDS)
    matrix = MATRIX.astype(kind)
    expect(load_vectors(put(tmp_path, "v.npy", npy(matrix, order))), matrix.astype(np.float32))


def test_what_numpy_itself_writes(tmp_path):
    put(tmp_path, "vocab.txt", WORDS)
    np.save(tmp_path / "v.npy", MATRIX.astype(np.float16))
    expect(load_vectors(tmp_path / "v.npy"), MATRIX.astype(np.float16).astype(np.float32))


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e300])
def test_what_is_no_finite_float_is_refused(tmp_path, value):
    put(tmp_path, "vocab.txt", WORDS)
    matrix = MATRIX.astype(np.float64)
    matrix[1, 2] = value
    path = put(tmp_path, "v.npy", npy(matrix))
    with pytest.raises(BadInput, match=r"vector 2, of the word 'new york', has (nan|inf) in column 3"):
        load_vectors(path)
    np.testing.assert_array_equal(load_vectors(path, only=["sun", "été"]).space(), MATRIX[[0, 2]])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (npy(MATRIX)[:-1], "is truncated: it must have 3 vectors, but there are 2 whole ones"),
        (npy(MATRIX)[:40], "must be a .npy file of a matrix of floats"),
        (npy(MATRIX[0]), "must be a .npy file of a matrix of floats"),
        (npy(MATRIX.astype(np.int32)), "must be a .npy file of a matrix of floats"),
        (npy(MATRIX[:, :0]), "have no numbers"),
        (npy(MATRIX).replace(b"(3, 3)", b"(9223372036854775807, 3)"), "must be a .npy file|is truncated"),
        (npy(MATRIX).replace(b"(3, 3)", b"(300000000, 300000000)"), "is truncated"),
        (npy(MATRIX).replace(b"'<f4'", b"'|O'"), "a pickle, which is never opened"),
    ],
)
def test_matrices_that_lie(tmp_path, content, problem):
    put(tmp_path, "vocab.txt", WORDS)
    with pytest.raises(BadInput, match=problem):
        load_vectors(put(tmp_path, "v.npy", content))


def test_an_array_of_objects_is_a_pickle(tmp_path):
    np.save(tmp_path / "v.npy", np.array([[{}, {}]], object), allow_pickle=True)
    with pytest.raises(BadInput, match="holds Python objects as a pickle"):
        load_vectors(tmp_path / "v.npy")


@pytest.mark.parametrize(("kind", "dtype"), [("F32", np.float32), ("F16", np.float16), ("F64", np.float64)])
def test_safetensors_of_others(tmp_path, kind, dtype):
    put(tmp_path, "vocab.txt", WORDS)
    vectors = load_vectors(put(tmp_path, "v.safetensors", safetensors({"weights": MATRIX.astype(dtype)}, kind)))
    expect(vectors, MATRIX.astype(dtype).astype(np.float32))
    assert vectors.provenance["format"] == "safetensors"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (safetensors({"a": MATRIX, "b": MATRIX}), "exactly one matrix of floats, got a float32"),
        (safetensors({"a": MATRIX[0]}), "exactly one matrix of floats"),
        (safetensors({}), "exactly one matrix of floats, got nothing"),
        (safetensors({"a": MATRIX.astype(np.float16)}, "BF16"), "holds bfloat16"),
        (safetensors({"a": MATRIX})[:-1], "damaged header"),
        (safetensors({"a": MATRIX})[:30], "truncated"),
    ],
)
def test_safetensors_that_cannot_be_used(tmp_path, content, problem):
    put(tmp_path, "vocab.txt", WORDS)
    with pytest.raises(BadInput, match=problem):
        load_vectors(put(tmp_path, "v.safetensors", content))


def ours(folder, **other):
    """A file of ours in which some arrays are others, or are left out."""
    vectors = WordVectors(
        StringTable.of(["sun", "new york", "été"]),
        {"in": MATRIX, "out": -MATRIX},
        np.array([3, 2, 1]),
        Subwords(MATRIX[:2], 2, 3),
        {"by": "hand"},
    )
    arrays = {**vectors.arrays(), **other}
    path = folder / "ours.safetensors"
    write_arrays(path, {name: array for name, array in arrays.items() if array is not None}, durable=False)
    return path


def test_ours(tmp_path):
    vectors = load_vectors(ours(tmp_path))
    expect(vectors)
    np.testing.assert_array_equal(vectors.space("out"), -MATRIX)
    assert vectors.provenance == {"by": "hand"}
    assert vectors.counts.tolist() == [3, 2, 1]
    np.testing.assert_array_equal(vectors.subwords.rows, MATRIX[:2])


def test_some_words_of_ours(tmp_path):
    vectors = load_vectors(ours(tmp_path), only=["été", "sun"])
    assert list(vectors.words) == ["sun", "été"]
    np.testing.assert_array_equal(vectors.space("out"), -MATRIX[[0, 2]])
    assert vectors.counts.tolist() == [3, 1]
    assert vectors.provenance == {"by": "hand", "left_out": 1}


def text(value: object) -> np.ndarray:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


@pytest.mark.parametrize(
    "other",
    [
        {"space.in": None},
        {"space.in": MATRIX.astype(np.int32)},
        {"space.in": MATRIX[:2]},
        {"space.in": np.where(MATRIX == 4, np.float32(math.nan), MATRIX)},
        {"space.out": np.where(MATRIX == 4, np.float32(math.inf), MATRIX)},
        {"subwords.rows": np.full((2, 3), np.float32(math.nan))},
        {"subwords.rows": np.zeros((2, 2), np.float32)},
        {"subwords.sizes": np.array([1], np.int64)},
        {"subwords.sizes": np.array([2.0, 3.0])},
        {"counts": np.array([1, 2])},
        {"words.ends": np.array([3, 2, 16])},
        {"words.ends": np.array([3, 11, 99])},
        {"words.ends": np.array([-(2**62), 2**62, 16])},
        {"words.ends": np.array([3, 12, 16], np.uint64)},
        {"words.data": np.full(16, 255, np.uint8)},
        {"words.data": np.zeros(16, np.uint8)},
        {"words.slots": np.zeros(16, np.uint64)},
        {"words.slots": np.zeros(0, np.uint64)},
        {"words.slots": np.zeros(15, np.uint64)},
        {"provenance": text([1])},
        {"provenance": np.frombuffer(b"{", np.uint8)},
    ],
    ids=lambda other: next(iter(other)),
)  # fmt: skip
def test_damage_to_ours_is_noticed(tmp_path, other):
    with pytest.raises(BadInput):
        load_vectors(ours(tmp_path, **other))


def test_loading_ours_maps_it(tmp_path):
    path = ours(tmp_path)
    assert not load_vectors(path).space().flags.owndata
    np.testing.assert_array_equal(load_vectors(path).space(), store.open_saved(path).space())
    assert "space.in" in map_arrays(path)


names = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\ufeff "), min_size=1, max_size=8)


@given(
    st.lists(names, min_size=1, unique=True), st.integers(1, 3), st.sampled_from("CF"), st.sampled_from([2, 4, 8])
)
def test_round_trip(tmp_path_factory, words, dim, order, size):
    folder = tmp_path_factory.getbasetemp()
    matrix = np.random.default_rng(size).normal(size=(len(words), dim)).astype(f"<f{size}")
    vocab = put(folder, "drawn.vocab", "\n".join(words).encode())
    kind = {2: "F16", 4: "F32", 8: "F64"}[size]
    for name, content in [("drawn.npy", npy(matrix, order)), ("drawn.st", safetensors({"x": matrix}, kind))]:
        vectors = load_vectors(put(folder, name, content), vocab=vocab)
        assert list(vectors.words) == words
        np.testing.assert_array_equal(vectors.space(), matrix.astype(np.float32))
