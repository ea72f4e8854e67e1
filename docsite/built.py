"""Finished pages, read again: what they link to, which anchors they have, and what stands in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

LINKS = {"a": "href", "area": "href"}
LOADED = {
    "img": "src",
    "script": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
HEADINGS = ("h1", "h2", "h3")
SILENT = {"nav", "script", "style", "svg"}  # what is in them is not the text of the page


@dataclass
class Part:
    """A part of a page: its anchor, its heading, and the text up to the next one."""

    anchor: str
    heading: str = ""
    text: str = ""


@dataclass
class Built:
    """A finished page."""

    links: list[str] = field(default_factory=list)  # that a reader may follow
    loaded: list[str] = field(default_factory=list)  # files that the page needs
    anchors: set[str] = field(default_factory=set)
    parts: list[Part] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Reads a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = Built()
        self._open: list[tuple[str, bool]] = []  # elements, and whether what is in them is left out
        self._main = 0  # how deep in the page's own content
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.found.anchors.add(given["id"])
        if tag in LINKS and LINKS[tag] in given:
            self.found.links.append(given[LINKS[tag]])
        if tag in LOADED and LOADED[tag] in given:
            self.found.loaded.append(given[LOADED[tag]])
        if "style" in given:
            self.found.styles.append(given["style"])
        if "srcset" in given:
            self.found.loaded += [one.split()[0] for one in given["srcset"].split(",")]
        if tag in VOID:
            return
        self._open.append((tag, tag in SILENT or "headerlink" in given.get("class", "")))
        if tag == "main":
            self._main = len(self._open)
        if self._main and tag in HEADINGS:
            self._in_heading = True
            self.found.parts.append(Part(given.get("id", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag not in (name for name, _ in self._open):
            return
        while self._open.pop()[0] != tag:  # those that need no end
            pass
        if tag in HEADINGS:
            self._in_heading = False
        if len(self._open) < self._main:
            self._main = 0

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] == "style":
            self.found.styles.append(data)
        if not self._main or not self.found.parts or any(silent for _, silent in self._open):
            return
        part = self.found.parts[-1]
        if self._in_heading:
            part.heading += data
        else:
            part.text += data


def read_page(path: Path) -> Built:
    """Read a finished page."""
    reader = _Reader()
    reader.feed(path.read_text("utf-8"))
    reader.close()
    return reader.found
