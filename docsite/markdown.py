"""Pieces of Markdown: tables, blocks of code, and prose that comes from docstrings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from docsite.page import link

CODE = re.compile(r"(`+[^`]+`+)")
DOCUMENT = re.compile(r"docs/([a-z0-9/-]+\.md)")
SPECIAL = re.compile(r"([\\*_>\[\]{}#])")

NONE = "-"  # in a cell

Linked = Callable[[str], str | None]  # what a piece of code is about: the link to it, if there is one


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table without the columns that are empty; a bar within a cell does not end it.

    >>> print(table(["a", "", "b"], [["|d| and `|d|`", "", "two\\nlines"]]))
    | a | b |
    | --- | --- |
    | &#124;d&#124; and `|d|` | two lines |
    """
    cells = [[_cell(cell) for cell in row] for row in rows]
    kept = [place for place in range(len(head)) if any(row[place] for row in cells)] or list(range(len(head)))
    lines = [list(head), ["---"] * len(head), *cells]
    return "\n".join(f"| {' | '.join(row[place] for place in kept)} |" for row in lines)


def _cell(text: str) -> str:
    pieces = CODE.split(" ".join(text.split()))
    return "".join(piece if piece.startswith("`") else piece.replace("|", "&#124;") for piece in pieces)


def block(code: str, language: str = "text") -> str:
    """Return a block of code."""
    return f"```{language}\n{code.strip(chr(10))}\n```"


def code(text: str) -> str:
    """Return a piece of code within a line, if it is not empty.

    >>> code("a"), code("`b`"), code("")
    ('`a`', '`` `b` ``', '')
    """
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def prose(text: str, linked: Linked | None = None) -> str:
    """Return words of a docstring as Markdown that shows them as they are, but for code, which may be a link.

    >>> prose("a * b of `bm25`", lambda code: "bm25.md" if code == "bm25" else None)
    'a \\\\* b of [`bm25`](bm25.md)'
    """
    pieces = []
    for piece in CODE.split(text):
        if not piece.startswith("`"):
            pieces.append(SPECIAL.sub(r"\\\1", piece).replace("<", "&lt;"))  # which cannot be escaped
            continue
        target = linked(piece.strip("`")) if linked else None
        pieces.append(f"[{piece}]({target})" if target else piece)
    return "".join(pieces)


def documents_linked(text: str, source: str) -> str:
    """Return prose of a page in which the names of pages of `docs/` are links to them.

    >>> documents_linked("See docs/default.md.", "models/default.md")
    'See [docs/default.md](../default.md).'
    """
    return DOCUMENT.sub(lambda found: f"[{found[0]}]({link(source, found[1])})", text)


def sentence(text: str) -> str:
    """Return a text that begins with a capital letter and ends as a sentence does.

    >>> sentence("scores from 0 to 1"), sentence("Done."), sentence("d is a document"), sentence("nDCG")
    ('Scores from 0 to 1.', 'Done.', 'd is a document.', 'nDCG.')
    """
    text = text.strip()
    is_symbol = bool(re.match(r"[b-z]\b|[a-z]+[A-Z]", text))
    begun = text if is_symbol else text[:1].upper() + text[1:]
    return begun + ("" if text.endswith((".", "!", "?", ":")) or not text else ".")


def page(*parts: str) -> str:
    """Return the parts of a page, those that are there, with an empty line between them."""
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"
