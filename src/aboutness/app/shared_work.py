"""Results that take long: made once, for all who ask for the same, and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock, Semaphore, Thread
from typing import Generic, TypeVar

V = TypeVar("V")


class SharedWork(Generic[V]):
    """Results by key. Each is made in a thread of its own, so that who is tired of waiting can come again.

    `most` are kept, those used last; `at_once` are made at the same time, and no more than `waiting` are begun.
    """

    def __init__(self, most: int, *, at_once: int = 1, waiting: int = 4) -> None:
        self.most = most
        self.waiting = waiting
        self._turns = Semaphore(at_once)
        self._lock = Lock()
        self._begun: OrderedDict[Hashable, Future[V]] = OrderedDict()

    def result(self, key: Hashable, make: Callable[[], V], patience: float | None = None) -> V:
        """Return the result with a key, made by `make` where nobody asked before.

        Raise TimeoutError where it takes longer than `patience` seconds (it is being made all the same), or where
        too many others are being made. What `make` raises is told to all who wait, and not kept.
        """
        with self._lock:
            future = self._begun.get(key)
            if future is None:
                if sum(not one.done() for one in self._begun.values()) >= self.waiting:
                    raise TimeoutError("too many others are being made")
                future = self._begun[key] = Future()
                Thread(target=self._make, args=(key, make, future), daemon=True).start()
            self._begun.move_to_end(key)
            self._forget()
        return future.result(patience)

    def _make(self, key: Hashable, make: Callable[[], V], future: Future[V]) -> None:
        with self._turns:
            try:
                future.set_result(make())
            except BaseException as error:  # told to those who wait
                with self._lock:
                    self._begun.pop(key, None)
                future.set_exception(error)

    def _forget(self) -> None:
        done = [key for key, future in self._begun.items() if future.done()]
        for key in done[: max(0, len(self._begun) - self.most)]:
            del self._begun[key]
