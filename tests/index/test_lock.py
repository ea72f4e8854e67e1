from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import aboutness
from aboutness.core.errors import IndexBusy, StorageError
from aboutness.index.lock import NAME, WriterLock, is_locked

SOURCE = str(Path(aboutness.__file__).parents[1])
HOLD = "import sys; from pathlib import Path; from aboutness.index.lock import WriterLock; lock = WriterLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
TRY = """
import sys
from pathlib import Path
from aboutness.core.errors import IndexBusy
from aboutness.index.lock import WriterLock
try:
    WriterLock(Path(sys.argv[1]))
except IndexBusy as error:
    sys.stdout.write(str(error))
"""


def python(code, folder, **options):
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def test_a_second_writer_in_this_process_is_refused_and_told_who_holds_it(tmp_path):
    first = WriterLock(tmp_path)
    with pytest.raises(
        IndexBusy, match=rf"process {os.getpid()} is writing to .*; wait until it has finished, or stop it"
    ):
        WriterLock(tmp_path)
    assert is_locked(tmp_path)
    first.release()
    assert not is_locked(tmp_path)
    WriterLock(tmp_path).release()


def test_a_writer_in_another_process_is_refused_with_our_number(tmp_path):
    lock = WriterLock(tmp_path)
    with python(TRY, tmp_path) as child:
        said, _ = child.communicate(timeout=30)
    lock.release()
    assert said.startswith(f"process {os.getpid()} is writing to {tmp_path}")


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    with python(HOLD, tmp_path) as child:
        assert child.stdout.readline() == "held\n"
        with pytest.raises(IndexBusy, match=f"process {child.pid} is writing"):
            WriterLock(tmp_path)
        assert is_locked(tmp_path)
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=30)
    assert not is_locked(tmp_path)
    lock = WriterLock(tmp_path)
    assert (tmp_path / NAME).read_text() == f"{os.getpid()}\n"
    lock.release()


def test_a_longer_number_in_the_file_is_replaced(tmp_path):
    (tmp_path / NAME).write_text("99999999999\nleft over\n")
    lock = WriterLock(tmp_path)
    assert (tmp_path / NAME).read_text() == f"{os.getpid()}\n"
    lock.release()


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(StorageError, match="cannot lock"):
        WriterLock(tmp_path / "nothing")


def test_a_lock_that_is_released_twice_closes_nothing_of_others(tmp_path):
    lock = WriterLock(tmp_path)
    lock.release()
    with (tmp_path / "other").open("wb") as other:  # gets the descriptor that is free now
        lock.release()
        os.fstat(other.fileno())
    assert not is_locked(tmp_path)


def test_a_file_system_without_locks_is_no_busy_index(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("aboutness.index.lock.fcntl.flock", refuse)
    with pytest.raises(StorageError, match=r"cannot lock .*writer\.lock: No locks available; put the index on a"):
        WriterLock(tmp_path)


def test_a_lock_knows_whether_its_folder_is_still_there(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    lock = WriterLock(folder)
    assert lock.is_of(folder)
    folder.rename(tmp_path / "b")
    assert lock.is_of(tmp_path / "b")
    assert not lock.is_of(folder)
    folder.mkdir()
    WriterLock(folder).release()
    assert not lock.is_of(folder)
    lock.release()
