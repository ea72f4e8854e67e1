"""Shards that did not answer: an answer without them is made only where it is told that they are missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from aboutness.core.errors import Unreachable

Made = TypeVar("Made")


@dataclass(frozen=True)
class Missed:
    """A shard that did not answer: its number (from 1), how many living documents it has, and all numbers."""

    shard: int
    documents: int
    numbers: range

    def to_json(self) -> dict[str, int]:
        """Return what others may want to know of it, in plain values."""
        return {"shard": self.shard, "documents": self.documents}


Noted = dict[int, Missed]  # by the number of the shard

_noted: ContextVar[Noted | None] = ContextVar("noted", default=None)


@contextmanager
def noting_missed(known: Iterable[Missed] = ()) -> Iterator[Noted]:
    """Let shards be passed over that do not answer to what this thread asks within, and note them.

    Those that are known not to answer are not asked at all.
    """
    noted = {one.shard: one for one in known}
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def noted_here() -> Noted | None:
    """Return where this thread notes what it passes over; None where it must not."""
    return _noted.get()


def without_missed(
    find: Callable[[Sequence[Missed]], Made], known: Iterable[Missed] = ()
) -> tuple[Made, Sequence[Missed]]:
    """Return what is found, and without which shards: those known not to answer, and others that do not.

    Where one is lost on the way, what it had said until then is forgotten, and all is looked for again without it.
    """
    with noting_missed(known) as noted:
        while True:
            missed = [noted[shard] for shard in sorted(noted)]
            found = find(missed)
            if len(noted) == len(missed):
                return found, missed


def with_all_but(missed: Iterable[Missed], do: Callable[[], Made]) -> Made:
    """Return what is done without some shards; raise where another one does not answer, either."""
    with noting_missed(missed) as noted:
        before = len(noted)
        made = do()
    if len(noted) > before:
        raise Unreachable(f"{names(list(noted)[before:])}; ask again soon")
    return made


def told(missed: Iterable[Missed], documents: int) -> str | None:
    """Return in words what is missing of so many documents, None where that is nothing.

    >>> told([Missed(3, 1200, range(0, 1300)), Missed(5, 34, range(2000, 2034))], 5000)
    '1,234 of 5,000 documents could not be searched: shards 3 and 5 do not answer'
    """
    some = list(missed)
    if not some:
        return None
    count = sum(one.documents for one in some)
    return f"{count:,} of {documents:,} documents could not be searched: {names([one.shard for one in some])}"


def names(shards: Sequence[int]) -> str:
    """Return which shards do not answer, in words.

    >>> names([3])
    'shard 3 does not answer'
    """
    *most, last = map(str, shards)
    return f"shards {', '.join(most)} and {last} do not answer" if most else f"shard {last} does not answer"
