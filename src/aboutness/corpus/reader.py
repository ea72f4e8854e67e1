"""What a reader is: a format, how a source in it is recognised, and the function that reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from aboutness.core.record import Document
    from aboutness.core.rejects import OnBad
    from aboutness.corpus.keys import Keys


@dataclass(frozen=True, slots=True)
class Reader:
    """One format of text collections.

    `about` describes it in a line and `sources` says which sources are taken to be in it, as `recognises`
    decides; `takes_keys` tells whether the caller may name the keys of id and text.

    Where reading a folder is reading its files one after another, `files` lists them and `read_file` reads one.
    """

    name: str
    about: str
    sources: str
    recognises: Callable[[str], bool]
    read: Callable[[str, Keys, OnBad], Iterator[Document]]
    takes_keys: bool = False
    files: Callable[[str], Iterable[Path]] | None = None
    read_file: Callable[[str, Path, Keys, OnBad], Iterator[Document]] | None = None
