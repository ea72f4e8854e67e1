"""The code blocks of a Markdown page, and what becomes of each.

A block is written to a file where the paragraph before it ends with the file's name and a colon, in this form:
`name.toml`: (of blocks of Python and sh, only names that end in .py and .sh). Otherwise a block in `python` or `sh`
is run, and any other block right behind one that was run is what that prints: `...` stands for anything.

More is said in HTML comments right before a block:

    <!-- not run: REASON -->     nobody runs it
    <!-- exit: CODE -->          its last command ends with that code
    <!-- numbers: about -->      an output whose numbers may differ a little, as those of a training do
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"(?P<indent> *)(?P<fence>```+|~~~+)(?P<language>[\w+-]*)\s*")
COMMENT = re.compile(r"\s*<!-- (?P<key>not run|exit|numbers): (?P<value>.*?) -->\s*")
FILE = re.compile(r"`(?P<name>[\w./-]+\.(?P<ending>\w+))`:")
RUN = {"sh": "sh", "python": "py"}  # languages, and how their files end


@dataclass(frozen=True)
class Block:
    """One block of a page: the lines from `first` to before `last` of the page, counted from 0, are its own."""

    language: str
    text: str
    first: int
    last: int
    indent: int = 0
    said: dict[str, str] = field(default_factory=dict)
    follows: bool = False  # right behind another block that was run
    file: str = ""  # that it is written to

    @property
    def role(self) -> str:
        """Return what becomes of it: `marked`, `file`, `run`, `output`, or nothing where the page does not say."""
        if "not run" in self.said:
            return "marked"
        if self.file:
            return "file"
        if self.language in RUN:
            return "run"
        return "output" if self.follows else ""


def blocks_of(page: str) -> list[Block]:
    """Return the blocks of a page, in order.

    >>> [(one.language, one.text, one.role) for one in blocks_of("```sh\\nls\\n```\\n\\n```text\\na.txt\\n```\\n")]
    [('sh', 'ls\\n', 'run'), ('text', 'a.txt\\n', 'output')]
    >>> [one.file for one in blocks_of("Save `a.py`:\\n```python\\n1\\n```\\nSee `ab.ranker`:\\n```python\\n2\\n```\\n")]
    ['a.py', '']
    """
    lines = page.split("\n")
    found: list[Block] = []
    said: dict[str, str] = {}
    follows, at = False, 0
    while at < len(lines):
        fence, comment = FENCE.fullmatch(lines[at]), COMMENT.fullmatch(lines[at])
        if fence:
            last = _end(lines, at, fence["fence"])
            indent = len(fence["indent"])
            text = "".join(f"{line[indent:]}\n" for line in lines[at + 1 : last])
            file = _file(lines[:at], fence["language"])
            found.append(Block(fence["language"], text, at + 1, last, indent, said, follows, file))
            said, follows, at = {}, found[-1].role in ("run", "output"), last
        elif comment:
            said = said | {comment["key"]: comment["value"]}
        elif lines[at].strip():
            said, follows = {}, False
        at += 1
    return found


def _end(lines: list[str], first: int, fence: str) -> int:
    for at in range(first + 1, len(lines)):
        if lines[at].strip().startswith(fence) and not lines[at].strip().strip(fence[0]):
            return at
    raise ValueError(f"line {first + 1}: the block has no end")


def _file(before: list[str], language: str) -> str:
    """Return the file that the last line before a block names as its own, if it does."""
    spoken = (line.rstrip() for line in reversed(before) if line.strip() and not COMMENT.fullmatch(line))
    named = list(FILE.finditer(next(spoken, "")))
    if not named or named[-1].end() != len(named[-1].string):
        return ""
    return named[-1]["name"] if RUN.get(language, named[-1]["ending"]) == named[-1]["ending"] else ""


def rewritten(page: str, outputs: dict[int, str]) -> str:
    """Return the page with other texts in blocks, by the number of their first line.

    >>> rewritten("```text\\nold\\n```\\n", {1: "new\\n"})
    '```text\\nnew\\n```\\n'
    """
    lines = page.split("\n")
    for block in reversed(blocks_of(page)):
        if block.first in outputs:
            new = outputs[block.first].rstrip("\n").split("\n")
            lines[block.first : block.last] = [(" " * block.indent + line).rstrip() for line in new]
    return "\n".join(lines)


def name_in_page(root: Path, page: Path) -> str:
    """Return how a page is called in the repository."""
    return page.relative_to(root).as_posix()
