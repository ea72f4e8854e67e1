from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from aboutness.app.index import Index, check_folder
from aboutness.core.errors import FormatMismatch, NotFound
from aboutness.core.record import Document
from aboutness.index.arrays import map_arrays, write_arrays
from aboutness.index.check import check
from aboutness.index.database import ManifestStore, read_manifest
from aboutness.index.manifest import FileEntry


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check") / "i"
    index = Index.build(
        [Document(f"d{n}", {"text": f"word{n} shared"}, {"n": n}) for n in range(20)],
        folder,
        layers={"pieces": "letters"},
    )
    index.add([Document("t", {"title": "another field"})])
    index.delete(["d3", "d7"])
    with index.changes() as writer:
        writer.save_artefact("a", "kind", {"x": np.arange(50)}, {})
    assert len(index.snapshot.segments) == 2
    return folder


@pytest.fixture
def folder(built, tmp_path):
    return shutil.copytree(built, tmp_path / "i")


def test_a_clean_index_is_sound(folder):
    for deep in (False, True):
        report = check_folder(folder, deep=deep)
        assert (report.ok, report.problems, report.unnamed, report.deep) == (True, [], [], deep)
        assert (report.generation, report.documents, report.files) == (4, 19, 11)
        assert report.bytes == sum(path.stat().st_size for path in (folder / "arrays").iterdir())


def test_an_empty_index_is_sound(tmp_path):
    Index.build([], tmp_path / "i")
    report = check(tmp_path / "i", deep=True)
    assert (report.problems, report.documents, report.files) == ([], 0, 0)


def test_every_missing_cut_or_longer_file_is_found_at_once(folder):
    for path in sorted((folder / "arrays").iterdir()):
        data = path.read_bytes()
        path.unlink()
        assert check(folder).problems == [f"{path} is missing"]
        for other in (b"", data[:-1], data + b"\0"):
            path.write_bytes(other)
            assert check(folder).problems == [f"{path} has {len(other):,} bytes instead of {len(data):,}"]
        path.write_bytes(data)
    assert check(folder, deep=True).ok


def test_every_changed_byte_is_found_with_deep(folder):
    rng = np.random.default_rng(0)
    for path in sorted((folder / "arrays").iterdir()):
        data = path.read_bytes()
        for place in [0, 8, len(data) - 1, *rng.integers(0, len(data), 12)]:
            changed = bytearray(data)
            changed[place] ^= 1 << int(rng.integers(8))
            path.write_bytes(changed)
            (problem,) = check(folder, deep=True).problems
            assert problem.startswith(f"{path} was changed: its checksum is ")
        path.write_bytes(data)


def test_all_problems_are_told_not_only_the_first(folder):
    paths = sorted((folder / "arrays").iterdir())
    for path in paths:
        path.unlink()
    assert sorted(check(folder).problems) == [f"{path} is missing" for path in paths]


def test_files_that_no_commit_names_are_listed_and_do_no_harm(folder):
    (folder / "arrays" / "zz.safetensors").write_bytes(b"")
    (folder / "arrays" / "aa").write_bytes(b"")
    report = check(folder, deep=True)
    assert (report.ok, report.unnamed) == (True, ["aa", "zz.safetensors"])


def test_changes_to_the_database_are_found(folder):
    with closing(sqlite3.connect(folder / "index.db", isolation_level=None)) as connection:
        connection.execute("UPDATE field SET weight = 2")
    assert check(folder).problems == ["the rows of index.db were changed by something other than aboutness"]
    (folder / "index.db").write_bytes(b"not a database at all" * 100)
    (problem,) = check(folder).problems
    assert "damaged" in problem


def test_what_is_no_index_or_too_new_is_an_error(folder, tmp_path):
    with pytest.raises(NotFound):
        check(tmp_path / "nothing")
    with closing(sqlite3.connect(folder / "index.db")) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(FormatMismatch):
        check(folder)


def forge(folder, role, change, *, segment=0):
    """Change arrays as a fault of ours would: with the right size, checksum and seal."""
    manifest = read_manifest(folder)
    entry = manifest.segments[segment]
    path = folder / "arrays" / entry.files[role].name
    arrays = {name: np.array(array) for name, array in map_arrays(path).items()}
    change(arrays)
    path.unlink()
    size, checksum = write_arrays(path, arrays, durable=False)
    files = {**entry.files, role: FileEntry(path.name, size, checksum)}
    save(folder, replace_segment(manifest, segment, replace(entry, files=files)))


def replace_segment(manifest, number, entry):
    segments = list(manifest.segments)
    segments[number] = entry
    return replace(manifest, segments=tuple(segments))


def save(folder, manifest):
    store = ManifestStore(folder, durable=False)
    store.save(manifest)
    store.close()


@pytest.mark.parametrize("layer", ["main", "pieces"])
@pytest.mark.parametrize(
    "name", ["forward.ends", "forward.terms", "forward.counts", "postings.terms", "postings.ends", "postings.documents", "postings.counts", "postings.totals"]
)  # fmt: skip
def test_arrays_that_do_not_follow_from_the_tokens_are_named(folder, layer, name):
    def change(arrays):
        arrays[name].reshape(-1)[-1] += 1

    role = name.split(".")[0].replace("forward", "stream")
    forge(folder, f"{role}:{layer}", change)
    assert check(folder).ok
    (problem,) = check(folder, deep=True).problems
    assert f"layer {layer!r}: {name} do not follow from its token stream" in problem


def test_changed_texts_are_named(folder):
    def change(arrays):
        place = arrays["cells.data"].tobytes().index(b"word5")
        arrays["cells.data"][place] = ord("W")

    forge(folder, "documents", change)
    (problem,) = check(folder, deep=True).problems
    assert problem.endswith("the text of document 'd5' is not what was stored")


def test_an_id_that_stands_twice_is_found(folder):
    def change(arrays):
        place = arrays["ids.data"].tobytes().index(b"d1d2")
        arrays["ids.data"][place + 3] = ord("1")

    forge(folder, "documents", change)
    assert any(problem.endswith("an id stands twice") for problem in check(folder, deep=True).problems)


@pytest.mark.parametrize("dead", [[20], [-1], [3, 10**6]])
def test_a_dead_document_that_is_none_is_found(folder, dead):
    manifest = read_manifest(folder)
    entry = replace(manifest.segments[0], dead=np.array(dead, "<i4").tobytes())
    save(folder, replace_segment(manifest, 0, entry))
    (problem,) = check(folder, deep=True).problems
    assert problem.endswith("numbers that cannot be in the list of dead documents")


def test_counts_of_documents_that_disagree_are_found(folder):
    manifest = read_manifest(folder)
    entry = replace(manifest.segments[0], documents=21)
    save(folder, replace_segment(manifest, 0, entry))
    (problem,) = check(folder).problems
    assert problem.endswith("holds 20 documents, but index.db says 21")


def test_missing_arrays_and_odd_bytes_of_the_dead_are_found(folder):
    manifest = read_manifest(folder)
    save(folder, replace_segment(manifest, 0, replace(manifest.segments[0], dead=b"abc")))
    (problem,) = check(folder).problems
    assert "is incomplete" in problem
    save(folder, manifest)
    forge(folder, "postings:main", lambda arrays: arrays.pop("postings.totals"))
    (problem,) = check(folder).problems
    assert "is incomplete: 'postings.totals'" in problem
