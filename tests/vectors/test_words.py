from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import DamagedIndex, NotFound, UsageError
from aboutness.text.strings import StringTable
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors

MATRIX = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def small(**other) -> WordVectors:
    return WordVectors(StringTable.of(["sun", "Moon", "été"]), {"in": MATRIX, "out": -MATRIX}, **other)


def test_words_and_spaces():
    vectors = small()
    assert (len(vectors), vectors.dim) == (3, 2)
    assert "Moon" in vectors
    assert "moon" not in vectors
    assert 7 not in vectors
    np.testing.assert_array_equal(vectors.space(), MATRIX)
    np.testing.assert_array_equal(vectors.space("out"), -MATRIX)


def test_a_space_that_is_not_there_says_which_are():
    with pytest.raises(UsageError, match="no space 'out', only: in"):
        WordVectors(StringTable.of(["sun"]), {"in": MATRIX[:1]}).space("out")


@pytest.mark.parametrize("matrix", [MATRIX[:2], MATRIX[:, :1], MATRIX[:0]])
def test_spaces_must_have_one_shape(matrix):
    with pytest.raises(ValueError, match="space 'out' has shape"):
        WordVectors(StringTable.of(["a", "b", "c"]), {"in": MATRIX, "out": matrix})


def test_numbers():
    vectors = small()
    asked = ["été", "moon", "SUN", "sun", "star", "ÉTÉ"]
    assert vectors.numbers(asked).tolist() == [2, -1, -1, 0, -1, -1]
    assert vectors.numbers(asked, case="any").tolist() == [2, 1, 0, 0, -1, 2]
    assert vectors.numbers([]).tolist() == []
    with pytest.raises(UsageError, match="case must be one of exact, any, got 'lower'"):
        vectors.numbers(asked, case="lower")


names = st.text(st.sampled_from("abABß"), max_size=2)


@given(st.lists(names, unique=True, min_size=1), st.lists(names))
def test_forms_are_tried_in_order(words, asked):
    vectors = WordVectors(StringTable.of(words), {"in": np.zeros((len(words), 1), np.float32)})
    expected = []
    for term in asked:
        forms = [form for form in (term, term.lower(), term.capitalize()) if form in words]
        expected.append(words.index(forms[0]) if forms else -1)
    assert vectors.numbers(asked, case="any").tolist() == expected


def test_look_up():
    found, known = small().look_up(["été", "star", "moon"], "out", case="any")
    np.testing.assert_array_equal(found, [[-5, -6], [0, 0], [-3, -4]])
    assert known.tolist() == [True, False, True]
    assert found.dtype == np.float32


def test_look_up_of_words_that_have_pieces_alone():
    subwords = Subwords(MATRIX, 3, 3)
    vectors = small(subwords=subwords)
    found, known = vectors.look_up(["star", "sun", "x", ""])
    np.testing.assert_array_equal(found, [subwords.vector("star"), [1, 2], subwords.vector("x"), [0, 0]])
    assert known.tolist() == [True, True, True, False]
    assert vectors.look_up(["star"], "out")[1].tolist() == [False]


def test_through_arrays_and_back():
    vectors = small(counts=np.array([3, 2, 1]), subwords=Subwords(MATRIX, 2, 3), provenance={"é": [1, None]})
    again = WordVectors.of_arrays(vectors.arrays())
    assert list(again.words) == list(vectors.words)
    assert again.numbers(["Moon", "sun", "star"]).tolist() == [1, 0, -1]
    assert again.provenance == vectors.provenance
    assert again.counts.tolist() == [3, 2, 1]
    np.testing.assert_array_equal(again.subwords.rows, MATRIX)
    assert list(again.spaces) == ["in", "out"]
    plain = WordVectors.of_arrays(small().arrays())
    assert (plain.counts, plain.subwords, plain.provenance) == (None, None, {})


@pytest.mark.parametrize(
    "other",
    [
        {"words.data": None},
        {"provenance": None},
        {"space.in": MATRIX[:2]},
        {"provenance": np.frombuffer(b"{", np.uint8)},
        {"subwords.rows": MATRIX},
        {"subwords.rows": MATRIX, "subwords.sizes": np.array([1])},
    ],
)
def test_arrays_that_are_no_word_vectors(other):
    arrays = {name: array for name, array in {**small().arrays(), **other}.items() if array is not None}
    with pytest.raises(DamagedIndex, match="no word vectors"):
        WordVectors.of_arrays(arrays)


def test_other_spaces_for_the_same_words():
    vectors = small(counts=np.array([3, 2, 1]), subwords=Subwords(MATRIX, 2, 3), provenance={"a": 1, "b": 2})
    other = vectors.with_spaces({"in": MATRIX[:, :1]}, b=3, c=4)
    assert (other.words, other.dim, list(other.spaces)) == (vectors.words, 1, ["in"])
    assert other.provenance == {"a": 1, "b": 3, "c": 4}
    assert other.subwords is None
    assert other.counts is vectors.counts
    assert json.loads(other.arrays()["provenance"].tobytes()) == other.provenance


def test_one_vector_of_one_word():
    vectors = small()
    np.testing.assert_array_equal(vectors["Moon"], [3, 4])
    with pytest.raises(NotFound, match="there is no word 'moon' among these 3"):
        vectors["moon"]
    alone = WordVectors(StringTable.of(["sun"]), {"out": MATRIX[:1]})
    np.testing.assert_array_equal(alone["sun"], [1, 2])


def test_it_is_told_in_one_line():
    assert list(small()) == ["sun", "Moon", "été"]
    assert repr(small(provenance={"file": "v.bin"})) == "<WordVectors: 3 words x 2 (in, out), v.bin>"


def test_words_that_are_no_text_are_unknown():
    with_empty = WordVectors(StringTable.of(["", "a"]), {"in": MATRIX[:2]})
    assert with_empty.numbers(["\udcff", "", "a"], case="any").tolist() == [-1, 0, 1]


def test_sums_are_read_and_lengths_kept():
    vectors = small()
    assert [one.word for one in vectors.nearest("sun + Moon")] == ["été"]
    assert vectors.bound is vectors.bound
    for wrong in (3, None, [1]):
        with pytest.raises(UsageError, match="words must be"):
            vectors.nearest(wrong)
    for k in (0, 2.5, True):
        with pytest.raises(UsageError, match="must be a whole number of at least 1"):
            vectors.nearest("sun", k)


def test_elsewhere_it_no_longer_belongs_to_its_index():
    there = small(provenance={"training": "word2vec", "layer": "main", "generation": 3})
    assert there.elsewhere().provenance == {
        "training": "word2vec", "trained_in": {"layer": "main", "generation": 3}
    }  # fmt: skip
    assert small().elsewhere().provenance == {}
