from __future__ import annotations

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import DamagedIndex
from aboutness.core.record import Document
from aboutness.index.database import read_manifest
from aboutness.index.working import WorkingSegments
from aboutness.text.strings import pack


@pytest.fixture
def working(tmp_path):
    index = Index.build([Document(f"d{n}", {"text": f"w{n}"}) for n in range(5)], tmp_path / "i")
    index.add([Document("e0", {"text": "x"})])
    return WorkingSegments(tmp_path / "i", read_manifest(tmp_path / "i"), durable=False)


def test_documents_are_found_until_they_are_dead(working):
    wanted = pack(["e0", "d0", "d4", "nope"])
    assert working.find(wanted).tolist() == [5, 0, 4, -1]
    working.kill(np.array([0, 5]))
    working.kill(np.array([0]))
    assert working.find(wanted).tolist() == [-1, -1, 4, -1]
    assert sum(segment.live for segment in working.segments) == 4
    assert [entry.dead for entry in working.entries] == [b"\0\0\0\0", b"\0\0\0\0"]


def test_a_merge_that_fails_leaves_all_as_it_was(working, monkeypatch):
    def fail(*_, **__):
        raise OSError("no")

    segments, entries = list(working.segments), list(working.entries)
    monkeypatch.setattr("aboutness.index.working.write_arrays", fail)
    with pytest.raises(OSError, match="no"):
        working.merge_last(9, 2, 1)
    assert working.segments == segments
    assert working.entries == entries
    monkeypatch.undo()
    working.kill(np.array([2]))
    working.merge_last(9, 2, 1)
    assert [list(segment.ids) for segment in working.segments] == [["d0", "d1", "d3", "d4", "e0"]]
    assert [entry.documents for entry in working.entries] == [5]
    assert working.entries[0].name.startswith("00000009-")


def test_a_missing_file_is_damage(working):
    manifest = read_manifest(working.folder)
    (working.folder / "arrays" / manifest.segments[0].files["documents"].name).unlink()
    with pytest.raises(DamagedIndex, match="a file of the index is missing"):
        WorkingSegments(working.folder, manifest, durable=False)
