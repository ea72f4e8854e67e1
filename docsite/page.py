"""What the site is made of: pages of Markdown, each at a path."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Page:
    """One page: its path in the site, such as `models/bm25.md`, its name in the navigation, and its Markdown."""

    path: str
    title: str
    text: str


def link(source: str, target: str) -> str:
    """Return the relative link from one page to another, or to a part of it.

    >>> link("models/bm25.md", "trainers/pv.md#cost"), link("a.md", "a.md#b")
    ('../trainers/pv.md#cost', '#b')
    """
    path, mark, anchor = target.partition("#")
    if path == source and mark:
        return f"#{anchor}"
    return os.path.relpath(path, PurePosixPath(source).parent).replace(os.sep, "/") + mark + anchor
