"""Texts with some of their words marked, as a report shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

OWN, EVIDENCE = "query", "evidence"  # kinds of marks

Place: TypeAlias = tuple[int, int, str]  # start, end, and the kind of mark


def marked_pieces(texts: Sequence[str], marks: Sequence[Sequence[Place]]) -> list[tuple[str, str]]:
    """Return texts in pieces, each with its mark or with none; the marks of each text ascend.

    >>> marked_pieces(["a city", "by the sea"], [[(2, 6, "query")], []])
    [('a ', ''), ('city', 'query'), (' ', ''), ('by the sea', '')]
    """
    found: list[tuple[str, str]] = []
    for text, own in zip(texts, marks, strict=True):
        found += [(" ", "")] if found else []
        at = 0
        for start, end, kind in own:
            found += [(text[at:start], ""), (text[start:end], kind)]
            at = end
        found.append((text[at:], ""))
    return [piece for piece in found if piece[0]]
