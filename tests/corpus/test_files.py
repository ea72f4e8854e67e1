from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
from pathlib import Path

import pytest

from aboutness.core.errors import BadInput, NotFound
from aboutness.corpus import files
from aboutness.corpus.files import (
    files_below,
    lines,
    open_bytes,
    opening,
    source_size,
    suffix,
    utf8,
    utf8_or_latin1,
    whole,
)


def test_lines_are_numbered_and_keep_their_ends(write):
    assert list(lines(write("a.txt", "one\r\n\ntwo"))) == [(1, b"one\r\n"), (2, b"\n"), (3, b"two")]


def test_a_bom_is_dropped_at_the_start_only(write):
    assert list(lines(write("a.txt", "\ufeffa\n\ufeffb\n"))) == [(1, b"a\n"), (2, "\ufeffb\n".encode())]


def test_gzip_is_known_by_its_bytes_whatever_the_name(write):
    packed = write("plain.txt", gzip.compress(b"inside\n"))
    assert list(lines(packed)) == [(1, b"inside\n")]
    assert whole(write("b.txt.gz", "inside")) == b"inside"


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(NotFound, match=r"nothing\.txt: no such file"):
        list(lines(tmp_path / "nothing.txt"))


def test_a_folder_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="is a folder"), open_bytes(tmp_path):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_bad_input(write):
    path = write("a.txt", "x")
    path.chmod(0)
    with pytest.raises(BadInput, match="Permission denied"):
        whole(path)


def test_a_truncated_gzip_names_the_last_line_read(tmp_path):
    path = tmp_path / "cut.jsonl.gz"
    content = b"".join(f"line {number} {os.urandom(30).hex()}\n".encode() for number in range(40_000))
    packed = gzip.compress(content)
    path.write_bytes(packed[:-40_000])
    seen = []
    with pytest.raises(BadInput, match=r"cut\.jsonl\.gz:[1-9]\d*: damaged or truncated gzip") as error:
        seen.extend(lines(path))
    assert f"the last whole line is {len(seen)}" in str(error.value)
    path.write_bytes(packed[:100])
    with pytest.raises(
        BadInput, match=r"cut\.jsonl\.gz: damaged or truncated gzip file .*; nothing was read of it$"
    ):
        list(lines(path))


def test_a_damaged_gzip_is_bad_input(write, tmp_path):
    raw = bytearray(gzip.compress(os.urandom(5000)))
    raw[500:520] = bytes(20)
    (tmp_path / "damaged.gz").write_bytes(raw)
    with pytest.raises(BadInput, match=r"damaged\.gz.*damaged or truncated gzip"):
        list(lines(tmp_path / "damaged.gz"))
    with pytest.raises(BadInput, match="damaged or truncated gzip"):
        whole(tmp_path / "damaged.gz")


def test_a_gz_name_without_gzip_inside_is_bad_input(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(b"{}\n")
    with pytest.raises(BadInput, match="not a gzip file"):
        list(lines(tmp_path / "a.jsonl.gz"))


def test_a_line_without_end_stops_before_memory_does(write, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 1000)
    bomb = write("bomb.jsonl.gz", b"ok\n" + b"0" * 1001)
    with pytest.raises(BadInput, match=r"bomb\.jsonl\.gz:2: line longer than 1,000 bytes"):
        list(lines(bomb))
    with pytest.raises(BadInput, match="longer than 1,000 bytes"):
        whole(bomb)
    monkeypatch.setattr(files, "LARGEST", 1003)
    with pytest.raises(BadInput, match="longer than 1,003 bytes"):
        whole(bomb, is_record=False)


def test_a_gzip_that_unpacks_to_far_more_than_its_size_is_refused(write, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 1000)
    monkeypatch.setattr(files, "MOST_UNPACKED", 20)
    assert len(list(lines(write("plain.txt.gz", b"".join(b"%d\n" % n for n in range(1000)))))) == 1000
    with pytest.raises(BadInput, match="unpacks to more than 20 times its size"):
        list(lines(write("bomb.txt.gz", b"\n" * 10_000_000)))


def test_a_line_of_just_the_longest_length_is_read(write, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 10)
    assert list(lines(write("a.txt", "123456789\n123456789\n"))) == [(1, b"123456789\n"), (2, b"123456789\n")]


def test_closing_the_generator_closes_the_file(write):
    # warnings are errors here: a file left open would fail the test
    reading = lines(write("a.txt.gz", "a\nb\n"))
    next(reading)
    reading.close()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.JSONL", ".jsonl"), ("b/a.tsv.gz", ".tsv"), ("a.gz", ""), ("noend", ""), ("v1.2/x", "")],
)
def test_suffix(name, expected):
    assert suffix(name) == expected


def test_opening_drops_bom_and_blanks(write):
    assert opening(write("a", "\ufeff \n <DOC>")) == b"<DOC>"


def test_utf8_says_which_byte_is_wrong():
    with pytest.raises(BadInput, match="byte 0xe9 at position 4"):
        utf8(b"caf\xe9")
    assert utf8_or_latin1(b"caf\xe9") == utf8_or_latin1("café".encode()) == "café"


def closed_to(monkeypatch, name, function):
    """Let a function of the module `os` refuse one path, as the system does where one is not root."""
    allowed = getattr(os, function)

    def guarded(path=".", *arguments, **options):
        if not isinstance(path, int) and os.fspath(path).endswith(name):
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        return allowed(path, *arguments, **options)

    monkeypatch.setattr(os, function, guarded)


def test_a_folder_that_may_not_be_read_is_not_empty(write, tmp_path, monkeypatch):
    write("a.txt", "x")
    write("closed/b.txt", "y")
    closed_to(monkeypatch, "closed", "scandir")
    with pytest.raises(BadInput, match=r"closed: cannot be read: Permission denied$"):
        list(files_below(tmp_path))


def test_a_folder_that_may_not_be_entered_is_not_empty(write, tmp_path, monkeypatch):
    write("closed/b.txt", "y")
    closed_to(monkeypatch, "b.txt", "stat")
    with pytest.raises(BadInput, match=r"b\.txt: cannot be read: Permission denied$"):
        list(files_below(tmp_path))


def test_links_that_lead_nowhere_are_passed_over(write, tmp_path):
    file = write("a.txt", "x")
    (tmp_path / "b.txt").symlink_to("gone")
    (tmp_path / "c.txt").symlink_to("c.txt")
    assert list(files_below(tmp_path)) == [file]


@pytest.mark.parametrize(
    ("pack", "how"),
    [(bz2.compress, "by bzip2"), (lzma.compress, "by xz"), (lambda _: b"PK\x03\x04", "into a zip archive")],
)
def test_what_is_packed_otherwise_is_told(tmp_path, pack, how):
    path = tmp_path / "a.jsonl"
    path.write_bytes(pack(b'{"id": "1", "text": "x"}'))
    with pytest.raises(
        BadInput, match=rf"a\.jsonl: is packed {how}; unpack it first \(only gzip is read as it is\)"
    ):
        list(lines(path))


def test_a_text_may_start_as_a_packed_file_does(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"BZh9 is how bzip2 starts, and PK how zip does")
    assert [line for _, line in lines(path)] == [path.read_bytes()]


def test_the_size_of_what_cannot_be_looked_at_is_nothing(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_bytes(b"12345")
    (tmp_path / "a" / "gone.txt").symlink_to("nowhere")
    os.mkfifo(tmp_path / "a" / "pipe.txt")
    assert source_size(tmp_path) == 5
    assert source_size("x" * 5000) == 0
    real = Path.stat

    def refused(path, **how):
        if path.name == "x.txt":
            raise PermissionError(13, "Permission denied")
        return real(path, **how)

    monkeypatch.setattr(Path, "stat", refused)
    assert source_size(tmp_path) == 0


def test_an_index_within_a_folder_is_passed_over(write, tmp_path):
    file = write("notes/a.txt", "x")
    for place in ("notes.index", "old/deep.index"):
        write(f"notes/{place}/index.db", "x")
        write(f"notes/{place}/arrays/b.txt", "x")
    assert list(files_below(tmp_path / "notes")) == [file]
    assert [path.name for path in files_below(tmp_path / "notes/notes.index")] == ["index.db", "b.txt"]
    other = [write("notes/program/index.db", "x"), write("notes/program/read.txt", "x")]
    assert list(files_below(tmp_path / "notes")) == [file, *other]
