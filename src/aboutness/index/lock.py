"""One writer at a time: a kernel lock on a file, which ends with the process that holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from weakref import WeakSet

from aboutness.core.errors import IndexBusy, StorageError
from aboutness.index import disk

NAME = "writer.lock"


class WriterLock:
    """Held from creation to `release`; a second one is refused and told who holds the first.

    A process that is forked off has no part in it: else it would hold the lock when its parent has ended, and its
    copy of a writer could remove the parent's files.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / NAME
        with disk.reporting("lock", path):
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            said = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").split()
            holder = said[0] if said else "unknown"
            os.close(self._descriptor)
            raise IndexBusy(
                f"process {holder} is writing to {folder}; wait until it has finished, or stop it"
            ) from None
        except OSError as error:  # a file system without locks: nobody holds it
            os.close(self._descriptor)
            raise StorageError(f"cannot lock {path}: {error.strerror}; put the index on a local disk") from None
        with contextlib.suppress(OSError):  # the number only serves the message; a full disk must not stop us
            number = f"{os.getpid()}\n".encode()
            os.pwrite(self._descriptor, number, 0)  # before the rest goes: who is refused meanwhile reads a number
            os.ftruncate(self._descriptor, len(number))
        _held.add(self)

    def is_of(self, folder: Path) -> bool:
        """Tell whether it is still the lock of what stands at `folder`, which may have been moved or replaced."""
        if not self.is_held:
            return False
        try:
            found = (folder / NAME).stat()
        except OSError:
            return False
        return os.path.samestat(found, os.fstat(self._descriptor))

    @property
    def is_held(self) -> bool:
        """Tell whether this process holds it: it was neither released nor taken before a fork."""
        return self._descriptor >= 0

    def release(self) -> None:
        """Let the next writer in; once more does nothing, as the descriptor may be another file's by then."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


_held: WeakSet[WriterLock] = WeakSet()


def _let_go_in_child() -> None:
    for lock in list(_held):
        lock.release()


os.register_at_fork(after_in_child=_let_go_in_child)


def is_locked(folder: Path) -> bool:
    """Tell whether some process is writing to `folder`."""
    try:
        WriterLock(folder).release()
    except IndexBusy:
        return True
    return False
