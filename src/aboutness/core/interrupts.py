"""What an interrupt (Ctrl-C) says of an index that was being changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

CHANGED = "the changes are in"


@contextmanager
def when_changed(is_changed: bool = True) -> Iterator[None]:
    """Do what is left to do once changes are in, if there are any: an interrupt of that says so."""
    try:
        yield
    except KeyboardInterrupt:
        raise (KeyboardInterrupt(CHANGED) if is_changed else KeyboardInterrupt) from None
