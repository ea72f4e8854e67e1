"""What is trained and kept, and things that are made once."""

from __future__ import annotations

import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import DamagedIndex, NotFound
from aboutness.index.manifest import ArtefactEntry, FileEntry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Once, Trained, WhileUsed


def test_what_is_asked_for_twice_is_made_once():
    once, made = Once(), []

    def make():
        made.append(object())
        return made[-1]

    assert once("a", make) is once("a", make) is made[0]
    assert once("b", make) is made[1]
    assert once(("a", 1), make) is made[2]
    assert len(made) == 3
    assert Once()("a", make) is made[3]


@pytest.mark.parametrize("nothing", [None, 0, "", [], False])
def test_nothing_is_also_made_once(nothing):
    once, made = Once(), []
    for _ in "12":
        assert once("a", lambda: made.append(1) or nothing) == nothing
    assert made == [1]


def test_threads_that_ask_for_the_same_make_it_once():
    once, made, barrier = Once(), [], threading.Barrier(8)

    def make():
        made.append(threading.get_ident())
        time.sleep(0.05)
        return object()

    def ask(_):
        barrier.wait()
        return once("key", make)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert len(made) == 1
    assert len(set(map(id, found))) == 1


def test_who_asks_for_something_else_does_not_wait():
    once, entered, leave = Once(), threading.Event(), threading.Event()

    def slow():
        entered.set()
        assert leave.wait(10)
        return "slow"

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(once, "slow", slow)
        assert entered.wait(10)
        assert once("quick", lambda: "quick") == "quick"
        assert not waiting.done()
        leave.set()
        assert waiting.result(10) == "slow"


def test_what_is_made_may_need_another():
    once = Once()
    assert once("outer", lambda: once("inner", lambda: 1) + 1) == 2
    assert once("inner", lambda: 7) == 1


def test_errors_are_not_remembered():
    once, tries = Once(), []

    def make():
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("not yet")
        return "made"

    with pytest.raises(ValueError, match="not yet"):
        once("a", make)
    assert once("a", make) == once("a", make) == "made"
    assert len(tries) == 2


# --- artefacts -------------------------------------------------------------------------------------------------


def entry(name, kind):
    return ArtefactEntry(name, kind, {}, None, 1, "", FileEntry(f"{name}.file", 0, 0))


def test_artefacts_by_name_and_kind():
    entries = {name: entry(name, kind) for name, kind in [("a", "x"), ("b", "y"), ("c", "x")]}
    arrays = {"a": {"values": np.arange(3)}, "b": {}, "c": FileNotFoundError("it is gone")}
    trained = Trained(Path("here"), entries, arrays)
    assert list(trained.of_kind("x")) == ["a", "c"]
    assert trained.of_kind("y") == {"b": entries["b"]}
    assert trained.of_kind("z") == {}
    assert trained.artefact("a") is arrays["a"]
    with pytest.raises(NotFound, match=r"the index has no trained artefact 'd'\. It has: a, b, c"):
        trained.artefact("d")
    with pytest.raises(NotFound, match=r"the index has no trained artefact 'd'\. It has: none"):
        Trained().artefact("d")
    with pytest.raises(DamagedIndex, match="the trained artefact 'c' cannot be read: it is gone; train it anew"):
        trained.artefact("c")


def test_each_has_things_of_its_own():
    assert Trained().once is not Trained().once
    assert Trained().once("a", lambda: 1) == 1
    assert Trained().once("a", lambda: 2) == 2


def test_a_snapshot_and_its_views_have_what_is_trained(tmp_path):
    index = Index.build([{"id": "a", "text": "aa"}], tmp_path / "x.index")
    assert index.snapshot.trained.entries == {}
    with index.changes() as writer:
        writer.save_artefact("mine", "numbers", {"values": np.arange(3)}, {"how": "by hand"}, 5)
    for snapshot in (index.snapshot, Snapshot.open(index.path, verify=True)):
        trained = snapshot.trained
        assert trained.folder == index.path
        assert list(trained.of_kind("numbers")) == ["mine"]
        assert trained.entries["mine"].parameters == {"how": "by hand"}
        assert trained.artefact("mine")["values"].tolist() == [0, 1, 2]
        assert snapshot.view().trained is trained
        assert snapshot.view(fields={"text": 2.0}).trained is trained
        assert snapshot.view().once is not snapshot.view(fields={"text": 2.0}).once
        assert not snapshot.view().lent


class Thing:
    """What can be held weakly."""


def test_what_is_shared_is_there_for_as_long_as_it_is_used():
    shared, made = WhileUsed(), []

    def make():
        made.append(1)
        return Thing()

    one = shared("a", make)
    assert shared("a", make) is one
    assert shared("b", make) is not one
    assert len(made) == 2
    del one
    gc.collect()
    again = shared("a", make)
    assert len(made) == 3
    assert shared("a", make) is again
