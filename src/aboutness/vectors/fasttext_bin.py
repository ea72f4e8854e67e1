"""The .bin files of fastText: words, rows for them and for hashed n-grams of letters, and an output matrix.

A file is a magic number and a version, the arguments of the training, the dictionary, the input matrix and the
output matrix. A word's vector is the mean of its own row and of those of its n-grams.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from aboutness.core.errors import BadInput
from aboutness.vectors.files import F32, I64, Content, VectorFile, Vocabulary
from aboutness.vectors.subwords import MOST_LETTERS, Subwords
from aboutness.vectors.words import IN, OUT

MAGIC = 793712314
VERSIONS = (11, 12)
SUPERVISED = 3
MODELS = {1: "cbow", 2: "skip-gram", SUPERVISED: "supervised"}
LOSSES = {1: "hierarchical softmax", 2: "negative sampling", 3: "softmax", 4: "one-vs-all"}
NEGATIVE_SAMPLING = 2
END = b"</s>"  # the end of a sentence, the one word without n-grams
ENTRY = 10  # bytes that an entry of the dictionary has besides its word


class _Arguments(NamedTuple):
    dim: int
    window: int
    epochs: int
    least: int
    negatives: int
    word_ngrams: int
    loss: int
    model: int
    bucket: int
    shortest: int
    longest: int
    update_rate: int
    threshold: float


class _Cursor:
    """Reads numbers one after the other, and never behind the end."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.at = 0

    def take(self, layout: str) -> tuple[int, ...]:
        size = struct.calcsize("<" + layout)
        part = self.content.part(self.at, self.at + size)
        if len(part) < size:
            raise BadInput(f"{self.content.path} is truncated: it ends after {len(self.content):,} bytes")
        self.at += size
        return struct.unpack("<" + layout, part)

    def matrix(self, what: str, dim: int) -> F32:
        """Map the matrix that comes next."""
        count, width = self.take("qq")
        if count < 0 or width != dim:
            raise BadInput(f"{self.content.path}: its {what} matrix is {count:,} x {width:,}, not … x {dim:,}")
        if 4 * count * width > len(self.content) - self.at:
            whole = (len(self.content) - self.at) // (4 * width)
            raise BadInput(
                f"{self.content.path} is truncated: its {what} matrix must have {count:,} vectors, but there are "
                f"{whole:,} whole ones"
            )
        found = np.frombuffer(self.content.whole, "<f4", count * width, self.at).reshape(count, width)
        self.at += found.nbytes
        return found


class FastTextBin(VectorFile):
    """A file as fastText writes it, not quantised."""

    format = "fasttext-bin"

    def __init__(self, content: Content) -> None:
        cursor = _Cursor(content)
        magic, version = cursor.take("ii")
        if magic != MAGIC or version not in VERSIONS:
            raise BadInput(
                f"{content.path} must start with fastText's magic number {MAGIC} and version "
                f"{' or '.join(map(str, VERSIONS))}, got {magic} and {version}"
            )
        self._arguments = given = _Arguments(*cursor.take("12id"))
        self._check_arguments(content)
        self.dim = given.dim
        vocabulary, counts, pieces = self._dictionary(content, cursor)
        if cursor.take("?")[0]:
            raise BadInput(f"{content.path} is quantised (.ftz): its vectors are not in it; use the .bin file")
        rows = cursor.matrix("input", self.dim)
        if len(rows) != len(counts) + given.bucket or pieces >= 0:
            raise BadInput(
                f"{content.path}: its input matrix must have {len(counts):,} rows for words and {given.bucket:,} "
                f"for n-grams, got {len(rows):,}" + (" (it is pruned)" if pieces >= 0 else "")
            )
        super().__init__(content, vocabulary)
        self.counts = counts[vocabulary.rows]
        self._own, self._pieces = rows[: len(counts)], rows[len(counts) :]
        old = version == VERSIONS[0] and given.model == SUPERVISED  # these had no n-grams
        if given.bucket and given.longest > 0 and not old:
            self.subwords = Subwords(self._pieces, given.shortest, given.longest)
        self._output(cursor)

    def _check_arguments(self, content: Content) -> None:
        given = self._arguments
        sizes = given.dim > 0 and given.bucket >= 0 and given.shortest >= 0 and given.longest <= MOST_LETTERS
        if not sizes or given.model not in MODELS or given.loss not in LOSSES:
            raise BadInput(
                f"{content.path}: these are no arguments of fastText: dim {given.dim}, bucket {given.bucket}, "
                f"model {given.model}, loss {given.loss}, n-grams of {given.shortest} to {given.longest} letters"
            )

    def _dictionary(self, content: Content, cursor: _Cursor) -> tuple[Vocabulary, I64, int]:
        """Read the words and their counts; return also how many n-grams were kept by pruning, or -1."""
        from aboutness.kernels.vector_files import scan_dictionary

        size, words, labels, _, pieces = cursor.take("3i2q")
        if words < 0 or labels < 0 or size != words + labels or size * ENTRY > len(content) - cursor.at:
            raise BadInput(
                f"{content.path} is truncated or damaged: its dictionary must have {size:,} entries, {words:,} "
                f"words and {labels:,} labels, in {len(content):,} bytes"
            )
        starts, ends, counts = (np.empty(size, np.int64) for _ in range(3))
        kinds = np.empty(size, np.uint8)
        at = int(scan_dictionary(content.data, cursor.at, len(content), starts, ends, counts, kinds))
        if at < 0:
            raise BadInput(f"{content.path} is truncated: it ends within its dictionary")
        if np.any(kinds[:words] != 0) or np.any(kinds[words:] != 1):
            raise BadInput(f"{content.path} is damaged: the words of its dictionary must stand before its labels")
        cursor.at = at + 8 * max(pieces, 0)
        return Vocabulary.of_spans(content, starts[:words], ends[:words]), counts[:words], pieces

    def _output(self, cursor: _Cursor) -> None:
        """Keep the output matrix where it has a row for each word."""
        given = self._arguments
        if given.loss == NEGATIVE_SAMPLING and given.model != SUPERVISED:
            (quantised,) = cursor.take("?")
            matrix = cursor.matrix("output", self.dim)
            if quantised or len(matrix) != len(self._own):
                raise BadInput(
                    f"{self.content.path}: its output matrix must have {len(self._own):,} rows, "
                    f"got {len(matrix):,}"
                )
            self._out = matrix
            self.spaces = (IN, OUT)

    def read(self, space: str, chosen: I64, out: F32) -> None:
        """Take rows of the output matrix, or make the vectors of words."""
        from aboutness.kernels.vector_files import mean_rows
        from aboutness.text.strings import take

        rows = self.vocabulary.rows[chosen]
        if space == OUT:
            out[:] = self._out[rows]
            return
        if self.subwords is None:
            out[:] = self._own[rows]
            return
        data, ends = take(self.words.data, self.words.ends, chosen)
        whole = chosen == self.words.find(END.decode())
        sizes = self.subwords.shortest, self.subwords.longest
        mean_rows(data, ends, whole, self._own[rows], self._pieces, *sizes, out)
