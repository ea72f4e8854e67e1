"""A text in paragraphs and pieces, as pages show it: words that are marked, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

BREAK = re.compile(r"\r?\n(?=[ \t]{2,}\S|\s*\n)")  # a line that is indented, or after an empty one
SENTENCE = re.compile(r"[.!?][\"')\]]*\s+")  # the end of one
LONGEST = 300  # marked words, for browsers take very long over very many

Piece: TypeAlias = tuple[str, int | None]  # a text, and the number of its mark where it is a marked word


def paragraphs(text: str, words: Iterable[tuple[int, int, int]], longest: int = LONGEST) -> list[list[Piece]]:
    """Return the paragraphs of a text, each in pieces; `words` are start, end and mark of each, in order.

    A paragraph of very many marked words is cut after a sentence, if one ends in the second half of what it may
    have, or else between words. White space around paragraphs is left out.

    >>> paragraphs("a city", [(2, 6, 0)])
    [[('a ', None), ('city', 0)]]
    """
    found: list[list[Piece]] = [[]]
    since = 0
    for piece, mark in _pieces(text, words):
        first, *others = BREAK.split(piece) if mark is None else [piece]
        if not others and since >= longest / 2 and mark is None:
            first, *others = _cut(piece, anywhere=since >= longest)
        found[-1].append((first, mark))
        for other in others:
            found.append([(other, None)])
            since = 0
        since += mark is not None
    return [one for pieces in found if (one := _stripped(pieces))]


def _cut(piece: str, *, anywhere: bool) -> list[str]:
    """Return a piece in two if a sentence ends in it, or if it is between two words and may be cut there."""
    if end := SENTENCE.search(piece):
        return [piece[: end.end()], piece[end.end() :]]
    return [piece, ""] if anywhere and piece.isspace() else [piece]


def _pieces(text: str, words: Iterable[tuple[int, int, int]]) -> Iterator[Piece]:
    at = 0
    for start, end, mark in words:
        yield text[at:start], None
        yield text[start:end], mark
        at = end
    yield text[at:], None


def _stripped(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces without empty ones, and without white space at the ends."""
    kept = [one for one in pieces if one[0]]
    while kept and not kept[0][0].strip():
        kept.pop(0)
    while kept and not kept[-1][0].strip():
        kept.pop()
    if kept:
        kept[0] = (kept[0][0].lstrip(), kept[0][1])
        kept[-1] = (kept[-1][0].rstrip(), kept[-1][1])
    return kept
