"""The title of a Markdown text."""

from __future__ import annotations

import re
from typing import NamedTuple

FENCE = re.compile(r" {0,3}(```+|~~~+)")
HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
FRONT_MATTER = re.compile(r"---[ \t]*\r?\n.*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)


class Marked(NamedTuple):
    """A title, empty if there is none, and the text without it."""

    title: str
    text: str


def titled(markdown: str) -> Marked:
    """Move the first heading, `# so` or underlined, to the title; the rest stays as it is.

    Headings in front matter and in fenced code do not count.

    >>> titled("# Rivers #\\n\\nThe *Rio Grande*.")
    Marked(title='Rivers', text='The *Rio Grande*.')
    """
    front = FRONT_MATTER.match(markdown)
    head = front[0].count("\n") if front else 0
    lines = markdown.split("\n")
    fence = ""
    for at in range(head, len(lines)):
        mark = FENCE.match(lines[at])
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            title, length = _heading(lines, at, head)
            if title:
                return Marked(title, "\n".join(lines[:at] + lines[at + length :]).strip())
    return Marked("", markdown.strip())


def _heading(lines: list[str], at: int, head: int) -> tuple[str, int]:
    heading = HEADING.match(lines[at])
    if heading:
        title = lines[at][heading.end() :].strip()
        bare = title.rstrip("#")
        return (bare.rstrip() if not bare or bare[-1].isspace() else title), 1
    alone = at == head or not lines[at - 1].strip()
    if alone and at + 1 < len(lines) and UNDERLINE.fullmatch(lines[at + 1].rstrip("\r")):
        return lines[at].strip(), 2
    return "", 0
