from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import DamagedIndex, FormatMismatch
from aboutness.index.manifest import (
    ArtefactEntry,
    FileEntry,
    Manifest,
    SegmentEntry,
    create_tables,
    load_manifest,
    save_manifest,
)

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
FILE_NAMES = NAMES.filter(lambda name: "/" not in name and name not in (".", ".."))
NUMBERS = st.integers(0, 2**63 - 1)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def manifests(draw):
    files = iter(draw(st.lists(FILE_NAMES, unique=True, min_size=14, max_size=14)))

    def file():
        return FileEntry(next(files), draw(NUMBERS), draw(st.integers(0, 2**32 - 1)))

    owners = draw(st.lists(NAMES, unique=True, max_size=5))
    segments = tuple(
        SegmentEntry(
            name,
            draw(NUMBERS),
            {role: file() for role in ("documents", "layer:main")},
            draw(st.binary(max_size=9)),
        )
        for name in owners[:3]
    )
    artefacts = {
        name: ArtefactEntry(
            name, draw(NAMES), draw(st.dictionaries(NAMES, JSON, max_size=3)), draw(st.none() | NUMBERS), draw(NUMBERS),
            draw(NAMES), file(),
        )
        for name in owners[3:]
    }  # fmt: skip
    return Manifest(
        draw(NUMBERS),
        draw(NAMES),
        draw(NAMES),
        draw(st.dictionaries(NAMES, st.floats(0.01, 100), max_size=3)),
        draw(st.dictionaries(NAMES, st.dictionaries(NAMES, JSON, max_size=3), max_size=3)),
        segments,
        artefacts,
    )


def empty_database():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create_tables(connection)
    return connection


SMALL = Manifest(
    3, "2026-01-01T00:00:00+00:00", "aboutness 1", {"title": 2.0, "text": 1.0},
    {"main": {"name": "plain", "stop": []}, "other": {"name": "letters", "stop": []}},
    (
        SegmentEntry("s0", 5, {"documents": FileEntry("f0", 10, 11), "layer:main": FileEntry("f1", 12, 13)}, b"\1\0\0\0"),
        SegmentEntry("s1", 6, {"documents": FileEntry("f2", 14, 15), "layer:main": FileEntry("f3", 16, 17)}),
    ),
    {"seal": ArtefactEntry("seal", "vectors", {"dim": 50}, 7, 2, "2026", FileEntry("f4", 18, 19))},
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(manifests(), manifests())
def test_any_manifest_comes_back_and_replaces_the_one_before(first, second):
    with closing(empty_database()) as connection:
        for manifest in (first, second, first):
            save_manifest(connection, manifest)
            back = load_manifest(connection)
            assert back == manifest
            assert list(back.fields) == list(manifest.fields)
            assert list(back.layers) == list(manifest.layers)


def test_the_files_of_a_manifest():
    assert SMALL.files() == {"f0", "f1", "f2", "f3", "f4"}
    assert Manifest().files() == set()


CHANGES = [
    "UPDATE setting SET value = 4 WHERE key = 'generation'",
    "UPDATE setting SET value = 'x' WHERE key = 'generation'",
    "UPDATE setting SET value = 'x' WHERE key = 'created'",
    "UPDATE setting SET value = 'x' WHERE key = 'software'",
    "UPDATE setting SET value = '00000000' WHERE key = 'seal'",
    "DELETE FROM setting WHERE key = 'seal'",
    "DELETE FROM setting WHERE key = 'generation'",
    "INSERT INTO setting VALUES ('new', 'x')",
    "UPDATE field SET weight = 3.0 WHERE name = 'title'",
    "UPDATE field SET name = 'titles' WHERE name = 'title'",
    "UPDATE field SET position = 5 WHERE name = 'title'",
    "UPDATE field SET position = 5 WHERE name = 'text'",
    "DELETE FROM field WHERE name = 'text'",
    "INSERT INTO field VALUES (2, 'body', 1.0)",
    "UPDATE layer SET position = 5 WHERE name = 'main'",
    "UPDATE layer SET position = 5 WHERE name = 'other'",
    "UPDATE layer SET analyzer = '{}' WHERE name = 'main'",
    "UPDATE layer SET analyzer = 'no json' WHERE name = 'main'",
    "UPDATE layer SET name = 'x' WHERE name = 'main'",
    "DELETE FROM layer",
    "UPDATE segment SET documents = 6 WHERE name = 's0'",
    "UPDATE segment SET dead = x'' WHERE name = 's0'",
    "UPDATE segment SET dead = '01000000' WHERE name = 's0'",
    "UPDATE segment SET dead = 1000000000000 WHERE name = 's0'",
    "UPDATE segment SET name = 's2' WHERE name = 's0'",
    "UPDATE segment SET position = 9 WHERE name = 's0'",
    "DELETE FROM segment WHERE name = 's1'",
    "UPDATE file SET bytes = 11 WHERE name = 'f0'",
    "UPDATE file SET checksum = 12 WHERE name = 'f0'",
    "UPDATE file SET name = 'f9' WHERE name = 'f0'",
    "UPDATE file SET owner = 's9' WHERE name = 'f0'",
    "UPDATE file SET role = 'layer:x' WHERE name = 'f0'",
    "UPDATE file SET name = NULL WHERE name = 'f0'",
    "DELETE FROM file WHERE name = 'f4'",
    "INSERT INTO file VALUES ('f5', 'nobody', 'documents', 1, 1)",
    "UPDATE artefact SET kind = 'x'",
    "UPDATE artefact SET parameters = '{}'",
    "UPDATE artefact SET seed = NULL",
    "UPDATE artefact SET generation = 3",
    "UPDATE artefact SET created = 'x'",
    "UPDATE artefact SET name = 'x'",
    "DELETE FROM artefact",
]


@pytest.mark.parametrize("change", CHANGES)
def test_any_changed_row_shows(change):
    with closing(empty_database()) as connection:
        save_manifest(connection, SMALL)
        assert load_manifest(connection) == SMALL
        assert connection.execute(change).rowcount > 0
        with pytest.raises(DamagedIndex):
            load_manifest(connection)


def test_swapped_fields_and_layers_show():
    for table in ("field", "layer", "segment"):
        with closing(empty_database()) as connection:
            save_manifest(connection, SMALL)
            connection.execute(f"UPDATE {table} SET position = 9 - position")
            with pytest.raises(DamagedIndex, match="changed by something other than aboutness"):
                load_manifest(connection)


@pytest.mark.parametrize("table", ["setting", "field", "layer", "segment", "file", "artefact"])
def test_a_missing_table_is_an_error_of_the_database(table):
    with closing(empty_database()) as connection:
        save_manifest(connection, SMALL)
        connection.execute(f"DROP TABLE {table}")
        with pytest.raises(sqlite3.OperationalError, match=f"no such table: {table}"):
            load_manifest(connection)
        assert not connection.in_transaction


def test_a_newer_format_is_told_apart_from_damage():
    with closing(empty_database()) as connection:
        save_manifest(connection, SMALL)
        connection.execute("PRAGMA user_version = 99")
        with pytest.raises(FormatMismatch, match=r"format 99.*reads up to 1: upgrade aboutness"):
            load_manifest(connection)


def test_the_database_of_something_else_is_refused():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
        with pytest.raises(DamagedIndex, match="not the database of an aboutness index"):
            load_manifest(connection)


def test_loading_leaves_no_transaction_open():
    with closing(empty_database()) as connection:
        save_manifest(connection, replace(SMALL, generation=12))
        assert load_manifest(connection).generation == 12
        assert not connection.in_transaction
