"""Runs as the tools of the field write them."""

from __future__ import annotations

import csv
import json
import os
import threading

import numpy as np
import pytest

from aboutness.core.errors import BadInput, BadRecord
from aboutness.evaluate.run_lines import read_scores
from aboutness.evaluate.runs import read_run, write_run

RUN = {"q1": [("d1", 1.5), ("d2", 0.5)], "q2": [("d1", -0.03125)]}
RANKED = {"q1": [("d1", -1.0), ("d2", -2.0)], "q2": [("d1", -1.0)]}

WITH_SCORES = {
    "no tag": "q1 Q0 d2 2 0.5\nq1 Q0 d1 1 1.5\nq2 Q0 d1 1 -3.125e-2\n",
    "no tag, 0": "q1 0 d2 2 0.5\nq1 0 d1 1 1.5\nq2 0 d1 1 -3.125E-02\n",
    "no Q0": "q1 d2 2 0.5 me\nq1 d1 1 1.5 me\nq2 d1 1 -.03125 me\n",
    "ColBERT": "q1\td1\t1\t1.5\nq1\td2\t2\t0.5\nq2\td1\t1\t-0.03125\n",
    "named columns": "qid docno score\nq1 d2 0.5\nq1 d1 1.5\nq2 d1 -0.03125\n",
    "named columns of TREC": "qid Q0 docno rank score tag\nq1 Q0 d2 1 .5 me\nq1 Q0 d1 2 1.5 me\nq2 Q0 d1 1 -.03125 me\n",
    "tab": "query_id\tdoc_id\tscore\nq1\td2\t0.5\nq1\td1\t1.5\nq2\td1\t-0.03125\n",
    "BEIR": "query-id\tcorpus-id\tscore\nq1\td2\t0.5\nq1\td1\t1.5\nq2\td1\t-0.03125\n",
    "ranx": "q_id,doc_id,score\nq1,d2,0.5\nq1,d1,1.5\nq2,d1,-0.03125\n",
    "PyTerrier": "qid,docid,docno,rank,score,query\nq1,7,d1,0,1.5,a b\nq1,9,d2,1,0.5,a b\nq2,7,d1,0,-0.03125,c\n",
    "other order": "score,QID,Doc-ID\n0.5,q1,d2\n1.5,q1,d1\n-0.03125,q2,d1\n",
}  # fmt: skip
BY_RANK = {
    "MS MARCO": "q1\td1\t1\nq1\td2\t2\nq2\td1\t1\n",
    "named": "qid,docno,rank\nq1,d1,1\nq1,d2,2\nq2,d1,1\n",
    "as floats": "qid,docno,rank\nq1,d1,1.0\nq1,d2,2.0\nq2,d1,1.0\n",
}


def variants(content):
    """The same as editors, other systems and other tools leave it."""
    yield "a.run", content
    yield "a.run.gz", content
    yield "a.run", "\ufeff" + content.replace("\n", "\r\n")
    yield "a.run", content.removesuffix("\n")
    yield "a.run", "\n\n" + content + "\n"


@pytest.mark.parametrize("form", WITH_SCORES)
def test_forms_with_scores(write, form):
    for name, text in variants(WITH_SCORES[form]):
        assert read_run(write(name, text)) == RUN, (form, name)


@pytest.mark.parametrize("form", BY_RANK)
def test_forms_without_scores(write, form):
    for name, text in variants(BY_RANK[form]):
        assert read_run(write(name, text)) == RANKED, (form, name)


def test_ranks_may_start_from_0(write):
    assert read_run(write("a.tsv", "q1 d1 0\nq1 d2 1\n")) == {"q1": [("d1", 0.0), ("d2", -1.0)]}


def test_what_a_frame_wrote_with_its_index(write):
    frame = pytest.importorskip("pandas").DataFrame(
        {"qid": ["q1", "q1", "q2"], "docno": ["d1", "d,2", 'd"3'], "score": np.array([1.5, 0.1, 3e-9], np.float32)}
    )
    for name, separator, index in (("a.csv", ",", False), ("b.csv.gz", ",", False), ("c.tsv", "\t", False)):
        path = write(name, "")
        frame.to_csv(path, sep=separator, index=index)
        found = read_run(path)
        assert found == {
            "q1": [("d1", 1.5), ("d,2", float(np.float32(0.1)))],
            "q2": [('d"3', float(np.float32(3e-9)))],
        }, name


def test_a_frame_that_is_written_with_its_index_is_the_same(write):
    frame = pytest.importorskip("pandas").DataFrame(
        {"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [2.0, 1.0]}
    )
    for name, separator in (("a.csv", ","), ("a.tsv", "\t"), ("a.txt", "\t")):
        frame.to_csv(path := write(name, ""), sep=separator)
        assert read_run(path) == {"q1": [("a", 2.0), ("b", 1.0)]}, name
    with pytest.raises(BadInput, match=r"b\.csv:1: column 3 has no name"):
        read_run(write("b.csv", ",qid,,docno,score\n0,q1,,a,2.0\n"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q1 0 1 25.3 7\nq1 7 2 20.1 7\n", {"q1": {"0": 25.3, "7": 20.1}}),
        ("q1 0 1 25.3 me\nq1 7 2 20.1 me\n", {"q1": {"0": 25.3, "7": 20.1}}),
        ("q1 0 1 25 7\nq1 7 2 20 7\n", {"q1": {"0": 25.0, "7": 20.0}}),
        ("1 0 1 25.3\n1 7 2 20.1\n", {"1": {"0": 25.3, "7": 20.1}}),
        ("1 0 1 -25.0\n1 7 2 -30.0\n", {"1": {"0": -25.0, "7": -30.0}}),
        ("q1 0 12 1 25.3\nq1 0 7 2 20.1\n", {"q1": {"12": 25.3, "7": 20.1}}),
        ("q1 0 1 1 25.3\nq1 0 7 2 20.1\n", {"q1": {"1": 25.3, "7": 20.1}}),
        ("q1 0 12 1 25\nq1 0 7 2 20\n", {"q1": {"12": 25.0, "7": 20.0}}),
    ],
)
def test_a_document_named_0_is_told_from_the_mark(write, text, expected):
    assert read_scores(write("a.run", text)) == expected


def test_ranks_need_not_be_in_order(write):
    text = "q2 d1 1\nq1 d2 2\nq1 d1 1\nq3 d3 1\nq3 d4 2\n"
    assert read_run(write("a.tsv", text))["q1"] == [("d1", -1.0), ("d2", -2.0)]


@pytest.mark.parametrize("text", ["1 5 2\n1 6 1\n", "1 5 3\n2 7 1\n1 6 2\n1 8 1\n2 8 0\n3 1 1\n"])
def test_scores_that_could_be_ranks_are_refused(write, text):
    with pytest.raises(
        BadInput, match=r"query '1': .* which fall from line to line .* a first line: qid docid score"
    ):
        read_run(write("a.tsv", text))


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.txt"])
def test_json(write, name):
    plain = {"q1": {"d2": 0.5, "d1": 1.5}, "q2": {"d1": -0.03125}, "none": {}}
    for text in (json.dumps(plain), "\ufeff" + json.dumps(plain, indent=2).replace("\n", "\r\n")):
        assert read_run(write(name, text)) == {**RUN, "none": []}
    assert read_run(write(name, "{}")) == {}
    assert read_run(write("b.json", '{"q": {"d": 3}}')) == {"q": [("d", 3.0)]}


def test_a_query_id_in_braces_is_no_json(write):
    assert read_run(write("a.run", "{q} Q0 d1 1 2 me\n")) == {"{q}": [("d1", 2.0)]}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"q": {"d": "0.5"}}', "query 'q', document 'd': the score must be a finite number .* got '0.5'"),
        ('{"q": {"d": NaN}}', "query 'q', document 'd': the score must be a finite number .* got nan"),
        ('{"q": {"d": Infinity}}', "the score must be a finite number .* got inf"),
        ('{"q": {"d": 1e39}}', "the score must be a finite number .* got 1e\\+39"),
        ('{"q": {"d": true}}', "the score must be a finite number .* got True"),
        ('{"q": {"d": null}}', "the score must be a finite number .* got None"),
        ('{"q": {"d": 1, "d": 2}}', "'d' is there twice; keep one"),
        ('{"q": {"d": 1}, "q": {"e": 2}}', "'q' is there twice; keep one"),
        ('{"q": [["d", 1]]}', r"query 'q': \{document: number\} is needed, got \[\['d', 1\]\]"),
        ('{"": {"d": 1}}', "query '': the query or document id is empty"),
        ('{"q": {"": 1}}', "query 'q': the query or document id is empty"),
        ('{"q": {"\\ud800": 1}}', r"query 'q': '\\ud800' holds half a character: it is no id"),
        ('["q"]', r"\{query: \{document: number\}\} is needed, got \['q'\]"),
        ('{"q": {"d": 1}', "not JSON: Expecting ',' delimiter, at column 15"),
        ("[" * 100_000, "too deeply nested"),
        ('{"q": {"d": ' + "1" * 5000 + "}}", r"a\.json: a number has more than 4,300 digits, which is no score"),
    ],
)
def test_json_that_is_no_run(write, text, problem):
    path = write("a.json", text)
    with pytest.raises(BadInput, match=problem) as caught:
        read_run(path)
    assert str(caught.value).startswith(str(path))


def test_json_that_is_not_utf8(write):
    with pytest.raises(BadInput, match=r"a\.json: not UTF-8: byte 0xff at position 3"):
        read_run(write("a.json", b'{"\xff": {}}'))


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.run", "q1 Q0 d1 1 0.5\nq1 Q0 d2 2 0.4 me\n", r":2: a line of a run has 5 columns \(query Q0 document rank score\), got 6"),
        ("a.run", "q1 Q0 d1 1 nan\n", ":1: the score must be a finite number .* got 'nan'"),
        ("a.run", "q1 d1 1 inf me\n", ":1: the score must be a finite number .* got 'inf'"),
        ("a.run", "q1 Q0 d1 1 0.5\nq1 Q0 d1 2 0.4\n", ":2: document 'd1' is ranked twice for query 'q1'"),
        ("a.run", "q1 d1\n", ":1: a line of a run has 6 columns .* got 2"),
        ("a.run", "q1 0 d1 1\n", r":1: a line of a run has 6 columns .*, got 4, as judgements have \(query 0 document grade\)"),
        ("a.run", "q1 0 12 1\n", r":1: .* as judgements have .*; if these are ranks and scores, say so in a first line: qid docid rank score"),
        ("a.run", "q1 0 12 1 25\nq1 7 2 20 3\n", r":2: the second column must be Q0 or 0 in lines of 5 columns \(query Q0 document rank score\), got '7'; if it is a document"),
        ("a.run", "q1 0 12 1 25\nq1 0 2 2.5 3\n", r":2: the rank must be a whole number of at least 0 in lines of 5 columns \(query Q0 document rank score\), got '2.5'"),
        ("a.run", "q1 d1 first 1\n", r":1: the rank must be a whole number of at least 0 in lines of 4 columns \(query document rank score\), got 'first'"),
        ("a.run", "q1 d1 d2 1 me\n", r":1: the rank must be a whole number of at least 0 in lines of 5 columns \(query document rank score tag\), got 'd2'"),
        ("a.tsv", "q1 d1 0.5\nq1 d2 0.25\n", ":1: the rank must be a whole number of at least 0, got '0.5'; if these are scores, say so in a first line: qid docid score"),
        ("a.tsv", "q1 d1 17\nq1 d2 12\n", r": query 'q1': lines of three columns .* each once, got \[12, 17\]; if these are scores"),
        ("a.tsv", "q1 d1 1\nq1 d2 1\n", r": query 'q1': lines of three columns .* got \[1, 1\]"),
        ("a.tsv", "q1 d1 -1\n", ":1: the rank must be a whole number"),
        ("a.csv", "qid,docno\nq1,d1\n", r": there is no column of scores or ranks \(score or rank\); the columns are 'qid', 'docno'"),
        ("a.csv", "q1,d1,0.5\n", r": there is no column of scores or ranks"),
        ("a.csv", "id,docno,score\nq1,d1,0.5\n", r": there is no column of queries \(qid or query_id or .*\); the columns are 'id', 'docno', 'score'"),
        ("a.csv", "qid,docno,score\nq1,d1,0.5\nq1,d2\n", ":3: 2 cells, but the header has 3"),
        ("a.csv", "qid,docno,score\nq1,d1,much\n", ":2: the score must be a finite number .* got 'much'"),
        ("a.csv", "qid,docno,score\nq1,d1,1_0\n", ":2: the score must be a finite number .* got '1_0'"),
        ("a.csv", "qid,docno,score\nq1,d1,-inf\n", ":2: the score must be a finite number .* got '-inf'"),
        ("a.csv", "qid,docno,score\nq1,,1\n", ":2: the query or document id is empty"),
        ("a.csv", "qid,docno,score\nq1,d1,1\nq1,d1,2\n", ":3: document 'd1' is ranked twice for query 'q1'"),
        ("a.csv", "qid,docno,rank\nq1,d1,1\nq1,d2,1\n", ": query 'q1': two documents have the rank 1"),
        ("a.csv", "qid,docno,rank\nq1,d1,1.5\n", ":2: the rank must be a whole number of at least 0, got '1.5'"),
        ("a.csv", "", ":1: no header row"),
    ],
)  # fmt: skip
def test_what_is_refused_says_where(write, name, text, problem):
    path = write(name, text)
    with pytest.raises(BadInput, match=problem) as caught:
        read_run(path)
    assert str(caught.value).startswith(str(path))


def test_a_bad_line_is_kept_as_it_was(write):
    with pytest.raises(BadRecord) as caught:
        read_run(write("a.csv", "qid,docno,score\nq1,d1,much\r\nq1,d2,1\n"))
    assert (caught.value.origin.line, caught.value.raw) == (2, b"q1,d1,much")


def test_other_forms_come_through_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for content, expected in ((BY_RANK["MS MARCO"], RANKED), (WITH_SCORES["no tag"], RUN)):
        writer = threading.Thread(target=pipe.write_text, args=(content,), daemon=True)
        writer.start()
        assert read_run(pipe) == expected
        writer.join()


def test_what_we_write_is_what_others_read(tmp_path):
    """ir_measures reads TREC's form; a table of the same is what csv readers get."""
    import ir_measures

    run = {"q1": [("a", 2.5), ("b", 0.1)], "é": [("d'1", -3.0)]}
    write_run(tmp_path / "a.run", run, "me")
    theirs = [(one.query_id, one.doc_id, one.score) for one in ir_measures.read_trec_run(str(tmp_path / "a.run"))]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("qid", "docno", "score"), *theirs])
    ours = {query: [(one, float(np.float32(score))) for one, score in of] for query, of in run.items()}
    assert read_run(tmp_path / "a.csv") == read_run(tmp_path / "a.run") == ours
