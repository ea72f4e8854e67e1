"""Vectors written for others: what is read back is what was written, to the bit, or nothing is written."""

from __future__ import annotations

import errno
import gzip
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from aboutness.core.errors import NotFound, StorageError, UsageError
from aboutness.index import disk
from aboutness.text.strings import StringTable
from aboutness.vectors import export as exporting
from aboutness.vectors import written
from aboutness.vectors.export import EXPORTS, export
from aboutness.vectors.load import load_vectors
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors

WORDS = ["sun", "New_York", "été", "한국", "1.5", "-", "12"]
MATRIX = np.array([[0.1, 2, 1e-45], [-0.0, 3.4028235e38, 7], [0, 0, 0], [1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]], np.float32)  # fmt: skip
NAMES = {
    "word2vec-text": ["v.vec", "v.vec.gz", "V.VEC"],
    "word2vec-binary": ["v.bin", "v.bin.gz"],
    "glove": ["v.txt", "v.txt.gz"],
    "npy": ["v.npy", "a.b.npy"],
    "safetensors": ["v.safetensors"],
}
VECTORS = WordVectors(StringTable.of(WORDS), {"in": MATRIX, "out": -MATRIX}, counts=np.arange(7))


def bits(matrix):
    return np.asarray(matrix).view(np.uint32).tolist()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("name", "file"), [(name, file) for name, files in NAMES.items() for file in files])
def test_what_is_written_is_read_back_to_the_bit(tmp_path, name, file):
    assert list(EXPORTS) == list(NAMES)
    for space in (None, "in", "out"):
        files = VECTORS.export(tmp_path / file, space=space, overwrite=True)
        assert files[0] == tmp_path / file
        assert names(tmp_path) == sorted(path.name for path in files)
        again = load_vectors(tmp_path / file)
        assert list(again) == WORDS
        assert bits(again.space()) == bits(-MATRIX if space == "out" else MATRIX)
        assert again.provenance.get("format", name) == name
        if name == "safetensors" and space is None:
            assert bits(again.space("out")) == bits(-MATRIX)
            assert again.counts.tolist() == list(range(7))
        else:
            assert list(again.spaces) == ["in"]
        again = None


def test_a_format_may_be_named(tmp_path):
    VECTORS.export(tmp_path / "v.txt", format="word2vec-text")
    assert (tmp_path / "v.txt").read_text().startswith("7 3\nsun 0.1 2.0 1e-45\nNew_York -0.0 3.4028235e+38 7.0\n")
    VECTORS.export(tmp_path / "glove.6B", format="glove")
    assert load_vectors(tmp_path / "glove.6B").provenance["format"] == "glove"


def test_a_matrix_has_its_words_beside_it(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join("abcdefg"))  # of another matrix
    files = VECTORS.export(tmp_path / "v.npy", space="out")
    assert [file.name for file in files] == ["v.npy", "v.vocab"]
    np.testing.assert_array_equal(np.load(tmp_path / "v.npy"), -MATRIX)
    assert (tmp_path / "v.vocab").read_text().split("\n") == [*WORDS, ""]
    assert list(load_vectors(tmp_path / "v.npy")) == WORDS


def test_packed_bytes_depend_on_the_content_only(tmp_path):
    for name in ("a.vec.gz", "b.vec.gz"):
        VECTORS.export(tmp_path / name)
    assert (tmp_path / "a.vec.gz").read_bytes() == (tmp_path / "b.vec.gz").read_bytes()
    VECTORS.export(tmp_path / "a.vec")
    assert gzip.decompress((tmp_path / "a.vec.gz").read_bytes()) == (tmp_path / "a.vec").read_bytes()


def test_the_only_space_is_written_whichever_it_is(tmp_path):
    only = WordVectors(StringTable.of(WORDS), {"out": -MATRIX})
    for file in ("v.bin", "v.safetensors"):
        only.export(tmp_path / file)
        assert bits(load_vectors(tmp_path / file).space("in")) == bits(-MATRIX)
    with pytest.raises(UsageError, match="these vectors have no space 'in', only: out"):
        only.export(tmp_path / "w.bin", space="in")
    assert names(tmp_path) == ["v.bin", "v.safetensors"]


def test_subwords_go_only_where_they_have_a_place(tmp_path):
    pieces = WordVectors(
        StringTable.of(WORDS), {"in": MATRIX}, subwords=Subwords(np.ones((4, 3), np.float32), 2, 3)
    )
    pieces.export(tmp_path / "v.vec")
    assert load_vectors(tmp_path / "v.vec").subwords is None
    pieces.export(tmp_path / "v.safetensors")
    assert load_vectors(tmp_path / "v.safetensors").subwords is not None


def test_much_is_written_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(written, "PIECE", 6)
    for files in NAMES.values():
        VECTORS.export(tmp_path / files[0], overwrite=True)
        assert bits(load_vectors(tmp_path / files[0]).space()) == bits(MATRIX)


floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
letters = st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\v\f\r")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.data(),
    words=st.lists(st.text(letters, min_size=1, max_size=5), min_size=1, max_size=5, unique=True),
    dim=st.integers(1, 4),
    name=st.sampled_from(list(NAMES)),
)
def test_any_words_and_any_numbers(tmp_path, data, words, dim, name):
    matrix = data.draw(arrays.arrays(np.float32, (len(words), dim), elements=floats))
    vectors = WordVectors(StringTable.of(words), {"in": matrix})
    path = tmp_path / NAMES[name][0]
    if name in ("glove", "npy") and words[0].startswith("\ufeff"):
        with pytest.raises(UsageError, match="would be read as a mark of UTF-8"):
            vectors.export(path, overwrite=True)
        return
    vectors.export(path, overwrite=True)
    again = load_vectors(path, format=name)
    assert list(again) == words
    assert bits(again.space()) == bits(matrix)


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["v.vec", "v.bin", "v.txt", "v.npy", "v.safetensors"])
def test_words_that_a_format_cannot_hold(tmp_path, file):
    for word, refusing in {
        "new york": ("v.vec", "v.bin", "v.txt"),
        "a\tb": ("v.vec", "v.bin", "v.txt"),
        "a\nb": ("v.vec", "v.bin", "v.txt", "v.npy"),
        "a\r": ("v.vec", "v.bin", "v.txt", "v.npy"),
        "": ("v.vec", "v.bin", "v.txt", "v.npy"),
    }.items():
        vectors = WordVectors(StringTable.of(["sun", word]), {"in": MATRIX[:2]})
        if file not in refusing:
            vectors.export(tmp_path / file)
            assert list(load_vectors(tmp_path / file)) == ["sun", word]
            for one in tmp_path.iterdir():
                one.unlink()
            continue
        with pytest.raises(UsageError, match=r"cannot hold; use (npy or )?safetensors$") as caught:
            vectors.export(tmp_path / file)
        assert (repr(word) if word else "one of the words is empty") in str(caught.value)
        assert names(tmp_path) == []


@pytest.mark.parametrize("file", ["v.vec", "v.bin.gz", "v.txt", "v.npy", "v.safetensors"])
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(tmp_path, monkeypatch, file, number):
    monkeypatch.setattr(exporting, "ROWS", 2)
    wrong = MATRIX.copy()
    wrong[3, 1] = number
    for spaces in ({"in": wrong}, {"in": MATRIX, "out": wrong}):
        vectors = WordVectors(StringTable.of(WORDS), spaces)
        space = None if file == "v.safetensors" else list(spaces)[-1]
        with pytest.raises(UsageError, match=r"the vector of '한국' \(space .*\) has a number that is not finite"):
            vectors.export(tmp_path / file, space=space)
    assert names(tmp_path) == []


@pytest.mark.parametrize("file", ["v.vec", "v.bin", "v.txt", "v.npy", "v.safetensors"])
def test_no_vectors_are_not_written(tmp_path, file):
    for shape in ((0, 3), (2, 0)):
        none = WordVectors(StringTable.of(WORDS[: shape[0]]), {"in": np.zeros(shape, np.float32)})
        with pytest.raises(
            UsageError, match=f"there must be vectors to write, got {shape[0]} x {shape[1]} numbers"
        ):
            none.export(tmp_path / file)
    assert names(tmp_path) == []


def test_what_is_there_stays_unless_it_is_to_be_replaced(tmp_path):
    (tmp_path / "v.vec").write_text("mine")
    (tmp_path / "m.vocab").write_text("mine")
    for file, there in (("v.vec", "v.vec"), ("m.npy", "m.vocab")):
        with pytest.raises(UsageError, match=rf"{there} is there already; choose another file, or replace it"):
            VECTORS.export(tmp_path / file)
    assert names(tmp_path) == ["m.vocab", "v.vec"]
    assert (tmp_path / "v.vec").read_text() == (tmp_path / "m.vocab").read_text() == "mine"
    VECTORS.export(tmp_path / "v.vec", overwrite=True)
    VECTORS.export(tmp_path / "m.npy", overwrite=True)
    assert list(load_vectors(tmp_path / "v.vec")) == list(load_vectors(tmp_path / "m.npy")) == WORDS


@pytest.mark.parametrize(
    ("file", "options", "kind", "problem"),
    [
        ("v.xyz", {}, UsageError, r"the name of v\.xyz does not say its format: it may end in \.vec \(word2vec-text\), \.bin .*; or name one"),
        ("v.vec", {"format": "word2vec"}, UsageError, "format must be one of word2vec-text, .* got 'word2vec'"),
        ("v.npy.gz", {}, UsageError, "npy cannot be packed: leave .gz out of the name 'v.npy.gz'"),
        ("v.gz", {"format": "safetensors"}, UsageError, "safetensors cannot be packed"),
        ("v.bin", {"format": "npy"}, UsageError, "the name of a file in npy must end in .npy, got 'v.bin'"),
        ("v.vec", {"space": "middle"}, UsageError, "these vectors have no space 'middle', only: in, out"),
        ("no/v.vec", {}, NotFound, "there is no folder .*no to write v.vec in"),
        ("folder.vec", {}, UsageError, "folder.vec is a folder; name a file to write"),
    ],
)  # fmt: skip
def test_what_cannot_be_written(tmp_path, file, options, kind, problem):
    (tmp_path / "folder.vec").mkdir()
    with pytest.raises(kind, match=problem):
        export(VECTORS, tmp_path / file, overwrite=True, **options)
    assert names(tmp_path) == ["folder.vec"]


def test_what_is_no_file_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe.vec")
    with pytest.raises(UsageError, match=r"pipe\.vec is not a plain file; name another one"):
        VECTORS.export(tmp_path / "pipe.vec", overwrite=True)


@pytest.mark.parametrize("file", ["v.vec", "v.vec.gz", "v.bin", "v.txt", "v.npy", "v.safetensors"])
def test_a_full_disk_leaves_what_was_there_and_no_litter(tmp_path, monkeypatch, file):
    VECTORS.export(tmp_path / file)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(descriptor, piece):
        os.write(descriptor, piece[:2])
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(disk, "_write_all", full)
    with pytest.raises(StorageError, match=r"cannot write .*: the disk is full"):
        VECTORS.export(tmp_path / file, overwrite=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
