"""Work that takes a while: done by a few threads, with a queue that has an end and a limit of time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from aboutness.core.deadline import still_wanted, wanted_until
from aboutness.core.errors import Overloaded
from aboutness.server.settings import Limits

P = ParamSpec("P")
T = TypeVar("T")


class Work:
    """Threads for work that would hold up others."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.threads, thread_name_prefix="work")
        self._taken = 0

    @property
    def waiting(self) -> int:
        """Return how many requests wait for a thread."""
        return max(0, self._taken - self._limits.threads)

    async def __call__(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function returns, run by one of the threads; raise where too many wait, or too long."""
        limits = self._limits
        if self.waiting >= limits.waiting:
            raise Overloaded(f"the server is busy: {self.waiting} requests are waiting already; ask again soon")
        self._taken += 1
        due = time.monotonic() + limits.seconds

        def timely() -> T:
            with wanted_until(due):  # what takes many steps ends when nobody waits any more: it holds up others
                still_wanted()
                return function(*args, **kwargs)

        future = asyncio.get_running_loop().run_in_executor(self._threads, timely)
        future.add_done_callback(self._ended)
        try:
            return await asyncio.wait_for(asyncio.shield(future), limits.seconds)
        except TimeoutError:
            raise Overloaded(
                f"this took longer than {limits.seconds:g} s, the limit for one request; ask for less, or again "
                f"later: what had been begun may be ready then",
                after=10,
            ) from None

    def _ended(self, future: asyncio.Future[T]) -> None:
        self._taken -= 1
        if not future.cancelled():
            future.exception()  # told already, or nobody waits for it

    def close(self) -> None:
        """Take on no more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
