from __future__ import annotations

import gzip
import os

import pytest

from aboutness.core.errors import BadInput, NotFound
from aboutness.corpus import files
from aboutness.corpus.files import lines, open_bytes, opening, suffix, utf8, utf8_or_latin1, whole


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
