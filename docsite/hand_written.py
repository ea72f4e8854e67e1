"""Pages that are written by hand, with their links turned into those of the site.

In the repository links go from file to file, and lead somewhere there, too. On the site files lie elsewhere, and a
file that is no page, such as a test, becomes one where a page links to it. A link that leads nowhere is refused.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aboutness.core.errors import BadInput
from docsite.page import Page, link
from docsite.repository import DOCS, FIRST, FOLDERS, ROOT, TITLES, pictures, written_by_hand
from docsite.source_pages import source_page

LINK = re.compile(r"(\]\(\s*<?)([^)\s>]+)(>?(?:\s+\"[^\"]*\")?\s*\))|(^\[[^\]]+\]:\s+)(\S+)", re.MULTILINE)
CODE = re.compile(
    r"(^(?P<fence>[ ]*(?:```+|~~~+))[^\n]*\n.*?^(?P=fence)[ ]*$|`+(?:(?!\n\n)[^`])+`+)", re.MULTILINE | re.DOTALL
)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
INDEXES = ("index.md", "README.md")


@dataclass
class HandWritten:
    """The pages of a repository, and those of source files that they link to."""

    generated: Collection[str]  # the paths of pages that are made
    root: Path = ROOT
    linked: dict[str, Page] = field(default_factory=dict)  # pages of source files, by path in the repository

    def pages(self) -> list[Page]:
        """Return all pages, with their links as they are on the site."""
        known = written_by_hand(self.root)
        places = known | pictures(self.root)
        made = [self._page(source, target, places) for source, target in known.items()]
        return [*made, *self.linked.values()]

    def _page(self, source: str, target: str, places: Mapping[str, str]) -> Page:
        text = (self.root / source).read_text("utf-8")
        found = TITLE.search(text)
        if found is None:
            raise BadInput(f"{source}: a page begins with a heading, '# …'")

        def turned(address: str) -> str:
            if ELSEWHERE.match(address):
                return address
            path, mark, anchor = address.partition("#")
            return link(target, self._place(source, path, places)) + mark + anchor

        title = plain(found[1]) if target == FIRST else TITLES.get(source, plain(found[1]))
        return Page(target, title, with_links(text, turned))

    def _place(self, source: str, address: str, places: Mapping[str, str]) -> str:
        """Return where on the site a link leads that stands in a file of the repository."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), address))
        candidates = [path, *(posixpath.join(path, name) for name in INDEXES)]
        for one in candidates:
            if one in places:
                return places[one]
            on_site = one.removeprefix(f"{DOCS}/")
            if source.startswith(f"{DOCS}/") and on_site in self.generated:
                return on_site
        if path in FOLDERS:
            return FOLDERS[path]
        if path.startswith("..") or not (self.root / path).exists():
            raise BadInput(
                f"{source}: the link {address!r} leads nowhere, neither in the repository nor on the site"
            )
        if path not in self.linked:
            self.linked[path] = source_page(self.root, path)
        return self.linked[path].path


def with_links(text: str, turned: Callable[[str], str]) -> str:
    """Return Markdown with other addresses in its links, but not in its code.

    >>> with_links("[a](b.md#c) and `[a](b)`", str.upper)
    '[a](B.MD#C) and `[a](b)`'
    """

    def turn(found: re.Match[str]) -> str:
        if found[2] is not None:
            return f"{found[1]}{turned(found[2])}{found[3]}"
        return f"{found[4]}{turned(found[5])}"

    pieces, end = [], 0
    for code in CODE.finditer(text):
        pieces += [LINK.sub(turn, text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*pieces, LINK.sub(turn, text[end:])])


def plain(title: str) -> str:
    """Return a heading without marks."""
    return re.sub(r"[`*_]", "", title).strip()
