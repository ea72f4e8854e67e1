from __future__ import annotations

import sys
import types
from typing import NamedTuple

import pytest

from aboutness.core.errors import NotFound, UsageError
from aboutness.core.record import Document, Origin, Query
from aboutness.corpus.ir_datasets_source import (
    read_ir_datasets,
    read_ir_datasets_qrels,
    read_ir_datasets_queries,
)
from aboutness.corpus.qrels import Judgement
from aboutness.corpus.read import read


class Doc(NamedTuple):
    doc_id: str
    title: str
    abstract: str
    year: int
    authors: tuple[str, ...]
    raw: bytes
    nothing: None


class Odd(NamedTuple):
    doc_id: str
    lyrics: str

    def default_text(self) -> str:
        return self.lyrics


class Topic(NamedTuple):
    query_id: str
    title: str
    narrative: str


class Rel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class FakeDataset:
    def __init__(self, docs, queries=(), qrels=()):
        self.parts = {"docs": docs, "queries": queries, "qrels": qrels}
        for part, records in self.parts.items():
            setattr(self, f"has_{part}", lambda records=records: bool(records))
            setattr(self, f"{part}_iter", lambda records=records: iter(records))


@pytest.fixture
def fake(monkeypatch):
    sets = {
        "papers/small": FakeDataset(
            [Doc("1", "T", "A", 1999, ("x", "y"), b"\0", None)],
            [Topic("q", "short", "long")],
            [Rel("q", "1", 2, "0")],
        ),
        "songs": FakeDataset([Odd("s1", "la la")]),
    }
    monkeypatch.setitem(sys.modules, "ir_datasets", types.SimpleNamespace(load=sets.__getitem__))


@pytest.mark.usefixtures("fake")
def test_attributes_become_text_and_metadata():
    (document,) = read("irds:papers/small")
    assert document == Document("1", {"title": "T", "abstract": "A"}, {"year": 1999, "authors": ["x", "y"]})
    assert document.origin == Origin("irds:papers/small", 1)
    (document,) = read("irds:papers/small", fields=["abstract"])
    assert document.fields == {"abstract": "A"}
    assert document.metadata["title"] == "T"


@pytest.mark.usefixtures("fake")
def test_the_default_text_where_no_name_is_known(collected):
    assert [one.fields for one in read_ir_datasets("irds:songs")] == [{"text": "la la"}]
    assert not list(read_ir_datasets("irds:songs", fields=["poem"], on_bad=collected))
    assert collected.problems == ["no text: none of poem among doc_id, lyrics"]


@pytest.mark.usefixtures("fake")
def test_queries_and_judgements():
    expected = Query("q", "short", {"title": "short", "narrative": "long"})
    assert list(read_ir_datasets_queries("irds:papers/small")) == [expected]
    assert list(read_ir_datasets_qrels("papers/small")) == [Judgement("q", "1", 2)]
    with pytest.raises(NotFound, match="'songs' has no queries"):
        list(read_ir_datasets_queries("songs"))


@pytest.mark.usefixtures("fake")
def test_unknown_names_and_options():
    with pytest.raises(NotFound, match="ir_datasets has no collection 'none'"):
        list(read("irds:none"))
    with pytest.raises(UsageError, match="id_key"):
        read("irds:songs", id_key="lyrics")


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(UsageError, match=r"pip install 'aboutness\[datasets\]'"):
        list(read("irds:vaswani"))


@pytest.mark.filterwarnings("default")
def test_the_real_package_on_local_files(write, tmp_path, monkeypatch):
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    package = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed")
    made = package.create_dataset(
        docs_tsv=str(write("docs.tsv", "d1\tfirst words\nd2\tsecond\n")),
        queries_tsv=str(write("queries.tsv", "q1\tfirst\n")),
        qrels_trec=str(write("qrels.txt", "q1 0 d1 1\n")),
    )
    package.registry.register("test-local-files", made)
    assert list(read("irds:test-local-files")) == [
        Document("d1", {"text": "first words"}),
        Document("d2", {"text": "second"}),
    ]
    assert list(read_ir_datasets_queries("test-local-files")) == [Query("q1", "first")]
    assert list(read_ir_datasets_qrels("test-local-files")) == [Judgement("q1", "d1", 1)]
