"""One writer at a time: a kernel lock on a file, which ends with the process that holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from aboutness.core.errors import IndexBusy
from aboutness.index import disk

NAME = "writer.lock"


class WriterLock:
    """Held from creation to `release`; a second one is refused and told who holds the first."""

    def __init__(self, folder: Path) -> None:
        path = folder / NAME
        with disk.reporting("lock", path):
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._descriptor)
            raise IndexBusy(
                f"process {holder} is writing to {folder}; wait until it has finished, or stop it"
            ) from None
        with contextlib.suppress(OSError):  # the number only serves the message; a full disk must not stop us
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let the next writer in."""
        os.close(self._descriptor)


def is_locked(folder: Path) -> bool:
    """Tell whether some process is writing to `folder`."""
    try:
        WriterLock(folder).release()
    except IndexBusy:
        return True
    return False
