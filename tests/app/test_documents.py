"""Single documents, in plain values: looked at, added, deleted."""

from __future__ import annotations

import json

import pytest

from aboutness.app.documents import add_records, delete_records, listed, plain, record_of, stored
from aboutness.app.index import Index
from aboutness.app.sources import Sources
from aboutness.core.errors import BadInput, NotFound, UsageError

FLAT = {"id": "n1", "title": "Comets", "text": "a comet", "year": 1986, "tags": ["x", "y"], "deep": {"a": [1]}}


def test_documents_are_told_as_they_are_stored(index):
    told = stored(index, ["d1-0", "d0-0"])
    assert [one["id"] for one in told["documents"]] == ["d1-0", "d0-0"]
    assert told["documents"][0] == plain(index["d1-0"])
    assert (told["total"], told["generation"]) == (20, 1)


def test_what_is_not_there_is_named(index):
    with pytest.raises(NotFound, match="'nobody' in sky"):
        stored(index, ["d1-0", "nobody"], "sky")


def test_they_are_listed_in_pieces_in_order_of_arrival(index):
    index.delete("d1-0")
    every = [document.id for document in index]
    pieces = [one["id"] for offset in range(0, 25, 7) for one in listed(index, offset, 7)["documents"]]
    assert pieces == every
    assert listed(index, 100)["documents"] == []
    assert listed(index)["total"] == 19


@pytest.mark.parametrize(("offset", "limit"), [(-1, 5), (0, 0), (0, 101)])
def test_a_piece_has_limits(index, offset, limit):
    with pytest.raises(UsageError, match="limit 1 to 100"):
        listed(index, offset, limit)


def test_what_is_added_is_there_at_once(index):
    told = add_records(index, [FLAT])
    assert told == {"documents": 21, "added": 1, "updated": 0, "generation": 2}
    assert index["n1"].fields["text"] == "a comet"
    assert Index.open(index.path)["n1"] == index["n1"]


def test_a_flat_record_is_what_a_line_of_json_lines_is(index, tmp_path):
    (tmp_path / "x.jsonl").write_text(json.dumps(FLAT))
    (read,) = Sources([str(tmp_path / "x.jsonl")]).documents()
    assert record_of(FLAT, 1) == read


def test_what_is_told_can_be_added_again(index):
    add_records(index, [FLAT])
    told = stored(index, ["n1"])["documents"][0]
    assert add_records(index, [told], update=True)["updated"] == 1
    assert stored(index, ["n1"])["documents"] == [told]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "d0-0", "text": "x"}, "d0-0"),
        ({"text": "x"}, "documents:2: no id"),
        ({"id": "x"}, "documents:2: no text"),
        ({"id": "x", "fields": {"text": 3}}, "documents:2: field 'text' must be a text"),
        ({"id": "x", "fields": {"text": "y"}, "year": 3}, "documents:2: .*got 'year' besides"),
        ({"id": "x", "fields": {"text": "y"}, "metadata": [3]}, r"documents:2: .*got \[3\] as metadata"),
        ({"fields": {"text": "y"}}, "documents:2: a document id must be a text"),
        ({"id": "x", "text": "y", "n": {"a": float("nan")}}, "documents:2: metadata that cannot be kept"),
        ({"id": "x", "text": "y", "n": float("inf")}, "documents:2: metadata 'n'"),
        ({"id": "x\n", "text": "y"}, "documents:2: .*control characters"),
    ],
)
def test_where_one_is_bad_none_is_added_and_its_place_is_told(index, record, message):
    with pytest.raises(BadInput, match=message):
        add_records(index, [FLAT, record])
    assert "n1" not in index
    assert index.snapshot.generation == 1


def test_documents_are_deleted_all_or_none(index):
    assert delete_records(index, ["d0-0", "d1-0"]) == {"deleted": 2, "documents": 18, "generation": 2}
    with pytest.raises(NotFound):
        delete_records(index, ["d2-0", "nobody"])
    assert "d2-0" in index
    assert delete_records(index, ["d2-0", "nobody"], missing_ok=True)["deleted"] == 1
