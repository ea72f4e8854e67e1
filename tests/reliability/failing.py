"""A command whose disk fails at one call, be it SQLite's or ours: what it must leave behind."""

from __future__ import annotations

import errno
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from aboutness import Index
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import IndexWriter
from reliability.harm import MORE, OLD, assert_goes_on, assert_sound, renewed, state_of
from reliability.power import Judge, Recording
from reliability.recorded import Fault, Kind, Recorder
from reliability.replayed import Tree, tree_of
from reliability.scenarios import BROKEN, NEW, SCENARIOS

DISK = 6  # the exit code
COMMANDS = [name for name, scenario in SCENARIOS.items() if scenario.command]
FAULTS = {"EIO": (errno.EIO, False), "ENOSPC": (errno.ENOSPC, True), "short": (0, False)}
FAILING = Kind.WRITE, Kind.TRUNCATE, Kind.SYNC, Kind.RENAME, Kind.UNLINK, Kind.MKDIR, Kind.RMDIR
SPARSE = 9  # of the writes to files of arrays, one in so many


def numbers(recording: Recording, *, of_sqlite: bool = False) -> Iterator[int]:
    """Yield the numbers of the calls that can fail, but for most writes to arrays; or only those of SQLite."""
    paths: dict[int, str] = {}
    for call in recording.calls:
        if call.kind is Kind.OPEN:
            paths[call.descriptor] = call.path
            opened = call.flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR | os.O_DIRECTORY)
        path = call.path or paths.get(call.descriptor, "")
        if call.kind not in FAILING and not (call.kind is Kind.OPEN and opened):
            continue
        if of_sqlite and "index.db" not in path and not path.endswith(".index"):
            continue
        if call.kind is not Kind.WRITE or "index.db" in path or call.number % SPARSE == 0:
            yield call.number


def assert_failure_is_harmless(
    recorder: Recorder, judge: Judge, name: str, start: Path, fault: Fault, *, further: bool
) -> str:
    """Run a command with a fault; assert what it leaves is right, and return what that is: "old" or "new".

    With `further`, the next change is made, too.
    """
    scenario = SCENARIOS[name]
    root = renewed(start, start.parent / "recorded")
    outcome = recorder.run(name, root, fault=fault, by_command=True)
    folder = root / scenario.target
    assert outcome.code in ((0, DISK) if fault.code else (0,)), outcome
    assert "Traceback" not in outcome.error
    old = judge.look(tree_of(root)) == judge.states[0]
    if not old:  # the commit had gone through when the disk failed
        assert scenario.after is not None
        assert_sound(folder, scenario.after)
    assert not (old and outcome.code == 0)
    if scenario.target in (NEW, BROKEN):
        _assert_can_be_built(folder, old=old)
    else:
        _assert_no_litter(folder)
        if further:
            assert_sound(folder, scenario.after if not old and scenario.after else state_of(OLD))
            assert_goes_on(folder)
    assert _others(tree_of(root), scenario.target) == _others(judge.start, scenario.target)
    return "old" if old else "new"


def _others(tree: Tree, target: str) -> Tree:
    """Return what a command has no business with."""
    own = target.partition("/")[0]
    return {path: content for path, content in tree.items() if path.partition("/")[0] != own}


def _assert_no_litter(folder: Path) -> None:
    IndexWriter(folder).close()
    named = Snapshot.open(folder).manifest.files()
    assert {path.name for path in (folder / "arrays").iterdir()} == named


def _assert_can_be_built(folder: Path, *, old: bool) -> None:
    """Assert that an index that was not built can be, with nothing left beside it of the first time."""
    assert folder.exists() or folder.parent.name == "deep" or not old
    if old or any(folder.parent.glob(".*")):
        if not old:
            shutil.rmtree(folder)
        Index.build(MORE, folder, overwrite=True)
        assert_sound(folder, state_of(MORE))
    assert [path.name for path in folder.parent.glob(".*")] == []


def faults(
    recording: Recording, how: str, draw: random.Random, most: int, *, of_sqlite: bool = False
) -> list[Fault]:
    """Return faults of one kind at every move and some other calls of a recording."""
    code, lasting = FAULTS[how]
    moves = {call.number for call in recording.calls if call.kind is Kind.RENAME}
    others = sorted({*numbers(recording, of_sqlite=of_sqlite)} - moves)
    return [Fault(code, at, lasting) for at in sorted({*draw.sample(others, min(most, len(others))), *moves})]
