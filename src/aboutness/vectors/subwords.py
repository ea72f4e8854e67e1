"""Vectors for words that are not in the vocabulary, from their pieces, as fastText makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

PRIME = 16777619
BASIS = 2166136261
MOST_LETTERS = 100  # of an n-gram; fastText's own have 6, and long words have very many of the longer ones


@dataclass(frozen=True)
class Subwords:
    """Rows for hashed letter n-grams of words; a word's vector is the mean of the rows of its n-grams.

    `<` and `>` mark the ends of a word. An n-gram's row is its FNV-1a hash (over signed bytes, as fastText
    computes it) modulo the number of rows.
    """

    rows: F32
    shortest: int
    longest: int

    def pieces(self, word: str) -> list[int]:
        """Return the rows of a word's n-grams."""
        letters = [letter.encode() for letter in f"<{word}>"]
        found = []
        for start in range(len(letters)):
            piece = b""
            for size, letter in enumerate(letters[start : start + self.longest], 1):
                piece += letter
                alone_at_end = size == 1 and start in (0, len(letters) - 1)
                if size >= self.shortest and not alone_at_end:
                    found.append(fnv(piece) % len(self.rows))
        return found

    def vector(self, word: str) -> F32 | None:
        """Return the mean of the rows of a word's n-grams, or None where it has none."""
        pieces = self.pieces(word) if len(self.rows) else []
        if not pieces:
            return None
        return np.asarray(self.rows[pieces].mean(axis=0, dtype=np.float64), np.float32)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as named arrays."""
        return {"subwords.rows": self.rows, "subwords.sizes": np.array([self.shortest, self.longest], np.int64)}

    @staticmethod
    def are_in(arrays: Mapping[str, NDArray[Any]]) -> bool:
        """Tell whether there are subwords among some arrays."""
        return "subwords.rows" in arrays

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Make the subwords that `arrays` described."""
        shortest, longest = arrays["subwords.sizes"].tolist()
        if shortest < 0 or longest > MOST_LETTERS:
            raise ValueError(f"n-grams of {shortest} to {longest} letters")
        return cls(arrays["subwords.rows"], shortest, longest)


def fnv(piece: bytes) -> int:
    """Return the FNV-1a hash of some bytes, taken as signed ones.

    >>> fnv(b"<th"), fnv("é".encode())
    (1619151151, 1023043777)
    """
    value = BASIS
    for byte in piece:
        signed = byte - 256 if byte > 127 else byte
        value = ((value ^ (signed & 0xFFFFFFFF)) * PRIME) & 0xFFFFFFFF
    return value
