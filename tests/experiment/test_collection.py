from __future__ import annotations

import gzip
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Query
from aboutness.experiment.asking import without
from aboutness.experiment.collection import Collection, collection, data_of
from experiment.small import DOCUMENTS, QRELS, QUERIES, documents, judgements, lines, texts, write_collection


@pytest.fixture
def folder(tmp_path):
    return write_collection(tmp_path / "small")


def test_a_folder(folder):
    opened = collection(folder)
    assert (opened.name, opened.source) == ("small", str(folder))
    assert list(opened.queries) == texts(QUERIES)
    assert opened.qrels == QRELS
    assert [document.id for document in opened.documents()] == [record["_id"] for record in DOCUMENTS]
    assert [dict(document.fields) for document in opened.documents()][2:4] == [
        {"text": DOCUMENTS[2]["text"]},
        {"title": "Rivers", "text": DOCUMENTS[3]["text"]},
    ]
    assert list(opened.documents())[1].metadata == documents()[1].metadata


def test_only_judged_queries_can_be_evaluated(folder):
    assert [query.id for query in collection(folder).judged_queries] == ["q1", "q2", "q3", "q4"]


def test_it_says_its_name_and_not_all_it_holds(folder):
    assert repr(collection(folder)) == f"Collection(name='small', source={str(folder)!r})"


def test_each_file_may_be_packed_and_judgements_may_lie_in_a_folder(folder):
    for name in ("corpus.jsonl", "queries.jsonl"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")
    opened = collection(str(folder))
    assert (len(list(opened.documents())), list(opened.queries), opened.qrels) == (7, texts(QUERIES), QRELS)


@pytest.mark.parametrize("name", [".", "../small", "../small/"])
def test_a_folder_has_its_own_name_however_it_is_called(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    opened = collection(name)
    assert opened.name == "small"
    assert len(list(opened.documents())) == 7


def test_bad_documents_go_where_they_should(folder):
    with (folder / "corpus.jsonl").open("a") as file:
        file.write('nonsense\n{"_id": "last", "text": "fine"}\n')
    opened = collection(folder)
    errors = []
    assert [document.id for document in opened.documents(errors.append)][-1] == "last"
    assert [error.origin.line for error in errors] == [8]
    with pytest.raises(BadRecord, match=r"corpus\.jsonl:8: "):
        list(opened.documents())


@pytest.mark.parametrize(
    ("missing", "told"),
    [("queries.jsonl", r"no queries\.jsonl \(or \.gz\)"), ("qrels.tsv", r"no qrels/test\.tsv or qrels\.tsv \(or")],
)
def test_what_is_missing_is_named(folder, missing, told):
    (folder / missing).unlink()
    with pytest.raises(NotFound, match=told):
        collection(folder)


def test_documents_that_are_missing_are_told(folder):
    (folder / "corpus.jsonl").unlink()
    with pytest.raises(NotFound, match=r"no corpus\.jsonl"):
        collection(folder)


BAD = {
    "a query of broken JSON": ("queries.jsonl", '{"_id": "q1"', r"queries\.jsonl:1: "),
    "a query without text": (
        "queries.jsonl",
        '{"_id": "q1", "text": "x"}\n{"_id": "q2"}\n',
        r"queries\.jsonl:2: ",
    ),
    "two queries of one id": (
        "queries.jsonl",
        lines(QUERIES) + '{"_id": "q1", "text": "other"}\n',
        r"queries\.jsonl:6: two queries have the id 'q1'",
    ),
    "a grade that is no number": ("qrels.tsv", judgements() + "q1\td2\tmuch\n", r"qrels\.tsv:11: .*'much'"),
    "two columns": ("qrels.tsv", judgements() + "q1 d2\n", r"qrels\.tsv:11: 1 cell, but the header has 3"),
    "two grades for one document": (
        "qrels.tsv",
        judgements() + "q1\td1\t1\n",
        r"qrels\.tsv:11: .*'d1' is judged twice",
    ),
    "no judgement": ("qrels.tsv", "query-id\tcorpus-id\tscore\n", "small: there are no judgements"),
    "judgements of other queries": ("qrels.tsv", "x\td1\t1\n", "none of its 5 queries has a judgement"),
    "no query": ("queries.jsonl", "", "none of its 0 queries has a judgement"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_with_its_place(folder, name):
    file, content, told = BAD[name]
    (folder / file).write_text(content)
    with pytest.raises(BadInput, match=told):
        collection(folder)


def test_a_file_is_no_collection(folder):
    with pytest.raises(BadInput, match=r"a collection is a folder .* this is a file$"):
        collection(folder / "qrels.tsv")


def test_judgements_as_trec_writes_them(folder):
    rows = [f"{query} 0 {one} {grade}\n" for query, grades in QRELS.items() for one, grade in grades.items()]
    (folder / "qrels.tsv").write_text("".join(rows))
    assert collection(folder).qrels == QRELS


def test_what_is_no_folder_is_looked_for_in_ir_datasets(tmp_path, monkeypatch):
    pytest.importorskip("ir_datasets")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound, match=rf"^{tmp_path}/no/such: there is no such folder, and ir_datasets has no"):
        collection("no/such")
    with pytest.raises(NotFound, match=r"^ir_datasets has no collection 'no/such'"):
        collection("irds:no/such")


class Doc(NamedTuple):
    doc_id: str
    text: str


class Topic(NamedTuple):
    query_id: str
    text: str


class Rel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


def test_a_collection_of_ir_datasets(monkeypatch, tmp_path):
    tiny = SimpleNamespace(
        docs_iter=lambda: iter([Doc("a", "one"), Doc("b", "two")]), has_docs=lambda: True,
        queries_iter=lambda: iter([Topic("1", "one?")]), has_queries=lambda: True,
        qrels_iter=lambda: iter([Rel("1", "a", 1)]), has_qrels=lambda: True,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load={"tiny/set": tiny}.__getitem__))
    monkeypatch.chdir(tmp_path)
    for name in ("irds:tiny/set", "tiny/set"):
        opened = collection(name)
        assert (opened.name, opened.source) == ("tiny/set", "irds:tiny/set")
        assert opened.queries == (Query("1", "one?"),)
        assert opened.qrels == {"1": {"a": 1}}
        assert [document.id for document in opened.documents()] == ["a", "b"]


@pytest.mark.parametrize("part", ["docs", "queries", "qrels"])
def test_what_cannot_be_downloaded(monkeypatch, tmp_path, part):
    def offline():
        raise RuntimeError("All download sources failed", [OSError(-2, "unknown host")])
        yield

    records = {"docs": Doc("a", "one"), "queries": Topic("1", "one?"), "qrels": Rel("1", "a", 1)}
    parts = {f"{name}_iter": lambda one=one: iter([one]) for name, one in records.items()}
    known = {f"has_{name}": lambda: True for name in records}
    tiny = SimpleNamespace(**parts | known | {f"{part}_iter": offline})
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load={"tiny": tiny}.__getitem__))
    monkeypatch.chdir(tmp_path)
    why = rf"ir_datasets could not download the {part} of 'tiny' \(All download sources failed\)"
    for name in ("irds:tiny", "tiny"):
        looked = rf"^{tmp_path}/tiny: there is no such folder, and " if name == "tiny" and part != "docs" else "^"
        with pytest.raises(NotFound, match=looked + why):
            list(collection(name).documents())


def test_queries_that_nobody_judged_and_that_are_not_there(folder):
    opened = collection(folder)
    assert (opened.unjudged, opened.unasked) == (("q5",), ("q6",))
    rest = without(opened, ["q1", "q3"])
    assert (rest.unjudged, rest.unasked, rest.chosen_by) == (("q5",), ("q6",), ("q1", "q3"))
    empty = replace(opened, qrels={**QRELS, "q1": {}, "q6": {}})
    assert (empty.unjudged, empty.unasked) == (("q1", "q5"), ())


def test_no_documents(folder):
    (folder / "corpus.jsonl").write_text("\n")
    with pytest.raises(BadInput, match=r"small/corpus\.jsonl: there are no documents, so nothing can be ranked"):
        list(collection(folder).documents())


def test_what_is_said_of_its_data(folder):
    opened = collection(folder)
    plain = data_of(opened, opened.checksum)
    assert {name: plain[name] for name in ("source", "queries", "judgements")} == {
        "source": str(folder), "queries": 4, "judgements": 9,
    }  # fmt: skip
    (folder / "queries.jsonl").write_text(lines([*QUERIES[:3], {"_id": "q4", "text": "another"}]))
    other = data_of(collection(folder), None)
    assert {name for name in plain if plain[name] != other.get(name)} == {"checksum", "queries_checksum"}
    assert "checksum" not in other


@pytest.mark.parametrize(
    ("name", "documents", "queries", "judged"),
    [("cranfield", 1400, 225, 225), ("cisi", 1460, 112, 76), ("cacm", 3204, 64, 52)],
)
def test_real_collections(data_folder, name, documents, queries, judged):
    opened = collection(data_folder / name)
    assert (opened.name, len(opened.queries), len(opened.judged_queries)) == (name, queries, judged)
    assert sum(1 for _ in opened.documents()) == documents


def test_a_collection_can_be_made_by_hand():
    made = Collection("mine", "stdlib", (Query("1", "x"), Query("2", "y")), {"2": {"d": 1}})
    assert [query.id for query in made.judged_queries] == ["2"]


def test_the_standard_library_with_its_questions():
    opened = collection("stdlib")
    documents = list(opened.documents())
    assert (opened.name, opened.source) == ("the standard library's documentation", "stdlib")
    known = {document.id for document in documents}
    assert len(known) == len(documents) > 1000
    assert {document for judged in opened.qrels.values() for document in judged} <= known
    assert [query.id for query in opened.judged_queries] == [query.id for query in opened.queries]
    assert len(opened.queries) > 40
    assert opened.checksum == collection("stdlib").checksum
