"""Vectors written to files that others read: words with theirs, or documents by their ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.corpus.files import suffix
from aboutness.index.arrays import parts_of
from aboutness.text.strings import StringTable
from aboutness.vectors import store
from aboutness.vectors.words import IN, WordVectors
from aboutness.vectors.written import binary_parts, npy_parts, packed_parts, text_parts, vocabulary_parts

BLANKS = re.compile(r"[ \t\n\v\f\r]")
LINE_ENDS = re.compile(r"[\n\r]")
BOM = "\ufeff"
ROWS = 1 << 14  # that are looked at together
VOCABULARY = ".vocab"


@dataclass(frozen=True)
class Format:
    """A format in which vectors can be written."""

    ending: str  # of the names of such files
    parts: Callable[[WordVectors], Iterable[memoryview | bytes]]
    banned: re.Pattern[str] | None = None  # what a word must not have
    packable: bool = False  # whether a name may end in .gz
    vocabulary: bool = False  # whether words are in a file of their own


def _text(header: bool) -> Callable[[WordVectors], Iterable[bytes]]:
    return lambda vectors: text_parts(vectors.words, vectors.space(), header=header)


EXPORTS: dict[str, Format] = {
    "word2vec-text": Format(".vec", _text(header=True), BLANKS, packable=True),
    "word2vec-binary": Format(
        ".bin", lambda vectors: binary_parts(vectors.words, vectors.space()), BLANKS, packable=True
    ),
    "glove": Format(".txt", _text(header=False), BLANKS, packable=True),
    "npy": Format(".npy", lambda vectors: npy_parts(vectors.space()), LINE_ENDS, vocabulary=True),
    "safetensors": Format(".safetensors", lambda vectors: parts_of(vectors.arrays())),
}


def export(
    vectors: WordVectors,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - its name everywhere
    space: str | None = None,
    overwrite: bool = False,
) -> list[Path]:
    """Write vectors to a file, and where the format needs one their words to another; return the files.

    The file's name says its format (.vec, .bin, .txt for GloVe's, .npy, .safetensors), unless it is named. A file
    holds one space, "in" unless said or if it is the only one, but for safetensors, which holds all unless one is
    chosen. Each file gets its name when it is whole. What is there already is left alone, unless with `overwrite`.
    Vectors that no reader takes are refused: none at all, and those with a number that is not finite.
    """
    target = Path(path)
    name = format_of_name(target, format)
    chosen = EXPORTS[name]
    beside = [target.with_suffix(VOCABULARY)] if chosen.vocabulary else []
    files = [target, *beside]
    _check_places(files, overwrite=overwrite)
    vectors = as_written(vectors, name, space)
    _check_words(vectors.words, name, chosen)
    _check_numbers(vectors)
    for file in beside:  # first, so that a matrix never stands without its words
        store.replace(file, vocabulary_parts(vectors.words))
    parts = chosen.parts(vectors)
    packed = target.suffix.lower() == ".gz"
    store.replace(target, packed_parts(map(bytes, parts)) if packed else parts)
    return files


def format_of_name(path: Path, name: str | None = None) -> str:
    """Return the format that is named, or that of a file's name; raise UsageError where there is none."""
    if name is not None and name not in EXPORTS:
        raise UsageError(f"format must be one of {', '.join(EXPORTS)}, got {shown(name)}")
    endings = {chosen.ending: key for key, chosen in EXPORTS.items()}
    ending = suffix(path)
    found = name or endings.get(ending)
    if found is None:
        known = ", ".join(f"{end} ({key})" for end, key in endings.items())
        raise UsageError(f"the name of {path.name} does not say its format: it may end in {known}; or name one")
    if path.suffix.lower() == ".gz" and not EXPORTS[found].packable:
        raise UsageError(f"{found} cannot be packed: leave .gz out of the name {shown(path.name)}")
    if ending != EXPORTS[found].ending and found in ("npy", "safetensors"):
        raise UsageError(
            f"the name of a file in {found} must end in {EXPORTS[found].ending}, got {shown(path.name)}"
        )
    return found


def as_written(vectors: WordVectors, name: str, space: str | None = None) -> WordVectors:
    """Return vectors with the spaces that a file holds. One that is alone is IN there, whichever it was."""
    if space is None and name == "safetensors" and IN in vectors.spaces:
        return vectors
    own = IN if IN in vectors.spaces else next(iter(vectors.spaces))
    chosen = own if space is None else space
    matrix = vectors.space(chosen)
    if list(vectors.spaces) == [IN]:
        return vectors
    return vectors.with_spaces({IN: np.asarray(matrix)}, space=chosen)


def _check_places(files: list[Path], *, overwrite: bool) -> None:
    for file in files:
        if not file.absolute().parent.is_dir():
            raise NotFound(f"there is no folder {file.parent} to write {file.name} in")
        if file.is_dir():
            raise UsageError(f"{file} is a folder; name a file to write")
        if file.exists() and not file.is_file():
            raise UsageError(f"{file} is not a plain file; name another one")
        if file.exists() and not overwrite:
            raise UsageError(
                f"{file} is there already; choose another file, or replace it with --overwrite "
                "(overwrite=True in Python)"
            )


def _check_words(words: StringTable, name: str, chosen: Format) -> None:
    """Raise UsageError where a file would be read back with other words than it was written with."""
    if chosen.banned is None:
        return
    lengths = np.diff(words.ends, prepend=0)
    if len(lengths) and not lengths.all():
        raise UsageError(f"one of the words is empty, which {name} cannot hold; use safetensors")
    if chosen.banned.search(words.data.tobytes().decode()) is not None:
        word = next(word for word in words if chosen.banned.search(word))
        what, other = ("a blank or a line end", "npy or safetensors") if chosen.banned is BLANKS else (
            "a line end", "safetensors"
        )  # fmt: skip
        raise UsageError(f"{shown(word)} has {what} in it, which {name} cannot hold; use {other}")
    if name in ("glove", "npy") and len(words) and words[0].startswith(BOM):
        raise UsageError(f"the first word, {shown(words[0])}, would be read as a mark of UTF-8; use safetensors")


def _check_numbers(vectors: WordVectors) -> None:
    """Raise UsageError where there is nothing to write, or a number that is not finite."""
    for name, matrix in vectors.spaces.items():
        if not matrix.size:
            raise UsageError(f"there must be vectors to write, got {matrix.shape[0]} x {matrix.shape[1]} numbers")
        for first in range(0, len(matrix), ROWS):
            finite = np.isfinite(matrix[first : first + ROWS]).all(axis=1)
            if not finite.all():
                word = vectors.words[first + int(finite.argmin())]
                raise UsageError(
                    f"the vector of {shown(word)} (space {name}) has a number that is not finite, which no format "
                    "may hold; train or process the vectors anew"
                )
