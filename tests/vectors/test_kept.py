"""Word vectors of an index, found by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aboutness as ab
from aboutness.core.errors import DamagedIndex, NotFound, UsageError
from aboutness.index.manifest import ArtefactEntry, FileEntry
from aboutness.index.trained import Trained
from aboutness.text.strings import StringTable
from aboutness.vectors.kept import KIND, entry_of, vectors_of
from aboutness.vectors.words import WordVectors

FOLDER = Path("news.index")


def trained(**kinds):
    """Artefacts of some kinds; those that are vectors are different ones."""
    entries = {
        name: ArtefactEntry(name, kind, {}, None, 1, "", FileEntry(f"{name}.file", 0, 0))
        for name, kind in kinds.items()
    }
    arrays = {
        name: WordVectors(StringTable.of(["sun"]), {"in": np.full((1, 2), number, np.float32)}).arrays()
        for number, name in enumerate(kinds)
    }
    return Trained(FOLDER, entries, arrays)


def test_the_only_ones_need_no_name():
    some = trained(other="numbers", one=KIND)
    assert entry_of(some).name == entry_of(some, "one").name == "one"
    assert vectors_of(some)["sun"].tolist() == [1, 1]
    assert vectors_of(some) is vectors_of(some, "one")


def test_of_several_one_must_be_named():
    some = trained(one=KIND, other="numbers", two=KIND)
    for find in (entry_of, vectors_of):
        with pytest.raises(UsageError, match=r"news\.index has several word vectors; name one: one, two"):
            find(some)
        with pytest.raises(NotFound, match=r"news\.index has no word vectors 'other'\. It has: one, two"):
            find(some, "other")
    assert vectors_of(some, "one")["sun"].tolist() == [0, 0]
    assert vectors_of(some, "two")["sun"].tolist() == [2, 2]
    assert entry_of(some, "two").file.name == "two.file"


@pytest.mark.parametrize("name", [None, "one"])
@pytest.mark.parametrize("some", [trained(), trained(one="numbers")], ids=["nothing", "others"])
def test_without_any_both_ways_to_get_some_are_told(name, some):
    with pytest.raises(NotFound) as told:
        vectors_of(some, name)
    assert str(told.value) == (
        "news.index has no word vectors; train some (aboutness train news.index word2vec), or import some "
        "(aboutness vectors import FILE -o news.index)"
    )


def test_vectors_that_cannot_be_read_are_told_each_time():
    good = trained(one=KIND)
    bad = Trained(FOLDER, good.entries, {"one": OSError("it is gone")})
    for _ in "12":
        with pytest.raises(DamagedIndex, match="the trained artefact 'one' cannot be read: it is gone"):
            vectors_of(bad)
    assert entry_of(bad).name == "one"
    with pytest.raises(DamagedIndex, match="these are no word vectors"):
        vectors_of(Trained(FOLDER, good.entries, {"one": {}}))


def test_an_index_in_memory_has_no_name_for_a_command():
    index = ab.Index.build([{"id": "a", "text": "sun and moon"}])
    with pytest.raises(NotFound) as caught:
        index.search("sun", ranker="iwcs")
    assert str(caught.value).endswith(
        'has no word vectors; train some (index.train("word2vec")), or import some (index.import_vectors(FILE))'
    )
