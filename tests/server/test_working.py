from __future__ import annotations

import asyncio
import threading
import time

import pytest

from aboutness.core.deadline import still_wanted
from aboutness.core.errors import Overloaded
from aboutness.server.app import make_app
from aboutness.server.pace import MOMENT_S, MOST, Pace
from aboutness.server.settings import Limits, Settings
from aboutness.server.working import Work
from server.served import client_of


def test_too_many_are_told_to_come_back():
    async def asking():
        work, go_on = Work(Limits(threads=2, waiting=3)), threading.Event()
        taken = [asyncio.ensure_future(work(go_on.wait, 20)) for _ in range(5)]
        await asyncio.sleep(0.05)
        assert work.waiting == 3
        with pytest.raises(Overloaded, match="3 requests are waiting") as refused:
            await work(time.sleep, 0)
        assert refused.value.after >= 1
        go_on.set()
        assert await asyncio.gather(*taken) == [True] * 5
        assert await work(max, 1, 2) == 2  # there is room again
        work.close()

    asyncio.run(asking())


def test_what_takes_too_long_is_given_up_and_what_waited_too_long_is_not_begun():
    async def asking():
        work, go_on, begun = Work(Limits(threads=1, waiting=3, seconds=0.1)), threading.Event(), []
        slow = asyncio.ensure_future(work(go_on.wait, 20))
        late = asyncio.ensure_future(work(begun.append, 1))
        for one in (slow, late):
            with pytest.raises(Overloaded, match=r"longer than 0\.1 s"):
                await one
        go_on.set()
        await asyncio.sleep(0.05)
        assert begun == []
        assert await work(max, 1, 2) == 2
        work.close()

    asyncio.run(asking())


def test_work_of_many_steps_ends_when_nobody_waits_for_it_any_more():
    async def asking():
        work, steps, ended = Work(Limits(threads=1, waiting=3, seconds=0.2)), [], threading.Event()

        def stepping():
            try:
                while len(steps) < 1000:
                    still_wanted()
                    steps.append(time.sleep(0.01))
            finally:
                ended.set()

        with pytest.raises(Overloaded, match=r"longer than 0\.2 s"):
            await work(stepping)
        assert await asyncio.to_thread(ended.wait, 5)
        assert len(steps) < 100
        assert await work(still_wanted) is None  # the end was that of the request before
        work.close()

    asyncio.run(asking())


def test_errors_come_through():
    async def asking():
        work = Work(Limits())
        with pytest.raises(ZeroDivisionError):
            await work(divmod, 1, 0)
        work.close()

    asyncio.run(asking())


def test_a_busy_server_says_when_to_come_back(index):
    with client_of(make_app({"sky": index}, Settings(limits=Limits(threads=1, waiting=0)))) as client:
        answer = client.post("/v1/search", json={"query": "moon"})
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        assert answer.json()["error"] == "too busy"
        assert client.get("/v1/live").status_code == 200


def test_pace_knows_what_is_quick():
    pace = Pace()
    assert not pace.quick("a")
    assert pace.timed("a", max, 1, 2) == 2
    assert not pace.quick("a")  # the first time does not count
    pace.timed("a", max, 1, 2)
    assert pace.quick("a")
    end = time.thread_time() + 0.05

    def busy() -> None:
        while time.thread_time() < end:
            pass

    pace.timed("a", busy)
    assert not pace.quick("a")
    for other in range(MOST):
        pace.timed(other, max, 1, 2)
    assert "a" not in pace._means


def test_what_was_cut_short_is_not_quick_for_a_while():
    pace = Pace()

    def late():
        raise TimeoutError

    for _ in range(200):
        pace.timed("a", max, 1, 2)
    with pytest.raises(TimeoutError):
        pace.timed("a", late)
    for _ in range(10):
        assert not pace.quick("a")
        pace.timed("a", max, 1, 2)
    assert pace._means["a"] > MOMENT_S
    for _ in range(40):
        pace.timed("a", max, 1, 2)
    assert pace.quick("a")
