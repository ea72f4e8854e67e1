from __future__ import annotations

import shutil
import threading

import numpy as np
import pytest

from aboutness.app.copying import copy_to
from aboutness.app.index import Index
from aboutness.core.errors import DamagedIndex, NotFound, StorageError, UsageError
from aboutness.core.record import Document
from aboutness.index import copying, disk
from aboutness.index.database import read_manifest
from aboutness.index.lock import WriterLock
from aboutness.index.writer import IndexWriter


def documents(first, last):
    return [Document(f"d{n}", {"text": f"word{n % 7} shared text{n}"}, {"n": n}) for n in range(first, last)]


@pytest.fixture
def index(tmp_path):
    index = Index.build(documents(0, 30), tmp_path / "i", layers={"pieces": "letters"})
    index.add([Document("t", {"title": "another field"})])
    index.delete(["d3", "d7"])
    with index.changes() as writer:
        writer.save_artefact("a", "kind", {"x": np.arange(50)}, {"how": 1}, 7)
    return index


def test_a_copy_is_the_index(index, tmp_path):
    assert index.copy_to(tmp_path / "new" / "copy") == index.snapshot.generation
    copy = Index.open(tmp_path / "new" / "copy", verify=True)
    assert read_manifest(copy.path) == read_manifest(index.path)
    assert list(copy) == list(index)
    assert copy.check(deep=True).ok
    assert sorted(path.name for path in copy.path.iterdir()) == ["arrays", "index.db", "writer.lock"]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["copy"]
    copy.add(documents(40, 45))
    assert (len(copy), len(index)) == (34, 29)
    assert Index.open(index.path, verify=True).snapshot.generation == index.snapshot.generation


def test_an_index_in_memory_is_kept_by_copying_it(tmp_path):
    Index.build(documents(0, 3)).copy_to(tmp_path / "kept")
    assert list(Index.open(tmp_path / "kept", verify=True)) == documents(0, 3)


def test_what_a_writer_has_not_committed_is_not_copied(index, tmp_path):
    with IndexWriter(index.path) as writer:
        writer.add(documents(50, 60))
        index.copy_to(tmp_path / "copy")
        writer.commit()
    assert len(Index.open(tmp_path / "copy", verify=True)) == 29


def test_files_that_a_writer_removes_meanwhile_are_copied(index, tmp_path, monkeypatch):
    """The copy is of the generation that it began with, though none of its segments is left at the end."""
    began = read_manifest(index.path)
    writes = disk.write_new
    merged = []

    def written(path, parts, *, durable):
        if not merged and path.parent.parent.name.startswith(".copy."):
            merged.append(Index.open(index.path).merge())
        return writes(path, parts, durable=durable)

    monkeypatch.setattr(disk, "write_new", written)
    copy_to(index.path, tmp_path / "copy")
    assert merged
    assert read_manifest(index.path) != began
    assert read_manifest(tmp_path / "copy") == began
    assert Index.open(tmp_path / "copy").check(deep=True).ok


def test_copies_of_an_index_that_changes_all_the_time_are_whole(index, tmp_path):
    ended, failures = threading.Event(), []

    def write():
        number = 100
        while not ended.is_set():
            mine = Index.open(index.path)
            mine.add(documents(number, number + 3))
            mine.delete([f"d{number}"])
            number += 3

    def guarded():
        try:
            write()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    try:
        generations = [index.copy_to(tmp_path / f"copy{n}") for n in range(8)]
    finally:
        ended.set()
        thread.join()
    assert not failures
    assert generations == sorted(generations)
    assert generations[-1] > generations[0]
    for n in range(8):
        assert Index.open(tmp_path / f"copy{n}").check(deep=True).ok


def test_what_is_missing_and_what_is_damaged_is_told_and_nothing_is_left(index, tmp_path):
    file = next(path for path in (index.path / "arrays").iterdir() if path.stat().st_size > 200)
    whole = file.read_bytes()
    file.write_bytes(whole[:150] + bytes([whole[150] ^ 1]) + whole[151:])
    with pytest.raises(DamagedIndex, match="is damaged and was not copied"):
        copy_to(index.path, tmp_path / "copy")
    file.unlink()
    with pytest.raises(DamagedIndex, match="a file of the index is missing"):
        copy_to(index.path, tmp_path / "copy")
    with pytest.raises(NotFound, match="there is no index at"):
        copy_to(tmp_path / "nothing", tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["i"]


def test_an_index_that_never_stays_the_same_is_told(index, tmp_path, monkeypatch):
    def moved(*_):
        index.add([Document(f"x{index.snapshot.generation}", {"text": "x"})])
        raise FileNotFoundError(2, "gone", "some file")

    monkeypatch.setattr(copying, "_open", moved)
    with pytest.raises(DamagedIndex, match="changes faster than it can be copied"):
        copy_to(index.path, tmp_path / "copy")


def test_a_full_disk_leaves_nothing(index, tmp_path, monkeypatch):
    def full(path, parts, *, durable):
        raise StorageError("the disk is full")

    monkeypatch.setattr(disk, "write_new", full)
    with pytest.raises(StorageError):
        copy_to(index.path, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["i"]


def test_nothing_is_written_over(index, tmp_path):
    with pytest.raises(UsageError, match="there is an index at"):
        index.copy_to(index.path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="is there already"):
        index.copy_to(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    index.copy_to(tmp_path / "empty")
    assert len(Index.open(tmp_path / "empty")) == 29


def test_what_was_left_by_a_kill_is_removed_and_what_is_being_made_is_not(index, tmp_path):
    left, made = tmp_path / ".copy.building-1", tmp_path / ".copy.building-2"
    left.mkdir()
    made.mkdir()
    lock = WriterLock(made)
    index.copy_to(tmp_path / "copy")
    lock.release()
    assert (left.exists(), made.exists()) == (False, True)
    shutil.rmtree(made)
