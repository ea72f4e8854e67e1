"""What has been trained or derived and is kept in an index, as one generation of it has them."""

from __future__ import annotations

import weakref
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

GONE: Any = object()
TEMPORARY, IN_MEMORY = "aboutness-", "memory.index"  # how such a folder's name begins, and that of the index in it


class Once:
    """Things that are made when they are first asked for, and kept; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._places: dict[Any, tuple[Lock, list[Any]]] = {}

    def __call__(self, key: object, make: Callable[[], T]) -> T:
        """Return what has a key, made by `make` if it is not there yet; others wait for that one only."""
        with self._lock:
            lock, kept = self._places.setdefault(key, (Lock(), []))
        with lock:
            found: T = self._get(kept[0]) if kept else GONE
            if found is GONE:
                found = make()
                kept[:] = [self._put(found)]
            return found

    def _put(self, made: Any) -> Any:  # noqa: ANN401 - whatever is kept
        return made

    def _get(self, kept: Any) -> Any:  # noqa: ANN401
        return kept


class WhileUsed(Once):
    """The same for large things: each is kept for as long as somebody else holds it."""

    def _put(self, made: Any) -> Any:  # noqa: ANN401
        return weakref.ref(made)

    def _get(self, kept: Any) -> Any:  # noqa: ANN401
        made = kept()
        return GONE if made is None else made


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


def is_in_memory(folder: Path) -> bool:
    """Tell whether a folder is that of an index in memory.

    >>> is_in_memory(Path("/tmp/aboutness-1/memory.index")), is_in_memory(Path("memory.index"))
    (True, False)
    """
    return folder.name == IN_MEMORY and folder.parent.name.startswith(TEMPORARY)


def how_to_train(folder: Path, what: str, options: Mapping[str, str] | None = None) -> str:
    """Return what to type to have something trained: a command or, where the index is in memory, Python.

    >>> print(how_to_train(Path("my.index"), "pv", {"dim": "5"}))
    aboutness train my.index pv --dim 5
    >>> print(how_to_train(Path("/tmp/aboutness-1", IN_MEMORY), "pv", {"dim": "5", "name": "mine"}))
    index.train("pv", dim=5, name="mine")
    """
    options = options or {}
    if is_in_memory(folder):
        said = "".join(f", {key}={_in_python(value)}" for key, value in options.items())
        return f'index.train("{what}"{said})'
    said = "".join(f" --{key.replace('_', '-')} {value}" for key, value in options.items())
    return f"aboutness train {folder} {what}{said}"


def _in_python(value: str) -> str:
    """Return a value as Python has it: a number as it is, and a text in quotes."""
    try:
        float(value)
    except ValueError:
        return f'"{value}"'
    return value
