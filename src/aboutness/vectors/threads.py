"""Numbered pieces of work, done in order by several threads, that can be paused and interrupted between two."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, Lock

TICK = 0.1  # seconds between two looks at how far the threads are


class Work:
    """Pieces `next` to `last` - 1 of some work. While no `run` is under way, all pieces before `next` are done."""

    def __init__(self, do: Callable[[int], None], first: int, last: int, threads: int) -> None:
        self.next = first
        self.last = last
        self._do = do
        self._threads = threads
        self._lock = Lock()
        self._stop = Event()

    def run(self, seconds: float, tell: Callable[[], None]) -> bool:
        """Work until all is done, which is returned, or for so many seconds.

        An interrupt, or an error in a piece, waits for the pieces that are under way.
        """
        self._stop.clear()
        end = time.monotonic() + seconds
        with ThreadPoolExecutor(self._threads) as pool:
            workers = [pool.submit(self._work) for _ in range(self._threads)]
            try:
                while wait(workers, timeout=TICK).not_done:
                    tell()
                    if time.monotonic() > end:
                        self._stop.set()
            finally:
                self._stop.set()
        for worker in workers:
            worker.result()
        tell()
        return self.next >= self.last

    def _work(self) -> None:
        while not self._stop.is_set():
            with self._lock:
                piece = self.next
                if piece >= self.last:
                    return
                self.next += 1
            try:
                self._do(piece)
            except BaseException:
                self._stop.set()
                raise
