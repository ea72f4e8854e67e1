"""A disk that is full or fails at any write, sync, open or rename: the old generation stays, and is sound."""

from __future__ import annotations

import errno
import os
import resource

import pytest

from aboutness import Index
from aboutness.core.errors import StorageError
from aboutness.index.database import ManifestStore
from aboutness.index.writer import IndexWriter
from reliability.harm import (
    AFTER,
    MORE,
    OLD,
    OPERATIONS,
    assert_goes_on,
    assert_sound,
    fill,
    found_in,
    renewed,
    result_of,
    some_documents,
    state_of,
    watched,
)

BEFORE = state_of(OLD)
WRITING = ("open", "write", "fsync", "rename", "mkdir")


def fault(code, at, *, lasting):
    """Return what makes the call with number `at`, and with `lasting` all later ones, fail."""

    def fail(name, number, arguments):
        reads = name == "open" and not arguments[1] & os.O_CREAT and not arguments[1] & os.O_DIRECTORY
        if not reads and (number == at or (lasting and number > at)):
            raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize(
    ("code", "lasting", "words"),
    [(errno.ENOSPC, True, "the disk is full"), (errno.EIO, False, "input/output error")],
)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_fault_at_every_step(original, tmp_path, name, code, lasting, words):
    folder = renewed(original, tmp_path / "x.index")
    at, met = 0, 0
    while True:
        at += 1
        try:
            with watched(WRITING, fault(code, at, lasting=lasting)) as made:
                OPERATIONS[name](folder)
        except StorageError as error:
            met += 1
            assert words in str(error)
            assert str(folder) in str(error)
            assert {path.name for path in (folder / "arrays").iterdir()} == Index.open(
                folder
            ).snapshot.manifest.files()
            assert_sound(folder, BEFORE)
        else:
            if at > len(made):
                break
    assert met >= min(len(made), 2)
    assert_sound(folder, AFTER[name])


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_fault_at_every_step_of_a_build(original, tmp_path, code):
    target = tmp_path / "folder" / "x.index"
    at, met = 0, 0
    while True:
        at += 1
        try:
            with watched(WRITING, fault(code, at, lasting=True)) as made:
                Index.build(OLD, target)
        except StorageError:
            met += 1
            names = [path.name for path in target.parent.iterdir()] if target.parent.exists() else []
            assert names in ([], ["x.index"])  # the last step makes the name of the complete index durable
            if names:
                assert_sound(target, BEFORE)
                target.rename(tmp_path / f"done-{at}")
        else:
            if at > len(made):
                break
    assert met > 5
    assert_sound(target, BEFORE)


def test_writes_may_be_short(original, tmp_path):
    whole, short = (renewed(original, tmp_path / name) for name in ("whole", "short"))
    OPERATIONS["add"](whole)
    write = os.write

    def half(_name, _number, arguments):
        descriptor, data = arguments
        return write(descriptor, data[: max(1, len(data) // 2)])

    with watched(("write",), half) as made:
        OPERATIONS["add"](short)
    assert len(made) > 50
    assert_sound(short, AFTER["add"])
    sizes = [sorted(path.stat().st_size for path in (folder / "arrays").iterdir()) for folder in (whole, short)]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("step", ["add", "merge"])
def test_a_writer_that_met_a_full_disk_can_commit_once_there_is_space(index, step):
    with IndexWriter(index) as writer:
        writer.add(some_documents(3000, 1))
        if step == "add":
            writer.add(MORE)
        with watched(WRITING, fault(errno.ENOSPC, 1, lasting=True)), pytest.raises(StorageError):
            (writer.merge if step == "merge" else writer.commit)()
        writer.commit()
    expected = {**BEFORE, **state_of(some_documents(3000, 1))}
    assert_sound(index, {**expected, **state_of(MORE)} if step == "add" else expected)


def test_a_writer_can_roll_back_after_a_full_disk(index):
    with IndexWriter(index) as writer:
        writer.add(MORE)
        with watched(WRITING, fault(errno.ENOSPC, 1, lasting=True)), pytest.raises(StorageError):
            writer.commit()
        writer.rollback()
        writer.delete(["d1"])
        writer.commit()
    expected = dict(BEFORE)
    del expected["d1"]
    assert_sound(index, expected)


def test_a_commit_that_went_through_and_then_failed_is_kept(index, monkeypatch):
    save = ManifestStore.save

    def late(self, manifest):
        save(self, manifest)
        raise StorageError("the name of the removed journal could not be synced")

    monkeypatch.setattr(ManifestStore, "save", late)
    with pytest.raises(StorageError):
        OPERATIONS["add"](index)
    with IndexWriter(index) as writer:
        writer.add(some_documents(3000, 1))
        with pytest.raises(StorageError):
            writer.commit()
        writer.rollback()
    monkeypatch.undo()
    assert_sound(index, {**AFTER["add"], **state_of(some_documents(3000, 1))})


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_database_too_may_meet_a_limit(original, tmp_path, name):
    folder = tmp_path / "x.index"
    failed = 0
    for limit in (0, 1, 512, 513, 4096, 5000, 9000, 20_000, 50_000):

        def act(most=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            OPERATIONS[name](folder)

        renewed(original, folder)
        result = result_of(act)
        assert result is None or isinstance(result, StorageError)
        failed += result is not None
        assert_sound(folder, BEFORE if result is not None else AFTER[name])
        assert_goes_on(folder)
    assert failed >= 4


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_disk_that_is_really_full(original, small_disk, name):
    folder = small_disk / "x.index"
    outcomes = []
    for pages in range(0, 90, 5):
        renewed(original, folder)
        fill(small_disk / "filler", 4096 * pages)
        try:
            OPERATIONS[name](folder)
        except StorageError:
            outcomes.append(False)
        else:
            outcomes.append(True)
        assert found_in(folder) == (AFTER[name] if outcomes[-1] else BEFORE)
        (small_disk / "filler").unlink()
        assert_sound(folder, AFTER[name] if outcomes[-1] else BEFORE)
        assert_goes_on(folder)
    assert not outcomes[0]
    assert outcomes[-1]


def test_a_build_on_a_disk_that_is_really_full(original, small_disk):
    target = small_disk / "x.index"
    failed = 0
    for pages in range(0, 60, 4):
        fill(small_disk / "filler", 4096 * pages)
        try:
            Index.build(OLD, target)
        except StorageError as error:
            failed += 1
            assert "full" in str(error)
            assert [path.name for path in small_disk.iterdir()] == ["filler"]
        else:
            break
    assert failed > 5
    assert_sound(target, BEFORE)
