"""The title and the text of an HTML page, however broken its markup is."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

DROPPED = frozenset(("script", "style", "template"))
_INLINE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span "
    "strike strong sub sup time tt u var wbr"
)
INLINE = frozenset(_INLINE.split())
"""Elements that may stand inside a word; all others end it."""


class Page(NamedTuple):
    """What a page says: its title, empty if it has none, and its text, a line for every block."""

    title: str
    text: str


def page(html: str) -> Page:
    """Take title and text from a page; scripts, styles, templates and comments are dropped.

    >>> page("<title>Caf&eacute;</title><p>one<b>two</b><p>three")
    Page(title='Café', text='onetwo\\nthree')
    """
    parser = _PageParser()
    parser.feed(html)
    parser.close()
    blocks = (" ".join(block.split()) for block in "".join(parser.pieces).split("\f"))
    return Page(" ".join("".join(parser.title).split()), "\n".join(block for block in blocks if block))


class _PageParser(HTMLParser):
    """Collect text; a form feed, which is a blank in HTML, marks the end of a block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title: list[str] = []
        self.in_title = False
        self.dropping = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """Begin a title or a dropped element, or end a block."""
        if tag in DROPPED:
            self.dropping += 1
        elif tag == "title" and not self.title:
            self.in_title = True
        elif tag == "body":
            self.in_title = False
        if tag not in INLINE:
            self.pieces.append("\f")

    def handle_startendtag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """End a block at `<br/>`; an empty element holds nothing that could be dropped."""
        if tag not in INLINE:
            self.pieces.append("\f")

    def handle_endtag(self, tag: str) -> None:
        """End what the start tag began."""
        if tag in DROPPED and self.dropping:
            self.dropping -= 1
        elif tag in {"title", "head"}:
            self.in_title = False
        if tag not in INLINE:
            self.pieces.append("\f")

    def handle_data(self, data: str) -> None:
        """Keep the text unless it belongs to a dropped element."""
        if not self.dropping:
            (self.title if self.in_title else self.pieces).append(data.replace("\f", " "))

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Pass over `<![…`, for which the standard parser may raise an error."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i)
