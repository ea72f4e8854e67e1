"""What a person at a terminal is told when a first use takes longer, as code is compiled for the machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

SAID = "compiling this part for your machine: that takes some seconds, once"


@contextmanager
def told_of_compiling() -> Iterator[None]:
    """Say once, if standard error is a terminal, that something is being compiled, when that is so."""
    if not sys.stderr.isatty():
        yield
        return
    import logging

    class Once(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - whatever it is that is compiled
            log.removeHandler(self)
            sys.stderr.write(f"{SAID}\n")

    log, once = logging.getLogger("aboutness.kernels"), Once()
    before = log.level
    log.addHandler(once)
    log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        log.removeHandler(once)
        log.setLevel(before)
