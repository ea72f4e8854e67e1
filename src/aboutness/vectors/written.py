"""Vectors as bytes in the formats that others read: what comes out of a file is what went in, bit for bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from aboutness.core.advance import begin, did

F32 = NDArray[np.float32]

PIECE = 1 << 18  # numbers that are written at a time


def text_parts(words: Iterable[str], matrix: F32, *, header: bool) -> Iterator[bytes]:
    """Yield a line for each word, its numbers as the shortest texts that are read back as the same 32-bit floats.

    >>> list(text_parts(["sun"], np.array([[0.1, 2]], np.float32), header=True))
    [b'1 2\\n', b'sun 0.1 2.0\\n']
    """
    if header:
        yield _sizes(matrix)
    for some, rows in _pieces(words, matrix):
        lines = (f"{word} {' '.join(map(str, row))}\n" for word, row in zip(some, rows, strict=True))
        yield "".join(lines).encode()


def binary_parts(words: Iterable[str], matrix: F32) -> Iterator[bytes]:
    """Yield word2vec's binary form, with a line feed behind each vector, as its own program writes it."""
    yield _sizes(matrix)
    for some, rows in _pieces(words, matrix):
        packed = rows.astype("<f4", copy=False)
        yield b"".join(
            word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(some, packed, strict=True)
        )


def npy_parts(matrix: F32) -> Iterator[bytes]:
    """Yield a matrix as numpy saves it."""
    head = BytesIO()
    described = {"descr": "<f4", "fortran_order": False, "shape": matrix.shape}
    np.lib.format.write_array_header_1_0(head, described)
    yield head.getvalue()
    for _, rows in _pieces((), matrix):
        yield rows.astype("<f4", copy=False).tobytes()


def vocabulary_parts(words: Iterable[str]) -> Iterator[bytes]:
    """Yield one word a line."""
    every = iter(words)
    while some := list(islice(every, PIECE)):
        yield "".join(f"{word}\n" for word in some).encode()


def packed_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same in gzip's form, with neither a name nor a time inside."""
    packing = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for part in parts:
        yield packing.compress(part)
    yield packing.flush()


def _sizes(matrix: F32) -> bytes:
    return f"{len(matrix)} {matrix.shape[1]}\n".encode()


def _pieces(words: Iterable[str], matrix: F32) -> Iterator[tuple[list[str], F32]]:
    """Yield some words at a time with their rows."""
    every = iter(words)
    step = max(1, PIECE // max(1, matrix.shape[1]))
    begin("vectors", len(matrix))
    for first in range(0, len(matrix), step):
        rows = np.asarray(matrix[first : first + step])
        yield list(islice(every, step)), rows
        did("vectors", len(rows))
