from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import DamagedIndex, NotFound, StorageError, UsageError
from aboutness.index.arrays import Blocks
from aboutness.text.strings import StringTable
from aboutness.vectors import store
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors

MATRIX = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
VECTORS = WordVectors(
    StringTable.of(["sun", "Moon", "été"]), {"in": MATRIX}, np.array([3, 2, 1]), Subwords(-MATRIX, 2, 3), {"a": 1}
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_saved_is_mapped(tmp_path):
    store.save(VECTORS, tmp_path / "v.safetensors")
    again = store.open_saved(str(tmp_path / "v.safetensors"))
    assert not again.space().flags.owndata
    assert not again.space().flags.writeable
    for name, array in VECTORS.arrays().items():
        np.testing.assert_array_equal(again.arrays()[name], array)
    assert names(tmp_path) == ["v.safetensors"]


def test_the_same_vectors_make_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        store.save(VECTORS, tmp_path / f"{name}.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_a_file_that_is_mapped_can_be_replaced(tmp_path):
    path = tmp_path / "v.safetensors"
    store.save(VECTORS, path)
    before = store.open_saved(path)
    store.save(VECTORS.with_spaces({"in": -MATRIX}), path)
    np.testing.assert_array_equal(before.space(), MATRIX)
    np.testing.assert_array_equal(store.open_saved(path).space(), -MATRIX)
    store.save(store.open_saved(path), path)
    np.testing.assert_array_equal(store.open_saved(path).space(), -MATRIX)


def test_blocks_are_written_like_the_array_they_make(tmp_path):
    store.save(VECTORS, tmp_path / "whole.safetensors")
    blocks = Blocks((3, 2), np.dtype(np.float32), lambda: iter([MATRIX[:2], MATRIX[:0], MATRIX[2:]]))
    store.write({**VECTORS.arrays(), "space.in": blocks}, tmp_path / "blocks.safetensors")
    assert (tmp_path / "whole.safetensors").read_bytes() == (tmp_path / "blocks.safetensors").read_bytes()


def test_a_failure_leaves_what_was_there(tmp_path):
    def failing():
        yield MATRIX[:2]
        raise RuntimeError("no more")

    path = tmp_path / "v.safetensors"
    store.save(VECTORS, path)
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="no more"):
        store.write({**VECTORS.arrays(), "space.in": Blocks((3, 2), np.dtype(np.float32), failing)}, path)
    assert path.read_bytes() == before
    assert names(tmp_path) == ["v.safetensors"]


def test_where_nothing_can_be_saved(tmp_path):
    with pytest.raises(UsageError, match=r"must end in .safetensors, got 'v.bin'"):
        store.save(VECTORS, tmp_path / "v.bin")
    with pytest.raises(NotFound, match="there is no folder"):
        store.save(VECTORS, tmp_path / "no" / "v.safetensors")
    (tmp_path / "v.safetensors").mkdir()
    with pytest.raises(StorageError, match="cannot rename to"):
        store.save(VECTORS, tmp_path / "v.safetensors")
    assert names(tmp_path) == ["v.safetensors"]


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(NotFound, match="there is no file"):
        store.open_saved(tmp_path / "v.safetensors")
    (tmp_path / "v.safetensors").write_bytes(b"short")
    with pytest.raises(DamagedIndex, match="truncated"):
        store.open_saved(tmp_path / "v.safetensors")


words = st.lists(st.text(max_size=8).filter(lambda word: word.isprintable()), unique=True)


@given(words, st.integers(1, 3), st.booleans())
def test_round_trip(tmp_path_factory, found, dim, both):
    path = tmp_path_factory.getbasetemp() / "drawn.safetensors"
    matrix = np.random.default_rng(dim).normal(size=(len(found), dim)).astype(np.float32)
    spaces = {"in": matrix, "out": -matrix} if both else {"in": matrix}
    store.save(WordVectors(StringTable.of(found), spaces), path)
    again = store.open_saved(path)
    assert list(again.words) == found
    assert again.numbers(found).tolist() == list(range(len(found)))
    assert {name: space.tolist() for name, space in again.spaces.items()} == {
        name: space.tolist() for name, space in spaces.items()
    }
