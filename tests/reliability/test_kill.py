"""kill -9, and Ctrl-C, at any moment: the old generation or the new one, never anything between."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from aboutness import Index
from aboutness.index.database import ManifestStore
from aboutness.index.writer import IndexWriter
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
    some_documents,
    state_of,
    watched,
)

KILLS = 12
BEFORE = state_of(OLD)


def stopped(run, delay, number):
    """Run something in a process that is signalled after `delay` seconds; return whether it had finished."""

    def act(tell):
        tell("ready")
        run()
        tell("committed")

    child = Child(act)
    assert child.hear() == "ready"
    time.sleep(delay)
    child.stop(number)
    _, told = child.end()
    assert not any(isinstance(what[1], Exception) for what in told if isinstance(what, tuple))
    return "committed" in told


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_at_random_moments(original, tmp_path, name, number):
    draw = random.Random(f"{name} {number}")
    folder = tmp_path / "x.index"
    operation = OPERATIONS[name]
    renewed(original, folder)
    usual = duration_of(lambda: operation(folder))
    for _ in range(KILLS):
        renewed(original, folder)
        committed = stopped(lambda: operation(folder), draw.uniform(0, 1.2 * usual), number)
        state = assert_sound(folder, BEFORE, AFTER[name])
        if committed:
            assert found_in(folder) == AFTER[name]
        if AFTER[name] != BEFORE:
            assert Index.open(folder).snapshot.generation == Index.open(original).snapshot.generation + state
        assert_goes_on(folder)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
def test_a_build_at_random_moments(original, tmp_path, number):
    draw = random.Random(number)
    usual = duration_of(lambda: Index.build(OLD, tmp_path / "first.index"))
    for turn in range(KILLS):
        target = tmp_path / str(turn) / "x.index"
        committed = stopped(lambda at=target: Index.build(OLD, at), draw.uniform(0, 1.2 * usual), number)
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


def test_every_acknowledged_commit_is_there(original, tmp_path):
    draw = random.Random(5)
    folder = tmp_path / "x.index"
    for _ in range(6):
        renewed(original, folder)

        def act(tell):
            tell("ready")
            with IndexWriter(folder) as writer:
                for number in range(200):
                    writer.add(some_documents(2000 + number, 1))
                    writer.commit()
                    tell(f"d{2000 + number}")

        child = Child(act)
        assert child.hear() == "ready"
        time.sleep(draw.uniform(0.02, 0.4))
        child.stop()
        _, told = child.end()
        known = [f"d{number}" for number in range(2000, 2000 + len(told))]
        assert told == known
        states = [
            {
                **BEFORE,
                **state_of([one for number in range(2000, 2000 + count) for one in some_documents(number, 1)]),
            }
            for count in (len(told), len(told) + 1)
        ]
        assert_sound(folder, *states)
