from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from aboutness.core.errors import NotFound, StorageError, UsageError
from aboutness.evaluate.atomic import write_whole


def test_a_file_is_replaced_when_it_is_whole(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with write_whole(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("name", ["a", "a.gz"])
def test_a_failure_leaves_what_was_there(tmp_path, error, name):
    (tmp_path / name).write_bytes(b"old")
    with pytest.raises(error), write_whole(tmp_path / name) as file:
        file.write(b"new")
        raise error
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_packing_takes_no_longer_than_it_is_worth(tmp_path):
    with write_whole(tmp_path / "a.gz") as file:
        file.write(b"q1 Q0 d1 1 2.5 bm25\n")
    assert (tmp_path / "a.gz").read_bytes()[8] != 2  # RFC 1952: 2 says the slowest, which takes 2.5 times as long


def test_rights_are_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    with write_whole(tmp_path / "a"):
        pass
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to("a")
    with write_whole(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_place_that_cannot_be_written(tmp_path):
    with (
        pytest.raises(NotFound, match=rf"there is no folder {tmp_path}/none; make it first"),
        write_whole(tmp_path / "none" / "a"),
    ):
        pass
    with pytest.raises(UsageError, match="is a folder; name a file to write"), write_whole(tmp_path):
        pass
    with (
        pytest.raises(StorageError, match=r"^cannot write .*: File name too long$"),
        write_whole(tmp_path / ("a" * 300)),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fails(tmp_path, monkeypatch):
    def full(_self, _target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with (
        pytest.raises(StorageError, match=r"^cannot write .*a: No space left on device$"),
        write_whole(tmp_path / "a") as file,
    ):
        file.write(b"new")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_device_is_written_to_and_not_replaced():
    with (
        pytest.raises(StorageError, match="cannot write /dev/full: No space left on device"),
        write_whole("/dev/full") as file,
    ):
        file.write(b"new")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_pipe_is_written_to_by_the_name_it_is_given():
    code = (
        "from aboutness.evaluate.atomic import write_whole\nwith write_whole('/dev/stdout') as f: f.write(b'new')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )  # fmt: skip
    assert done.stdout == b"new"
