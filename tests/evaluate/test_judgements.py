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
