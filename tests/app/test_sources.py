from __future__ import annotations

import json

import pytest

from aboutness.app.sources import Sources, default_rejects, formats, metered
from aboutness.core.errors import BadRecord, NotFound
from aboutness.corpus.read import READERS


def jsonl(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def test_sources_are_read_one_after_the_other(tmp_path):
    one = jsonl(tmp_path / "one.jsonl", {"id": "a", "text": "x"}, {"id": "b", "text": "y"})
    two = jsonl(tmp_path / "two.jsonl", {"id": "c", "text": "z"})
    sources = Sources([one, two, one])
    assert [document.id for document in sources.documents()] == ["a", "b", "c", "a", "b"]
    assert sources.size == 2 * (tmp_path / "one.jsonl").stat().st_size + (tmp_path / "two.jsonl").stat().st_size


def test_options_reach_the_reader(tmp_path):
    name = jsonl(tmp_path / "odd.data", {"key": "a", "words": "x", "id": 5})
    (document,) = Sources([name], format="jsonl", fields=["words"], id_key="key").documents()
    assert (document.id, document.fields, document.metadata) == ("a", {"words": "x"}, {"id": 5})


def test_bad_records_go_where_they_should(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "a", "text": "x"}\nnot json\n{"id": "b", "text": "y"}\n')
    errors = []
    assert [document.id for document in Sources([str(path)]).documents(errors.append)] == ["a", "b"]
    assert [error.origin.line for error in errors] == [2]
    with pytest.raises(BadRecord):
        list(Sources([str(path)]).documents())


def test_a_source_that_is_not_there(tmp_path):
    with pytest.raises(NotFound):
        list(Sources([str(tmp_path / "nope.jsonl")]).documents())


def test_bytes_read_are_metered_only_inside_the_block(tmp_path):
    name = jsonl(tmp_path / "one.jsonl", *({"id": f"d{n}", "text": "word " * 20} for n in range(500)))
    told = []
    with metered(told.append):
        list(Sources([name]).documents())
    assert sum(told) == Sources([name]).size
    before = list(told)
    list(Sources([name]).documents())
    assert told == before


def test_every_format_is_listed():
    assert [entry["name"] for entry in formats()] == [reader.name for reader in READERS.values()]
    assert all(entry["about"] and entry["sources"] for entry in formats())


@pytest.mark.parametrize(
    ("index", "rejects"),
    [("x.index", "x.rejects.jsonl"), ("a/b.index", "a/b.rejects.jsonl"), ("plain", "plain.rejects.jsonl")],
)
def test_where_rejected_records_go(index, rejects):
    assert str(default_rejects(index)) == rejects
