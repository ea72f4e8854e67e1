"""Vectors as text, one word a line: word2vec's and fastText's .vec, which start with "count dim", and GloVe's.

The last columns of a line are the numbers; what stands before them is the word. It may contain blanks: GloVe 840B
has ". . ." and others.
"""

from __future__ import annotations

import re

import numpy as np

from aboutness.core.advance import begin, did
from aboutness.core.counted import counted
from aboutness.core.errors import BadInput, shown
from aboutness.corpus.files import BOM
from aboutness.vectors.files import F32, HELD, I64, Content, VectorFile, Vocabulary, header

LONGEST_LINE = 1 << 24
DECIMAL = re.compile(rb"[+-]?(\d*\.\d+([eE][+-]?\d+)?|\d+[eE][+-]?\d+)")  # a whole number may end a word: 1 2/3


class TextFile(VectorFile):
    """A file of lines; `has_header` tells whether the first one is "count dim"."""

    def __init__(self, content: Content, *, has_header: bool) -> None:
        self.format = "word2vec-text" if has_header else "glove"
        self._first = 2 if has_header else 1
        self._stop = _end(content)
        count = None
        if has_header:
            if (sizes := header(content)) is None:
                raise BadInput(f'{content.path}: its first line must be "count dim", as word2vec writes it')
            count, self.dim, start = sizes
        else:
            start = len(BOM) if content.part(0, len(BOM)) == BOM else 0
            self.dim = _columns(content, start)
        room = (self._stop - start + 1) // (2 * self.dim)  # a digit and a blank for each number
        if count is not None and count > room:
            raise BadInput(
                f"{content.path} is truncated, or its first line is wrong: it promises {count:,} vectors of "
                f"{self.dim:,} numbers, which do not fit into {len(content):,} bytes"
            )
        starts, ends = self._scan(content, start, room)
        if count is not None and count != len(starts):
            raise BadInput(
                f"{content.path} is truncated, or its first line is wrong: it promises {count:,} vectors of "
                f"{self.dim:,} numbers, but there are {len(starts):,}"
            )
        super().__init__(content, Vocabulary.of_spans(content, starts, ends))
        self._places = ends
        self._check_words()

    def _scan(self, content: Content, start: int, room: int) -> tuple[I64, I64]:
        """Find the lines; return where the word of each starts and ends."""
        from aboutness.kernels.vector_files import scan_lines

        starts, ends, found = [], [], 0
        step = max(1, HELD // (8 * self.dim))
        begin("bytes", self._stop - start)
        while start < self._stop:
            size = max(1, min(step, room))
            places, stops, state = np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(2, np.int64)
            new = int(scan_lines(content.data, start, self._stop, self.dim, places, stops, state))
            found += new
            if state[1] >= 0:
                before = counted(found, "whole vector stands", "whole vectors stand")
                raise BadInput(
                    f"{content.path}, line {found + self._first:,}: a word and {self.dim:,} numbers are needed, "
                    f"got {state[1]:,} columns; {before} before it"
                )
            starts.append(places[:new])
            ends.append(stops[:new])
            did("bytes", int(state[0]) - start)
            start = int(state[0])
            content.release()
        if not found:
            raise BadInput(f"{content.path}: there is no vector in it")
        return np.concatenate(starts), np.concatenate(ends)

    def _check_words(self) -> None:
        """Refuse a word that ends in a decimal: the line has a number too many; or that is several lines."""
        data = self.words.data
        if len(returns := np.flatnonzero(data == ord("\r"))):
            number = int(np.searchsorted(self.words.ends, returns[0], "right"))
            place = self.place(int(self.vocabulary.rows[number]))
            raise BadInput(
                f"{self.content.path}, {place}: a carriage return stands in the word {shown(self.words[number])}; "
                "lines must end with a line feed"
            )
        blanks = np.flatnonzero((data == ord(" ")) | (data == ord("\t")))
        numbers = np.searchsorted(self.words.ends, blanks, "right")
        last = np.append(numbers[1:] != numbers[:-1], True)[: len(blanks)]
        for at, number in zip(blanks[last].tolist(), numbers[last].tolist(), strict=True):
            end = int(self.words.ends[number])
            if DECIMAL.fullmatch(data[at + 1 : end].tobytes()):
                place = self.place(int(self.vocabulary.rows[number]))
                raise BadInput(
                    f"{self.content.path}, {place}: a word and {self.dim:,} numbers are needed, got more: "
                    f"{shown(self.words[number])}"
                )

    def place(self, row: int) -> str:
        """Say on which line a row stands."""
        return f"line {row + self._first:,}"

    def read(self, space: str, chosen: I64, out: F32) -> None:  # noqa: ARG002 - there is one space
        """Read the numbers of the chosen words."""
        from aboutness.kernels.vector_files import parse_rows

        rows = self.vocabulary.rows[chosen]
        places, state = self._places[rows], np.zeros(4, np.int64)
        while not parse_rows(self.content.data, places, self._stop, out, state):
            row, column, start, end = state.tolist()
            out[row, column] = self._number(int(rows[row]), column, self.content.part(start, end))
            state[1], state[2] = column + 1, end

    def _number(self, row: int, column: int, text: bytes) -> np.float32:
        try:
            with np.errstate(over="ignore", under="ignore"):
                return np.float32(float(text))
        except ValueError:
            raise BadInput(
                f"{self.content.path}, {self.place(row)}: column {column + 1} of the vector is no number: "
                f"{shown(text.decode(errors='replace'))}"
            ) from None


def is_number(text: bytes) -> bool:
    """Tell whether a column is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _end(content: Content) -> int:
    """Return where the text ends, without the blanks and line feeds at its end."""
    end = len(content)
    while end:
        rest = content.part(max(0, end - 4096), end).rstrip(b" \t\r\n")
        if rest:
            return max(0, end - 4096) + len(rest)
        end = max(0, end - 4096)
    return 0


def first_line(content: Content, start: int) -> list[bytes]:
    """Return the columns of the line that starts at some byte."""
    end = content.whole.find(b"\n", start, start + LONGEST_LINE)
    return re.split(rb"[ \t\r]+", content.part(start, end if end >= 0 else start + LONGEST_LINE).strip(b" \t\r"))


def _columns(content: Content, start: int) -> int:
    """Return how many numbers the first line has behind its word."""
    columns = first_line(content, start)
    dim = 0
    while dim < len(columns) - 1 and is_number(columns[-1 - dim]):
        dim += 1
    if not dim:
        raise BadInput(f"{content.path}, line 1: a word and its numbers are needed, got {shown(columns[0])}")
    return dim
