"""What an interrupt says that comes too late: the changes are in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aboutness.core.interrupts import CHANGED
from aboutness.index.writer import IndexWriter


@contextmanager
def told_if_committed(writer: IndexWriter) -> Iterator[None]:
    """Let an interrupt say that the changes are in, where it comes when a writer has committed them.

    It may come in the midst of a commit, which goes through all the same: the writer, closed by now, knows.
    """
    try:
        yield
    except KeyboardInterrupt:
        if writer.has_committed:
            raise KeyboardInterrupt(CHANGED) from None
        raise
