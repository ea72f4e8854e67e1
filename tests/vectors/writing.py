"""Small files of word vectors, written by the book: each format byte by byte, without the code under test."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

MAGIC = 793712314


def word2vec_binary(words: Sequence[bytes], matrix: np.ndarray, feed: bytes = b"\n") -> bytes:
    head = f"{len(words)} {matrix.shape[1]}\n".encode()
    return head + b"".join(
        word + b" " + row.astype("<f4").tobytes() + feed for word, row in zip(words, matrix, strict=True)
    )


def word2vec_text(words: Sequence[bytes], matrix: np.ndarray, end: bytes = b"\n") -> bytes:
    return f"{len(words)} {matrix.shape[1]}".encode() + end + glove(words, matrix, end)


def glove(words: Sequence[bytes], matrix: np.ndarray, end: bytes = b"\n") -> bytes:
    return b"".join(
        word + b" " + b" ".join(str(value).encode() for value in row) + end
        for word, row in zip(words, matrix, strict=True)
    )


def fasttext_bin(
    words: Sequence[bytes],
    matrix: np.ndarray,
    *,
    pieces: np.ndarray | None = None,
    out: np.ndarray | None = None,
    labels: Sequence[bytes] = (),
    version: int = 12,
    sizes: tuple[int, int] = (2, 3),
    loss: int = 2,
    model: int = 2,
    quantised: bool = False,
    pruned: int = -1,
) -> bytes:
    dim = matrix.shape[1]
    pieces = np.zeros((0, dim)) if pieces is None else pieces
    out = np.zeros((len(words), dim)) if out is None else out
    head = struct.pack("<ii", MAGIC, version)
    arguments = struct.pack("<12id", dim, 5, 5, 1, 5, 1, loss, model, len(pieces), *sizes, 100, 1e-4)
    count = len(words) + len(labels)
    dictionary = struct.pack("<3i2q", count, len(words), len(labels), 1000, pruned)
    for number, word in enumerate([*words, *labels]):
        dictionary += word + b"\0" + struct.pack("<qB", 100 - number, number >= len(words))
    whole = np.concatenate([matrix, pieces]).astype("<f4")
    return b"".join(
        [
            head,
            arguments,
            dictionary,
            bytes([quantised]),
            struct.pack("<qq", *whole.shape),
            whole.tobytes(),
            b"\0",
            struct.pack("<qq", *out.shape),
            out.astype("<f4").tobytes(),
        ]
    )


def npy(matrix: np.ndarray, order: str = "C") -> bytes:
    head = str({"descr": matrix.dtype.str, "fortran_order": order == "F", "shape": matrix.shape}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + matrix.tobytes(order)


def safetensors(arrays: dict[str, np.ndarray], kind: str = "F32") -> bytes:
    head, place = {}, 0
    for name, array in arrays.items():
        head[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [place, place + array.nbytes]}
        place += array.nbytes
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in arrays.values())


def put(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path
