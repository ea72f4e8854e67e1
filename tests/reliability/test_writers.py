"""Who may write, and when: one writer at a time, readers always."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from aboutness import Index
from aboutness.core.errors import IndexBusy
from aboutness.index import disk
from aboutness.index.check import check
from aboutness.index.writer import IndexWriter
from cli.running import environment
from reliability.harm import (
    AFTER,
    MORE,
    OLD,
    OPERATIONS,
    Child,
    assert_goes_on,
    assert_sound,
    found_in,
    result_of,
    some_documents,
    state_of,
)

BEFORE = state_of(OLD)


def writing(folder):
    """Start a process that holds the index with changes that it does not commit."""

    def act(tell):
        with IndexWriter(folder) as writer:
            writer.add(MORE)
            writer.merge()
            tell("writing")
            signal.pause()

    child = Child(act)
    assert child.hear() == "writing"
    return child


def test_what_the_tests_were_started_with_does_not_save_a_process_from_a_signal():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        assert result_of(lambda: signal.getsignal(signal.SIGHUP)) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_a_second_writer_is_refused_until_the_first_has_ended(index, number):
    with writing(index) as first:
        for name, operation in OPERATIONS.items():
            with pytest.raises(IndexBusy, match=rf"process {first.pid} is writing to .*x\.index"):
                operation(index)
            assert found_in(index) == BEFORE, name
        refused = result_of(lambda: Index.open(index).merge())
        assert isinstance(refused, IndexBusy)
        assert str(first.pid) in str(refused)
        first.stop(number)
        status, _ = first.end()
    assert status == number
    assert len(list((index / "arrays").iterdir())) > len(Index.open(index).snapshot.manifest.files())
    assert_sound(index, BEFORE)
    OPERATIONS["add"](index)
    assert_sound(index, AFTER["add"])


def test_two_threads_are_two_writers(index):
    with IndexWriter(index), pytest.raises(IndexBusy, match=str(os.getpid())):
        OPERATIONS["add"](index)
    OPERATIONS["add"](index)
    assert_sound(index, AFTER["add"])


@pytest.mark.parametrize("content", [b"", b"999999999\n", b"\xff" * 100])
def test_a_lock_file_left_behind_locks_nobody_out(index, content):
    (index / "writer.lock").write_bytes(content)
    OPERATIONS["add"](index)
    assert (index / "writer.lock").read_text() == f"{os.getpid()}\n"
    assert_sound(index, AFTER["add"])
    (index / "writer.lock").unlink()
    assert_goes_on(index)


def test_a_reader_whose_files_are_replaced_as_it_reads_them_opens_the_newer_generation(index, monkeypatch):
    checksum_of = disk.checksum_of

    def late(path):
        monkeypatch.undo()
        OPERATIONS["merge"](index)
        return checksum_of(path)

    monkeypatch.setattr(disk, "checksum_of", late)
    assert found_in(index) == BEFORE
    assert len(Index.open(index).snapshot.segments) == 1


def test_a_build_leaves_another_build_alone(original, tmp_path):
    target = tmp_path / "x.index"

    def act(tell):
        def records():
            yield from OLD[:5]
            tell("building")
            signal.pause()

        Index.build(records(), target)

    with Child(act) as first:
        assert first.hear() == "building"
        Index.build(OLD, target)
        assert len(list(tmp_path.glob(".x.index.building-*"))) == 1
    assert_sound(target, BEFORE)


def test_readers_see_whole_generations_while_a_writer_commits(index):
    def act(tell):
        tell("ready")
        opened = Index.open(index)
        for number in range(25):
            opened.add([*some_documents(4000 + 2 * number, 2)])
            if number % 5 == 4:
                opened.merge()

    child = Child(act)
    assert child.hear() == "ready"
    ended = threading.Event()
    told: list[object] = []

    def wait():
        told.extend(child.end()[1])
        ended.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    seen = []
    kept = Index.open(index)
    before = {document.id: document for document in kept}
    while not ended.is_set():
        found = found_in(index)
        assert check(index, deep=True).problems == []
        extra = len(found) - len(BEFORE)
        assert extra % 2 == 0
        assert found == {
            **BEFORE,
            **state_of([d for n in range(0, extra, 2) for d in some_documents(4000 + n, 2)]),
        }
        seen.append(extra)
    waiting.join()
    assert told == [("end", None)]
    assert seen == sorted(seen)
    assert {document.id: document for document in kept} == before
    assert kept.refresh()
    assert len(kept) == len(BEFORE) + 50


FORKS = """
import os, sys, time
from aboutness import Index
index = Index.build([{"id": str(i), "text": "sun"} for i in range(9)], sys.argv[1])

def forked():
    child = os.fork()
    if not child:
        sys.exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

with index.changes() as writer:
    writer.add([{"id": "new", "text": "moon"}])
    writer.delete(["3"])  # so that files are written that no commit names yet
    forked()
assert index.check(deep=True).ok, index.check(deep=True)
assert [one.id for one in index] == [*"01245678", "new"]

def records():
    yield {"id": "a", "text": "sun"}
    forked()
    yield {"id": "b", "text": "moon"}

assert len(Index.build(records(), sys.argv[1] + "-other")) == 2

with index.changes() as writer:
    writer.delete(["4"])
    child = os.fork()
    if not child:
        try:
            writer.commit()
        except Exception as error:
            os._exit(7 if "belongs to the process that forked this one" in str(error) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    sleeping = os.fork()
    if not sleeping:
        time.sleep(60)
        os._exit(0)
try:
    index.add([{"id": "later", "text": "star"}])  # the child, which lives on, has no part in the lock
finally:
    os.kill(sleeping, 9)
    os.waitpid(sleeping, 0)
assert index.check(deep=True).ok
assert [one.id for one in index] == [*"0125678", "new", "later"]
"""


def test_a_fork_of_a_writer_harms_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FORKS, str(tmp_path / "x.index")], env=environment(), capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
