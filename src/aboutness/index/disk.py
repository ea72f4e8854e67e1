"""Every write to the file system that the index makes, so that faults can be put in its way by tests.

What these functions promise: a file is complete and on the disk when `write_new` returns, and a name is on the
disk when `sync_folder` returns. Operating-system errors come out as `StorageError` with what to do.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from aboutness.core.advance import did
from aboutness.core.errors import StorageError

ADVICE = {
    errno.ENOSPC: "the disk is full; free some space and run the command again",
    errno.EDQUOT: "the disk quota is used up; free some space and run the command again",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EIO: "the disk reports an input/output error; check its health",
    errno.EMFILE: "too many files are open; raise the limit (ulimit -n)",
}
PIECE = 1 << 24  # bytes checksummed and written at a time, while they are in the cache


@contextlib.contextmanager
def reporting(action: str, path: Path, *, passing: tuple[type[OSError], ...] = ()) -> Iterator[None]:
    """Turn an operating-system error, but for those in `passing`, into a `StorageError` that says what to do."""
    try:
        yield
    except passing:
        raise
    except OSError as error:
        advice = ADVICE.get(error.errno or 0, error.strerror or str(error))
        raise StorageError(f"cannot {action} {path}: {advice}") from error


def write_new(path: Path, parts: Iterable[memoryview | bytes], *, durable: bool) -> tuple[int, int]:
    """Write a file that must not exist yet; return its size and CRC-32."""
    size, checksum = 0, 0
    with reporting("write", path):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            for part in parts:
                view = memoryview(part).cast("B")
                for start in range(0, len(view), PIECE):
                    piece = view[start : start + PIECE]
                    checksum = zlib.crc32(piece, checksum)
                    _write_all(descriptor, piece)
                    did("bytes", len(piece))
                size += len(view)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    return size, checksum


def _write_all(descriptor: int, piece: memoryview) -> None:
    while len(piece):
        piece = piece[os.write(descriptor, piece) :]


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    with reporting("sync", path):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_folder(path: Path) -> None:
    """Make a folder that must not exist yet, and those above it."""
    with reporting("make the folder", path):
        path.mkdir(parents=True)


def make_durable_folder(path: Path) -> None:
    """See that a folder is there, and that its name and those of the folders made for it are on the disk."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    with reporting("make the folder", path):
        path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        sync_folder(folder.parent)


def put_into(folder: Path, source: Path) -> None:
    """Give a file a second name in another folder or, where a file system has no such thing, move it there."""
    target = folder / source.name
    try:
        os.link(source, target)
    except OSError:
        move(source, target)


def move(source: Path, target: Path) -> None:
    """Give a file or folder its final name."""
    with reporting("rename to", target):
        source.rename(target)


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there; leave it for the next time if it cannot be removed."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def checksum_of(path: Path) -> int:
    """Return the CRC-32 of a file; where it is not there (any more), raise FileNotFoundError."""
    checksum = 0
    with reporting("read", path, passing=(FileNotFoundError,)), path.open("rb") as file:
        while piece := file.read(PIECE):
            checksum = zlib.crc32(piece, checksum)
            did("bytes", len(piece))
    return checksum
