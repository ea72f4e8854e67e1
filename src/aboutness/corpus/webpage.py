"""The title and the text of an HTML page, however broken its markup is, in time that grows with its length.

Tags are found as browsers find them: what is opened and never closed (a comment, a tag, a quoted attribute, a
script) takes the rest of the page with it. The standard library's parser looks for the end of each such thing
again and again, and takes minutes for some 100 kB.
"""

from __future__ import annotations

import codecs
import html
import re
from typing import NamedTuple

DROPPED = frozenset(("script", "style", "template"))
_INLINE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span "
    "strike strong sub sup time tt u var wbr"
)
INLINE = frozenset(_INLINE.split())
"""Elements that may stand inside a word; all others end it."""

TAG = re.compile(
    r"""<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<rest>(?:[^=>]++|=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])))*+)>"""
)
OPENED = re.compile(r"<(?=[A-Za-z/!?])")
NAMED = re.compile(r"</?[A-Za-z]")
RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
CHARSET = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]*?\b(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE
)
HEAD = 4096  # bytes in which a page says its charset; browsers look at 1,024
CHARSETS = re.compile(
    r"ascii|iso8859-\d+|cp125\d|cp866|cp874|tis-620|koi8-[ru]|mac-roman|gb2312|gbk|gb18030|big5|big5hkscs|euc_jp|"
    r"shift_jis|cp932|iso2022_jp|euc_kr|cp949"
)  # those of pages, by Python's names: it knows others that take long, or do more than decode
AS_BROWSERS_DO = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
BEYOND = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{7,});?")  # no character has such a number


def charset(raw: bytes) -> str | None:
    """Return Python's name of the charset that a page says it has; None where it says none that is known.

    >>> charset(b'<html><head><meta charset="ISO-8859-1">')
    'cp1252'
    """
    said = CHARSET.search(raw, 0, HEAD)
    try:
        found = codecs.lookup(said[1].decode()) if said else None
    except LookupError:
        return None
    if found is None or not CHARSETS.fullmatch(found.name):
        return None
    return AS_BROWSERS_DO.get(found.name, found.name)


class Page(NamedTuple):
    """What a page says: its title, empty if it has none, and its text, a line for every block."""

    title: str
    text: str


def page(markup: str) -> Page:
    """Take title and text from a page; scripts, styles, templates and comments are dropped.

    >>> page("<title>Caf&eacute;</title><p>one<b>two</b><p>three")
    Page(title='Café', text='onetwo\\nthree')
    """
    reading = _Reading()
    at = 0
    while at < len(markup):
        opened = OPENED.search(markup, at)
        start = opened.start() if opened else len(markup)
        reading.text(markup[at:start])
        at = _passed(markup, start, reading) if opened else start
    blocks = (" ".join(block.split()) for block in "".join(reading.pieces).split("\f"))
    return Page(" ".join("".join(reading.title).split()), "\n".join(block for block in blocks if block))


def _passed(markup: str, start: int, reading: _Reading) -> int:
    """Read the tag, comment or declaration that starts somewhere; return where it ends."""
    if markup.startswith("<!--", start):
        return _behind(markup, "-->", start + 4)
    if not NAMED.match(markup, start):
        return _behind(markup, ">", start)
    tag = TAG.match(markup, start)
    if tag is None:
        return len(markup)
    name = tag["name"].lower()
    if tag["end"]:
        reading.closed(name)
    elif tag["rest"].endswith("/"):
        reading.block(name)
    else:
        reading.opened(name)
        if name in RAW:
            last = RAW[name].search(markup, tag.end())
            return last.start() if last else len(markup)
    return tag.end()


def _behind(markup: str, mark: str, start: int) -> int:
    found = markup.find(mark, start)
    return found + len(mark) if found >= 0 else len(markup)


class _Reading:
    """Collect text; a form feed, which is a blank in HTML, marks the end of a block."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.title: list[str] = []
        self.in_title = False
        self.dropping = 0

    def block(self, tag: str) -> None:
        """End a block, unless the element may stand inside a word; an empty one holds nothing to drop."""
        if tag not in INLINE:
            self.pieces.append("\f")

    def opened(self, tag: str) -> None:
        """Begin a title or a dropped element, or end a block."""
        if tag in DROPPED:
            self.dropping += 1
        elif tag == "title" and not self.title:
            self.in_title = True
        elif tag == "body":
            self.in_title = False
        self.block(tag)

    def closed(self, tag: str) -> None:
        """End what the start tag began."""
        if tag in DROPPED and self.dropping:
            self.dropping -= 1
        elif tag in {"title", "head"}:
            self.in_title = False
        self.block(tag)

    def text(self, text: str) -> None:
        """Keep the text unless it belongs to a dropped element."""
        if text and not self.dropping:
            kept = html.unescape(BEYOND.sub("\ufffd", text)).replace("\f", " ")
            (self.title if self.in_title else self.pieces).append(kept)
