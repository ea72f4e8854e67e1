from __future__ import annotations

import gzip
import os
import sys

import pytest

from aboutness.core.errors import BadRecord, NotFound
from aboutness.core.record import Document, Origin
from aboutness.core.rejects import RejectFile
from aboutness.corpus import files
from aboutness.corpus.folder import has_text, read_folder


def test_a_tree_in_its_order(write, tmp_path):
    write("b.txt", "First line\nis text.")
    write("a/z.md", "# Heading\n\nBody")
    write("a/deep/y.HTML", "<title>Page</title><p>Words")
    write("a/x.rst", "Title\n=====\n\nText")
    write("c.txt.gz", "packed")
    write("ignored.pdf", "x")
    write(".hidden.txt", "x")
    write(".git/x.txt", "x")
    documents = list(read_folder(tmp_path))
    assert documents == [
        Document("b.txt", {"text": "First line\nis text."}, {"format": "text"}),
        Document("c.txt.gz", {"text": "packed"}, {"format": "text"}),
        Document("a/x.rst", {"text": "Title\n=====\n\nText"}, {"format": "text"}),
        Document("a/z.md", {"title": "Heading", "text": "Body"}, {"format": "markdown"}),
        Document("a/deep/y.HTML", {"title": "Page", "text": "Words"}, {"format": "html"}),
    ]
    assert documents[0].origin == Origin(str(tmp_path / "b.txt"))
    assert list(read_folder(tmp_path)) == documents


def test_a_single_file(write):
    assert list(read_folder(write("x/one.md", "text"))) == [
        Document("one.md", {"text": "text"}, {"format": "markdown"})
    ]


def test_encodings(write, tmp_path):
    write("1.txt", "\ufeffcafé")
    write("2.txt", "café".encode("utf-16"))
    write("3.txt", b"\xfe\xff" + "café".encode("utf-16-be"))
    assert {one.fields["text"] for one in read_folder(tmp_path)} == {"café"}


def test_a_bom_of_utf32_is_not_taken_for_one_of_utf16(write, tmp_path):
    write("le.txt", "café".encode("utf-32"))
    write("be.html", b"\x00\x00\xfe\xff" + "<p>café".encode("utf-32-be"))
    assert [one.fields["text"] for one in read_folder(tmp_path)] == ["café", "café"]
    write("le.txt", "café".encode("utf-32") + b"x")
    with pytest.raises(
        BadRecord, match=r"le\.txt: not UTF-32 at byte 21, though its BOM says so; save it as UTF-8"
    ):
        list(read_folder(tmp_path / "le.txt"))


def test_utf16_without_a_bom_is_refused(write, tmp_path):
    path = write("notes.txt", "plain notes".encode("utf-16-le"))
    with pytest.raises(
        BadRecord, match="a NUL beside most letters, as UTF-16 without a BOM has; save it as UTF-8"
    ):
        list(read_folder(path))
    assert next(read_folder(write("nul.txt", "one \0 among many"))).fields["text"] == "one \0 among many"


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        ('<html><head><meta charset="iso-8859-1">', "latin-1"),
        ("<meta http-equiv='Content-Type' content='text/html; charset=windows-1252'>", "cp1252"),
        ('<?xml version="1.0" encoding="ISO-8859-15"?>', "iso-8859-15"),
        ("<META CHARSET = Latin1 >", "latin-1"),
        ("<meta charset=x-unknown>", None),
        ("<meta charset=unicode_escape>", None),
        ("<meta charset=utf-8>", None),
        ("<!-- charset=latin1 -->", None),
        ("", None),
    ],
)
def test_pages_that_are_not_utf8_may_say_their_charset(write, head, codec):
    path = write("a.html", f"{head}<p>café".encode(codec or "latin-1"))
    if codec is None:
        with pytest.raises(BadRecord, match="not UTF-8: byte 0xe9"):
            list(read_folder(path))
    else:
        assert [one.fields["text"] for one in read_folder(path)] == ["café"]


def test_utf8_and_quotes_of_windows_win_over_what_a_page_says(write):
    assert next(read_folder(write("a.html", "<meta charset=latin1><p>café"))).fields["text"] == "café"
    assert next(read_folder(write("b.html", b"<meta charset=latin1><p>it\x92s"))).fields["text"] == "it’s"
    with pytest.raises(BadRecord, match=r"c\.html: not shift_jis at byte 28, though the page says so"):
        list(read_folder(write("c.html", b"<meta charset=shift_jis><p>\xff")))


def test_bad_files_are_rejected_with_their_place(write, tmp_path, collected, monkeypatch):
    write("good.txt", "x")
    latin = write("latin.txt", b"caf\xe9")
    write("odd.txt", b"\xff\xfea")
    cut = write("cut.txt.gz", "x" * 1000)
    cut.write_bytes(gzip.compress(os.urandom(1000))[:-200])
    monkeypatch.setattr(files, "LONGEST", 2000)
    write("long.txt", "x" * 2001)
    assert [one.id for one in read_folder(tmp_path, on_bad=collected)] == ["good.txt"]
    problems = {error.origin.file.rpartition("/")[2]: error.problem for error in collected.errors}
    assert problems.keys() == {"latin.txt", "odd.txt", "cut.txt.gz", "long.txt"}
    assert problems["latin.txt"].startswith("not UTF-8: byte 0xe9 at position 4; save it as UTF-8")
    assert problems["odd.txt"].startswith("not UTF-16 at byte")
    assert problems["cut.txt.gz"].startswith("damaged or truncated gzip file")
    assert problems["long.txt"] == "longer than 2,000 bytes"
    with pytest.raises(BadRecord, match=r"latin\.txt: not UTF-8: byte 0xe9 at position 4"):
        list(read_folder(latin))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_rejected(write, tmp_path, collected):
    write("a.txt", "x").chmod(0)
    assert not list(read_folder(tmp_path, on_bad=collected))
    assert "Permission denied" in collected.problems[0]


def test_an_unreadable_file_is_rejected(write, tmp_path, collected):
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    write("a.txt", "x")
    assert [one.id for one in read_folder(tmp_path, on_bad=collected)] == ["a.txt"]
    assert not collected.errors


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are always UTF-8 there")
def test_a_name_that_is_not_utf8_is_rejected(write, tmp_path):
    write("a.txt", "x")
    with open(os.fsencode(tmp_path) + b"/caf\xe9.txt", "w") as file:
        file.write("x")
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        assert [one.id for one in read_folder(tmp_path, on_bad=rejects)] == ["a.txt"]
    assert rejects.count == 1
    assert "caf\\\\xe9.txt" in (tmp_path / "rejects.jsonl").read_text()


def test_links_do_not_lead_out_or_in_circles(write, tmp_path):
    write("outside/secret.txt", "secret")
    inside = write("in/sub/a.txt", "a").parent.parent
    (inside / "out.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (inside / "outfolder").symlink_to(tmp_path / "outside")
    (inside / "sub" / "loop").symlink_to(inside)
    (inside / "twin.txt").symlink_to(inside / "sub" / "a.txt")
    assert [one.id for one in read_folder(inside)] == ["twin.txt", "sub/a.txt"]


def test_nothing_there(tmp_path):
    with pytest.raises(NotFound, match="no such file or folder"):
        list(read_folder(tmp_path / "none"))
    assert list(read_folder(tmp_path)) == []
    assert not has_text(tmp_path)
