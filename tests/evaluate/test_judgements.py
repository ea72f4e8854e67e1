from __future__ import annotations

import numpy as np
import pytest

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.corpus.qrels import Judgement
from aboutness.evaluate.judgements import LARGEST_GRADE, checked, judgements_by_query, read_judgements

TREC = "q1 0 d1 1\n\nq1 0 d2 0\nq2 0 d1 2\nq1 0 d1 1\n"
BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n\nq2\td1\t2\n"


def test_grouping():
    judgements = [
        Judgement("b", "d1", 1),
        Judgement("a", "d1", 0),
        Judgement("b", "d0", -1),
        Judgement("b", "d1", 1),
    ]
    grouped = judgements_by_query(iter(judgements))
    assert grouped == {"b": {"d1": 1, "d0": -1}, "a": {"d1": 0}}
    assert list(grouped) == ["b", "a"]
    assert judgements_by_query([]) == {}


def test_two_grades_for_one_document():
    with pytest.raises(
        BadInput, match=r"^query 'a': document 'd' is judged twice, with grades 0 and 2; keep one$"
    ):
        judgements_by_query([Judgement("a", "d", 0), Judgement("b", "d", 2), Judgement("a", "d", 2)])


def test_grades_are_whole_numbers():
    assert checked({"q": {"d": np.int64(2), "e": -1, "f": LARGEST_GRADE}, "none": {}}) == {
        "q": {"d": 2, "e": -1, "f": 1023}
    }
    for grade in (0.5, 1.0, "1", None, 1024, 10**30, -(10**30)):
        with pytest.raises(BadInput) as caught:
            checked({"p": {"c": 1}, "q": {"d": grade}})
        assert str(caught.value) == (
            f"query 'q': the grade of document 'd' must be a whole number of at most 1023, got {grade!r}"
        )


@pytest.mark.parametrize("qrels", [{}, {"q": {}}])
def test_no_judgements(qrels):
    with pytest.raises(BadInput, match="there are no judgements"):
        checked(qrels)


@pytest.mark.parametrize("name", ["a.qrels", "a.qrels.gz", "folder/qrels.tsv", "folder/qrels/test.tsv.gz"])
@pytest.mark.parametrize("content", [TREC, BEIR, "\ufeff" + BEIR.replace("\n", "\r\n")])
def test_reading(tmp_path, write, name, content):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    path = write(name, content)
    source = tmp_path / "folder" if name.startswith("folder") else path
    assert read_judgements(source) == {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}


@pytest.mark.parametrize("name", ["a.qrels", "a.qrels.gz", "folder/qrels.tsv", "folder/qrels/test.tsv.gz"])
@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("q1 0 d2 1", "query 'q1': document 'd2' is judged twice, with grades 0 and 1; keep one"),
        (
            "q9 0 d2 1024",
            "query 'q9': the grade of document 'd2' must be a whole number of at most 1023, got 1024",
        ),
        ("q9 0 d2", "the judgements before have 4 columns, this line has 3"),
        ("q9 0 d2 1.5", "the grade must be a whole number, got '1.5'"),
        ("q9 0 d2 nan", "the grade must be a whole number, got 'nan'"),
        ("q9 d2", "a judgement has 3 or 4 columns, this line has 2"),
        ("q9 0 d2 1 me", "a judgement has 3 or 4 columns, this line has 5"),
        (
            "q9 Q0 d2 1 2.5 me",
            "a judgement has 3 or 4 columns, this line has 6; a run has 6: are the two files exchanged?",
        ),
        (b"q9 0 d\xff 1", "not UTF-8: byte 0xff at position 7"),
        (b"\x00\x01\x02\x7f", "a judgement has 3 or 4 columns, this line has 1"),
    ],
)
def test_a_bad_line(tmp_path, write, name, more, problem):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    raw = more if isinstance(more, bytes) else more.encode()
    path = write(name, TREC.encode() + b"  \n" + raw + b"\nq8 0 d1 1\n")
    with pytest.raises(BadRecord) as caught:
        read_judgements(tmp_path / "folder" if name.startswith("folder") else path)
    assert str(caught.value) == f"{path}:7: {problem}"


def test_a_bad_line_after_a_header(write):
    path = write("a.tsv", BEIR + "q1\td1\t3\n")
    with pytest.raises(
        BadRecord, match=r"a\.tsv:6: query 'q1': document 'd1' is judged twice, with grades 1 and 3"
    ):
        read_judgements(path)


def test_what_cannot_be_read(tmp_path, write):
    for content in ("", "\n \n", "query-id\tcorpus-id\tscore\n"):
        with pytest.raises(BadInput, match=r"none\.qrels: there are no judgements"):
            read_judgements(write("none.qrels", content))
    with pytest.raises(NotFound, match=r"nowhere: no such file"):
        read_judgements(tmp_path / "nowhere")
    with pytest.raises(NotFound, match=r"no qrels/test\.tsv or qrels\.tsv"):
        read_judgements(tmp_path)
    whole = write("a.qrels.gz", TREC * 2000)
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(BadInput, match=r"a\.qrels\.gz: damaged or truncated gzip file"):
        read_judgements(whole)


JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a.csv.gz"])
@pytest.mark.parametrize(
    "content",
    [
        "query_id,doc_id,relevance\nq1,d1,1\nq1,d2,0\nq2,d1,2\n",
        "docno,label,qid\nd1,1,q1\nd2,0,q1\nd1,2,q2\n",
        "qid,iteration,docno,label\nq1,0,d1,1.0\nq1,0,d2,0.0\nq2,0,d1,2.0\n",
        "\ufeffq_id,doc_id,score\r\nq1,d1,1\r\n\r\nq1, d2 ,0\r\nq2,d1,2",
    ],
)
def test_tables_whose_header_names_the_columns(write, name, content):
    assert read_judgements(write(name, content)) == JUDGED
    if name.startswith("a.csv"):
        return
    tabs = content.replace(",", "\t")
    assert read_judgements(write(name, tabs)) == JUDGED


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.qrels"])
def test_json(write, name):
    for text in ('{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}', '{"q1": {"d1": 1.0, "d2": 0},\n "q2": {"d1": 2}}'):
        assert read_judgements(write(name, text)) == JUDGED


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.csv", "qid,docno\nq,d\n", r"a\.csv: there is no column of grades \(label or relevance or .*\); the columns are 'qid', 'docno'"),
        ("a.csv", "q,d,1\n", r"a\.csv: there is no column of queries"),
        ("a.csv", "qid,docno,label\nq,d,0.5\n", r"a\.csv:2: the grade must be a whole number, got '0\.5'"),
        ("a.csv", "qid,docno,label\nq,d,1\n\nq,d,2\n", r"a\.csv:4: query 'q': document 'd' is judged twice, with grades 1 and 2"),
        ("a.csv", "qid,docno,label\nq,d,5000\n", r"a\.csv:2: query 'q': the grade of document 'd' must be a whole number of at most 1023"),
        ("a.csv", "qid,docno,label\nq,,1\n", r"a\.csv:2: the query or document id is empty"),
        ("a.csv", "qid,docno,label\nq,d\n", r"a\.csv:2: 2 cells, but the header has 3"),
        ("a.json", '{"q": {"d": "1"}}', r"a\.json: query 'q', document 'd': the grade must be a whole number, got '1'"),
        ("a.json", '{"q": {"d": true}}', r"a\.json: query 'q', document 'd': the grade must be a whole number, got True"),
        ("a.json", '{"q": {"d": 1, "d": 0}}', r"a\.json: 'd' is there twice"),
        ("a.json", '{"q": ["d"]}', r"a\.json: query 'q': .* is needed, got \['d'\]"),
    ],
)  # fmt: skip
def test_tables_and_json_that_are_no_judgements(write, name, text, problem):
    with pytest.raises(BadInput, match=problem):
        read_judgements(write(name, text))
