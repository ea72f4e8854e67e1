"""What happens to records that cannot be used: stop at the first, or set them aside and go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, Self, TypeAlias

from aboutness.core.errors import BadRecord, StorageError, UsageError

OnBad: TypeAlias = Callable[[BadRecord], None]


def stop(error: BadRecord) -> None:
    """Stop at the first bad record."""
    raise error


class RejectFile:
    """Write every bad record, with its place and the reason, as one JSON line of a file; count them.

    The file is created at the first bad record, so that none is left behind where all were good, and is never
    one that is there already: not earlier rejects, and not the source itself. Call the object with each error;
    use it as a context manager so that the file is closed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.count = 0
        self._file: IO[str] | None = None

    def __call__(self, error: BadRecord) -> None:
        """Write one bad record."""
        raw = error.raw.decode("utf-8", "backslashreplace") if isinstance(error.raw, bytes) else error.raw
        entry = {
            "file": error.origin.file if error.origin else None,
            "line": error.origin.line if error.origin and error.origin.line else None,
            "error": error.problem,
            "record": raw,
        }
        try:
            if self._file is None:
                self._file = self.path.open("x", encoding="utf-8")
            self._file.write(json.dumps(entry) + "\n")
        except FileExistsError:
            raise UsageError(f"{self.path} is there already; choose another file for rejected records") from None
        except OSError as trouble:
            raise StorageError(f"cannot write the rejected records to {self.path}: {trouble.strerror}") from None
        self.count += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
