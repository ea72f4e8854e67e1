"""A training that was interrupted, on disk: what it had reached, and of which training that was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.index import disk
from aboutness.index.arrays import map_arrays
from aboutness.vectors.store import write

Arrays = Mapping[str, NDArray[Any]]

EVERY = 60.0  # seconds between two checkpoints
ABOUT = "about"


class Checkpoint:
    """A file that a training writes from time to time and goes on from when it is started again."""

    def __init__(self, path: str | Path, *, every: float = EVERY) -> None:
        self.path = Path(path)
        self.every = every

    def load(self, about: Mapping[str, Any]) -> Arrays | None:
        """Return what had been reached, or None where there is nothing; refuse what another training reached."""
        if not self.path.exists():
            return None
        try:
            with disk.reporting("read", self.path):
                arrays = map_arrays(self.path)
            was = json.loads(arrays[ABOUT].tobytes())
        except (DamagedIndex, KeyError, ValueError) as error:
            raise UsageError(
                f"the checkpoint {self.path} cannot be read ({error}); start anew with restart (--restart)"
            ) from None
        if was != json.loads(json.dumps(about)):
            other = {key: was.get(key) for key in about if was.get(key) != about[key]}
            raise UsageError(
                f"{self.path} is the checkpoint of another training, with {_shown(other)}; go on with the same "
                "settings and documents, or start anew with restart (--restart)"
            )
        return arrays

    def save(self, about: Mapping[str, Any], arrays: Arrays) -> None:
        """Replace the checkpoint, in one step."""
        text = np.frombuffer(json.dumps(about).encode(), np.uint8)
        write({**arrays, ABOUT: text}, self.path)

    def clear(self) -> None:
        """Remove the checkpoint."""
        disk.remove(self.path)


def _shown(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())
