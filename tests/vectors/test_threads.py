from __future__ import annotations

import math
import signal
import threading
import time

import pytest

from aboutness.vectors import threads
from aboutness.vectors.threads import Work


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch):
    monkeypatch.setattr(threads, "TICK", 0.002)


def nothing():
    pass


def slowly(done, seconds=0.001):
    def do(piece):
        time.sleep(seconds)
        done.append(piece)

    return do


def interrupt():
    """Do what Ctrl-C does."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def working() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]


def test_one_thread_does_all_pieces_in_order():
    done = []
    work = Work(done.append, 0, 100, 1)
    assert work.run(math.inf, nothing) is True
    assert done == list(range(100))
    assert work.next == 100


@pytest.mark.parametrize("count", [2, 3, 8])
def test_several_threads_do_each_piece_once(count):
    done = []
    work = Work(done.append, 0, 500, count)
    assert work.run(math.inf, nothing)
    assert sorted(done) == list(range(500))


def test_several_threads_work_at_the_same_time():
    meeting = threading.Barrier(3, timeout=10)
    assert Work(lambda _: meeting.wait(), 0, 3, 3).run(math.inf, nothing)


def test_it_starts_where_it_should():
    done = []
    assert Work(done.append, 7, 10, 1).run(math.inf, nothing)
    assert done == [7, 8, 9]


def test_nothing_to_do():
    told = []
    for first in (5, 6):
        assert Work(None, first, 5, 2).run(math.inf, lambda: told.append(1))
    assert told


@pytest.mark.parametrize("count", [1, 3])
def test_pause_and_go_on(count):
    done, pauses = [], 0
    work = Work(slowly(done, 0.002), 0, 60, count)
    while not work.run(0.0, nothing):
        assert sorted(done) == list(range(work.next))  # all before `next`, and nothing else
        pauses += 1
    assert sorted(done) == list(range(60))
    assert pauses > 2


def test_it_tells_while_it_works_and_at_the_end():
    done, told = [], []
    work = Work(slowly(done), 0, 30, 1)
    work.run(math.inf, lambda: told.append(work.next))
    assert told == sorted(told)
    assert len(set(told)) > 3
    assert told[-1] == 30


@pytest.mark.parametrize("count", [1, 3])
def test_an_error_stops_all_and_is_raised(count):
    done = []

    def do(piece):
        time.sleep(0.001)
        if piece == 5:
            raise ValueError("piece 5")
        done.append(piece)

    work = Work(do, 0, 10_000, count)
    with pytest.raises(ValueError, match="piece 5"):
        work.run(math.inf, nothing)
    assert set(range(5)) <= set(done)
    assert 5 not in done
    assert len(done) < 100
    assert not working()


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("calls", [1, 2, 5])
def test_interrupted_while_it_tells(count, calls):
    done, left = [], [calls]

    def tell():
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    work = Work(slowly(done, 0.003), 0, 1000, count)
    with pytest.raises(KeyboardInterrupt):
        work.run(math.inf, tell)
    assert sorted(done) == list(range(work.next))
    assert 0 < work.next < 1000
    assert not working()


@pytest.mark.parametrize("count", [1, 3])
def test_interrupted_from_outside(count):
    """As by Ctrl-C: in the middle of waiting, while pieces are under way."""
    done = []

    def do(piece):
        time.sleep(0.01)
        if piece == 6:
            interrupt()
        time.sleep(0.01)
        done.append(piece)

    work = Work(do, 0, 1000, count)
    with pytest.raises(KeyboardInterrupt):
        work.run(math.inf, nothing)
    assert sorted(done) == list(range(work.next))
    assert 6 < work.next < 50
    assert not working()


def test_after_an_interrupt_it_goes_on_where_it_was():
    done = []

    def tell():
        if len(done) > 3:
            raise KeyboardInterrupt

    work = Work(slowly(done), 0, 40, 1)
    with pytest.raises(KeyboardInterrupt):
        work.run(math.inf, tell)
    assert len(done) < 40
    assert work.run(math.inf, nothing)
    assert done == list(range(40))


def test_interrupted_again_while_it_waits_for_the_piece_under_way():
    """As by Ctrl-C pressed twice: what is saved then must not lack the piece that is counted as done."""
    done = []

    def do(piece):
        time.sleep(0.05)
        interrupt()
        time.sleep(0.1)
        done.append(piece)

    def tell():
        raise KeyboardInterrupt

    work = Work(do, 0, 5, 1)
    try:
        with pytest.raises(KeyboardInterrupt):
            work.run(math.inf, tell)
        assert done == list(range(work.next))
    finally:
        while working():
            time.sleep(0.01)
