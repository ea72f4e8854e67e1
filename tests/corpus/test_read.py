from __future__ import annotations

import bz2
import types
from pathlib import Path

import pytest

from aboutness.core.errors import BadInput, BadRecord, NotFound, UsageError
from aboutness.core.rejects import RejectFile
from aboutness.corpus.read import READERS, guess, read

FILES = {
    "jsonl": [
        ("a.jsonl", '{"id": 1, "text": "x"}'),
        ("a.ndjson.gz", '{"id": 1, "text": "x"}'),
        ("a.json", '{"id": 1, "text": "x"}'),
    ],
    "csv": [("a.csv", "id,text\n1,x\n"), ("a.csv.gz", "id,text\n1,x\n")],
    "tsv": [("a.tsv", "id\ttext\n1\tx\n")],
    "folder": [("a.txt", "x"), ("a.md", "x"), ("a.html", "x"), ("sub/deep/a.rst", "x")],
    "trec": [
        ("a", "\n<DOC><DOCNO>1</DOCNO>x</DOC>"),
        ("a.trec", "<DOC><DOCNO>1</DOCNO>x</DOC>"),
        ("a.txt", "<doc>\n<DOCNO>1</DOCNO>x</doc>"),
    ],
    "smart": [("cran.all.1400", ".I 1\n.W\nx\n"), ("CISI.ALL", ".I 1\n.W\nx\n")],
    "reuters": [("a.sgm", '<REUTERS NEWID="1"><TEXT><BODY>x</BODY></TEXT></REUTERS>')],
}


@pytest.mark.parametrize(
    ("expected", "name", "content"), [(kind, *file) for kind, files in FILES.items() for file in files]
)
def test_files_are_recognised_and_read(write, expected, name, content):
    path = write(name, content)
    assert guess(str(path)).name == expected
    (document,) = read(path)
    assert document.fields["text"] == "x"
    assert list(read(str(path), format=expected)) == [document]


@pytest.mark.parametrize(
    ("expected", "files"),
    [
        ("beir", {"corpus.jsonl": '{"id": 1, "text": "x"}', "README.md": "y", "more.csv": "z"}),
        ("reuters", {"reut2-000.sgm": FILES["reuters"][0][1], "README.txt": "y"}),
        ("folder", {"sub/a.txt": "x", "sub/b.csv": "z"}),
        ("tables", {"a.csv": "id,text\n1,x\n", "b.pdf": "z"}),
        ("trec", {"disk/a.trectext.gz": FILES["trec"][1][1], ".trec": "z", ".git/README.md": "z"}),
        ("smart", {"cran/cran.all": FILES["smart"][0][1], ".README.txt": "z"}),
        ("folder", {"a.txt": "x", "b.trec": FILES["trec"][1][1]}),
        ("tables", {"a.csv": "id,text\n1,x\n", "b.all": FILES["smart"][0][1]}),
    ],
)
def test_folders_are_recognised_and_read(write, tmp_path, expected, files):
    for name, content in files.items():
        write(name, content)
    assert guess(str(tmp_path)).name == expected
    assert [one.fields["text"] for one in read(tmp_path)] == ["x"]


def test_a_folder_of_two_kinds_must_be_named(write, tmp_path):
    write("README.md", "about these files")
    write("a.jsonl", '{"id": 1, "text": "x"}')
    with pytest.raises(
        BadInput,
        match=r"holds both texts \(.md 1\) and tables \(.jsonl 1\); choose one with --format \(format= in Python\): "
        r"folder \(takes text, .* a document each\) or tables \(takes .* a record\); .* aboutness add$",
    ):
        read(tmp_path)
    assert [one.id for one in read(tmp_path, format="tables")] == ["1"]
    assert [one.id for one in read(tmp_path, format="folder")] == ["README.md"]


def test_a_file_that_cannot_be_recognised_says_what_can_be_named(write):
    with pytest.raises(
        BadInput, match=r"cannot tell the format; name it with --format \(format= in Python\)"
    ) as error:
        read(write("a.xyz", "?"))
    assert f"one of {', '.join(READERS)}; `aboutness formats` says" in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("name", ["a.pdf", "a.PDF", "letter.docx", "table.xlsx"])
@pytest.mark.parametrize("start", ["%PDF", "PK\x03\x04", "\x1f\x8b"])
def test_office_files_are_refused_with_what_to_do(write, tmp_path, name, start):
    for source in (write(name, start.encode("latin-1")), tmp_path):
        with pytest.raises(BadInput, match=r"PDF and office files are not read; save them as text, HTML or CSV"):
            read(source)


def test_a_folder_that_cannot_be_recognised_says_what_it_has(write, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput) as error:
        read(tmp_path / "empty")
    nothing = "there is no file in it that can be read (.txt, .rst, .md, .markdown, .html, .htm, .jsonl"
    assert nothing in str(error.value)
    assert "…); `aboutness formats` lists what can" in str(error.value)
    for name in ("a.pdf", "b.PDF", "c/d.docx", "README", ".hidden.pdf"):
        write(f"full/{name}", "%PDF")
    with pytest.raises(
        BadInput, match=r"…\); it has files ending in: \.pdf 2, without an ending 1, \.docx 1; PDF and"
    ):
        read(tmp_path / "full")


def test_problems_come_at_once(write, tmp_path):
    path = write("a.txt", "x")
    with pytest.raises(NotFound, match=r"none\.jsonl: no such file or folder"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="unknown reader 'jsonll'; did you mean 'jsonl'"):
        read(path, format="jsonll")
    with pytest.raises(UsageError, match=r"cannot be chosen for format 'folder', only for .*jsonl, csv, tsv"):
        read(path, fields=["text"])
    with pytest.raises(UsageError, match="cannot be chosen"):
        read(path, id_key="id")
    for fields in ("text", []):
        with pytest.raises(UsageError, match="fields must be a list of one or more names"):
            read(write("a.jsonl", "{}"), fields=fields)


@pytest.mark.parametrize("name", [name for name in READERS if name not in {"stdlib", "ir-datasets"}])
def test_every_format_refuses_a_missing_source(tmp_path, name):
    with pytest.raises((NotFound, BadInput)):
        list(read(tmp_path / "none", format=name))


@pytest.mark.parametrize("name", ["jsonl", "csv"])
def test_a_folder_is_not_a_file(tmp_path, name):
    with pytest.raises(BadInput, match="is a folder"):
        list(read(tmp_path, format=name))


def test_options_reach_the_reader(write, tmp_path):
    path = write("a.data", "nr\twords\tmore\n1\tx\ty\nragged\n")
    with pytest.raises(BadRecord, match=r"a\.data:3: "):
        list(read(path, format="tsv", id_key="nr", fields=["words"]))
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        (document,) = read(path, format="tsv", id_key="nr", fields=["words"], on_bad=rejects)
    assert (document.id, document.fields, document.metadata) == ("1", {"words": "x"}, {"more": "y"})
    assert rejects.count == 1


def test_a_hostile_opening_is_recognised_as_nothing(write):
    with pytest.raises(BadInput, match="cannot tell the format"):
        guess(str(write("a.bin", "<!>" * 2000)))


def test_readers_describe_themselves():
    for name, reader in READERS.items():
        assert reader.name == name
        assert reader.about
        assert reader.sources
        assert "\n" not in reader.about


def test_reading_streams(write):
    lines = "".join(f'{{"id": {number}, "text": "x"}}\n' for number in range(1000))
    documents = read(write("a.jsonl", lines + "broken\n"))
    assert isinstance(documents, types.GeneratorType)
    assert next(documents).id == "0"
    assert sum(1 for _ in zip(range(999), documents, strict=False)) == 999
    with pytest.raises(BadRecord, match=r"a\.jsonl:1001: broken JSON at column 1"):
        next(documents)


@pytest.mark.slow
def test_the_large_collection(data_folder):
    count = 0
    for document in read(data_folder / "yso_finna_en"):
        count += 1
        last = document
    assert count == 653_478
    assert last.origin.line == 653_478
    assert last.metadata["concepts"]


def test_a_source_without_a_name_is_not_the_folder_where_one_is():
    with pytest.raises(UsageError, match="a source must have a name, got ''"):
        read("")


def test_a_name_that_no_file_can_have_is_not_found():
    with pytest.raises(NotFound, match=r"x… \(5,002 characters\): no such file or folder: the name is too long"):
        read("x" * 5000)


def test_a_place_that_may_not_be_looked_at_is_bad_input(tmp_path, monkeypatch):
    def refused(_path, **_how):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(BadInput, match=r"x\.txt: cannot be read \(Permission denied\)"):
        read(tmp_path / "x.txt")


def test_a_packed_file_says_so_where_the_format_is_guessed(tmp_path):
    (tmp_path / "a.jsonl.bz2").write_bytes(bz2.compress(b"{}"))
    with pytest.raises(BadInput, match=r"a\.jsonl\.bz2: is packed by bzip2"):
        read(tmp_path / "a.jsonl.bz2")
