"""What happens to records that cannot be used: stop at the first, or set them aside and go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, Self, TypeAlias

from aboutness.core.errors import BadRecord, StorageError, UsageError

OnBad: TypeAlias = Callable[[BadRecord], None]

MOST_SHOWN = 3


def stop(error: BadRecord) -> None:
    """Stop at the first bad record."""
    raise error


class RejectFile:
    """Write every bad record, with its place and the reason, as one JSON line of a file; count them.

    The file is created at the first bad record, so that none is left behind where all were good, and is never
    one that is there already: not earlier rejects, and not the source itself. Without a path they are counted
    only. Call the object with each error; use it as a context manager so that the file is closed.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self.count = 0
        self.first: list[BadRecord] = []  # to be shown; at most MOST_SHOWN
        self._file: IO[str] | None = None

    def __call__(self, error: BadRecord) -> None:
        """Write one bad record."""
        if self.path is not None:
            self._write(self.path, error)
        self.count += 1
        if len(self.first) < MOST_SHOWN:
            self.first.append(error)

    def _write(self, path: Path, error: BadRecord) -> None:
        raw = error.raw.decode("utf-8", "backslashreplace") if isinstance(error.raw, bytes) else error.raw
        entry = {
            "file": error.origin.file if error.origin else None,
            "line": error.origin.line if error.origin and error.origin.line else None,
            "error": error.problem,
            "record": raw,
        }
        try:
            if self._file is None:
                self._file = path.open("x", encoding="utf-8")
            self._file.write(json.dumps(entry) + "\n")
        except FileExistsError:
            raise UsageError(f"{path} is there already; choose another file for rejected records") from None
        except OSError as trouble:
            raise StorageError(f"cannot write the rejected records to {path}: {trouble.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
