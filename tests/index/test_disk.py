from __future__ import annotations

import errno
import os
import zlib
from pathlib import Path

import pytest

from aboutness.core.errors import StorageError
from aboutness.index import disk


def test_what_is_written_is_there_with_its_size_and_checksum(tmp_path):
    parts = [b"abc", memoryview(b""), memoryview(b"d" * 100)]
    assert disk.write_new(tmp_path / "f", parts, durable=True) == (103, zlib.crc32(b"abc" + b"d" * 100))
    assert (tmp_path / "f").read_bytes() == b"abc" + b"d" * 100
    assert disk.checksum_of(tmp_path / "f") == zlib.crc32(b"abc" + b"d" * 100)


def test_parts_larger_than_a_piece_are_written_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "PIECE", 7)
    data = bytes(range(256)) * 3
    assert disk.write_new(tmp_path / "f", [data, data], durable=False) == (1536, zlib.crc32(data + data))
    assert (tmp_path / "f").read_bytes() == data + data
    assert disk.checksum_of(tmp_path / "f") == zlib.crc32(data + data)


def test_short_writes_are_continued(tmp_path, monkeypatch):
    write = os.write
    sizes = []

    def short(descriptor, piece):
        sizes.append(len(piece))
        return write(descriptor, piece[:5])

    monkeypatch.setattr(os, "write", short)
    assert disk.write_new(tmp_path / "f", [b"0123456789ab"], durable=False)[0] == 12
    monkeypatch.undo()
    assert (tmp_path / "f").read_bytes() == b"0123456789ab"
    assert sizes == [12, 7, 2]


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "f").write_bytes(b"old")
    with pytest.raises(StorageError, match=r"cannot write .*f: File exists"):
        disk.write_new(tmp_path / "f", [b"new"], durable=False)
    assert (tmp_path / "f").read_bytes() == b"old"


@pytest.mark.parametrize("number", sorted(disk.ADVICE))
def test_each_known_error_says_what_to_do(number, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    for name in ("write", "fsync", "open"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fail)
            with pytest.raises(StorageError) as caught:
                disk.write_new(tmp_path / name, [b"x"], durable=True)
        assert str(caught.value) == f"cannot write {tmp_path / name}: {disk.ADVICE[number]}"
        assert caught.value.__cause__.errno == number


def test_descriptors_are_closed_after_an_error(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "full")

    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        for i in range(5):
            with pytest.raises(StorageError, match="the disk is full; free some space"):
                disk.write_new(tmp_path / str(i), [b"x"], durable=True)
            with pytest.raises(StorageError, match="cannot sync"):
                disk.sync_folder(tmp_path)
    assert (len(os.listdir("/proc/self/fd")) if before else 0) == before


def test_an_unknown_error_is_told_in_the_words_of_the_system(tmp_path):
    with pytest.raises(StorageError, match="No such file or directory"):
        disk.write_new(tmp_path / "nowhere" / "f", [b"x"], durable=False)
    with pytest.raises(StorageError, match="cannot sync"):
        disk.sync_folder(tmp_path / "nowhere")
    with pytest.raises(StorageError, match="cannot read"):
        disk.checksum_of(tmp_path)
    with pytest.raises(FileNotFoundError):  # somebody may have replaced it: the caller looks again
        disk.checksum_of(tmp_path / "nowhere")
    with pytest.raises(StorageError, match="cannot rename to"):
        disk.move(tmp_path / "nowhere", tmp_path / "x")
    with pytest.raises(StorageError, match="cannot do f: odd"), disk.reporting("do", Path("f")):
        raise OSError("odd")


def test_making_and_removing_folders(tmp_path):
    disk.make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    with pytest.raises(StorageError, match="cannot make the folder"):
        disk.make_folder(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / "f").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    disk.remove(tmp_path / "link")
    assert (tmp_path / "a" / "b" / "f").exists()
    assert not (tmp_path / "link").is_symlink()
    disk.remove(tmp_path / "a")
    disk.remove(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_other_errors_pass_through(tmp_path):
    with pytest.raises(ZeroDivisionError), disk.reporting("do", tmp_path):
        raise ZeroDivisionError
