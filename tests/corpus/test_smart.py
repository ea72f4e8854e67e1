from __future__ import annotations

import pytest

from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document, Origin, Query
from aboutness.core.rejects import RejectFile
from aboutness.corpus import smart
from aboutness.corpus.smart import READER, read_smart, read_smart_queries

CRAN = """.I 1
.T
experimental investigation of the aerodynamics of a
wing in a slipstream .
.A
brenckman,m.
.B
j. ae. scs. 25, 1958, 324.
.K
wing, slipstream
.W
an experimental study .
.Q is not a section
.X
1\t5\t1
.I 471
.T
.A
.B
.W
"""


def test_documents(write):
    path = write("cran.all", CRAN)
    first, second = read_smart(path)
    assert first == Document(
        "1",
        {
            "title": "experimental investigation of the aerodynamics of a wing in a slipstream .",
            "text": "an experimental study . .Q is not a section",
        },
        {
            "author": "brenckman,m.",
            "bibliography": "j. ae. scs. 25, 1958, 324.",
            "keywords": "wing, slipstream",
        },
    )
    assert second == Document("471", {"text": ""})
    assert (first.origin, second.origin) == (Origin(str(path), 1), Origin(str(path), 16))


def test_windows_line_ends_and_latin1(write):
    (document,) = read_smart(write("a.all.gz", ".I 7\r\n.W\r\ncafé\r\nolé\r\n".encode("latin-1")))
    assert document == Document("7", {"text": "café olé"})


def test_bad_records(write, tmp_path, collected):
    path = write("bad.all", "\nstray text\n.W\nmore\n.I 1\n.W\nx\n.I\n.W\ny\n.I 2\n.W\nz\n")
    assert [one.id for one in read_smart(path, on_bad=collected)] == ["1", "2"]
    assert collected.lines == [2, 8]
    assert collected.problems == ["text before the first .I", ".I without an id"]
    with pytest.raises(BadRecord, match=r"bad\.all:2: text before the first \.I"):
        list(read_smart(path))
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        assert sum(1 for _ in read_smart(path, on_bad=rejects)) + rejects.count == 4


def test_queries(write, collected):
    path = write("a.qry", ".I 1\n.W\nwhat are\nthe laws .\n.I 2\n.A\nnobody\n.I 3\n.T\na title\n")
    assert list(read_smart_queries(path, on_bad=collected)) == [
        Query("1", "what are the laws ."),
        Query("3", "a title"),
    ]
    assert collected.lines == [5]


def test_a_sentence_that_starts_like_a_record(write):
    assert list(read_smart(write("a.all", ".I 1\n.W\n.I think so\n"))) == [Document("1", {"text": ".I think so"})]


def test_an_endless_record_stops(write, monkeypatch):
    monkeypatch.setattr(smart, "LONGEST", 100)
    with pytest.raises(BadInput, match=r"a\.all:1: a record longer than 100 bytes"):
        list(read_smart(write("a.all", "word\n" * 50)))


def test_an_empty_file_has_no_documents(write):
    assert list(read_smart(write("a.all", "\n\n"))) == []


def test_a_folder_is_a_tree_of_files(write, tmp_path, collected):
    write("med/b.all.gz", ".I 2\n.W\ntwo\n")
    write("med/a", ".I 1\n.W\none\n")
    write("z.smart", ".I 0\n.W\nzero\n")
    write("med/.a.all", ".I 9\n.W\nhidden\n")
    documents = list(read_smart(tmp_path))
    assert [(one.id, one.fields["text"]) for one in documents] == [("0", "zero"), ("1", "one"), ("2", "two")]
    assert documents[2].origin == Origin(str(tmp_path / "med/b.all.gz"), 1)
    readme = write("med/README", "About.\n")
    assert list(read_smart(tmp_path, on_bad=collected)) == documents
    assert [one.origin for one in collected.errors] == [Origin(str(readme), 1)]
    assert collected.problems == ["text before the first .I"]


def test_a_folder_is_recognised_by_its_files(write, tmp_path):
    folder = tmp_path / "cran.all"
    write("cran.all/sub/cran.qry", CRAN)
    assert not READER.recognises(str(folder))
    write("cran.all/sub/CRAN.ALL.gz", CRAN)
    assert READER.recognises(str(folder))
    write("cran.all/notes.md", "# Notes")
    assert not READER.recognises(str(folder))
