"""Files of word vectors: what every format offers once a file has been looked at, before vectors are read."""

from __future__ import annotations

import mmap
import os
import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import BadInput, NotFound, UsageError, shown
from aboutness.corpus.files import BOM, GZIP, open_bytes
from aboutness.index import disk
from aboutness.text.strings import GrowingTable, StringTable, take
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import IN, OUT

Bytes = NDArray[np.uint8]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]

PIECE = 1 << 20  # bytes of vectors read and checked at a time, while they are in the cache
HELD = 1 << 25  # bytes of a mapped file that are looked at before they are given back
HEADER = re.compile(rb"\s*([+-]?\d{1,20})[ \t]+([+-]?\d{1,20})\s*")
LONGEST_HEADER = 100


class Content:
    """The bytes of a file, mapped into memory; a gzip file is unpacked first, into a file without a name."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with disk.reporting("read", self.path):
            self._refuse_what_is_no_file()
            with self.path.open("rb") as file:
                self.size = os.fstat(file.fileno()).st_size  # packed or not
                self.packed = file.read(len(GZIP)) == GZIP
                self.whole = self._unpacked() if self.packed else self._mapped(file)
        self.data: Bytes = np.frombuffer(self.whole, np.uint8)

    def __len__(self) -> int:
        return len(self.data)

    def _refuse_what_is_no_file(self) -> None:
        if not self.path.exists():
            raise NotFound(f"there is no file {self.path}")
        if self.path.is_dir():
            raise BadInput(f"{self.path} is a folder; name the file of vectors in it")
        if not self.path.is_file():
            raise BadInput(f"{self.path} is not a plain file")

    def _mapped(self, file: IO[bytes]) -> mmap.mmap:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise BadInput(f"{self.path} is empty") from None

    def _unpacked(self) -> mmap.mmap:
        with disk.reporting("unpack", self.path), tempfile.TemporaryFile() as target:
            with open_bytes(self.path) as source:
                while piece := source.read(PIECE):
                    with disk.reporting("unpack", self.path):  # a full disk is no damage to the source
                        target.write(piece)
            target.flush()
            return self._mapped(target)

    def part(self, start: int, end: int) -> bytes:
        """Return some of the bytes."""
        return self.whole[start:end]

    def release(self) -> None:
        """Give the memory back in which a large file was mapped; it is mapped again when it is looked at again."""
        if len(self) > HELD and hasattr(mmap, "MADV_DONTNEED"):
            self.whole.madvise(mmap.MADV_DONTNEED)


@dataclass(frozen=True)
class Vocabulary:
    """The words of a file: of words that come more than once the first, and none that is not UTF-8."""

    words: StringTable
    rows: I64  # the row of each word in the file
    duplicates: int
    undecodable: int

    @classmethod
    def of_packed(cls, data: Bytes, ends: I64) -> Vocabulary:
        """Make a vocabulary of packed words, one for each row of a file."""
        given = len(ends)
        rows = np.arange(given, dtype=np.int64)
        if not is_text(data, ends):
            rows = np.array([row for row, word in enumerate(_each(data, ends)) if _decodes(word)], np.int64)
            data, ends = take(data, ends, rows)
        decoded = len(rows)
        try:
            words = StringTable.of_packed(data, ends)
        except ValueError:  # one is there twice
            table = GrowingTable()
            numbers = table.add(data, ends)
            _, first = np.unique(numbers, return_index=True)
            words, rows = table.table(), rows[first]
        return cls(words, rows, decoded - len(rows), given - decoded)

    @classmethod
    def of_spans(cls, content: Content, starts: I64, ends: I64) -> Vocabulary:
        """Make a vocabulary of the words that stand at some places of a file."""
        from aboutness.kernels.vector_files import copy_spans

        packed = np.cumsum(ends - starts)
        data = np.empty(int(packed[-1]) if len(packed) else 0, np.uint8)
        step = max(1, len(starts) * HELD // len(content))
        for first in range(0, len(starts), step):
            part = slice(first, first + step)
            copy_spans(content.data, starts[part], ends[part], data[packed[first] - ends[first] + starts[first] :])
            content.release()
        return cls.of_packed(data, packed)

    def part(self, chosen: I64) -> Vocabulary:
        """Return the vocabulary of some of the words, each at most once."""
        if len(chosen) == len(self.words):
            return self
        words = StringTable.of_packed(*take(self.words.data, self.words.ends, chosen))
        return Vocabulary(words, self.rows[chosen], self.duplicates, self.undecodable)


def is_text(data: Bytes, ends: I64) -> bool:
    """Tell whether all packed strings are UTF-8: they are together, and none starts within a letter."""
    if not _decodes(data.tobytes()):
        return False
    starts = np.concatenate([np.zeros(1, np.int64), ends])[: len(ends)]
    return bool(np.all(data[starts[starts < len(data)]] & 0xC0 != 0x80))


def _each(data: Bytes, ends: I64) -> Iterator[bytes]:
    whole, start = data.tobytes(), 0
    for end in ends.tolist():
        yield whole[start:end]
        start = end


def _decodes(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


class VectorFile(ABC):
    """A file of word vectors that has been looked at: its words are known, its vectors are still in it.

    Words are numbered in the order of the file, without those that came before and those that are not UTF-8.
    """

    format: str
    dim: int
    spaces: tuple[str, ...] = (IN,)
    counts: I64 | None = None  # how often each word stood in the text they were trained on
    subwords: Subwords | None = None  # mapped from the file, and not checked

    def __init__(self, content: Content, vocabulary: Vocabulary) -> None:
        self.content = content
        self.vocabulary = vocabulary
        if not len(vocabulary.words):
            raise BadInput(f"{content.path}: there is no word in it")

    @property
    def words(self) -> StringTable:
        """Return the words."""
        return self.vocabulary.words

    @property
    def duplicates(self) -> int:
        """Return how many vectors are left out since their word came before."""
        return self.vocabulary.duplicates

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Return where the vectors come from, in plain values."""
        return {
            "file": self.content.path.name,
            "format": self.format,
            "bytes": self.content.size,
            "duplicates": self.vocabulary.duplicates,
            "undecodable": self.vocabulary.undecodable,
        }

    def rows(self, space: str, chosen: I64) -> F32:
        """Read the vectors of the chosen words in a space; raise BadInput where one is not finite."""
        from aboutness.kernels.vector_files import first_not_finite

        out = np.empty((len(chosen), self.dim), np.float32)
        step = max(1, PIECE // (4 * self.dim))
        held = 0
        for first in range(0, len(chosen), step):
            part, rows = chosen[first : first + step], out[first : first + step]
            self.read(space, part, rows)
            if (bad := int(first_not_finite(rows))) >= 0:
                self._refuse(int(part[bad]), rows[bad])
            held += rows.nbytes
            if held >= HELD:
                self.content.release()
                held = 0
        self.content.release()
        return out

    @abstractmethod
    def read(self, space: str, chosen: I64, out: F32) -> None:
        """Read the vectors of the chosen words in a space, finite or not, into `out`."""

    def place(self, row: int) -> str:
        """Say where a row of the file stands."""
        return f"vector {row + 1:,}"

    def _refuse(self, number: int, vector: F32) -> None:
        column = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise BadInput(
            f"{self.content.path}: {self.place(int(self.vocabulary.rows[number]))}, of the word "
            f"{shown(self.words[number])}, has {vector[column]} in column {column + 1}; vectors must be finite"
        )


class PairFile(VectorFile):
    """IN and OUT vectors in two files; the words that both have, in the order of the first."""

    format = "pair"

    def __init__(self, first: VectorFile, second: VectorFile) -> None:
        if first.dim != second.dim:
            raise BadInput(
                f"the vectors of {first.content.path} have {first.dim:,} numbers, those of "
                f"{second.content.path} {second.dim:,}: they are no IN and OUT of one another"
            )
        if OUT in first.spaces:
            raise UsageError(f"{first.content.path} has OUT vectors itself; leave {second.content.path} out")
        self._files = {IN: first, OUT: second}
        self._numbers = {IN: np.arange(len(first.words), dtype=np.int64)}
        self._numbers[OUT] = second.words.find_all(first.words.data, first.words.ends)
        both = self._numbers[OUT] >= 0
        self._numbers = {space: numbers[both] for space, numbers in self._numbers.items()}
        super().__init__(first.content, first.vocabulary.part(self._numbers[IN]))
        self.dim, self.spaces, self.subwords = first.dim, (IN, OUT), first.subwords
        self.counts = first.counts[both] if first.counts is not None else None
        left_out = len(first.words) + len(second.words) - 2 * int(both.sum())
        self.provenance = {**first.provenance, "out": second.provenance, "only_in_one": left_out}

    def rows(self, space: str, chosen: I64) -> F32:
        """Read from the file of the space."""
        return self._files[space].rows(IN, self._numbers[space][chosen])

    def read(self, space: str, chosen: I64, out: F32) -> None:
        """Read from the file of the space."""
        self._files[space].read(IN, self._numbers[space][chosen], out)


def header(content: Content) -> tuple[int, int, int] | None:
    """Return the count and the dimension that the first line of a file gives, and where the next starts, if any.

    Nothing of it is trusted: those who read on see first whether the file is large enough.
    """
    line, newline, _ = content.part(0, LONGEST_HEADER).partition(b"\n")
    if not (found := HEADER.fullmatch(line.removeprefix(BOM))):
        return None
    count, dim = int(found[1]), int(found[2])
    if count <= 0 or dim <= 0:
        raise BadInput(f"{content.path}: its first line promises {count:,} vectors of {dim:,} numbers")
    return count, dim, len(line) + len(newline)
