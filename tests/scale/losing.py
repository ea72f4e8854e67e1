"""An engine in this process whose actors can be lost and come back: what a cluster does, at once and on demand."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import Unreachable
from aboutness.scale.engine import Here, Holder
from app.sky import SMALL
from server.served import RECORDS

SHARDS = 4


class Losing(Here):
    """Actors are numbered as they are made. `lost` ones do not answer; one that is `restarted` is made anew."""

    def __init__(self) -> None:
        self.made: list[Losable] = []
        self.released: list[Losable] = []
        self.lost: set[int] = set()
        self.slow: set[int] = set()  # they answer only when it is too late
        self.asked: list[tuple[int, str]] = []
        self.after: dict[tuple[int, str], int] = {}  # by actor and method: it is lost after so many answers

    def actors(self, factory, items, **_):
        made = [Losable(self, len(self.made) + place, factory, item) for place, item in enumerate(items)]
        self.made += made
        return made

    def release(self, actors) -> None:
        self.released += actors

    def restart(self, number: int) -> None:
        self.made[number].start()
        self.lost.discard(number)
        self.slow.discard(number)


class Losable:
    def __init__(self, engine: Losing, number: int, factory, item) -> None:
        self.engine, self.number, self.factory, self.item = engine, number, factory, item
        self.start()

    def start(self) -> None:
        self.holder = Holder(self.factory, self.item)

    def ask(self, method: str, *arguments: Any):
        asked = arguments[1] if method == "call" else method
        self.engine.asked.append((self.number, asked))
        return _Late(self, method, asked, arguments)


class _Late:
    def __init__(self, actor: Losable, method: str, asked: str, arguments) -> None:
        self.actor, self.method, self.asked, self.arguments = actor, method, asked, arguments

    def result(self, timeout: float | None = None):
        engine, number = self.actor.engine, self.actor.number
        if (left := engine.after.get((number, self.asked))) is not None:
            engine.after[number, self.asked] = left - 1
            if not left:
                engine.lost.add(number)
        if number in engine.slow:
            assert timeout is not None
            time.sleep(timeout)
            raise Unreachable(f"no answer within {timeout:g} s")
        if number in engine.lost:
            raise Unreachable("gone")
        return self.actor.holder.ask(self.method, *self.arguments)


def until(so, seconds: float = 10.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < end, "it took too long"
        threading.Event().wait(0.02)


def sky_in_parts(path: Path, parts: int = SHARDS) -> Index:
    """The index of the tests of the server, in several segments."""
    size = len(RECORDS) // parts
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        index = Index.build(RECORDS[:size], path)
        for first in range(size, len(RECORDS), size):
            index.add(RECORDS[first : first + size])
        index.train("word2vec", **SMALL)
        index.train("pv", **SMALL)
    assert len(index.snapshot.segments) == parts
    return index
