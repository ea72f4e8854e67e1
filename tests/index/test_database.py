from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from aboutness.core.errors import DamagedIndex, FormatMismatch, IndexBusy, NotFound
from aboutness.index import database
from aboutness.index.database import ManifestStore, database_problems, read_manifest
from aboutness.index.manifest import Manifest

FIRST = Manifest(generation=1, created="then", software="us", fields={"text": 1.0})
SECOND = Manifest(generation=2, created="then", software="us", fields={"text": 1.0, "title": 2.0})


@pytest.fixture
def folder(tmp_path):
    store = ManifestStore(tmp_path, durable=False, create=True)
    store.save(FIRST)
    store.close()
    return tmp_path


@pytest.mark.parametrize("durable", [True, False])
def test_what_is_saved_is_read_by_both_sides(tmp_path, durable):
    store = ManifestStore(tmp_path, durable=durable, create=True)
    for manifest in (FIRST, SECOND):
        store.save(manifest)
        assert store.load() == manifest
        assert read_manifest(tmp_path) == manifest
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["index.db"]


@pytest.mark.parametrize("name", ["with space", "100%25", "a?b=c", "a#b", "über", "a'b", "a&mode=ro"])
def test_any_folder_name_works(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    store = ManifestStore(folder, durable=False, create=True)
    store.save(FIRST)
    store.close()
    assert read_manifest(folder) == FIRST
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_failed_save_changes_nothing(folder):
    store = ManifestStore(folder, durable=False)
    twice = Manifest(generation=2, layers={"a": {"x": object()}})
    with pytest.raises((TypeError, ValueError, AttributeError)):
        store.save(twice)
    assert store.load() == FIRST
    store.save(SECOND)
    assert store.load() == SECOND
    store.close()


def test_no_index_says_how_to_make_one(tmp_path):
    with pytest.raises(NotFound, match=r"there is no index at .*nothing; make one with: aboutness index"):
        read_manifest(tmp_path / "nothing")
    with pytest.raises(NotFound, match="is not an aboutness index"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"no database at all, but long enough to have a header" * 5, b"SQLite format 3\0"]
)
def test_a_file_that_is_no_database_is_damage(tmp_path, content):
    (tmp_path / "index.db").write_bytes(content)
    with pytest.raises(DamagedIndex):
        read_manifest(tmp_path)


def test_a_cut_database_is_damage_unless_nothing_needed_is_missing(folder):
    data = (folder / "index.db").read_bytes()
    damaged = 0
    for length in range(0, len(data), 997):
        (folder / "index.db").write_bytes(data[:length])
        try:
            assert read_manifest(folder) == FIRST
        except DamagedIndex:
            damaged += 1
    assert damaged > len(data) / 997 / 2


def test_a_missing_table_is_damage(folder):
    with closing(sqlite3.connect(folder / "index.db")) as connection:
        connection.execute("DROP TABLE field")
    with pytest.raises(DamagedIndex, match="no such table"):
        read_manifest(folder)


def test_a_newer_format_comes_through(folder):
    with closing(sqlite3.connect(folder / "index.db")) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(FormatMismatch):
        read_manifest(folder)


def test_a_database_locked_for_good_is_busy(folder, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE_S", 0.05)
    with closing(sqlite3.connect(folder / "index.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IndexBusy, match="locked by another process"):
            read_manifest(folder)
        other.execute("ROLLBACK")
    assert read_manifest(folder) == FIRST


def test_sqlite_finds_damage_inside_pages(folder):
    assert database_problems(folder) == []
    store = ManifestStore(folder, durable=False)
    store.save(Manifest(generation=2, layers={f"layer{n}": {"words": "x" * 500} for n in range(40)}))
    store.close()
    assert database_problems(folder) == []
    data = bytearray((folder / "index.db").read_bytes())
    data[4096 * 3 : 4096 * 9] = b"\xff" * (4096 * 6)
    (folder / "index.db").write_bytes(data)
    assert database_problems(folder)


def test_an_unfinished_commit_is_rolled_back_by_the_next_reader(folder):
    """A journal left by a killed writer: the reader must see the old generation."""
    with closing(sqlite3.connect(folder / "index.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE setting SET value = '77' WHERE key = 'generation'")
        connection.executemany("INSERT INTO layer VALUES (?, ?, ?)", [(n, f"l{n}", "x" * 3000) for n in range(50)])
        journal = (folder / "index.db-journal").read_bytes()
        half = (folder / "index.db").read_bytes()
        connection.execute("ROLLBACK")
    assert len(journal) > 512
    (folder / "index.db").write_bytes(half)
    (folder / "index.db-journal").write_bytes(journal)
    assert read_manifest(folder) == FIRST
