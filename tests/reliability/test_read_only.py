"""Folders that cannot be written, with and without a commit that was cut short; folders that go away."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from aboutness import Index
from aboutness.core.errors import AboutnessError, DamagedIndex, NotFound, StorageError
from aboutness.core.record import Document
from aboutness.index import database
from aboutness.index.check import check
from aboutness.index.lock import NAME as LOCK
from aboutness.index.writer import IndexWriter
from reliability.harm import JOURNAL, MORE, OLD, Child, assert_sound, found_in, result_of, state_of

BEFORE = state_of(OLD)
NOBODY = 65534


def as_reader(function):
    """Return what a function returns, or raises, for a user who does not own the files."""

    def act():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setegid(NOBODY)
            os.seteuid(NOBODY)
        return function()

    return result_of(act)


def closed(folder: Path, files: int = 0o444, folders: int = 0o555) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(folders if path.is_dir() else files)


@pytest.fixture
def shelf(original, open_folder):
    """Return a copy of the index where every user can reach it."""
    folder = Path(shutil.copytree(original, open_folder / "x.index"))
    yield folder
    closed(folder, 0o644, 0o755)


def test_a_folder_that_cannot_be_written_can_be_read(shelf):
    closed(shelf)
    assert as_reader(lambda: found_in(shelf)) == BEFORE
    assert as_reader(lambda: check(shelf, deep=True).problems) == []
    error = as_reader(lambda: Index.open(shelf).add(MORE))
    assert isinstance(error, StorageError)
    assert "permission denied" in str(error)


def test_a_folder_that_cannot_be_read_is_told(shelf):
    for files, folders in ((0o000, 0o555), (0o444, 0o000)):
        closed(shelf, files, folders) if folders else shelf.chmod(folders)
        error = as_reader(lambda: Index.open(shelf))
        assert isinstance(error, StorageError), error
        assert str(shelf) in str(error)
        shelf.chmod(0o755)
        closed(shelf, 0o644, 0o755)
    closed(shelf)
    for path in (shelf / "arrays").iterdir():
        path.chmod(0)
    error = as_reader(lambda: Index.open(shelf))
    assert isinstance(error, StorageError), error
    assert "arrays" in str(error)


@pytest.fixture
def cut_short(open_folder):
    """Return an index, and its ids, whose writer was killed when half of its commit was in the database."""
    folder = open_folder / "cut.index"
    Index.build((Document(f"d{number}", {"text": "x"}) for number in range(30_000)), folder)
    content = (folder / "index.db").read_bytes()

    def act(_tell):
        save = database.save_manifest

        def die(connection, manifest):
            connection.execute("PRAGMA cache_size = 1")
            save(connection, manifest)
            os.kill(os.getpid(), signal.SIGKILL)

        database.save_manifest = die
        with IndexWriter(folder) as writer:
            writer.delete([f"d{number}" for number in range(0, 30_000, 2)])
            writer.commit()

    status, _ = Child(act).end()
    assert status == signal.SIGKILL
    assert (folder / JOURNAL).stat().st_size > 512
    assert (folder / "index.db").read_bytes() != content
    yield folder
    closed(folder, 0o644, 0o755)


def seen(folder):
    index = Index.open(folder, verify=True)
    return len(index), index.snapshot.generation, check(folder, deep=True).problems


def test_a_commit_cut_short_is_rolled_back_by_the_next_reader(cut_short):
    assert seen(cut_short) == (30_000, 1, [])
    assert not (cut_short / JOURNAL).exists()


@pytest.mark.parametrize(("files", "folders"), [(0o444, 0o555), (0o666, 0o555), (0o444, 0o777)])
def test_a_commit_cut_short_in_a_folder_that_cannot_be_written(cut_short, files, folders):
    closed(cut_short, files, folders)
    assert as_reader(lambda: seen(cut_short)) == (30_000, 1, [])
    closed(cut_short, 0o644, 0o755)
    assert seen(cut_short) == (30_000, 1, [])


def test_a_folder_that_goes_away_while_it_is_open(index):
    opened = Index.open(index)
    shutil.rmtree(index)
    assert {document.id: document for document in opened} == BEFORE
    assert opened.view().documents == len(OLD)
    for act in (opened.refresh, opened.check, lambda: opened.add(MORE), opened.merge, lambda: opened.delete("d1")):
        with pytest.raises((NotFound, StorageError), match=r"x\.index"):
            act()
    assert not index.exists()


def test_a_folder_that_goes_away_under_its_writer(index):
    with IndexWriter(index) as writer:
        writer.add(MORE)
        shutil.rmtree(index)
        with pytest.raises(StorageError):
            writer.commit()
        with pytest.raises(AboutnessError):
            writer.merge()
    assert not index.exists()


def test_only_the_arrays_go_away_under_a_writer(index):
    with IndexWriter(index) as writer:
        writer.add(MORE)
        shutil.rmtree(index / "arrays")
        with pytest.raises(StorageError):
            writer.commit()
    assert not check(index).ok


def test_a_folder_that_moves_while_it_is_open(index, tmp_path):
    opened = Index.open(index)
    index.rename(tmp_path / "y.index")
    assert {document.id: document for document in opened} == BEFORE
    with pytest.raises(NotFound):
        opened.refresh()
    assert_sound(tmp_path / "y.index", BEFORE)


def exchanged(index: Path, other: Path) -> Path:
    """Put another index where one was; return where that one is now."""
    aside = index.with_name("aside.index")
    index.rename(aside)
    other.rename(index)
    return aside


@pytest.mark.parametrize("act", ["add", "merge", "nothing"])
def test_an_index_that_takes_the_place_of_one_under_its_writer_is_left_alone(index, tmp_path, act):
    other = tmp_path / "other.index"
    Index.build(MORE, other)
    with IndexWriter(index) as writer:
        if act == "add":
            writer.add(MORE)
        aside = exchanged(index, other)
        for change in {"add": [writer.commit], "merge": [writer.merge, writer.commit], "nothing": []}[act]:
            with pytest.raises(StorageError, match="moved, removed or replaced"):
                change()
    assert_sound(index, state_of(MORE))
    assert_sound(aside, BEFORE)


def test_a_file_goes_away_under_a_writer(index):
    with IndexWriter(index) as writer:
        next((index / "arrays").glob("*stream*")).unlink()
        with pytest.raises(DamagedIndex, match="is gone"):
            writer.merge()


def test_a_writer_whose_lock_was_removed_changes_nothing(index):
    with IndexWriter(index) as first:
        first.add(MORE)
        (index / LOCK).unlink()
        with IndexWriter(index) as second:
            second.delete(["d1"])
            second.commit()
        with pytest.raises(StorageError, match="moved, removed or replaced"):
            first.commit()
    assert_sound(index, {name: document for name, document in BEFORE.items() if name != "d1"})


def test_an_index_built_again_in_the_same_second_is_a_new_one(index, monkeypatch):
    monkeypatch.setattr("aboutness.index.writer.now", lambda: "2000-01-01T00:00:00+00:00")
    shutil.rmtree(index)
    opened = Index.build(MORE, index)
    shutil.rmtree(index)
    Index.build(OLD, index)
    assert opened.refresh()
    assert {document.id: document for document in opened} == BEFORE
    assert not opened.refresh()
