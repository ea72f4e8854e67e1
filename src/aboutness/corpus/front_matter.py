"""Front matter: what stands between two lines `---` at the head of a Markdown file, as metadata.

Read is the part of YAML that such heads are written in: `key: value`, `key: [a, b]`, and a key with a list below
it (`- a`). Numbers, true and false are such; everything else is text, dates too. Where anything else stands there,
all of it is left in the text, as nobody knows what was meant.
"""

from __future__ import annotations

import json
import re
from typing import TypeAlias

from aboutness.core.record import Scalar

BLOCK = re.compile(r"---[ \t]*\r?\n(.*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
PAIR = re.compile(r"([\w][\w .-]*?)[ \t]*:(?:[ \t]+(.*?))?[ \t]*")
ITEM = re.compile(r"[ \t]*-[ \t]+(.*?)[ \t]*")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]+)?")
PLAIN = re.compile(r"[^\s\[\]{}&*!|>%@`\"'#,][^\[\]{}#]*|[^\s\[\]{}&*!|>%@`\"'#,]")
WORDS = {"true": True, "false": False}

Found: TypeAlias = dict[str, Scalar | list[Scalar]]


def front_matter(markdown: str) -> tuple[Found, str]:
    """Return the metadata at the head of a text, and the rest; nothing, and all of it, where there is none.

    >>> front_matter("---\\ntags: [bread, sour]\\nyear: 2024\\n---\\nFlour and water.")
    ({'tags': ['bread', 'sour'], 'year': 2024}, 'Flour and water.')
    """
    block = BLOCK.match(markdown)
    if block is None:
        return {}, markdown
    found = _read((block[1] or "").splitlines())
    return ({}, markdown) if found is None else (found, markdown[block.end() :])


def _read(lines: list[str]) -> Found | None:
    """Return what lines say; None where one cannot be read."""
    found: Found = {}
    below: list[Scalar] | None = None  # the list of the last key
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if (item := ITEM.fullmatch(line)) and below is not None:
            value = _scalar(item[1])
            if value is None:
                return None
            below.append(value)
            continue
        pair = PAIR.fullmatch(line)
        if pair is None or pair[1] in found:
            return None
        below = None
        if not pair[2]:
            below = []
            found[pair[1]] = below
            continue
        read = _value(pair[2])
        if read is None:
            return None
        found[pair[1]] = read
    return {key: value for key, value in found.items() if value != []}


def _value(text: str) -> Scalar | list[Scalar] | None:
    if not (text.startswith("[") and text.endswith("]")):
        return _scalar(text)
    items = [_scalar(item.strip()) for item in text[1:-1].split(",")] if text[1:-1].strip() else []
    return None if None in items else [item for item in items if item is not None]


def _scalar(text: str) -> Scalar | None:
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            read = json.loads(text)
        except ValueError:
            return None
        return str(read)
    if len(text) > 1 and text[0] == text[-1] == "'":
        inner = text[1:-1]
        return None if inner.replace("''", "").count("'") else inner.replace("''", "'")
    text = re.split(r"[ \t]#", text, maxsplit=1)[0].rstrip()
    if text in WORDS:
        return WORDS[text]
    if NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text if PLAIN.fullmatch(text) and ": " not in text else None
