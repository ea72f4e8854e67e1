from __future__ import annotations

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import BadRecord, IndexBusy, NotFound, StorageError, UsageError
from aboutness.core.record import Document
from aboutness.index import disk
from aboutness.index.check import check
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import Added, IndexWriter
from aboutness.text.analyzers import analyzer
from index.naive import expected, observed


def documents(first, last, **metadata):
    return [Document(f"d{n}", {"text": f"word{n % 7} shared text{n}"}, metadata) for n in range(first, last)]


def contents(folder):
    """Return every file of an index with its bytes, but for the lock."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "writer.lock"
    }


@pytest.fixture
def folder(tmp_path):
    Index.build(documents(0, 10), tmp_path / "i")
    return tmp_path / "i"


def some_changes(writer):
    writer.add(documents(10, 20))
    writer.delete(["d0", "d11"])
    writer.add([Document("d5", {"text": "new", "title": "field"})], update=True)
    writer.merge()
    writer.add_layer("pieces", analyzer("letters"))
    writer.save_artefact("a", "kind", {}, {})
    writer.add(documents(30, 33))


def test_closing_without_commit_leaves_the_index_as_it_was(folder):
    before = contents(folder)
    with IndexWriter(folder) as writer:
        some_changes(writer)
        assert contents(folder) != before
    assert contents(folder) == before


def test_rolling_back_leaves_the_index_as_it_was_and_the_writer_usable(folder):
    before = contents(folder)
    with IndexWriter(folder) as writer:
        for _ in range(2):
            some_changes(writer)
            writer.rollback()
            assert contents(folder) == before
        assert writer.commit() == 1
        assert contents(folder) == before
        writer.add(documents(10, 12))
        assert writer.commit() == 2
    snapshot = Snapshot.open(folder)
    assert list(snapshot) == documents(0, 12)
    assert snapshot.fields == ["text"]
    assert list(snapshot.manifest.layers) == ["main"]


def test_changes_that_raise_commit_nothing(folder):
    before = contents(folder)
    index = Index.open(folder)
    with pytest.raises(ZeroDivisionError), index.changes() as writer:
        some_changes(writer)
        raise ZeroDivisionError
    assert contents(folder) == before
    with pytest.raises(BadRecord):
        index.add([*documents(10, 12), Document("", {})])
    with pytest.raises(NotFound):
        index.delete(["d0", "nope"])
    assert contents(folder) == before
    assert index.snapshot.generation == 1
    assert len(index) == 10


def test_no_litter_after_a_commit(folder):
    with IndexWriter(folder) as writer:
        some_changes(writer)
        writer.commit()
        named = Snapshot.open(folder).manifest.files()
        assert {path.name for path in (folder / "arrays").iterdir()} == named
    report = check(folder, deep=True)
    assert (report.problems, report.unnamed) == ([], [])


def test_litter_of_a_writer_before_is_removed(folder):
    (folder / "arrays" / "00000009-dead.documents.safetensors").write_bytes(b"half")
    (folder / "arrays" / "folder").mkdir()
    assert check(folder).unnamed == ["00000009-dead.documents.safetensors", "folder"]
    IndexWriter(folder).close()
    assert check(folder).unnamed == []
    assert len(Index.open(folder)) == 10


def test_a_commit_without_changes_makes_no_generation(folder):
    with IndexWriter(folder) as writer:
        assert writer.commit() == 1
        writer.add([])
        writer.delete([])
        writer.delete(["nope"], missing_ok=True)
        assert writer.commit() == 1
        writer.delete(["d1"])
        assert writer.commit() == 2


def test_only_one_writer(folder):
    with IndexWriter(folder), pytest.raises(IndexBusy):
        IndexWriter(folder)
    IndexWriter(folder).close()


def test_adding_tells_what_came_of_it(folder):
    index = Index.open(folder)
    assert index.add(documents(10, 13)) == Added(3, 0)
    assert index.add(documents(12, 15), update=True) == Added(2, 1)
    errors = []
    assert index.add(documents(14, 17), on_bad=errors.append) == Added(2, 0)
    assert [error.problem for error in errors] == [
        "the id 'd14' is in the index already; keep one of them, or replace it with add --update (update=True in Python)"
    ]
    twice = [Document("x", {"text": "one"}), Document("x", {"text": "two"})]
    with pytest.raises(BadRecord, match="the id 'x' came before"):
        index.add(twice)
    index.add(twice, update=True)
    assert index["x"].fields == {"text": "two"}


def test_deleting_tells_how_many_and_names_what_is_missing(folder):
    index = Index.open(folder)
    assert index.delete("d0") == 1
    assert index.delete(["d1", "d2", "d1"]) == 2
    with pytest.raises(NotFound, match=r"6 of 7 documents are not in the index: 'n0', 'n1', 'n2', 'n3', 'n4', …"):
        index.delete([*(f"n{n}" for n in range(6)), "d5"])
    with pytest.raises(
        NotFound, match=r"^the document is not in the index: 'n0'; nothing was deleted; to pass over"
    ):
        index.delete("n0")
    assert "d5" in index
    assert index.delete(["d5", "nope", "\ud800"], missing_ok=True) == 1
    assert [document.id for document in index] == ["d3", "d4", "d6", "d7", "d8", "d9"]


def test_a_deleted_document_can_come_back(folder):
    index = Index.open(folder)
    for _ in range(3):
        index.delete("d4")
        assert "d4" not in index
        index.add(documents(4, 5))
    assert [document.id for document in index] == [*(f"d{n}" for n in range(10) if n != 4), "d4"]
    with index.changes() as writer:
        writer.delete(["d4"])
        writer.add(documents(4, 5))
        writer.add([Document("d4", {"text": "third"})], update=True)
        writer.add([Document("d4", {"text": "fourth"})], update=True)
    assert index["d4"].fields == {"text": "fourth"}
    assert len(index) == 10


@pytest.mark.parametrize("names", [["pieces"], ["pieces", "plain"]])
def test_a_layer_added_later_equals_one_given_at_build(tmp_path, names):
    expressions = {"pieces": "letters", "plain": "plain"}
    layers = {name: expressions[name] for name in names}
    index = Index.build(documents(0, 12), tmp_path / "later")
    given = Index.build(documents(0, 12), tmp_path / "given", layers=layers)
    for one in (index, given):
        one.add([Document("t", {"title": "straße ÜBER", "text": "日本語"})])
        one.delete(["d3", "d4"])
    for name in names:
        index.add_layer(name, expressions[name])
    for one in (index, given):
        one.add([Document("u", {"title": "afterwards", "body": "new field"})])
    for _ in range(2):
        for name in ["main", *names]:
            assert observed(index.snapshot, name) == observed(given.snapshot, name)
            assert observed(index.snapshot, name) == expected(
                list(index), index.view(name).analyzer, index.snapshot.fields
            )
        assert list(index) == list(given)
        assert list(index.snapshot.manifest.layers) == list(given.snapshot.manifest.layers) == ["main", *names]
        index.merge()
    assert index.check(deep=True).ok
    with pytest.raises(UsageError, match=f"the index has a layer '{names[0]}' already"):
        index.add_layer(names[0], "plain")


def test_a_layer_of_an_empty_index_works():
    index = Index.build([])
    index.add_layer("pieces", "letters")
    index.add(documents(0, 3))
    assert observed(index.snapshot, "pieces") == expected(documents(0, 3), analyzer("letters"), ["text"])


@pytest.mark.parametrize("failing", range(6))
def test_a_write_that_fails_loses_nothing_and_can_be_tried_again(folder, monkeypatch, failing):
    """Whichever file cannot be written, a second commit must do all that the first was asked for."""
    real, calls = disk.write_new, iter(range(100))

    def full(path, parts, *, durable):
        if next(calls) == failing:
            raise StorageError(f"cannot write {path}: the disk is full")
        return real(path, parts, durable=durable)

    monkeypatch.setattr(disk, "write_new", full)
    failed = 0
    with IndexWriter(folder) as writer:
        steps = [
            lambda: writer.add(documents(10, 14)),
            lambda: writer.delete(["d0"]),
            writer.merge,
            lambda: writer.add(documents(14, 30)),
            writer.commit,
        ]
        for step in steps:
            try:
                step()
            except StorageError:
                failed += 1
                assert list(Snapshot.open(folder)) == documents(0, 10)
                step()
    assert failed == 1
    assert list(Snapshot.open(folder)) == documents(1, 30)
    report = check(folder, deep=True)
    assert (report.problems, report.unnamed) == ([], [])


def test_progress_counts_documents_and_characters(folder, monkeypatch):
    monkeypatch.setattr("aboutness.index.intake.FIRST_BATCH", 2)
    monkeypatch.setattr("aboutness.index.intake.BATCH_DOCUMENTS", 2)
    steps = []
    new = documents(10, 15)
    Index.open(folder).add(new, progress=lambda *step: steps.append(step))
    sizes = [len(document.fields["text"]) for document in new]
    assert steps == [(2, sum(sizes[:2])), (4, sum(sizes[:4])), (5, sum(sizes))]


def test_fields_get_weight_one_unless_said(tmp_path):
    with pytest.raises(UsageError, match=r"weight for field 'titel', but no document has it. There are: text"):
        Index.build(documents(0, 2), tmp_path / "i", weights={"titel": 3})
    index = Index.build([], tmp_path / "i", weights={"title": 3})
    index.add(documents(0, 2))
    assert dict(index.snapshot.manifest.fields) == {"title": 3.0, "text": 1.0}
    index.add([Document("x", {"body": "two words", "title": "city"})])
    assert dict(index.snapshot.manifest.fields) == {"title": 3.0, "text": 1.0, "body": 1.0}
    assert index.view().total_length == 2 * 3 + 3.0 * 1 + 2


def test_documents_without_any_field_are_kept():
    index = Index.build([Document("a", {}), Document("b", {"text": ""}, {"k": 1})])
    assert list(index) == [Document("a", {}), Document("b", {}, {"k": 1})]
    assert index.snapshot.fields == ["text"]
    assert index.view().matrix().shape == (2, 0)
