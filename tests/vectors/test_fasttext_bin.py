from __future__ import annotations

import gzip
import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import BadInput
from aboutness.vectors.load import load_vectors
from aboutness.vectors.subwords import Subwords, fnv
from vectors.writing import fasttext_bin, put

WORDS = [b"</s>", b"sun", "été".encode()]
CHANCE = np.random.default_rng(7)
OWN = CHANCE.normal(size=(3, 4)).astype(np.float32)
PIECES = CHANCE.normal(size=(5, 4)).astype(np.float32)
OUT = CHANCE.normal(size=(3, 4)).astype(np.float32)
GOOD = fasttext_bin(WORDS, OWN, pieces=PIECES, out=OUT)


def naive_pieces(word: str, shortest: int, longest: int) -> list[int]:
    """All n-grams of the marked word but the marks alone."""
    marked = f"<{word}>"
    return [
        fnv(marked[i : i + n].encode()) % len(PIECES)
        for i in range(len(marked))
        for n in range(max(1, shortest), longest + 1)
        if i + n <= len(marked) and not (n == 1 and i in (0, len(marked) - 1))
    ]


def naive_vector(row: int, sizes: tuple[int, int] = (2, 3)) -> np.ndarray:
    numbers = naive_pieces(WORDS[row].decode(), *sizes) if WORDS[row] != b"</s>" else []
    return np.concatenate([OWN[[row]], PIECES[numbers]]).mean(axis=0, dtype=np.float64)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_word_is_the_mean_of_its_own_row_and_its_pieces(tmp_path, pack):
    vectors = load_vectors(put(tmp_path, "v.bin", pack(GOOD)))
    assert list(vectors.words) == ["</s>", "sun", "été"]
    np.testing.assert_allclose(vectors.space(), [naive_vector(row) for row in range(3)], rtol=1e-6)
    assert vectors.counts.tolist() == [100, 99, 98]
    assert vectors.provenance["format"] == "fasttext-bin"


def test_the_end_of_a_sentence_has_no_pieces(tmp_path):
    np.testing.assert_array_equal(load_vectors(put(tmp_path, "v.bin", GOOD)).space()[0], OWN[0])


@pytest.mark.parametrize("sizes", [(1, 1), (1, 4), (3, 6), (4, 3)])
def test_pieces_of_other_sizes(tmp_path, sizes):
    vectors = load_vectors(put(tmp_path, "v.bin", fasttext_bin(WORDS, OWN, pieces=PIECES, sizes=sizes)))
    np.testing.assert_allclose(vectors.space(), [naive_vector(row, sizes) for row in range(3)], rtol=1e-6)


def test_pieces_are_kept_for_words_that_are_not_there(tmp_path):
    vectors = load_vectors(put(tmp_path, "v.bin", GOOD))
    np.testing.assert_array_equal(vectors.subwords.rows, PIECES)
    assert (vectors.subwords.shortest, vectors.subwords.longest) == (2, 3)
    made, known = vectors.look_up(["moon"])
    assert known.tolist() == [True]
    np.testing.assert_allclose(made[0], PIECES[naive_pieces("moon", 2, 3)].mean(axis=0), rtol=1e-5)


def test_the_output_matrix_is_the_space_out(tmp_path):
    np.testing.assert_array_equal(load_vectors(put(tmp_path, "v.bin", GOOD)).space("out"), OUT)


@pytest.mark.parametrize(
    ("loss", "model", "spaces"), [(1, 1, ["in"]), (3, 2, ["in"]), (2, 1, ["in", "out"]), (2, 3, ["in"])]
)
def test_only_negative_sampling_of_words_has_out(tmp_path, loss, model, spaces):
    content = fasttext_bin(WORDS, OWN, pieces=PIECES, out=OUT, loss=loss, model=model)
    assert list(load_vectors(put(tmp_path, "v.bin", content)).spaces) == spaces


def test_without_pieces_a_word_is_its_own_row(tmp_path):
    vectors = load_vectors(put(tmp_path, "v.bin", fasttext_bin(WORDS, OWN, sizes=(0, 0))))
    np.testing.assert_array_equal(vectors.space(), OWN)
    assert vectors.subwords is None


def test_a_supervised_model_gives_its_words_and_not_its_labels(tmp_path):
    content = fasttext_bin(WORDS, OWN, pieces=PIECES, labels=[b"__label__x"], out=OUT[:1], model=3, loss=3)
    vectors = load_vectors(put(tmp_path, "v.bin", content))
    assert list(vectors.words) == ["</s>", "sun", "été"]
    assert vectors.subwords is not None


def test_supervised_models_of_version_11_had_no_pieces(tmp_path):
    vectors = load_vectors(put(tmp_path, "v.bin", fasttext_bin(WORDS, OWN, pieces=PIECES, model=3, version=11)))
    np.testing.assert_array_equal(vectors.space(), OWN)
    assert vectors.subwords is None
    other = load_vectors(put(tmp_path, "w.bin", fasttext_bin(WORDS, OWN, pieces=PIECES, version=11)))
    assert other.subwords is not None


def test_words_that_are_not_utf8_are_left_out_with_their_counts(tmp_path):
    vectors = load_vectors(put(tmp_path, "v.bin", fasttext_bin([b"a", b"\xff", b"b"], OWN, out=OUT)))
    assert (list(vectors.words), vectors.counts.tolist()) == (["a", "b"], [100, 98])
    np.testing.assert_array_equal(vectors.space("in"), OWN[[0, 2]])
    np.testing.assert_array_equal(vectors.space("out"), OUT[[0, 2]])


def test_only_some_words(tmp_path):
    vectors = load_vectors(put(tmp_path, "v.bin", GOOD), only=["été", "moon"])
    assert (list(vectors.words), vectors.counts.tolist()) == (["été"], [98])
    np.testing.assert_allclose(vectors.space(), [naive_vector(2)], rtol=1e-6)
    np.testing.assert_array_equal(vectors.space("out"), OUT[[2]])


def broken(**other) -> bytes:
    return fasttext_bin(WORDS, OWN, **{"pieces": PIECES, "out": OUT, **other})


def with_value(matrix: np.ndarray, value: float) -> np.ndarray:
    changed = matrix.copy()
    changed[1, 2] = value
    return changed


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (broken(quantised=True), "is quantised"),
        (broken(pruned=0), "it is pruned"),
        (broken(version=10), "version 11 or 12, got 793712314 and 10"),
        (broken(model=4), "no arguments of fastText.*model 4"),
        (broken(loss=0), "no arguments of fastText.*loss 0"),
        (broken(out=OUT[:2]), "output matrix must have 3 rows, got 2"),
        (broken(out=OUT[:, :3]), "output matrix is 3 x 3"),
        (broken(pieces=with_value(PIECES, math.nan), sizes=(9, 9)), "row 2 of its n-grams is not finite"),
        (broken(out=with_value(OUT, math.inf)), "vector 2, of the word 'sun', has inf in column 3"),
        (fasttext_bin(WORDS, with_value(OWN, -math.inf)), "of the word 'sun', has -inf in column 3"),
        (GOOD[:-1], "output matrix must have 3 vectors, but there are 2 whole ones"),
        (GOOD[:-48], "output matrix must have 3 vectors, but there are 0 whole ones"),
        (GOOD[:180], "input matrix must have 8 vectors"),
        (GOOD[:100], "truncated"),
        (GOOD[:20], "truncated: it ends after 20 bytes"),
        (fasttext_bin([], OWN[:0]), "there is no word in it"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(tmp_path, content, problem):
    with pytest.raises(BadInput, match=problem):
        load_vectors(put(tmp_path, "v.bin", content))


@pytest.mark.parametrize(
    ("place", "value"), [(8, -4), (8, 2**31 - 1), (8 + 4 * 8, -1), (64, 2**31 - 1), (64, -1), (68, 2**31 - 1)]
)
def test_sizes_that_lie(tmp_path, place, value):
    """Dimension, buckets, and entries and words of the dictionary: nothing is allocated for them."""
    content = GOOD[:place] + struct.pack("<i", value) + GOOD[place + 4 :]
    with pytest.raises(BadInput):
        load_vectors(put(tmp_path, "v.bin", content))


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(names, min_size=1, unique=True), st.integers(1, 3), st.integers(0, 6))
def test_round_trip(tmp_path_factory, words, dim, buckets):
    chance = np.random.default_rng(len(words))
    own, out = (chance.normal(size=(len(words), dim)).astype(np.float32) for _ in range(2))
    pieces = chance.normal(size=(buckets, dim)).astype(np.float32)
    content = fasttext_bin([word.encode() for word in words], own, pieces=pieces, out=out)
    vectors = load_vectors(put(tmp_path_factory.getbasetemp(), "drawn-ft.bin", content))
    assert list(vectors.words) == words
    np.testing.assert_array_equal(vectors.space("out"), out)
    subwords = Subwords(pieces, 2, 3)
    for word, row, vector in zip(words, own, vectors.space("in"), strict=True):
        numbers = subwords.pieces(word) if buckets and word != "</s>" else []
        expected = np.concatenate([[row], pieces[numbers]]).mean(axis=0, dtype=np.float64)
        np.testing.assert_allclose(vector, expected, rtol=1e-5, atol=1e-6)
