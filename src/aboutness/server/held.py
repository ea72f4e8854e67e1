"""The indexes that a server holds open, by name."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock

from aboutness.app.index import Index
from aboutness.core.errors import AboutnessError, NotFound, UsageError, shown

log = logging.getLogger(__name__)

NAME = re.compile(r"[\w][\w .-]{0,63}")


def named_folders(folders: Sequence[str]) -> dict[str, Path]:
    """Return folders by the names that they are given (NAME=FOLDER), or those of the folders without .index.

    >>> named_folders(["news.index", "old=archive/1990.index"])
    {'news': PosixPath('news.index'), 'old': PosixPath('archive/1990.index')}
    """
    named: dict[str, Path] = {}
    for text in folders:
        given, equals, folder = text.partition("=")
        if not equals or Path(text).exists():
            given, folder = Path(text).resolve().name.removesuffix(".index"), text
        if not NAME.fullmatch(given):
            raise UsageError(
                f"an index has a name of up to 64 letters, digits, blanks and . _ -, got {shown(given)}; "
                f"give it one: NAME={folder}"
            )
        if given in named:
            raise UsageError(f"two indexes have the name {shown(given)}: give one another name, NAME={folder}")
        path = Path(folder)
        named[given] = path if path.name not in ("", "..") else path.resolve()  # which has a name to be told
    return named


class Held:
    """Open indexes by name. Each goes over to a newer generation when there is one, ready to answer from it."""

    def __init__(self, indexes: Mapping[str, Index]) -> None:
        if not indexes:
            raise UsageError("a server needs at least one index")
        self._indexes = dict(indexes)
        self._stamps = {name: index.stamp() for name, index in self._indexes.items()}
        self._troubles: dict[str, str] = {}
        self._looking = Lock()

    @property
    def names(self) -> list[str]:
        """Return the names of the indexes, in the order in which they were given."""
        return list(self._indexes)

    def __iter__(self) -> Iterator[tuple[str, Index]]:
        return iter(self._indexes.items())

    def name(self, name: str | None) -> str:
        """Return a name that is held: the first one where none is given."""
        if name is None:
            return self.names[0]
        if name not in self._indexes:
            raise NotFound(f"there is no index {shown(name)} here; there is: {', '.join(self.names)}")
        return name

    def one(self, name: str | None = None) -> Index:
        """Return an index by its name, or the first one."""
        return self._indexes[self.name(name)]

    def trouble(self, name: str) -> str | None:
        """Return why the newest generation of an index could not be opened, if so: an older one answers."""
        return self._troubles.get(name)

    def look(self) -> list[str]:
        """Go over to newer generations where there are some; return the names of these indexes."""
        with self._looking:
            return [name for name, index in self._indexes.items() if self._look(name, index)]

    def _look(self, name: str, index: Index) -> bool:
        index.look()
        stamp = index.stamp()
        if stamp == self._stamps[name]:
            return False
        try:
            changed = index.refresh(ready=True)
        except (AboutnessError, OSError) as error:
            if self._troubles.get(name) != str(error):
                log.warning("the newest generation of %s cannot be opened: %s", name, error)
            self._troubles[name] = str(error)
            return False
        self._stamps[name] = stamp
        self._troubles.pop(name, None)
        return changed
