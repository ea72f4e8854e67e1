"""Until when an answer is wanted: work of many steps asks between them, and ends when nobody waits any more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_end: ContextVar[float | None] = ContextVar("end", default=None)  # by the monotonic clock


@contextmanager
def wanted_until(end: float) -> Iterator[None]:
    """Have what runs in the block, in this thread, end soon after a moment of the monotonic clock."""
    before = _end.set(end)
    try:
        yield
    finally:
        _end.reset(before)


def still_wanted() -> None:
    """Raise TimeoutError where the answer is not wanted any more; without an end it always is.

    >>> with wanted_until(time.monotonic() + 60):
    ...     still_wanted()
    >>> with wanted_until(time.monotonic() - 1):
    ...     still_wanted()
    Traceback (most recent call last):
    TimeoutError: nobody waits for the answer any more
    """
    end = _end.get()
    if end is not None and time.monotonic() > end:
        raise TimeoutError("nobody waits for the answer any more")
