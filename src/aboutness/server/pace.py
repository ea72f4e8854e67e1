"""How long things take: what is over in a moment need not be handed to another thread, which takes longer."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MOMENT_S = 0.002  # of a processor's time: others wait for so long where it is not handed over
LONGEST_S = 10 * MOMENT_S  # after which one that was taken for quick is given up, to be handed over
MOST = 256  # things that are remembered
SHARE = 0.1  # of the last time in the mean


class Pace:
    """The mean time of each thing that is done again and again; the last times count most."""

    def __init__(self) -> None:
        self._means: OrderedDict[Hashable, float] = OrderedDict()
        self._lock = Lock()

    def quick(self, thing: Hashable) -> bool:
        """Tell whether it is over in a moment; what has not been done yet is not."""
        return self._means.get(thing, MOMENT_S) < MOMENT_S

    def timed(self, thing: Hashable, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function returns, and remember how long it took; the first time is not counted."""
        start = time.thread_time()
        try:
            answer = function(*args, **kwargs)
        except TimeoutError:  # it was cut short: it counts in full, whatever others took
            self._note(thing, LONGEST_S)
            raise
        seconds = time.thread_time() - start
        mean = self._means.get(thing)
        self._note(thing, MOMENT_S if mean is None else mean + SHARE * (seconds - mean))
        return answer

    def _note(self, thing: Hashable, mean: float) -> None:
        with self._lock:
            self._means[thing] = mean
            self._means.move_to_end(thing)
            if len(self._means) > MOST:
                self._means.popitem(last=False)
