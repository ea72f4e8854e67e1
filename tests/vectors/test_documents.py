"""Rows of documents: what they say of themselves, and that they come back from an index as they were."""

from __future__ import annotations

import json

import numpy as np
import pytest

from aboutness import Index
from aboutness.core.errors import DamagedIndex
from aboutness.text.strings import StringTable
from aboutness.vectors.documents import DocumentSpace, Texts
from aboutness.vectors.kept import space_of
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.pv import EPV, PV
from aboutness.vectors.words import WordVectors
from vectors.test_pv import TEXTS, bytes_of

WORDS = WordVectors(StringTable.of(["sun", "été"]), {"out": np.eye(2, dtype=np.float32)}, np.array([3, 1]))
ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)


class Counting(DocumentSpace):
    """A text's row has the number of its words, and the sum of their weights."""

    def infer(self, texts, threads=None):
        del threads
        parts = np.split(texts.weights, texts.ends[:-1])
        return np.array([[len(part), part.sum()] for part in parts], np.float32)


def space(**changes):
    return Counting(
        **{
            "words": WORDS,
            "rows": ROWS,
            "arrivals": np.array([2, 5, 9]),
            "own": {"noise": np.array([0.5, 0.25])},
            "provenance": {"training": "pv", "fields": ["tïtle"], "seed": 1},
            **changes,
        }
    )


def same(one, other):
    assert list(one.words) == list(other.words)
    assert one.words.counts.tolist() == other.words.counts.tolist()
    assert one.words.spaces.keys() == other.words.spaces.keys()
    for left, right in ((one.rows, other.rows), (one.arrivals, other.arrivals)):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    assert one.own.keys() == other.own.keys()
    for name in one.own:
        np.testing.assert_array_equal(one.own[name], other.own[name])
    assert dict(one.provenance) == dict(other.provenance)
    return True


def test_what_it_says_of_itself():
    assert (len(space()), space().dim) == (3, 2)
    assert repr(space()) == "<Counting: 3 documents x 2, 2 words, pv>"
    assert repr(space(provenance={})) == "<Counting: 3 documents x 2, 2 words, made by hand>"
    assert len(Texts(np.zeros(3, np.int32), np.ones(3, np.float32), np.array([1, 1, 3]))) == 3


def test_it_is_kept_as_arrays():
    arrays = space().arrays()
    assert {"rows", "arrivals", "about", "own.noise", "words.space.out", "words.counts"} <= set(arrays)
    assert same(Counting.of_arrays(arrays), space())
    assert same(Counting.of_arrays(space(own={}).arrays()), space(own={}))


def test_nothing_is_copied_when_it_is_opened():
    arrays = space().arrays()
    opened = Counting.of_arrays(arrays)
    assert np.shares_memory(opened.rows, arrays["rows"])
    assert np.shares_memory(opened.words.space("out"), arrays["words.space.out"])


def test_the_same_with_other_rows_or_more_said_of_it():
    other = space().with_rows(ROWS[:1] + 1, np.array([7]))
    assert (other.rows.tolist(), other.arrivals.tolist()) == ([[1, 2]], [7])
    assert other.words is WORDS
    assert other.provenance == space().provenance
    more = space().with_provenance(layer="main", seed=2)
    assert more.provenance == {"training": "pv", "fields": ["tïtle"], "seed": 2, "layer": "main"}
    assert space().provenance["seed"] == 1
    assert more.rows is ROWS


def test_questions_are_inferred_as_texts_are():
    texts = Texts(np.array([0, 1, 1], np.int32), np.array([1, 2, 3], np.float32), np.array([1, 3]))
    assert space().infer_question(texts).tolist() == space().infer(texts).tolist() == [[1, 1], [2, 5]]
    with pytest.raises(NotImplementedError):
        DocumentSpace(WORDS, ROWS, np.arange(3)).infer(texts)


@pytest.mark.parametrize("missing", ["rows", "arrivals", "about", "words.words.ends", "words.space.out"])
def test_arrays_in_which_something_is_missing(missing):
    arrays = {name: array for name, array in space().arrays().items() if name != missing}
    with pytest.raises(DamagedIndex, match="these are no "):
        Counting.of_arrays(arrays)


@pytest.mark.parametrize("about", [b"", b"{", b"\xff\xfe{}", b"[1"])
def test_provenance_that_cannot_be_read(about):
    with pytest.raises(DamagedIndex, match="these are no rows of documents"):
        Counting.of_arrays({**space().arrays(), "about": np.frombuffer(about, np.uint8)})


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (6,), (3, 2, 1)], ids=str)
def test_rows_that_do_not_fit(shape):
    arrays = {**space().arrays(), "rows": np.zeros(shape, np.float32)}
    with pytest.raises(
        DamagedIndex, match=r"these are no rows of documents: ValueError\('rows have shape .* 3 x 2"
    ):
        Counting.of_arrays(arrays)


def test_words_that_do_not_fit_their_vectors():
    arrays = {**space().arrays(), "words.space.out": np.zeros((3, 2), np.float32)}
    with pytest.raises(DamagedIndex, match="these are no word vectors"):
        Counting.of_arrays(arrays)


# --- in an index ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [PV(), PV(architecture="dm"), EPV()], ids=["pv", "pv-dm", "epv"])
def test_save_open_and_close(tmp_path, way):
    how = type(way)(**{**{one.name: getattr(way, one.name) for one in way.declared()}, "dim": 5, "epochs": 2})
    index = Index.build([{"id": str(i), "text": text} for i, text in enumerate(TEXTS)], tmp_path / "x.index")
    made = index.train(how, threads=1)
    by_itself = how.train(index.view(), threads=1)
    assert bytes_of(made) == bytes_of(by_itself)
    del index
    opened = space_of(Index.open(tmp_path / "x.index", verify=True).snapshot.trained, way.name)
    assert isinstance(opened, ParagraphSpace)
    assert bytes_of(opened) == bytes_of(made)
    assert same(opened, made)
    assert json.loads(json.dumps(dict(made.provenance))) == dict(opened.provenance)
    assert opened.normalisers.tobytes() == by_itself.normalisers.tobytes()
    text = Texts(np.array([0, 1, 1], np.int32), np.ones(3, np.float32), np.array([3]))
    assert opened.infer(text).tobytes() == by_itself.infer(text).tobytes()
