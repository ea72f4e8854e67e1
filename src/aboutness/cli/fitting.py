"""Text that fits into the terminal it goes to; where it goes elsewhere, lines stay as long as they are."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence

NARROWEST = 40  # columns; in fewer nothing can be read anyway
GAP = "  "
LONGEST_WORD = 26  # what a column is not made narrower for
TOGETHER = "\x00"  # stands for a space that is no place to break a line
LAST_COLUMN = re.compile(r"(.*\S {2,})(\S.*)")


def columns() -> int | None:
    """Return how wide the terminal is that shows results, or nothing where they go to a file or a program."""
    return max(shutil.get_terminal_size().columns, NARROWEST) if sys.stdout.isatty() else None


def wrapped(text: str, first: str = "", others: str | None = None) -> list[str]:
    """Return a text as lines that fit: the first begins with `first`, those below it with `others`, or as it."""
    width = columns()
    if width is None:
        return [first + text]
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=first if others is None else others,
        break_long_words=False, break_on_hyphens=False,
    ) or [first.rstrip()]  # fmt: skip


def hanging(line: str) -> list[str]:
    """Return a line of columns as lines that fit, what is in the last below itself, and broken at commas only."""
    width, found = columns(), LAST_COLUMN.fullmatch(line)
    if width is None or len(line) <= width or found is None:
        return [line]
    head, last = found.groups()
    if len(head) > width * 2 // 3:  # then there is more room below
        head = f"{head.rstrip()}\n{' ' * (width // 4)}"
    indent = " " * len(head.rpartition("\n")[2])
    lines = wrapped(re.sub(r"(?<!,) ", TOGETHER, last), indent)
    return (head + "\n".join(lines)[len(indent) :]).replace(TOGETHER, " ").split("\n")


def fitted(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table: wide columns are broken, and where that does not do, some come below others."""
    room = columns()
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    least = [_least(column) for column in zip(*cells, strict=True)]
    for number, block in enumerate(_blocks(least if room else wide, room)):
        widths = [wide[i] for i in block]
        if room is not None:
            widths = _narrowed(widths, [least[i] for i in block], room)
        if number:
            yield ""
        for row in cells:
            broken = [_broken(row[i], width) for i, width in zip(block, widths, strict=True)]
            for line in range(max(map(len, broken))):
                texts = [cell[line] if line < len(cell) else "" for cell in broken]
                yield GAP.join(map(str.ljust, texts, widths)).rstrip()


def _least(column: Sequence[str]) -> int:
    """Return the width to which a column can be narrowed: that of its longest word, if it is not too long."""
    head, *others = column
    words = (len(word) for cell in others for word in cell.split())
    return max(len(head), min(max(words, default=0), LONGEST_WORD))


def _narrowed(widths: list[int], least: list[int], room: int) -> list[int]:
    """Return widths that fit, taken from the widest columns first; or, if none do, the least."""
    while sum(widths) + len(GAP) * (len(widths) - 1) > room:
        wide = [i for i in range(len(widths)) if widths[i] > least[i]]
        if not wide:
            break
        widths[max(wide, key=lambda i: widths[i])] -= 1
    return widths


def _blocks(widths: Sequence[int], room: int | None) -> Iterator[list[int]]:
    """Yield the columns that go side by side, each time with the first, which says what a row is."""
    block = [0]
    for i in range(1, len(widths)):
        if room is not None and len(block) > 1 and sum(widths[j] + len(GAP) for j in block) + widths[i] > room:
            yield block
            block = [0]
        block.append(i)
    yield block


def _broken(cell: str, width: int) -> list[str]:
    """Return a cell as lines; what stands before its first word stays."""
    if len(cell) <= width:
        return [cell]
    indent = cell[: len(cell) - len(cell.lstrip())]
    return textwrap.wrap(cell, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
