"""A number of rounds that ends when there were enough, when the time is over, or when too many have failed."""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

MOST_FAILURES = 5  # of which each is told


class Rounds:
    """The numbers of the rounds, and what failed in them."""

    def __init__(self, count: int, seconds: float) -> None:
        self.count = count
        self.seconds = seconds
        self.done = 0
        self.step = 1  # rounds that are done together
        self.failures: list[str] = []
        self._start = time.monotonic()

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._start

    def __iter__(self) -> Iterator[int]:
        while self.done < self.count and self.elapsed < self.seconds and len(self.failures) < MOST_FAILURES:
            yield self.done
            self.done += self.step

    @contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        """Note what fails in a round, and go on."""
        try:
            yield
        except Exception as error:
            self.failures.append(f"{what}: {error!r}")
            traceback.print_exc()

    def figures(self, **more: Any) -> dict[str, Any]:
        told = {"rounds": self.done, "wanted": self.count, **more, "seconds": round(self.elapsed, 1)}
        return {**told, "failures": self.failures}


def main(run: Callable[[Rounds, int], dict[str, Any]], *, count: int, seconds: float) -> None:
    """Run with what the command line says, and print the figures."""
    parser = argparse.ArgumentParser(description=sys.modules[run.__module__].__doc__)
    parser.add_argument("--count", type=int, default=count, help=f"rounds ({count})")
    parser.add_argument("--seconds", type=float, default=seconds, help=f"at most ({seconds:g})")
    parser.add_argument("--seed", type=int, default=1, help="another one draws other rounds (1)")
    chosen = parser.parse_args()
    figures = run(Rounds(chosen.count, chosen.seconds), chosen.seed)
    print(json.dumps(figures), flush=True)  # noqa: T201 - the figures are what the command is for
    sys.exit(1 if figures["failures"] else 0)
