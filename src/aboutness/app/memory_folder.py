"""Where an index in memory lies: in a temporary folder that goes with the last who holds it."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

from aboutness.core.errors import NotFound
from aboutness.index.database import NAME as DATABASE
from aboutness.index.trained import IN_MEMORY, TEMPORARY


class MemoryFolder:
    """A temporary folder with a place for an index; removed when nobody holds this object any more.

    At the latest that is when the program ends; a process that was forked from it removes nothing.
    Nobody has to close it, so it is not a `TemporaryDirectory`, which warns where that was not done.
    """

    def __init__(self) -> None:
        path = tempfile.mkdtemp(prefix=TEMPORARY)
        self.index = Path(path, IN_MEMORY)
        weakref.finalize(self, _remove, path, os.getpid())

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> MemoryFolder:
        """Make a folder with the files of an index, as `files` gave them."""
        made = cls()
        for name, content in files.items():
            target = made.index / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return made

    def files(self) -> dict[str, bytes]:
        """Return the contents of all files of the index, by their paths in it."""
        if not (self.index / DATABASE).exists():
            raise NotFound(
                f"the index in memory is lost: its folder {self.index.parent} was removed; build it anew"
            )
        found = (path for path in sorted(self.index.rglob("*")) if path.is_file())
        return {path.relative_to(self.index).as_posix(): path.read_bytes() for path in found}


def _remove(path: str, maker: int) -> None:
    if os.getpid() == maker:
        shutil.rmtree(path, ignore_errors=True)
