"""How far work is that has many steps: it says so as it goes, and whoever waits for it may listen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias

Listen: TypeAlias = Callable[[str, int, int], None]  # is told of what, how much is done, and how much there is


@dataclass
class _Meter:
    listen: Listen
    unit: str = ""
    total: int = 0
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


_meter: ContextVar[_Meter | None] = ContextVar("meter", default=None)


@contextmanager
def listening(listen: Listen) -> Iterator[None]:
    """Have what runs in the block tell how far it is; other threads only if they run in a copy of its context."""
    before = _meter.set(_Meter(listen))
    try:
        yield
    finally:
        _meter.reset(before)


def begin(unit: str, total: int) -> None:
    """Say that so much is to be done now, such as 300 documents; what was begun before counts no more."""
    if (meter := _meter.get()) is not None:
        with meter.lock:
            meter.unit, meter.total, meter.done = unit, total, 0
            meter.listen(unit, 0, total)


def did(unit: str, count: int = 1) -> None:
    """Say that so much more is done; it counts where that unit was begun.

    >>> with listening(lambda *told: print(*told)):
    ...     begin("bytes", 10)
    ...     did("documents", 7)
    ...     did("bytes", 4)
    bytes 0 10
    bytes 4 10
    """
    if (meter := _meter.get()) is not None and meter.unit == unit:
        with meter.lock:
            meter.done = min(meter.done + count, meter.total)
            meter.listen(unit, meter.done, meter.total)
