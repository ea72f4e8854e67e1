"""Texts as people read them in a line."""

from __future__ import annotations


def one_line(text: str, most: int | None = None) -> str:
    """Return a text as one line that can be printed: no control characters, and not too long."""
    line = "".join(character if character.isprintable() else "\ufffd" for character in " ".join(text.split()))
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"
