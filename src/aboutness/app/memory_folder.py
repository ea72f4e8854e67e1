"""Where an index in memory lies: in a temporary folder that goes with the last who holds it."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path


class MemoryFolder:
    """A temporary folder; removed when nobody holds this object any more, and at the latest when the program ends.

    That nobody has to close it is what it is for. So it is not a `TemporaryDirectory`, which warns of that.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="aboutness-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
