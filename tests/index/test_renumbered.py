from __future__ import annotations

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.index.arrays import Blocks, map_arrays
from aboutness.index.renumbered import Numbering, renumbered_roles
from aboutness.index.snapshot import ARRAYS
from aboutness.text.strings import StringTable

BEFORE = [
    {"id": "0", "title": "red fox", "text": "the quick red fox"},
    {"id": "1", "text": "a lazy dog and a fox"},
]
HERE = [
    {"id": "2", "text": "lazy days, quick fox, new days", "year": 3},
    {"id": "3", "text": "", "year": 4},
    {"id": "4", "text": "zebra dog zebra", "tags": ["a", "b"]},
]


def whole_of(array):
    """An array that is made in blocks, as a whole."""
    if isinstance(array, Blocks):
        return np.concatenate([np.zeros(0, array.dtype), *(b.ravel() for b in array.make())]).reshape(array.shape)
    return array


@pytest.fixture
def whole(monkeypatch, tmp_path):
    """Both parts as two segments of one index."""
    monkeypatch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
    index = Index.build(BEFORE, tmp_path / "whole.index", analyzer="plain")
    index.add(HERE)
    return index.snapshot


@pytest.mark.parametrize("at_once", [2, 1 << 22])
def test_the_files_are_those_of_a_segment_of_the_whole(whole, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr("aboutness.index.renumbered.AT_ONCE", at_once)
    monkeypatch.setattr("aboutness.index.runs.AT_ONCE", at_once)
    alone = Index.build(HERE, tmp_path / "alone.index", analyzer="plain").snapshot
    (segment,), (first, second) = alone.segments, whole.segments
    numbers = whole.view().term_numbers(alone.view().terms()).astype(np.int32)
    assert numbers.tolist() != sorted(numbers.tolist())  # else this would show little
    numbering = Numbering(numbers, StringTable.of(second.layers["main"].new_terms))
    places = np.array([{"title": -1, "text": 0}[name] for name in whole.fields])
    made = renumbered_roles(segment, {"main": numbering}, places, len(first))
    files = whole.manifest.segments[1].files
    assert set(made) == set(files)
    for role, file in files.items():
        expected, found = map_arrays(whole.folder / ARRAYS / file.name), made[role]()
        assert set(found) == set(expected)
        for name, made_array in found.items():
            array = whole_of(made_array)
            assert np.array_equal(array, expected[name]), (role, name)
            assert array.dtype == expected[name].dtype, (role, name)
