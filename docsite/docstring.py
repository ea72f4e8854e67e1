"""Docstrings of rankers, taken apart: the idea, and the parts that CONTRIBUTING.md asks for.

A part begins a line with its name, such as `Cost: …`, and ends with the paragraph; what is indented is the
equation; the first paragraph is the idea; what is left are notes. A part that a class does not have is that of
its nearest base.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

from docsite.markdown import Linked, block, page, prose

PAPER, SYMBOLS, DIFFERS = "Paper", "Symbols", "Differs from the paper"
UNKNOWN, EMPTY, COST = "Unknown words", "Empty documents", "Cost"
PARTS = (PAPER, SYMBOLS, DIFFERS, UNKNOWN, EMPTY, COST)

NAMED = re.compile(rf"(?:{'|'.join(PARTS)}): ")
PROMPT, TREE = ">>> ", "├── "
ROOMS = ("aboutness.models.", "aboutness.rank.")


@dataclass(frozen=True)
class Docstring:
    """What a docstring says: the idea, equations, named parts, notes and examples."""

    idea: str = ""
    equation: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    examples: str = ""


def taken_apart(text: str) -> Docstring:
    """Return the parts of a docstring.

    >>> found = taken_apart("An idea.\\n\\n    a = b\\n\\nA note.\\n\\nCost: none.")
    >>> found.idea, found.equation, found.notes, found.parts
    ('An idea.', 'a = b', ['A note.'], {'Cost': 'none.'})
    """
    first, *others = re.split(rf"\n\s*\n|\n(?={NAMED.pattern})", inspect.cleandoc(text))
    equations, parts, notes, examples = [], {}, [], []
    for paragraph in others:
        if paragraph.startswith("    "):
            equations.append(inspect.cleandoc(f"\n{paragraph}"))
        elif paragraph.startswith(PROMPT):
            examples.append(paragraph)
        elif found := NAMED.match(paragraph):
            parts[found[0].removesuffix(": ")] = _joined(paragraph[found.end() :])
        else:
            notes.append(_joined(paragraph))
    return Docstring(_joined(first), "\n\n".join(equations), parts, notes, "\n\n".join(examples))


def docstring_of(thing: type) -> Docstring:
    """Return the docstring of a class, with the equation and the parts that it leaves to its bases."""
    bases = [one for one in thing.__mro__ if one is thing or one.__module__.startswith(ROOMS)]
    every = [taken_apart(text) for one in bases if (text := one.__dict__.get("__doc__"))]
    own = every[0]
    parts: dict[str, str] = {}
    for one in reversed(every):
        parts |= one.parts
    equation = next((one.equation for one in every if one.equation), "")
    return Docstring(
        own.idea, equation, {name: parts[name] for name in PARTS if name in parts}, own.notes, own.examples
    )


def as_markdown(text: str, linked: Linked | None = None) -> str:
    """Return any docstring as Markdown: what is indented and what is an example are blocks, all else is prose."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if paragraph.startswith("    ") or TREE in paragraph:
            parts.append(block(inspect.cleandoc(f"\n{paragraph}")))
        elif paragraph.startswith(PROMPT):
            parts.append(block(paragraph, "pycon"))
        elif paragraph.startswith("- "):
            parts.append("\n".join(prose(line, linked).replace("\\- ", "- ") for line in paragraph.split("\n")))
        else:
            parts.append(prose(_joined(paragraph), linked))
    return page(*parts)


def _joined(paragraph: str) -> str:
    return " ".join(paragraph.split())
