"""Look through a finished site: every link and anchor leads somewhere, and nothing comes from another host."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docsite.built import Built, read_page

FROM_STYLES = re.compile(r"(?:url\(\s*|@import\s+)['\"]?([^'\")\s;]+)")
INSIDE = ("data:", "#")


def problems_in(site: Path) -> Iterator[str]:
    """Yield what is wrong with the links of a site, in words."""
    pages = {path.relative_to(site).as_posix(): read_page(path) for path in sorted(site.rglob("*.html"))}
    for name, page in pages.items():
        for address in page.links:
            if _is_local(address) and (problem := _followed(site, name, address, pages)):
                yield problem
        styled = [one for style in page.styles for one in FROM_STYLES.findall(style)]
        for address in [*page.loaded, *styled]:
            yield from _loaded(site, name, address)
    for path in sorted(site.rglob("*.css")):
        for address in FROM_STYLES.findall(path.read_text("utf-8")):
            yield from _loaded(site, path.relative_to(site).as_posix(), address)


def _is_local(address: str) -> bool:
    found = urlsplit(address)
    return not found.scheme and not found.netloc


def _followed(site: Path, name: str, address: str, pages: dict[str, Built]) -> str | None:
    """Return what is wrong with a link to this site, if anything is."""
    found = urlsplit(address)
    target = (
        name
        if not found.path
        else posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(found.path)))
    )
    if found.path.endswith("/") or (site / target).is_dir():
        target = posixpath.join(target, "index.html")
    if target.startswith("..") or not (site / target).is_file():
        return f"{name}: the link {address!r} leads nowhere"
    anchor = unquote(found.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"{name}: the link {address!r} leads to a page that has no such part"
    return None


def _loaded(site: Path, name: str, address: str) -> Iterator[str]:
    """Yield what is wrong with a file that a page needs: it must be here."""
    if address.startswith(INSIDE):
        return
    if not _is_local(address):
        yield f"{name}: it needs {address!r}, which is elsewhere"
    elif not (
        site / posixpath.normpath(posixpath.join(posixpath.dirname(name), urlsplit(address).path))
    ).is_file():
        yield f"{name}: it needs {address!r}, which is not there"
