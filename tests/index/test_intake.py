from __future__ import annotations

import json
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.errors import BadRecord
from aboutness.core.record import Document, Origin
from aboutness.core.rejects import RejectFile
from aboutness.index import intake
from aboutness.index.intake import Batch, batches, problem
from index.naive import stored


def good(n=0):
    return Document(f"good{n}", {"text": "some words"}, {"year": 1987})


LONG = "ü" * 5000
BAD = {
    "empty id": (Document("", {"text": "x"}), "a document id must not be empty"),
    "long id": (Document(LONG, {"text": "x"}), "a document id must have at most 2,048 bytes, got 10,000: "),
    "newline in id": (Document("a\nb", {"text": "x"}), "a document id must not contain control characters, got 'a\\nb'"),
    "NUL in id": (Document("a\0", {"text": "x"}), "a document id must not contain control characters"),
    "DEL in id": (Document("a\x7f", {"text": "x"}), "a document id must not contain control characters"),
    "surrogate in id": (Document("a\ud800", {"text": "x"}), "the document id holds a lone surrogate (U+D800 at character 2)"),
    "id is a number": (Document(5, {"text": "x"}), "a document id must be a text, got 5"),
    "id is bytes": (Document(b"a", {"text": "x"}), "a document id must be a text, got b'a'"),
    "id is None": (Document(None, {"text": "x"}), "a document id must be a text, got None"),
    "surrogate in text": (Document("a", {"text": "xy\udc80"}), "field 'text' holds a lone surrogate (U+DC80 at character 3)"),
    "text is a number": (Document("a", {"text": 5}), "field 'text' must be a text, got 5"),
    "text is None": (Document("a", {"text": None}), "field 'text' must be a text, got None"),
    "text is a list": (Document("a", {"text": ["x"]}), "field 'text' must be a text, got ['x']"),
    "text is bytes": (Document("a", {"text": b"x"}), "field 'text' must be a text, got b'x'"),
    "empty field name": (Document("a", {"": "x"}), "a field name must be a non-empty text without control characters, got ''"),
    "tab in field name": (Document("a", {"a\tb": "x"}), "a field name must be a non-empty text without control"),
    "surrogate in field name": (Document("a", {"\ud800": "x"}), "a field name must be a non-empty text without control"),
    "field name is a number": (Document("a", {5: "x"}), "a field name must be a non-empty text"),
    "too many fields": (Document("a", {f"f{n}": "x" for n in range(65)}), "a document must have at most 64 fields, got 65"),
    "fields are a text": (Document("a", "x"), "the fields of a document must be a mapping of names to texts, got 'x'"),
    "fields are None": (Document("a", None), "the fields of a document must be a mapping of names to texts, got None"),
    "surrogate in metadata": (Document("a", {"text": "x"}, {"k": "\ud800"}), "metadata 'k' must be a text, a finite number"),
    "None in metadata": (Document("a", {"text": "x"}, {"k": None}), "metadata 'k' must be a text, a finite number"),
    "NUL in metadata key": (Document("a", {"text": "x"}, {"k\0": 1}), "a metadata key must be a non-empty text without NUL"),
    "metadata are None": (Document("a", {"text": "x"}, None), "the metadata of a document must be a mapping"),
    "a text": ("just a text", "a record must be a Document or a mapping, got 'just a text'"),
    "None": (None, "a record must be a Document or a mapping, got None"),
    "a pair": (("a", "x"), "a record must be a Document or a mapping, got ('a', 'x')"),
    "empty mapping": ({}, "no id: none of '_id', 'id', 'docno', 'docid' among (nothing)"),
    "no id": ({"text": "x"}, "no id: none of '_id', 'id', 'docno', 'docid' among 'text'"),
    "no text": ({"id": "a", "year": 5}, "no text: none of 'title', 'abstract', 'text', 'body', 'contents' among 'id', 'year'"),
    "id None in mapping": ({"id": None, "text": "x"}, "no id: none of"),
    "number as id in mapping": ({"id": 1.5, "text": "x"}, "a document id must be a text, got 1.5"),
    "number as text in mapping": ({"id": "a", "text": 1}, "field 'text' must be a text, got 1"),
    "mapping in mapping": ({"id": "a", "text": "x", "m": {"n": 1}}, "metadata 'm' must be a text"),
    "number as key": ({"id": "a", "text": "x", 5: "y"}, "a metadata key must be a non-empty text"),
}  # fmt: skip


@pytest.mark.parametrize("update", [False, True])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_set_aside_and_the_others_go_in(name, update):
    record, told = BAD[name]
    errors, steps = [], []
    index = Index.build([good(100)])
    added = index.add(
        [good(0), record, good(1)], update=update, on_bad=errors.append, progress=lambda *step: steps.append(step)
    )
    assert [error.problem[: len(told)] for error in errors] == [told]
    assert all(isinstance(error.raw, str) and error.raw for error in errors)
    assert (added.added, added.updated) == (2, 0)
    assert list(index) == [good(100), good(0), good(1)]
    assert index.snapshot.fields == ["text"]
    assert steps[-1][0] == 2


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_stops_unless_said_otherwise_and_nothing_is_added(name, tmp_path):
    record, told = BAD[name]
    with pytest.raises(BadRecord) as caught:
        Index.build([good(0), record, good(1)], tmp_path / "x.index")
    assert str(caught.value).startswith(told)
    assert list(tmp_path.iterdir()) == []


def test_the_place_of_a_bad_document_is_told():
    errors = []
    document = Document("", {"text": "x"}, {}, Origin("file.jsonl", 7))
    Batch.of([document], errors.append).only_good(errors.append)
    assert str(errors[0]) == "file.jsonl:7: a document id must not be empty"
    assert "text" in errors[0].raw


def test_limits_are_inclusive():
    document = Document("ü" * 1024, {f"f{n}": "x" for n in range(64)})
    assert problem(document) == ""
    assert Index.build([document])["ü" * 1024] == document
    assert problem(Document("ü" * 1024 + "x", {})) != ""


def test_quick_and_thorough_checks_agree_on_good_ids_and_field_names():
    assert Batch.of([good(0), good(1)], []).sound()
    for name, (record, _) in BAD.items():
        if isinstance(record, Document) and ("id" in name.split() or "name" in name.split()):
            assert not Batch.of([good(0), record], []).sound(), name


IDS = st.sampled_from(["a", "b", "c", "d", "", "e\n", "\ud800", "é", 7])
FIELDS = st.dictionaries(
    st.sampled_from(["text", "title", ""]), st.sampled_from(["x", "", "\udc00", 3, None]), max_size=2
)
METADATA = st.dictionaries(
    st.sampled_from(["k", ""]), st.sampled_from([1, "v", None, [1, "\ud800"], []]), max_size=2
)
RECORDS = st.lists(
    st.builds(Document, IDS, FIELDS, METADATA) | st.sampled_from([None, {}, {"id": "m", "text": "t"}]), max_size=12
)


def one_by_one(records, *, update):
    """What must come of adding records, one after the other."""
    living, rejected = {}, 0
    for record in records:
        document = Document("m", {"text": "t"}) if isinstance(record, dict) and record else record
        if not isinstance(document, Document) or problem(document) or (document.id in living and not update):
            rejected += 1
        else:
            living.pop(document.id, None)
            living[document.id] = stored(document)
    return list(living.values()), rejected


@settings(max_examples=150, deadline=None)
@given(RECORDS, st.booleans(), st.integers(1, 5))
def test_accepted_and_rejected_are_all(records, update, size):
    errors = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intake, "FIRST_BATCH", size)
        patch.setattr(intake, "BATCH_DOCUMENTS", size)
        index = Index.build([], weights={"text": 1.0})
        added = index.add(records, update=update, on_bad=errors.append)
    living, rejected = one_by_one(records, update=update)
    assert len(errors) == rejected
    assert list(index) == living
    assert added.added + added.updated >= len(living)
    if not update:
        assert added.added + len(errors) == len(records)


def test_records_are_streamed_in_batches(monkeypatch):
    monkeypatch.setattr(intake, "BATCH_DOCUMENTS", 10)
    monkeypatch.setattr(intake, "FIRST_BATCH", 5)
    taken = []

    def endless():
        for n in range(10**9):
            taken.append(n)
            yield good(n)

    stream = batches(endless(), lambda _: None)
    assert next(stream).ids == [f"good{n}" for n in range(5)]
    assert len(taken) == 5
    assert next(stream).ids == [f"good{n}" for n in range(5, 15)]
    assert next(stream).ids == [f"good{n}" for n in range(15, 25)]
    assert len(taken) == 25


def test_long_texts_make_short_batches(monkeypatch):
    monkeypatch.setattr(intake, "BATCH_CHARACTERS", 60)
    monkeypatch.setattr(intake, "FIRST_BATCH", 1)
    documents = [Document(str(n), {"a": "x" * 30, "b": "y" * 30}) for n in range(5)]
    assert [len(batch) for batch in batches(documents, lambda _: None)] == [1, 1, 1, 1, 1]


def test_any_mapping_will_do():
    index = Index.build([MappingProxyType({"docno": "a", "title": "T", "body": "text too", "n": 1})])
    assert index["a"] == Document("a", {"title": "T", "body": "text too"}, {"n": 1})


def test_fields_of_rejected_records_are_not_kept():
    errors = []
    index = Index.build([{"id": "a", "text": "x"}])
    with index.changes() as writer:
        writer.add([Document("b", {"odd": 5})], on_bad=errors.append)
        writer.add([Document("c", {"other": "hello"})], on_bad=errors.append)
    assert index.snapshot.fields == ["text", "other"]
    assert index["c"].fields == {"other": "hello"}
    assert len(errors) == 1


def test_a_writer_goes_on_after_a_bad_record_stopped_it():
    index = Index.build([{"id": "a", "text": "x"}])
    with index.changes() as writer:
        with pytest.raises(BadRecord):
            writer.add([Document("b", {"odd": 5})])
        writer.add([Document("c", {"other": "hello"})])
    assert index["c"].fields == {"other": "hello"}
    assert index.snapshot.fields == ["text", "other"]


@pytest.mark.parametrize("bad", [Document("x", {"text": 5}), Document("x", {"text": "v"}, {"k": None})])
def test_a_bad_record_takes_no_good_one_of_the_same_id_with_it(bad):
    new = Document("x", {"text": "new"})
    for records, update in [([bad, new], False), ([new, bad], False), ([bad, new], True), ([new, bad], True)]:
        errors = []
        index = Index.build([])
        index.add(records, update=update, on_bad=errors.append)
        assert (list(index), len(errors)) == ([new], 1)
    index = Index.build([Document("x", {"text": "old"})])
    errors = []
    assert index.add([bad], update=True, on_bad=errors.append).updated == 0
    assert (index["x"].fields["text"], len(errors)) == ("old", 1)


def test_a_rejected_record_is_spelled_so_that_it_can_be_read_again(tmp_path):
    rejects = RejectFile(tmp_path / "r.jsonl")
    with rejects:
        Index.build(
            [Document("\n", {"text": "t\u00fc", "title": "x"}, {"year": 1987, "k": ["a"]})], on_bad=rejects
        )
    (entry,) = map(json.loads, (tmp_path / "r.jsonl").read_text().splitlines())
    assert json.loads(entry["record"]) == {"_id": "\n", "text": "t\u00fc", "title": "x", "year": 1987, "k": ["a"]}
