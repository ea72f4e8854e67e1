"""A folder tree of files in one format, as old collections are distributed: read one file after another.

`aboutness.corpus.files.files_below` says which files and in which order; packed ones (.gz) are among them. A
file that cannot be read as that format, such as a README, is a bad record.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Origin
from aboutness.corpus.files import files_below, suffix
from aboutness.corpus.folder import FORMATS
from aboutness.corpus.tables import LINES, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from aboutness.core.record import Document
    from aboutness.core.rejects import OnBad

OTHERS = frozenset((*FORMATS, *LINES, *TABLES))
PLACE = re.compile(r":(?:(\d+):)? ")


def read_tree(
    path: str | Path, read: Callable[[str | Path, OnBad], Iterator[Document]], on_bad: OnBad
) -> Iterator[Document]:
    """Read every file below a folder, or the one file that `path` is."""
    if not os.path.isdir(path):  # noqa: PTH112 - a name that no file can have is refused by `read`
        yield from read(path, on_bad)
        return
    empty = True
    for file in files_below(path):
        empty = False
        yield from read_in_tree(file, read, on_bad)
    if empty:
        raise BadInput(f"{path}: no file in this folder")


def read_in_tree(
    file: Path, read: Callable[[str | Path, OnBad], Iterator[Document]], on_bad: OnBad
) -> Iterator[Document]:
    """Read one file of a folder tree."""
    try:
        yield from read(file, on_bad)
    except BadRecord:
        raise
    except (BadInput, NotFound) as error:
        on_bad(_bad_file(file, str(error)))


def _bad_file(file: Path, message: str) -> BadRecord:
    problem = message.removeprefix(str(file))
    place = PLACE.match(problem)
    if place is None:
        return BadRecord(message, origin=Origin(str(file)))
    return BadRecord(problem[place.end() :], origin=Origin(str(file), int(place[1] or 0)))


def is_tree_of(folder: str | Path, suffixes: Collection[str]) -> bool:
    """Tell whether a folder tree holds files with these suffixes, and neither text files nor tables."""
    found = False
    for file in files_below(folder):
        kind = suffix(file)
        if kind in OTHERS:
            return False
        found = found or kind in suffixes
    return found
