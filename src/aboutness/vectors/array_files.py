"""Vectors as arrays: numpy's .npy with a vocabulary beside it, and .safetensors, ours or with a vocabulary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import BadInput, DamagedIndex, NotFound
from aboutness.corpus.files import BOM
from aboutness.index.arrays import LARGEST_HEADER, map_arrays
from aboutness.text.strings import StringTable
from aboutness.vectors.files import F32, I64, Content, VectorFile, Vocabulary, is_text
from aboutness.vectors.words import IN, WordVectors

NPY = b"\x93NUMPY"
TYPE = re.compile(rb"'descr'\s*:\s*('[^']*'|\[)")
ORDER = re.compile(rb"'fortran_order'\s*:\s*(True|False)")
SHAPE = re.compile(rb"'shape'\s*:\s*\(\s*(\d{1,18})L?\s*,\s*(\d{1,18})L?\s*,?\s*\)")
FLOAT = re.compile(rb"'([<>=|]?)f([248])'")
MOST_PIECES = 10  # that a word in a vocabulary has between blanks
VOCABULARIES = ("{stem}.vocab", "{stem}.txt", "vocab.txt")  # that of just one file comes first
PICKLE = (
    "a pickle, which is never opened: it could run any code. Save the vectors in a format of nothing else, "
    "such as word2vec's (gensim: vectors.save_word2vec_format(path, binary=True))"
)


class ArrayFile(VectorFile):
    """A matrix with one row for each line of a vocabulary."""

    def __init__(self, content: Content, name: str, matrix: NDArray[Any], vocab: str | Path | None) -> None:
        self.format = name
        if not matrix.shape[1]:
            raise BadInput(f"{content.path}: its vectors have no numbers")
        self.dim = int(matrix.shape[1])
        path = Path(vocab) if vocab is not None else beside(content.path)
        lines = vocabulary_lines(path, self.dim)
        if len(lines[1]) != len(matrix):
            raise BadInput(
                f"{content.path} has {len(matrix):,} vectors, but {len(lines[1]):,} words are in {path}"
            )
        super().__init__(content, Vocabulary.of_packed(*lines))
        self.matrix = matrix
        self.provenance["vocabulary"] = path.name

    def read(self, space: str, chosen: I64, out: F32) -> None:  # noqa: ARG002 - there is one space
        """Copy the rows of the chosen words."""
        with np.errstate(over="ignore", under="ignore"):
            out[:] = self.matrix[self.vocabulary.rows[chosen]]


def npy(content: Content, vocab: str | Path | None) -> ArrayFile:
    """Look at a .npy file of a matrix."""
    return ArrayFile(content, "npy", npy_matrix(content), vocab)


def npy_matrix(content: Content) -> NDArray[Any]:
    """Map the matrix of a .npy file; its header is searched for what is needed, and not evaluated."""
    version = content.part(len(NPY), len(NPY) + 1)
    width = 2 if version == b"\x01" else 4
    start = len(NPY) + 2 + width
    length = int.from_bytes(content.part(start - width, start), "little")
    header = content.part(start, start + min(length, LARGEST_HEADER))
    kind, order, shape = TYPE.search(header), ORDER.search(header), SHAPE.search(header)
    if kind and b"O" in kind[1]:
        raise BadInput(f"{content.path} holds Python objects as {PICKLE}")
    number = FLOAT.fullmatch(kind[1]) if kind else None
    if not (content.part(0, len(NPY)) == NPY and kind and order and shape and number):
        raise BadInput(f"{content.path} must be a .npy file of a matrix of floats, got {header[:100]!r}")
    dtype = np.dtype(f"{number[1].decode().replace('|', '<') or '='}f{number[2].decode()}")
    rows, columns = int(shape[1]), int(shape[2])
    data = start + length
    if rows * columns * dtype.itemsize > len(content) - data:
        whole = max(0, len(content) - data) // max(1, columns * dtype.itemsize)
        raise BadInput(
            f"{content.path} is truncated: it must have {rows:,} vectors, but there are {whole:,} whole ones"
        )
    values = np.frombuffer(content.whole, dtype, rows * columns, min(data, len(content)))
    return values.reshape(rows, columns, order="F" if order[1] == b"True" else "C")


def beside(path: Path) -> Path:
    """Return the vocabulary file that lies beside a file of vectors."""
    stems = [path.name.rsplit(".", count)[0] for count in range(1, path.name.count(".") + 1)]
    names = dict.fromkeys(name.format(stem=stem) for stem in stems or [path.name] for name in VOCABULARIES)
    for name in names:
        if (path.parent / name).is_file() and name != path.name:
            return path.parent / name
    raise NotFound(f"{path} needs a vocabulary, one word a line: there is none of {', '.join(names)} beside it")


def vocabulary_lines(path: Path, dim: int) -> tuple[NDArray[np.uint8], I64]:
    """Return the lines of a vocabulary, packed, without their ends."""
    text = Content(path).whole[:].removeprefix(BOM)
    lines = text.removesuffix(b"\n").split(b"\n")
    if (columns := len(lines[0].split())) > max(dim, MOST_PIECES):
        raise BadInput(f"{path} must have one word a line, but its first line has {columns:,} columns")
    words = [line.removesuffix(b"\r") for line in lines]
    return np.frombuffer(b"".join(words), np.uint8), np.cumsum([len(word) for word in words], dtype=np.int64)


class SavedFile(VectorFile):
    """A file that `store.save` wrote; its vectors stay mapped where all of them are wanted."""

    format = "safetensors"

    def __init__(self, content: Content, arrays: Mapping[str, NDArray[Any]]) -> None:
        try:
            self.saved = WordVectors.of_arrays(arrays).elsewhere()
        except DamagedIndex as error:
            raise BadInput(f"{content.path} is damaged: {error}") from None
        _check(content, arrays, self.saved)
        count = len(self.saved)
        super().__init__(content, Vocabulary(self.saved.words, np.arange(count, dtype=np.int64), 0, 0))
        self.dim, self.spaces = self.saved.dim, tuple(self.saved.spaces)
        self.counts, self.subwords = self.saved.counts, self.saved.subwords
        self.provenance = dict(self.saved.provenance)

    def read(self, space: str, chosen: I64, out: F32) -> None:
        """Copy the rows of the chosen words."""
        out[:] = self.saved.spaces[space][chosen]


def safetensors(content: Content, vocab: str | Path | None) -> VectorFile:
    """Look at a .safetensors file: ours, or one matrix of floats with a vocabulary."""
    if content.packed:
        raise BadInput(f"{content.path} must be unpacked first (gunzip), since it is mapped into memory")
    length = int.from_bytes(content.part(0, 8), "little")
    if b'"BF16"' in content.part(8, 8 + min(length, LARGEST_HEADER)):
        raise BadInput(f"{content.path} holds bfloat16, which cannot be read; save the vectors as float32")
    try:
        arrays = map_arrays(content.path)
    except DamagedIndex as error:
        raise BadInput(str(error)) from None
    if "words.data" in arrays:
        return SavedFile(content, arrays)
    matrices = {name: array for name, array in arrays.items() if array.ndim == 2 and array.dtype.kind == "f"}
    if len(matrices) != 1:
        found = ", ".join(f"{name} {array.dtype} {array.shape}" for name, array in arrays.items()) or "nothing"
        raise BadInput(f"{content.path} must hold exactly one matrix of floats, got {found[:300]}")
    (matrix,) = matrices.values()
    return ArrayFile(content, "safetensors", matrix, vocab)


def _check(content: Content, arrays: Mapping[str, NDArray[Any]], saved: WordVectors) -> None:
    """Raise BadInput where vectors from a file are not what their types promise."""
    words, subwords = saved.words, saved.subwords
    sound = (
        _is(words.data, np.uint8, 1)
        and _is(words.ends, np.int64, 1)
        and _is(words.slots, np.uint64, 1)
        and IN in saved.spaces
        and saved.dim > 0
        and all(_is(space, np.float32, 2) for space in saved.spaces.values())
        and isinstance(saved.provenance, dict)
        and (saved.counts is None or (_is(saved.counts, np.int64, 1) and len(saved.counts) == len(words)))
        and (subwords is None or (_is(subwords.rows, np.float32, 2) and subwords.rows.shape[1] == saved.dim))
        and (subwords is None or _is(arrays["subwords.sizes"], np.int64, 1))
    )
    if not sound or not _is_table(words):
        raise BadInput(f"{content.path} is damaged: it does not hold words and their vectors")


def _is(array: NDArray[Any], dtype: type[np.generic], dimensions: int) -> bool:
    return array.dtype == dtype and array.ndim == dimensions


def _is_table(words: StringTable) -> bool:
    """Tell whether the words are distinct text that is found by its hash."""
    ends, slots = words.ends, len(words.slots)
    if not slots or slots & (slots - 1) or np.any((ends < 0) | (ends > len(words.data))):
        return False
    last = int(ends[-1]) if len(ends) else 0
    if len(words.data) != last or np.any(np.diff(ends) < 0) or not is_text(words.data, ends):
        return False
    return bool(np.array_equal(words.find_all(words.data, ends), np.arange(len(ends))))
