"""Read hostile files in a process of its own, with little memory and little time, and with ears at its doors."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reliability.harm import result_of

ROOM = 1_900_000_000  # bytes more than the process has: a line of 64 MB takes up to 20 times that, once read
PATIENCE_S = 60
FORBIDDEN = (
    "pickle.find_class",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "subprocess.Popen",
    "socket.",
)


class TooLong(Exception):
    """A file that took longer than any should."""


def contained(function: Callable[[], Any], room: int = ROOM, patience: int = PATIENCE_S) -> Any:
    """Return what a function returns, or the error it raises, where it has so much memory and time."""

    def within() -> Any:
        size = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + room, size + room))
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(patience)
        return function()

    return result_of(within)


def too_long(*_: object) -> None:
    raise TooLong


def heard(function: Callable[[], object], within: tuple[str, ...] = FORBIDDEN) -> list[tuple[str, str]]:
    """Return what a function did, in a process of its own, of what none may: with what, in words."""

    def listening() -> list[tuple[str, str]]:
        made: list[tuple[str, str]] = []

        def hear(event: str, arguments: tuple[object, ...]) -> None:
            if event.startswith(within) and not _by_the_compiler():
                made.append((event, repr(arguments)[:300]))

        sys.addaudithook(hear)
        function()
        return made

    found = result_of(listening)
    if isinstance(found, BaseException):
        raise found
    return found


def _by_the_compiler() -> bool:
    """Tell whether numba is at work, which keeps what it has compiled in pickles of its own."""
    frame = sys._getframe(2)
    while frame is not None:
        if "numba" in frame.f_code.co_filename or "kernels/compiled" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
