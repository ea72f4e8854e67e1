from __future__ import annotations

import pytest

from aboutness.core.errors import BadRecord
from aboutness.core.rejects import RejectFile
from aboutness.corpus.qrels import Judgement, read_qrels_file


@pytest.mark.parametrize(
    "content",
    [
        "query-id\tcorpus-id\tscore\nq 1\td1\t2\nq2\td 2\t-1\n",
        "\ufeffq 1\td1\t2\r\n\r\nq2\td 2\t-1\r\n",
        "q 1\t0\td1\t2\nq2\tQ0\td 2\t-1",
    ],
)
def test_tab_separated(write, content):
    expected = [Judgement("q 1", "d1", 2), Judgement("q2", "d 2", -1)]
    assert list(read_qrels_file(write("a.tsv", content))) == expected
    assert list(read_qrels_file(write("a.tsv.gz", content))) == expected


def test_trec(write):
    path = write("qrels.txt", "301 0 FBIS3-10082 1\n301  Q0  FBIS3-10169   0 \n")
    assert list(read_qrels_file(path)) == [
        Judgement("301", "FBIS3-10082", 1),
        Judgement("301", "FBIS3-10169", 0),
    ]


@pytest.mark.parametrize("grade", ["1", "1.0"])
def test_a_first_judgement_is_no_header(write, grade):
    path = write("a.txt", f"q1 d1 {grade}\nq1 d2 1\n")
    assert list(read_qrels_file(path)) == [Judgement("q1", "d1", 1), Judgement("q1", "d2", 1)]


@pytest.mark.parametrize("grade", ["0.5", "nan", "1e3", "12345678901"])
def test_a_first_grade_that_is_not_whole_is_refused(write, grade):
    with pytest.raises(BadRecord, match=rf"a\.txt:1: the grade must be a whole number, got '{grade}'"):
        list(read_qrels_file(write("a.txt", f"q1 d1 {grade}\nq1 d2 1\n")))


@pytest.mark.parametrize(("name", "delimiter"), [("a.tsv", "\t"), ("a.csv", ","), ("a.txt", "\t")])
@pytest.mark.parametrize("rows", ['query-id;corpus-id;score\n"q;1";d1;1.0\n', ';qid;docno;label\n0;"q;1";d1;1\n'])
def test_tables_with_tabs_and_commas_are_read_alike(write, name, delimiter, rows):
    path = write(name, rows.replace(";", delimiter))
    assert list(read_qrels_file(path)) == [Judgement(f"q{delimiter}1", "d1", 1)]


def test_only_blanks_of_ascii_separate(write):
    path = write("a.txt", "q1 0 d\u00a0x 1\nq1\t0\t\u3000y\t2\n")
    assert list(read_qrels_file(path)) == [Judgement("q1", "d\u00a0x", 1), Judgement("q1", "\u3000y", 2)]


def test_bad_lines(write, tmp_path, collected):
    raw = b"q\td\tscore\n1 0 d 1\n1 d\n1 0 d x\n1 0 d 1.5\n1\t0\t\t1\nq\td\tscore\n\xff 0 d 1\n1 0 d 1 9\n2 0 d 12345678901\n2 0 e 0\n"
    path = write("bad.txt", raw)
    assert list(read_qrels_file(path, on_bad=collected)) == [Judgement("1", "d", 1), Judgement("2", "e", 0)]
    assert collected.lines == [3, 4, 5, 6, 7, 8, 9, 10]
    assert collected.problems[:4] == [
        "a judgement has 3 or 4 columns, this line has 2",
        "the grade must be a whole number, got 'x'",
        "the grade must be a whole number, got '1.5'",
        "the query or document id is empty",
    ]
    with pytest.raises(BadRecord, match=r"bad\.txt:3: a judgement has 3 or 4 columns, this line has 2"):
        list(read_qrels_file(path))
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        assert sum(1 for _ in read_qrels_file(path, on_bad=rejects)) + rejects.count == 10


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("q1 0 d1 1\n\nq1 0 51\n", r"a\.txt:3: the judgements before have 4 columns, this line has 3"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\t0\td1\t1\n", r"a\.txt:3: 4 cells, but the header has 3"),
    ],
)
def test_all_lines_have_as_many_columns(write, content, told):
    with pytest.raises(BadRecord, match=told):
        list(read_qrels_file(write("a.txt", content)))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("adhoc.351-400", 80345),
        ("beir-quora.test", 15675),
        ("beir-trec-covid.test", 66334),
        ("terabyte04.701-750", 58077),
    ],
)
def test_real_judgements(data_folder, name, count):
    assert sum(1 for _ in read_qrels_file(data_folder / "topics_qrels_only" / f"qrels.{name}.txt")) == count
