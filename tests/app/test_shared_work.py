from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from aboutness.app.shared_work import SharedWork

SOON = 10.0  # seconds in which anything here is done


def test_equal_requests_share_the_work_and_what_it_made_is_kept():
    work: SharedWork[object] = SharedWork(2)
    go, made = Event(), []

    def make() -> object:
        assert go.wait(SOON)
        made.append(object())
        return made[-1]

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(work.result, "a", make, SOON) for _ in range(4)]
        go.set()
        found = {id(one.result(SOON)) for one in asked}
    assert len(made) == len(found) == 1
    assert work.result("a", make) is made[0]


def test_those_used_last_are_kept():
    work: SharedWork[str] = SharedWork(2)
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    for name in ("a", "b", "a", "c", "a", "b"):
        assert work.result(name, lambda name=name: make(name), SOON) == name
    assert made == ["a", "b", "c", "b"]


def test_who_waits_too_long_can_come_again():
    work: SharedWork[str] = SharedWork(2)
    go = Event()

    def make() -> str:
        assert go.wait(SOON)
        return "done"

    with pytest.raises(TimeoutError):
        work.result("a", make, 0.01)
    go.set()
    assert work.result("a", lambda: "another", SOON) == "done"


def test_too_many_are_refused_and_nothing_half_made_is_forgotten():
    work: SharedWork[str] = SharedWork(1, at_once=1, waiting=2)
    go = Event()

    def make() -> str:
        assert go.wait(SOON)
        return "done"

    for name in ("a", "b"):
        with pytest.raises(TimeoutError):
            work.result(name, make, 0.01)
    with pytest.raises(TimeoutError, match="too many"):
        work.result("c", make, SOON)
    go.set()
    assert [work.result(name, lambda: "another", SOON) for name in ("a", "b")] == ["done", "done"]


def test_a_failure_is_told_and_not_kept():
    work: SharedWork[str] = SharedWork(2)

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        work.result("a", fail, SOON)
    assert work.result("a", lambda: "yes", SOON) == "yes"
