"""Numbered pieces of work, done in order by several threads, that can be paused and interrupted between two."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event, Lock

TICK = 0.1  # seconds between two looks at how far the threads are


class Work:
    """Pieces `next` to `last` - 1 of some work. While no `run` is under way, all pieces before `next` are done."""

    def __init__(self, do: Callable[[int], None], first: int, last: int, threads: int) -> None:
        self.next = first
        self.last = last
        self._do = do
        self._threads = threads
        self._running = 0
        self._lock = Lock()
        self._stop = Event()

    def run(self, seconds: float, tell: Callable[[], None]) -> bool:
        """Work until all is done, which is returned, or for so many seconds.

        An interrupt, or an error in a piece, waits for the pieces that are under way; they are short, so that
        further interrupts wait as well.
        """
        workers: list[Future[None]] = []
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                self._stop.clear()
                end = time.monotonic() + seconds
                workers += [pool.submit(self._work) for _ in range(self._threads)]
                while wait(workers, timeout=TICK).not_done:
                    tell()
                    if time.monotonic() > end:
                        self._stop.set()
            finally:
                self._settle()
        for worker in workers:
            worker.result()
        tell()
        return self.next >= self.last

    def _settle(self) -> None:
        """Let no further piece begin, and wait for those that have: also of a thread that nobody knows of yet."""
        running = True
        while running:
            with contextlib.suppress(KeyboardInterrupt):
                with self._lock:
                    self._stop.set()
                    running = self._running > 0
                if running:
                    time.sleep(TICK / 10)

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._stop.is_set() or self.next >= self.last:
                    return
                piece = self.next
                self.next += 1
                self._running += 1
            try:
                self._do(piece)
            except BaseException:
                self._stop.set()
                raise
            finally:
                with self._lock:
                    self._running -= 1
