"""Where an index in memory lies: in a temporary folder that goes with the last who holds it."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path


class MemoryFolder:
    """A temporary folder with a place for an index; removed when nobody holds this object any more.

    At the latest that is when the program ends. Nobody has to close it, so it is not a `TemporaryDirectory`, which
    warns where that was not done.
    """

    def __init__(self) -> None:
        path = tempfile.mkdtemp(prefix="aboutness-")
        self.index = Path(path, "memory.index")
        weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
