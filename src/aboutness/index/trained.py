"""What has been trained or derived and is kept in an index, as one generation of it has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex, NotFound
from aboutness.index.manifest import ArtefactEntry

T = TypeVar("T")
Arrays = dict[str, NDArray[Any]]


class Once:
    """Things that are made when they are first asked for, and kept; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._places: dict[Any, tuple[Lock, list[Any]]] = {}

    def __call__(self, key: object, make: Callable[[], T]) -> T:
        """Return what has a key, made by `make` if it is not there yet; others wait for that one only."""
        with self._lock:
            lock, made = self._places.setdefault(key, (Lock(), []))
        with lock:
            if not made:
                made.append(make())
            found: T = made[0]
            return found


@dataclass(frozen=True)
class Trained:
    """The artefacts of an index by name: how they were made, and their arrays, or why these cannot be read."""

    folder: Path = Path()
    entries: Mapping[str, ArtefactEntry] = field(default_factory=dict)
    arrays: Mapping[str, Arrays | Exception] = field(default_factory=dict)
    once: Once = field(default_factory=Once)

    def artefact(self, name: str) -> Arrays:
        """Return the arrays of an artefact."""
        if name not in self.arrays:
            known = ", ".join(self.arrays) or "none"
            raise NotFound(f"the index has no trained artefact {name!r}. It has: {known}")
        arrays = self.arrays[name]
        if isinstance(arrays, Exception):
            raise DamagedIndex(f"the trained artefact {name!r} cannot be read: {arrays}; train it anew")
        return arrays

    def of_kind(self, kind: str) -> dict[str, ArtefactEntry]:
        """Return the artefacts of a kind, by name."""
        return {name: entry for name, entry in self.entries.items() if entry.kind == kind}
