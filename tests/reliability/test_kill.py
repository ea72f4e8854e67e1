"""kill -9, and Ctrl-C, at any moment: the old generation or the new one, never anything between."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aboutness import Index
from aboutness.index.database import ManifestStore
from cli.running import environment
from reliability.harm import (
    AFTER,
    CALLS,
    OLD,
    OPERATIONS,
    Child,
    assert_goes_on,
    assert_sound,
    duration_of,
    found_in,
    renewed,
    state_of,
    watched,
)

TESTS = Path(__file__).parents[1]
KILLS = 200
INTERRUPTS = 5
BEFORE = state_of(OLD)


def interrupted(run, delay):
    """Run something in a process that is interrupted after `delay` seconds; return whether it had finished."""

    def act(tell):
        tell("ready")
        run()
        tell("committed")

    child = Child(act)
    assert child.hear() == "ready"
    time.sleep(delay)
    child.stop(signal.SIGINT)
    _, told = child.end()
    assert not any(isinstance(what[1], Exception) for what in told if isinstance(what, tuple))
    return "committed" in told


def test_kills_at_random_moments():
    """Run the stress command, in a process of its own: nothing that forks may have run a parallel kernel."""
    command = [sys.executable, "-m", "stress.kill", "--count", str(KILLS), "--seconds", "600"]
    ran = subprocess.run(command, cwd=TESTS, env=environment(), capture_output=True, text=True, check=False)
    figures = json.loads(ran.stdout.splitlines()[-1])
    assert (figures["failures"], figures["lost"], figures["unopenable"]) == ([], 0, 0), ran.stderr
    assert figures["rounds"] == figures["killed"] == KILLS
    assert min(figures["told"], figures["under way, and not in"]) > KILLS // 20
    assert min(figures["kinds"].values()) >= KILLS // 10


@pytest.mark.parametrize("name", OPERATIONS)
def test_interrupts_at_random_moments(original, tmp_path, name):
    draw = random.Random(name)
    folder = tmp_path / "x.index"
    operation = OPERATIONS[name]
    renewed(original, folder)
    usual = duration_of(lambda: operation(folder))
    for _ in range(INTERRUPTS):
        renewed(original, folder)
        committed = interrupted(lambda: operation(folder), draw.uniform(0, 1.2 * usual))
        state = assert_sound(folder, BEFORE, AFTER[name])
        if committed:
            assert found_in(folder) == AFTER[name]
        if AFTER[name] != BEFORE:
            assert Index.open(folder).snapshot.generation == Index.open(original).snapshot.generation + state
        assert_goes_on(folder)


def test_a_build_is_interrupted_at_random_moments(original, tmp_path):
    draw = random.Random(1)
    usual = duration_of(lambda: Index.build(OLD, tmp_path / "first.index"))
    for turn in range(INTERRUPTS):
        target = tmp_path / str(turn) / "x.index"
        committed = interrupted(lambda at=target: Index.build(OLD, at), draw.uniform(0, 1.2 * usual))
        if not target.exists():
            assert not committed
            Index.build(OLD, target)
        assert_sound(target, BEFORE)
        assert [path.name for path in target.parent.iterdir()] == ["x.index"]


def steps_of(operation, folder):
    """Return the numbers of the calls before which to die: each but for most of the many writes."""
    with watched(CALLS, lambda *_: None) as made:
        operation(folder)
    writes = [number for number, name in enumerate(made, 1) if name == "write"]
    return sorted({*range(1, len(made) + 1)}.difference(writes).union(writes[::9], writes[-1:]))


@pytest.mark.parametrize("name", OPERATIONS)
def test_before_every_step(original, tmp_path, name):
    folder = tmp_path / "x.index"
    operation = OPERATIONS[name]

    def dying(at):
        def act(_tell):
            def die(_name, number, _arguments):
                if number == at:
                    os.kill(os.getpid(), signal.SIGKILL)

            with watched(CALLS, die):
                operation(folder)

        return act

    renewed(original, folder)
    for at in steps_of(operation, folder):
        renewed(original, folder)
        Child(dying(at)).end()
        assert_sound(folder, BEFORE, AFTER[name])


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_around_the_commit(index, name, moment):
    def act(_tell):
        save = ManifestStore.save

        def dying(self, manifest):
            if moment == "after":
                save(self, manifest)
            os.kill(os.getpid(), signal.SIGKILL)

        ManifestStore.save = dying
        OPERATIONS[name](index)

    status, told = Child(act).end()
    assert (status, told) == (signal.SIGKILL, [])
    assert_sound(index, AFTER[name] if moment == "after" else BEFORE)


def test_an_interrupt_as_the_commit_returns_does_not_remove_what_it_named(index, monkeypatch):
    save = ManifestStore.save

    def late(self, manifest):
        save(self, manifest)
        raise KeyboardInterrupt

    monkeypatch.setattr(ManifestStore, "save", late)
    with pytest.raises(KeyboardInterrupt):
        OPERATIONS["add"](index)
    monkeypatch.undo()
    assert_sound(index, AFTER["add"])
