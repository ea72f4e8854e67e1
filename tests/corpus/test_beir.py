from __future__ import annotations

import pytest

from aboutness.core.errors import BadRecord, NotFound
from aboutness.core.record import Document, Query
from aboutness.corpus.beir import qrels_file, read_beir, read_queries
from aboutness.corpus.qrels import Judgement, read_qrels_file


@pytest.fixture
def collection(write, tmp_path):
    write("corpus.jsonl.gz", '{"_id": "d1", "title": "T", "text": "x", "metadata": {}}\n')
    write("queries.jsonl", '{"_id": "q1", "text": "what", "metadata": {}}\n')
    write("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    write("qrels/train.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\n")
    return tmp_path


def test_a_folder(collection):
    assert list(read_beir(collection)) == [Document("d1", {"title": "T", "text": "x"}, {"metadata": "{}"})]
    assert list(read_beir(collection, fields=["text"])) == [
        Document("d1", {"text": "x"}, {"title": "T", "metadata": "{}"})
    ]
    assert list(read_queries(collection)) == [Query("q1", "what")]
    assert list(read_qrels_file(qrels_file(collection))) == [Judgement("q1", "d1", 1)]


def test_single_files(collection, write):
    assert list(read_queries(collection / "queries.jsonl")) == [Query("q1", "what")]
    file = write("q.txt", "1 0 d 1")
    assert qrels_file(file) == file


def test_judgements_beside_the_documents(write, tmp_path):
    write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t3\n")
    assert list(read_qrels_file(qrels_file(tmp_path))) == [Judgement("q1", "d1", 3)]


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(NotFound, match=r"no corpus\.jsonl \(or \.gz\) in this folder"):
        read_beir(tmp_path)
    with pytest.raises(NotFound, match=r"no queries\.jsonl"):
        read_queries(tmp_path)
    with pytest.raises(NotFound, match=r"no qrels/test\.tsv or qrels\.tsv"):
        qrels_file(tmp_path)


def test_bad_lines_name_file_and_line(collection, write):
    write("corpus.jsonl", "{}\n")
    with pytest.raises(BadRecord, match=r"corpus\.jsonl:1: no id"):
        list(read_beir(collection))
    write("queries.jsonl", '{"_id": "1", "text": "x"}\n{"_id": "q1"}\n')
    with pytest.raises(BadRecord, match=r"queries\.jsonl:2: no text"):
        list(read_queries(collection))


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("cranfield", (1400, 225, 1837)),
        ("cisi", (1460, 112, 3114)),
        ("cacm", (3204, 64, 796)),
        ("vaswani_npl", (11429, 93, 2083)),
        ("scifact", (5183, 300, 339)),
        ("nfcorpus_preprocessed", (3395, 323, 12334)),
        ("reuters21578_apte90", (10789, 90, 13329)),
        ("yso_econ", (22328, 1215, 56573)),
    ],
)
def test_real_collections(data_folder, name, counts):
    folder = data_folder / name
    documents = {one.id for one in read_beir(folder)}
    queries = {one.id for one in read_queries(folder)}
    judgements = list(read_qrels_file(qrels_file(folder)))
    assert (len(documents), len(queries), len(judgements)) == counts
    assert {one.document for one in judgements} <= documents
    assert {one.query for one in judgements} <= queries


def test_other_judgements_are_named_where_those_that_are_wanted_are_missing(collection):
    (collection / "qrels" / "test.tsv").rename(collection / "qrels" / "dev.tsv")
    with pytest.raises(
        NotFound, match=r"\.gz\) in this folder; there is qrels/dev\.tsv, qrels/train\.tsv: copy one"
    ):
        qrels_file(collection)
