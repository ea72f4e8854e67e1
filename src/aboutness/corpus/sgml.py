"""The little SGML that old collections use: elements one after another, read without loading the file."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple

from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Origin
from aboutness.corpus.files import LONGEST, lines, utf8_or_latin1

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aboutness.core.rejects import OnBad

REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
TREC_ENTITIES = {"&blank;": " ", "&hyph;": "-"}
MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")


class Element(NamedTuple):
    """One element: the line it starts on, its attributes as they stand, and what it encloses."""

    line: int
    attributes: str
    inside: str


def elements(path: str | Path, tag: str, on_bad: OnBad) -> Iterator[Element]:
    """Yield the elements of that tag; one that is not closed, or not opened, is a bad record.

    Bytes are UTF-8 or, in an element where they are not, Latin-1. A file without any is BadInput.
    """
    edges = re.compile(rf"<(/?){tag}(?=[\s>])([^<>]*)>".encode(), re.IGNORECASE)
    file = str(path)
    seen = False
    opened: _Opened | None = None
    for number, line in lines(path):
        at = 0
        for edge in edges.finditer(line):
            seen = True
            if opened:
                opened.add(line[at : edge.start()], file)
            if edge[1] and opened:
                yield opened.element()
            elif edge[1] or opened:
                on_bad(opened.unclosed(file, tag) if opened else _unopened(Origin(file, number), tag, line))
            opened = None if edge[1] else _Opened(number, edge[2])
            at = edge.end()
        if opened:
            opened.add(line[at:], file)
    if opened:
        on_bad(opened.unclosed(file, tag))
    if not seen:
        raise BadInput(f"{file}: no <{tag}> in it")


class _Opened:
    """An element whose end has not been seen yet."""

    def __init__(self, line: int, attributes: bytes) -> None:
        self.line = line
        self.attributes = attributes
        self.inside = bytearray()

    def add(self, piece: bytes, file: str) -> None:
        self.inside += piece
        if len(self.inside) > LONGEST:
            raise BadInput(f"{file}:{self.line}: an element longer than {LONGEST:,} bytes starts here")

    def element(self) -> Element:
        return Element(self.line, utf8_or_latin1(self.attributes), utf8_or_latin1(bytes(self.inside)))

    def unclosed(self, file: str, tag: str) -> BadRecord:
        problem = f"<{tag}> is not closed by </{tag}>"
        return BadRecord(problem, origin=Origin(file, self.line), raw=bytes(self.inside))


def _unopened(origin: Origin, tag: str, line: bytes) -> BadRecord:
    return BadRecord(f"</{tag}> without a <{tag}> before it", origin=origin, raw=line.rstrip(b"\r\n"))


def inner(text: str, tag: str) -> list[str]:
    """Return what the elements of that tag enclose, markup included, in their order."""
    return [text[start:end] for _, start, end, _ in _spans(text, tag)]


def without(text: str, tag: str) -> str:
    """Return the text without the elements of that tag."""
    kept = []
    at = 0
    for opening, _, _, closing in _spans(text, tag):
        kept.append(text[at:opening])
        at = closing
    return " ".join([*kept, text[at:]])


def _spans(text: str, tag: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield where elements open, what they enclose starts and ends, and they close, in one pass."""
    opened: re.Match[str] | None = None
    for edge in re.finditer(rf"<(/?){tag}(?:\s[^<>]*)?>", text, re.IGNORECASE):
        if edge[1] and opened:
            yield opened.start(), opened.end(), edge.start(), edge.end()
            opened = None
        elif not edge[1]:
            opened = opened or edge


def _without_comments(text: str) -> str:
    kept = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return " ".join([*kept, text[at:]])


def characters(text: str) -> str:
    """Replace references such as `&lt;` and `&#3;`; those to control characters vanish, unknown ones stay."""
    return REFERENCE.sub(lambda match: TREC_ENTITIES.get(match[0], html.unescape(match[0])), text)


def plain(text: str) -> str:
    """Return the text on one line without markup and with references replaced."""
    return " ".join(characters(MARKUP.sub(" ", _without_comments(text))).split())


def first(text: str, tag: str) -> str:
    """Return what the first element of that tag encloses, as plain text; nothing where there is none."""
    return " ".join(map(plain, inner(text, tag)[:1]))
