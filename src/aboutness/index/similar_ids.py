"""Which document is meant by an id that none has."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aboutness.index.snapshot import Snapshot

ENDINGS = (".md", ".txt", ".html", ".markdown", ".rst", ".htm")
MOST_SCANNED = 10_000  # documents; where there are more, ids are only looked up
LONGEST = 200  # characters of an id that others are compared with
LIKENESS = 0.75
MOST_COMPARED = 200_000  # characters, about: some tenths of a second


def did_you_mean(snapshot: Snapshot, identifier: str) -> str:
    """Return what to add to the message that there is no such document: the one that may be meant, or nothing."""
    meant = _looked_up(snapshot, identifier) or _scanned(snapshot, identifier)
    return f"; did you mean {meant!r}?" if meant else ""


def _looked_up(snapshot: Snapshot, identifier: str) -> str | None:
    """Return the id with an ending, or without the folders before it: what can be found without a look at all."""
    candidates = [identifier + ending for ending in ENDINGS] + list(_shorter(identifier[-LONGEST:]))
    numbers = snapshot.numbers(candidates)
    return next((one for one, number in zip(candidates, numbers, strict=True) if number >= 0), None)


def _shorter(path: str) -> Iterator[str]:
    """Yield a path without its first folder, without its second, and so on."""
    while path:
        path = path.partition("/")[2]
        if path:
            yield path


def _scanned(snapshot: Snapshot, identifier: str) -> str | None:
    if not identifier or len(identifier) > LONGEST or snapshot.documents > MOST_SCANNED:
        return None
    ids = snapshot.ids_of(snapshot.live_numbers())
    ends = tuple(f"/{identifier}{ending}" for ending in ("", *ENDINGS))
    if found := next((one for one in ids if one.endswith(ends)), None):
        return found
    digits = _digits(identifier)  # another number is another document, however much the rest is alike
    comparable = [one for one in ids if len(one) <= LONGEST and _digits(one) == digits]
    some = comparable[: MOST_COMPARED // len(identifier)]
    return next(iter(get_close_matches(identifier, some, 1, LIKENESS)), None)


def _digits(text: str) -> list[str]:
    return [character for character in text if character.isdigit()]
