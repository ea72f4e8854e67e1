"""A training that was interrupted, on disk: what it had reached, and of which training that was."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.index import disk
from aboutness.index.arrays import map_arrays
from aboutness.vectors.store import check_name, write

Arrays = Mapping[str, NDArray[Any]]

EVERY = 60.0  # seconds between two checkpoints
ABOUT = "about"


class Checkpoint:
    """A file that a training writes from time to time and goes on from when it is started again."""

    def __init__(self, path: str | Path, *, every: float = EVERY) -> None:
        self.path = check_name(path)
        self.every = every

    def load(self, about: Mapping[str, Any], *, verify: bool = True) -> Arrays | None:
        """Return what had been reached, or None where there is nothing; refuse what another training reached.

        Without `verify` the checksum is not compared: for what has just been written.
        """
        if not self.path.exists():
            return None
        try:
            with disk.reporting("read", self.path):
                arrays = dict(map_arrays(self.path))
            sealed = json.loads(arrays.pop(ABOUT).tobytes())
            was, checksum = dict(sealed[ABOUT]), sealed["checksum"]
        except (DamagedIndex, LookupError, ValueError, TypeError) as error:
            raise UsageError(
                f"the checkpoint {self.path} cannot be read ({error}); start anew with restart (--restart)"
            ) from None
        if verify and checksum != _checksum(arrays):
            raise UsageError(f"the checkpoint {self.path} was damaged; start anew with restart (--restart)")
        if was != json.loads(json.dumps(about)):
            other = {key: was.get(key) for key in about if was.get(key) != about[key]}
            raise UsageError(
                f"{self.path} is the checkpoint of another training, with {_shown(other)}; go on with the same "
                "settings and documents, or start anew with restart (--restart)"
            )
        return arrays

    def save(self, about: Mapping[str, Any], arrays: Arrays, *, durable: bool = True) -> None:
        """Replace the checkpoint, in one step; what is not `durable` may be lost, or damaged, by a power cut."""
        sealed = {ABOUT: about, "checksum": _checksum(arrays)}
        text = np.frombuffer(json.dumps(sealed).encode(), np.uint8)
        write({**arrays, ABOUT: text}, self.path, durable=durable)

    def clear(self) -> None:
        """Remove the checkpoint."""
        disk.remove(self.path)


def _checksum(arrays: Arrays) -> int:
    value = 0
    for name in sorted(arrays):
        value = zlib.crc32(name.encode(), value)
        array = np.ascontiguousarray(arrays[name])
        value = zlib.crc32(array.data.cast("B"), value) if array.size else value
    return value


def _shown(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())
