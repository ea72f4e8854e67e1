"""A training that is interrupted, killed, started twice, or meets a full disk: nothing trained is lost."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from aboutness import Index
from aboutness.cli.main import app
from aboutness.core.errors import IndexBusy, StorageError, UsageError
from aboutness.index.check import check
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.threads import Work
from aboutness.vectors.word2vec import Word2Vec, WordTraining
from cli.running import Ran, environment
from reliability.harm import Child, found_in, some_documents, watched
from reliability.test_read_only import as_reader, closed

SETTINGS = {"dim": 8, "min_count": 1, "epochs": 2000}
OPTIONS = ["--dim", "8", "--min-count", "1", "--epochs", "2000", "--threads", "1"]
QUICK = {"dim": 8, "min_count": 1, "epochs": 3, "threads": 1}
GOING_ON = "there is a checkpoint of an interrupted training: going on from it (--restart starts anew)\n"
WRITING = ("open", "write", "fsync", "replace", "rename", "mkdir")

# What the command does, but for a checkpoint after each tenth of a second, and a signal after the first of them:
# at once, or while a block is trained that comes a little later.
CHILD = """
import os, signal, sys, time
from aboutness.cli.main import main
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.word2vec import WordTraining

number, at_once = signal.Signals[sys.argv.pop(1)], sys.argv.pop(1) == "at once"
waiting = -1  # blocks until the signal, after the first checkpoint
Checkpoint.__init__.__kwdefaults__["every"] = 0.1
save, block = Checkpoint.save, WordTraining._block

def stop():
    os.kill(os.getpid(), number)
    time.sleep(0.3)

def saved(self, *arguments):
    global waiting
    save(self, *arguments)
    Checkpoint.save, waiting = save, 3
    if at_once:
        stop()

def trained(self, *arguments):
    global waiting
    waiting -= 1
    if waiting == 0:
        stop()
    block(self, *arguments)

Checkpoint.save, WordTraining._block = saved, trained
main()
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Return an index on which 2,000 epochs take about a second."""
    folder = tmp_path_factory.mktemp("small") / "x.index"
    Index.build(some_documents(0, 60), folder, analyzer="plain")
    return folder


@pytest.fixture
def folder(small, tmp_path):
    return Path(shutil.copytree(small, tmp_path / "x.index"))


@pytest.fixture(scope="module")
def expected(small, tmp_path_factory):
    """Return what a training that nothing disturbs gives: the bytes of its file."""
    folder = Path(shutil.copytree(small, tmp_path_factory.mktemp("expected") / "x.index"))
    Index.open(folder).train(**SETTINGS, threads=1)
    return trained(folder)


def trained(folder):
    (file,) = (folder / "arrays").glob("artefact-*")
    return file.read_bytes()


def checkpoint_of(folder, name="word2vec"):
    return folder / "training" / name / "checkpoint.safetensors"


def command(folder, *options, stopped=()):
    """Run `aboutness train` in a process of its own, which may be stopped: by a signal, and when."""
    how = ["-c", CHILD, *stopped] if stopped else ["-m", "aboutness"]
    done = subprocess.run(
        [sys.executable, *how, "train", str(folder), "word2vec", *OPTIONS, *options],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment(), timeout=120, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def call(*arguments):
    """Run a command in this process."""
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    return Ran(result.exit_code, result.stdout, result.stderr)


def assert_as_before(folder, small):
    index = Index.open(folder, verify=True)
    assert (index.snapshot.generation, index.snapshot.manifest.artefacts) == (1, {})
    assert found_in(folder) == found_in(small)
    assert {path.name for path in (folder / "arrays").iterdir()} == index.snapshot.manifest.files()
    assert check(folder, deep=True).problems == []


def interrupted(folder, **settings):
    """Interrupt a training as soon as it tells how far it is, so that there is a checkpoint."""

    def interrupt(_progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.open(folder).train(**settings, progress=interrupt)
    assert checkpoint_of(folder).exists()


# --- interrupted and killed ----------------------------------------------------------------------------


def test_checkpoints_on_the_way_change_nothing(folder, expected, monkeypatch):
    monkeypatch.setitem(Checkpoint.__init__.__kwdefaults__, "every", 0.1)
    with watched(("replace",), lambda *_: None) as made:
        Index.open(folder).train(**SETTINGS, threads=1)
    assert len(made) > 1  # one of them at the end
    assert trained(folder) == expected
    assert not checkpoint_of(folder).exists()


def test_an_interrupted_training_goes_on_to_the_same_bytes(folder, small, expected):
    ran = command(folder, stopped=["SIGINT", "in a block"])
    assert (ran.code, ran.out) == (130, "")
    assert ran.err == (
        "what has been trained is kept; run the command again to go on\n"
        "aboutness: interrupted; the index is unchanged\n"
    )
    assert_as_before(folder, small)
    assert sorted(os.listdir(checkpoint_of(folder).parent)) == ["checkpoint.safetensors", "writer.lock"]
    ran = command(folder, "--json")
    assert (ran.code, ran.err) == (0, GOING_ON)
    assert json.loads(ran.out)["dim"] == 8
    assert trained(folder) == expected
    assert os.listdir(checkpoint_of(folder).parent) == ["writer.lock"]


def test_an_interrupt_as_the_threads_start_waits_for_them():
    under_way = threading.Event()

    def do(piece):
        under_way.set()
        if piece == 0:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        under_way.clear()

    work = Work(do, 0, 5, 1)
    with pytest.raises(KeyboardInterrupt):
        work.run(60, lambda: None)
    assert not under_way.is_set()
    assert work.next == 1


def test_a_killed_training_goes_on_to_the_same_bytes(folder, small, expected):
    ran = command(folder, stopped=["SIGKILL", "in a block"])
    assert (ran.code, ran.out, ran.err) == (-signal.SIGKILL, "", "")
    assert_as_before(folder, small)
    ran = command(folder, stopped=["SIGKILL", "at once"])  # and once more, on the way
    assert (ran.code, ran.err) == (-signal.SIGKILL, GOING_ON)
    ran = command(folder)
    assert (ran.code, ran.err) == (0, GOING_ON)
    assert trained(folder) == expected
    assert os.listdir(checkpoint_of(folder).parent) == ["writer.lock"]


def test_a_training_that_goes_on_does_not_start_anew(folder):
    told = []

    def interrupt(progress):
        told.append(progress.done)
        if progress.done:
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            Index.open(folder).train(**{**QUICK, "epochs": 100_000}, progress=interrupt)
    reached = [done for done in told if done]
    assert len(reached) == 3
    assert reached == sorted(set(reached))


def test_restart_forgets_what_was_reached(folder, small, tmp_path):
    interrupted(folder, **QUICK)
    damage_numbers(checkpoint_of(folder))
    made = Index.open(folder).train(**QUICK, restart=True)
    undisturbed = Index.open(shutil.copytree(small, tmp_path / "other.index")).train(**QUICK)
    np.testing.assert_array_equal(made.space("out"), undisturbed.space("out"))


def test_an_interrupt_while_the_result_is_kept_loses_nothing(folder, small, monkeypatch):
    def interrupt(_name, _number, arguments):
        if "arrays" in str(arguments[0]):
            raise KeyboardInterrupt

    with watched(("open",), interrupt), pytest.raises(KeyboardInterrupt):
        Index.open(folder).train(**QUICK)
    assert_as_before(folder, small)
    assert_only_saves(folder, monkeypatch)


# --- another training ----------------------------------------------------------------------------------


def test_another_training_than_that_of_the_checkpoint(folder, small):
    interrupted(folder, **QUICK)
    kept = checkpoint_of(folder).read_bytes()
    options = ["train", folder, "word2vec", "--min-count", "1", "--epochs", "3", "--threads", "1"]
    ran = call(*options, "--dim", "4")
    assert (ran.code, ran.out) == (2, "")
    told = ran.err.splitlines()[-1]
    assert told.startswith(
        f"aboutness: {checkpoint_of(folder)} is the checkpoint of another training, with training"
    )
    assert "word2vec[dim=8,epochs=3,min_count=1]" in told
    assert told.endswith("go on with the same settings and documents, or start anew with restart (--restart)")
    assert_as_before(folder, small)
    assert checkpoint_of(folder).read_bytes() == kept
    ran = call(*options, "--dim", "4", "--restart")
    assert (ran.code, ran.err) == (0, "")
    assert Index.open(folder).vectors().dim == 4
    assert not checkpoint_of(folder).exists()


def test_other_documents_than_those_of_the_checkpoint(folder):
    interrupted(folder, **QUICK)
    Index.open(folder).delete("d1")
    with pytest.raises(UsageError, match="is the checkpoint of another training, with tokens"):
        Index.open(folder).train(**QUICK)
    assert "d1" not in Index.open(folder)
    Index.open(folder).train(**QUICK, restart=True)
    Index.open(folder).train(**QUICK)


def test_another_layer_or_field_than_that_of_the_checkpoint(folder):
    interrupted(folder, **QUICK)
    Index.open(folder).add_layer("pieces", "letters")
    for other in ({"layer": "pieces"}, {"fields": ["title"]}):
        with pytest.raises(UsageError, match="is the checkpoint of another training"):
            Index.open(folder).train(**QUICK, **other)
    Index.open(folder).train(**QUICK)


def test_another_name_has_another_checkpoint(folder):
    interrupted(folder, **QUICK)
    Index.open(folder).train(**{**QUICK, "dim": 4}, name="other")
    assert checkpoint_of(folder).exists()
    assert not checkpoint_of(folder, "other").exists()


def test_a_training_may_go_on_with_more_threads(folder):
    interrupted(folder, **QUICK)
    assert Index.open(folder).train(**{**QUICK, "threads": 2}).provenance["threads"] in (1, 2)  # one a block
    assert not checkpoint_of(folder).exists()


# --- damaged checkpoints -------------------------------------------------------------------------------


def test_a_checkpoint_that_is_cut(folder, small):
    interrupted(folder, **QUICK)
    path = checkpoint_of(folder)
    whole = path.read_bytes()
    for length in (0, 1, 7, 8, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(UsageError) as caught:
            Index.open(folder).train(**QUICK)
        assert str(caught.value).startswith(f"the checkpoint {path} cannot be read (")
        assert str(caught.value).endswith("start anew with restart (--restart)")
        assert path.read_bytes() == whole[:length]
    ran = call("train", folder, "word2vec", "--dim", "8", "--min-count", "1", "--epochs", "3", "--threads", "1")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be read" in ran.err
    assert_as_before(folder, small)
    Index.open(folder).train(**QUICK, restart=True)
    assert not path.exists()


def flipped(whole, places):
    for place in places:
        other = bytearray(whole)
        other[place] ^= 0x41
        yield bytes(other)


def test_bytes_of_a_checkpoint_that_are_flipped(folder, small):
    interrupted(folder, **QUICK)
    path = checkpoint_of(folder)
    whole = path.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    about = whole.index(b'{"training"')
    used = len(whole[:header].rstrip())
    for content in flipped(whole, [*range(0, used, 7), *range(about, len(whole), 7)]):
        path.write_bytes(content)
        with pytest.raises(UsageError, match=r"checkpoint.*--restart"):
            Index.open(folder).train(**QUICK)
    assert_as_before(folder, small)


def damage_numbers(path):
    whole = path.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    (content,) = flipped(whole, [(header + whole.index(b'{"training"')) // 2])
    path.write_bytes(content)


def test_numbers_of_a_checkpoint_that_are_flipped(folder):
    interrupted(folder, **QUICK)
    damage_numbers(checkpoint_of(folder))
    with pytest.raises(UsageError, match="checkpoint"):
        Index.open(folder).train(**QUICK)


# --- disks ---------------------------------------------------------------------------------------------


def full(inside):
    """Return what makes every file that is to be made in a folder of that name fail."""

    def fail(name, _number, arguments):
        if name == "open" and arguments[1] & os.O_CREAT and f"/{inside}/" in str(arguments[0]):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return fail


def assert_only_saves(folder, monkeypatch):
    """Assert that a training which had come to its end is kept without any further training."""

    def trained_again(*_):
        raise AssertionError("trained again")

    assert checkpoint_of(folder).exists()
    other = folder.with_name("undisturbed.index")
    shutil.copytree(folder, other)
    undisturbed = Index.open(other).train(**QUICK, restart=True)
    monkeypatch.setattr(WordTraining, "_block", trained_again)
    made = Index.open(folder).train(**QUICK)
    for space in ("in", "out"):
        np.testing.assert_array_equal(made.space(space), undisturbed.space(space))
    assert not checkpoint_of(folder).exists()
    assert check(folder, deep=True).problems == []


def test_a_disk_that_is_full_when_the_result_is_kept(folder, small, monkeypatch):
    with watched(("open",), full("arrays")), pytest.raises(StorageError, match="the disk is full"):
        Index.open(folder).train(**QUICK)
    assert_as_before(folder, small)
    assert_only_saves(folder, monkeypatch)


def test_a_full_disk_ends_the_command_with_6(folder, small, monkeypatch):
    options = ["train", folder, "word2vec", "--dim", "8", "--min-count", "1", "--epochs", "3", "--threads", "1"]
    with watched(("open",), full("arrays")):
        ran = call(*options)
    assert (ran.code, ran.out) == (6, "")
    assert "the disk is full; free some space and run the command again" in ran.err
    assert ran.err.count("\n") == 1
    assert_as_before(folder, small)
    monkeypatch.setattr(WordTraining, "_block", None)
    ran = call(*options)
    assert (ran.code, ran.err) == (0, GOING_ON)


def test_a_fault_at_every_step(folder, small):
    met = at = 0
    wanted = None
    while True:
        at += 1
        shutil.rmtree(folder)
        shutil.copytree(small, folder)

        def fail(name, number, arguments, last=at):
            reads = name == "open" and not arguments[1] & (os.O_CREAT | os.O_DIRECTORY)
            if number >= last and not reads:
                raise OSError(errno.EIO, os.strerror(errno.EIO))

        try:
            with watched(WRITING, fail) as made:
                Index.open(folder).train(**QUICK)
        except StorageError as error:
            met += 1
            assert str(folder) in str(error)
            assert_as_before(folder, small)
            found = Index.open(folder).train(**QUICK)
            if wanted is not None:
                np.testing.assert_array_equal(found.space("out"), wanted)
            wanted = found.space("out")
        else:
            if at > len(made):
                break
    assert met > 10
    np.testing.assert_array_equal(Index.open(folder).vectors().space("out"), wanted)


def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(folder, small):
    interrupted(folder, **SETTINGS, threads=1)
    kept = checkpoint_of(folder).read_bytes()
    with watched(("open",), full("training/word2vec")), pytest.raises(StorageError, match="the disk is full"):
        Index.open(folder).train(**SETTINGS, threads=1)
    assert_as_before(folder, small)
    assert checkpoint_of(folder).read_bytes() == kept
    assert sorted(os.listdir(checkpoint_of(folder).parent)) == ["checkpoint.safetensors", "writer.lock"]


def test_a_folder_that_cannot_be_written_is_told_before_the_training(small, open_folder, monkeypatch):
    shelf = Path(shutil.copytree(small, open_folder / "x.index"))
    monkeypatch.setattr(Word2Vec, "train", lambda *_, **__: pytest.fail("trained"))
    closed(shelf)
    try:
        error = as_reader(lambda: Index.open(shelf).train(**QUICK))
        assert isinstance(error, StorageError), error
        assert "permission denied" in str(error)
        assert str(shelf) in str(error)
        assert not (shelf / "training").exists()
    finally:
        closed(shelf, 0o644, 0o755)


# --- two at once ---------------------------------------------------------------------------------------


def test_two_trainings_of_one_name(folder):
    def act(tell):
        def pause(_progress):
            tell("training")
            signal.pause()

        Index.open(folder).train(**QUICK, progress=pause)

    with Child(act) as first:
        assert first.hear() == "training"
        busy = rf"process {first.pid} is writing to .*training/word2vec"
        for restart in (False, True):
            with pytest.raises(IndexBusy, match=busy):
                Index.open(folder).train(**QUICK, restart=restart)
        ran = call("train", folder, "word2vec", "--dim", "8")
        assert (ran.code, ran.out) == (7, "")
        Index.open(folder).train(**QUICK, name="other")
        Index.open(folder).add(some_documents(500, 1))
        first.stop()
        first.end()
    made = Index.open(folder).train(**QUICK)
    assert sorted(Index.open(folder).snapshot.manifest.artefacts) == ["other", "word2vec"]
    assert made.provenance["documents"] == 61


def test_the_index_changes_while_it_is_trained_on(folder):
    def act(tell):
        index = Index.open(folder)

        def wait(_progress):
            tell("training")
            signal.sigwait({signal.SIGUSR1})

        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        index.train(**QUICK, progress=wait)
        return index.snapshot.generation, len(index)

    with Child(act) as child:
        assert child.hear() == "training"
        Index.open(folder).delete([f"d{n}" for n in range(40)])
        Index.open(folder).merge()
        while (told := child.stop(signal.SIGUSR1) or child.hear()) == "training":
            pass
        assert told == ("end", (3, 20))
        child.end()
    index = Index.open(folder, verify=True)
    entry = index.snapshot.manifest.artefacts["word2vec"]
    assert (entry.generation, index.vectors().provenance["documents"]) == (1, 60)
    assert index.check(deep=True).ok
