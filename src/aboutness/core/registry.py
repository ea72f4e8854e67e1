"""Named things that can be looked up, listed and documented: analyzers, readers, models, measures."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from aboutness.core.errors import UsageError, shown

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

MOST_COMPARED = 100  # characters of an unknown name

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from names to things of one kind, in the order in which they were registered.

    >>> colours = Registry[int]("colour")
    >>> colours.register("dark-red", 1)
    1
    >>> colours["darkred"]
    Traceback (most recent call last):
    aboutness.core.errors.UsageError: unknown colour 'darkred'; did you mean 'dark-red'? Known: dark-red
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}

    def register(self, name: str, thing: T) -> T:
        """Add `thing` under `name`, which must be new and of the form `word-word-2`."""
        if not NAME.fullmatch(name):
            raise UsageError(f"the name of a {self.kind} must look like 'word-word2', got {name!r}")
        if name in self._things:
            raise UsageError(f"the {self.kind} {name!r} is registered already")
        self._things[name] = thing
        return thing

    def __getitem__(self, name: str) -> T:
        try:
            return self._things[name]
        except KeyError:
            raise UsageError(self._unknown(name)) from None

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - Mapping's own form
        """Return what stands under `name`, or `default`."""
        return self._things.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name[:MOST_COMPARED], self._things, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        return f"unknown {self.kind} {shown(name)}{hint} Known: {', '.join(self._things)}"
