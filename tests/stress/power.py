"""Power loss at every moment of every change, and a disk that fails at every call: `python -m tests.stress.power`.

First disks after a power loss (recorded calls, replayed in part) are opened, round after round with other chances;
then each command is run with a fault at one call after the other. Each part has half of the time.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reliability.failing import COMMANDS, FAULTS, assert_failure_is_harmless, faults
from reliability.harm import build_original
from reliability.power import Judge, losses, record
from reliability.recorded import Recorder
from reliability.scenarios import SCENARIOS, make_start

USED = 100  # of so many disks, one more is used further than those that look different
MOST_FAILURES = 10


class Part:
    """The figures of one part, which ends when it has done enough, or for long enough."""

    def __init__(self, count: int, seconds: float) -> None:
        self.figures: dict[str, Any] = {"tried": 0, "used_further": 0}
        self.failures: list[str] = []
        self._count, self._start, self._seconds = count, time.monotonic(), seconds

    @property
    def over(self) -> bool:
        late = time.monotonic() - self._start > self._seconds
        return late or self.figures["tried"] >= self._count or len(self.failures) >= MOST_FAILURES

    def fail(self, problem: str) -> None:
        self.failures.append(problem)

    @contextlib.contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        """Note what fails, and go on."""
        try:
            yield
        except Exception as error:
            self.fail(f"{what}: {error!r}")

    def report(self, **more: object) -> dict[str, Any]:
        return {**self.figures, **more, "seconds": round(time.monotonic() - self._start, 1)}


def lose_power(recorder: Recorder, start: Path, workplace: Path, part: Part) -> dict[str, Any]:
    """Open what may be left of every scenario, with other chances in every round."""
    whole, databases = set(), 0
    for turn in itertools.count():
        for name in SCENARIOS:
            recording = record(recorder, name, start)
            judge = Judge(recording, workplace)
            kinds = set()
            for loss in losses(recording, random.Random(f"{name} {turn}"), chances=8, every=8, turn=turn):
                if part.over:
                    return part.report(rounds=turn, scenarios=len(whole), databases_recovered=databases)
                part.figures["tried"] += 1
                if problem := judge.problem(loss):
                    part.fail(problem)
                elif (kind := judge.kind(loss)) not in kinds or part.figures["tried"] % USED == 0:
                    kinds.add(kind)
                    part.figures["used_further"] += 1
                    with part.attempt(f"{name}, after call {loss.moment}, {loss.fate}"):
                        judge.settle(loss)
            whole.add(name)
            databases += judge.opened
    raise AssertionError


def fail_calls(recorder: Recorder, start: Path, workplace: Path, part: Part) -> dict[str, Any]:
    """Run every command with a fault at one call after the other."""
    whole, left = 0, {"old": 0, "new": 0}
    for how, name in itertools.product(FAULTS, COMMANDS):
        recording = record(recorder, name, start, by_command=True)
        judge = Judge(recording, workplace)
        for fault in faults(recording, how, random.Random(name), sys.maxsize):
            if part.over:
                return part.report(**left, combinations=whole, of=len(FAULTS) * len(COMMANDS))
            further = part.figures["tried"] % 5 == 0
            part.figures["tried"] += 1
            part.figures["used_further"] += further
            with part.attempt(f"{name}, {how} at call {fault.at}"):
                left[assert_failure_is_harmless(recorder, judge, name, start, fault, further=further)] += 1
        whole += 1
    return part.report(**left, combinations=whole, of=len(FAULTS) * len(COMMANDS))


def main() -> None:
    """Run both parts, and print their figures as a line of JSON; exit with 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200_000, help="disks after a power loss, and faults, at most")
    parser.add_argument("--seconds", type=float, default=600.0, help="for both parts together")
    asked = parser.parse_args()
    memory = Path("/dev/shm")
    figures: dict[str, Any] = {}
    failures: list[str] = []
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        workplace = Path(folder).resolve()
        build_original(workplace / "original.index")
        start = workplace / "scenarios" / "start"
        start.mkdir(parents=True)
        make_start(start, workplace / "original.index")
        with Recorder(workplace) as recorder:
            for name, of_part in {"power_loss": lose_power, "io_errors": fail_calls}.items():
                part = Part(asked.count, asked.seconds / 2)
                figures[name] = of_part(recorder, start, workplace, part)
                failures += part.failures
    sys.stdout.write(f"{json.dumps({**figures, 'failures': failures})}\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
