"""An interrupt that comes when the changes are in must not say that the index is unchanged."""

from __future__ import annotations

import pytest

from aboutness import Index
from aboutness.app.sources import Sources
from aboutness.index import disk
from aboutness.index.database import ManifestStore

UNCHANGED = "aboutness: interrupted; the index is unchanged\n"
CHANGED = "aboutness: interrupted; the changes are in\n"


@pytest.fixture
def interrupt():
    """Let an interrupt come while a function runs: before what it does, or, as signals wait for it, behind that."""

    patch = pytest.MonkeyPatch()

    def at(owner, name, *, done=True):
        real = getattr(owner, name)

        def interrupted(*args, **kwargs):
            patch.undo()
            if done:
                real(*args, **kwargs)
            raise KeyboardInterrupt

        patch.setattr(owner, name, interrupted)

    yield at
    patch.undo()


COMMANDS = {
    "add": ["add", "three.index", "more.jsonl"],
    "sync": ["sync", "three.index", "more.jsonl"],
    "delete": ["delete", "three.index", "a"],
    "layer": ["layer", "three.index", "exact", "plain"],
    "overwrite": ["index", "more.jsonl", "-o", "three.index", "--overwrite"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("done", [False, True])
def test_an_interrupt_of_a_commit_says_what_became_of_it(three, write, call, interrupt, command, done):
    write("more.jsonl", [{"id": "z", "text": "the sea"}])
    interrupt(ManifestStore, "save", done=done)
    ran = call(*COMMANDS[command])
    assert (ran.code, ran.err) == (130, CHANGED if done else UNCHANGED)
    assert Index.open(three).snapshot.generation == (2 if done else 1)


@pytest.mark.parametrize("command", ["add", "sync", "delete", "layer"])
def test_an_interrupt_behind_a_commit_says_that_the_changes_are_in(three, write, call, interrupt, command):
    write("more.jsonl", [{"id": "z", "text": "the sea"}])
    real = ManifestStore.save

    def saved(store, manifest):
        real(store, manifest)
        interrupt(Index, "refresh")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ManifestStore, "save", saved)
        ran = call(*COMMANDS[command])
    assert (ran.code, ran.err) == (130, CHANGED)
    assert Index.open(three).snapshot.generation == 2


@pytest.mark.parametrize(("name", "done"), [("move", True), ("move", False), ("sync_folder", True)])
def test_an_interrupt_of_a_build_says_whether_the_index_is_there(write, call, interrupt, tmp_path, name, done):
    write("more.jsonl", [{"id": "z", "text": "the sea"}])
    real = ManifestStore.save

    def saved(store, manifest):
        real(store, manifest)
        if manifest.generation:
            interrupt(disk, name, done=done)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ManifestStore, "save", saved)
        ran = call("index", "more.jsonl", "-o", "new.index")
    assert ran.code == 130
    is_there = (tmp_path / "new.index").exists()
    said = "aboutness: interrupted; the index is made, at new.index\n"
    assert ran.err == (said if is_there else UNCHANGED)
    assert is_there == done


def test_an_interrupt_while_files_are_counted_says_that_the_changes_are_in(three, write, call, interrupt):
    write("more.jsonl", [{"id": "z", "text": "the sea"}])
    interrupt(Sources, "left_out")
    ran = call("add", "three.index", "more.jsonl")
    assert (ran.code, ran.err) == (130, CHANGED)
    interrupt(Sources, "left_out")
    ran = call("sync", "three.index", "more.jsonl", "--dry-run")
    assert (ran.code, ran.err) == (130, UNCHANGED)


@pytest.mark.parametrize(("command", "code"), [("analyzers", 0), ("info nothing.index", 4)])
def test_an_interrupt_when_all_is_done_does_not_deny_it(run, command, code):
    late = (
        "import atexit, os, signal, sys\n"
        "from aboutness.cli.main import main\n"
        "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        f"sys.argv = ['aboutness', *{command.split()}]\n"
        "main()"
    )
    ran = run(python=("-c", late))
    assert ran.code == code
    assert ("KeyboardInterrupt" in ran.err) == bool(code)  # what failed may still have threads to wait for
