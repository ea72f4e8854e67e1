"""Front matter: what stands between two lines `---` at the head of a Markdown file, as metadata.

Read is the part of YAML that such heads are written in: `key: value`, `key: [a, b]`, and a key with a list below
it (`- a`), with comments (` # so`). Numbers, true and false are such, null and ~ are no value; everything else is
text, dates too. Where anything else stands there, all of it is left in the text, as nobody knows what was meant.
"""

from __future__ import annotations

import json
import re
from typing import TypeAlias

from aboutness.core.record import Scalar

LONGEST = 64 * 1024
"""Characters that front matter may have; where no end of it comes before, it is text."""

BLOCK = re.compile(r"---[ \t]*\r?\n(.*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
KEY = re.compile(r"\w[\w .-]*")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]+)?")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^']|'')*'")
COMMENT = re.compile(r"[ \t]#")
LISTED = re.compile(r"[^,\[\]{}]+")  # of a list in brackets: one that is not quoted
BLANKS = " \t"
SPECIAL = tuple("[]{}#,&*!|>%@`\"'")  # at the beginning of a value: another kind than is read here
WORDS = {"true": True, "false": False, "null": None, "Null": None, "NULL": None, "~": None}

Found: TypeAlias = dict[str, Scalar | list[Scalar]]


def front_matter(markdown: str) -> tuple[Found, str]:
    """Return the metadata at the head of a text, and the rest; nothing, and all of it, where there is none.

    >>> front_matter("---\\ntags: [bread, sour]\\nyear: 2024\\n---\\nFlour and water.")
    ({'tags': ['bread', 'sour'], 'year': 2024}, 'Flour and water.')
    """
    block = BLOCK.match(_head(markdown))
    if block is None:
        return {}, markdown
    try:
        found = _read((block[1] or "").splitlines())
    except ValueError:
        return {}, markdown
    return found, markdown[block.end() :]


def _head(markdown: str) -> str:
    """Return the lines in which front matter can stand."""
    if len(markdown) <= LONGEST:
        return markdown
    return markdown[: markdown.rfind("\n", 0, LONGEST) + 1]


def _read(lines: list[str]) -> Found:
    """Return what lines say; raise ValueError where one cannot be read."""
    found: dict[str, Scalar | list[Scalar] | None] = {}
    below: list[Scalar] | None = None  # the list of the last key
    for line in lines:
        text = line.strip(BLANKS)
        if not text.strip() or text.startswith("#"):
            continue
        if below is not None and text.startswith(("- ", "-\t")):
            below += _unless_null(_scalar(text[1:].lstrip(BLANKS)))
            continue
        key, value = _pair(line)
        if key in found:
            raise ValueError(f"{key} stands twice")
        is_head = not value or value.startswith("#")
        below = [] if is_head else None
        found[key] = below if is_head else _value(value)
    return {key: value for key, value in found.items() if value is not None and value != []}


def _pair(line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    key = key.rstrip(BLANKS)
    if not colon or not KEY.fullmatch(key) or (value and value[0] not in BLANKS):
        raise ValueError(f"no pair: {line}")
    return key, value.strip(BLANKS)


def _value(text: str) -> Scalar | list[Scalar] | None:
    return _list(text) if text.startswith("[") else _scalar(text)


def _list(text: str) -> list[Scalar]:
    """Return the items of a list in brackets."""
    items: list[Scalar] = []
    at = _next(text, 1)
    while text[at : at + 1] != "]":
        quoted = QUOTED.match(text, at)
        item = quoted or LISTED.match(text, at)
        if item is None:
            raise ValueError(f"no item at {at}: {text}")
        items += _unless_null(_unquoted(item[0]) if quoted else _plain(item[0].rstrip(BLANKS)))
        at = _next(text, item.end())
        if text[at : at + 1] == ",":
            at = _next(text, at + 1)
        elif text[at : at + 1] != "]":
            raise ValueError(f"no end of an item at {at}: {text}")
    _check_end(text, at + 1)
    return items


def _next(text: str, at: int) -> int:
    """Return the place of the first character from `at` on that is no blank."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _scalar(text: str) -> Scalar | None:
    """Return a value that may have a comment behind it."""
    if quoted := QUOTED.match(text):
        _check_end(text, quoted.end())
        return _unquoted(quoted[0])
    return _plain(COMMENT.split(text, maxsplit=1)[0].rstrip(BLANKS))


def _check_end(text: str, at: int) -> None:
    """Raise where anything but a comment stands behind what was read."""
    if text[at:].strip(BLANKS) and not COMMENT.match(text, _next(text, at) - 1):
        raise ValueError(f"more than one value: {text}")


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if text[0] == '"' else text[1:-1].replace("''", "'")


def _plain(text: str) -> Scalar | None:
    if text in WORDS:
        return WORDS[text]
    if NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    if not text or text.startswith(SPECIAL) or ": " in text or COMMENT.search(text):
        raise ValueError(f"not plain: {text}")
    return text


def _unless_null(value: Scalar | None) -> list[Scalar]:
    return [] if value is None else [value]
