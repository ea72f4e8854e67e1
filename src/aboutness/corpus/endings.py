"""How the names of files end, counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aboutness.corpus.files import suffix

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_TOLD = 5


def count_endings(files: Iterable[Path]) -> Counter[str]:
    """Return how many files have each ending; that of the packed file where it ends in `.gz`."""
    return Counter(map(suffix, files))


def told(endings: Counter[str]) -> str:
    """Return in words the most frequent endings.

    >>> told(Counter({".docx": 1, ".pdf": 2, "": 1}))
    '.pdf 2, without an ending 1, .docx 1'
    """
    ordered = sorted(endings.items(), key=lambda item: (-item[1], item[0]))
    words = [f"{ending or 'without an ending'} {count:,}" for ending, count in ordered[:MOST_TOLD]]
    others = sum(count for _, count in ordered[MOST_TOLD:])
    return ", ".join([*words, *([f"others {others:,}"] if others else [])])
