"""Rows of numbers, one for each document, and which of them can be among the best for a vector.

Rows are searched in whole numbers or, for many vectors together, by products in float32. Both have a sure bound:
no row that belongs to the best is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Thread
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.index.trained import Once
from aboutness.models.ranking import LARGEST

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Pieces: TypeAlias = tuple[Ints, Ints]  # where pieces of rows begin and end

BY_NUMBER: Ints = np.zeros(0, np.int64)
ASKED = 4  # questions after which it is worth writing rows in whole numbers
ROOM = 4096  # documents that can be among the best, at least; where there are more all are scored
MOST = 32767  # the largest code of a vector
SUM = 2**24  # of all codes of a vector: times 127 it is a number of 32 bits
SHORTEST, LONGEST = 1e-15, 1e15  # lengths whose products are at home in float32
WIDEST = 1024  # numbers of a row up to which it is worth to look for directions
ROUNDING = 2.0**-16  # more than all sums in float32 that make a bound can lose, for rows of length 1
SAMPLE = 20_000  # rows that tell which directions matter
BLOCK = 2048  # rows that are multiplied at a time


@dataclass(frozen=True)
class Codes:
    """Rows in whole numbers, and what that leaves out: see `aboutness.kernels.dense`.

    Where a few directions hold most of what rows are, rows and vectors are turned first, so that these come first:
    products stay the same but for `defect` x their lengths, and fewer slabs tell which rows are out.
    """

    codes: NDArray[np.int8]
    scales: F32
    rests: F32
    error: float
    longest: float
    turn: F64 | None
    defect: float

    @classmethod
    def of(cls, rows: F32, longest: float, order: Ints | None = None) -> Codes:
        """Return rows, of which the longest has a length, in whole numbers: all, or some in an order."""
        from aboutness.kernels.dense import SLAB, encode

        count, slabs = len(rows) if order is None else len(order), max(1, -(-rows.shape[1] // SLAB))
        codes = np.empty((slabs, count, SLAB), np.int8)
        scales, rests = np.empty(count, np.float32), np.empty((slabs, count), np.float32)
        turn = _directions(rows, SLAB) if SHORTEST < longest < LONGEST else None
        error = 0.0
        for first in range(0, count, BLOCK):
            here = slice(first, first + BLOCK)
            block = rows[here] if order is None else rows[order[here]]
            block = block if turn is None else block @ turn.T
            error = max(error, float(encode(block, first, codes, scales, rests)))
        if turn is None:
            return cls(codes, scales, rests, error, longest, None, 0.0)
        exact = turn.astype(np.float64)
        return cls(codes, scales, rests, error, longest, exact, _defect(exact))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as arrays, to be kept in a file."""
        turn = np.zeros((0, 0)) if self.turn is None else self.turn
        numbers = np.array([self.error, self.longest, self.defect])
        return {
            "codes": self.codes,
            "scales": self.scales,
            "rests": self.rests,
            "turn": turn,
            "numbers": numbers,
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Codes:
        """Return what was kept, where it lies."""
        codes, scales, rests, turn = (np.asarray(arrays[name]) for name in ("codes", "scales", "rests", "turn"))
        error, longest, defect = arrays["numbers"].tolist()
        return cls(codes, scales, rests, error, longest, turn if len(turn) else None, defect)

    def candidates(
        self, vector: F64, k: int, allowed: Mask, pieces: Pieces | None = None, numbers: Ints = BY_NUMBER
    ) -> Ints | None:
        """Return the rows that can be among the k best, of all or of some pieces; None where too many, or long.

        They are in the order in which they are read. `numbers` are the documents of rows, where these do not stand
        by number, and `allowed` tells by document; an empty mask allows all. The vector is taken with length 1,
        which changes no order.
        """
        from aboutness.kernels.dense import scan

        length, off = length_of(vector), self.defect
        if not SHORTEST < self.longest < LONGEST or not SHORTEST < length < LONGEST or not self.error < math.inf:
            return None
        slabs, _, slab = self.codes.shape
        unit = np.zeros(slabs * slab)
        unit[: len(vector)] = vector / length if self.turn is None else self.turn @ (vector / length)
        factor = float(np.abs(unit).max()) / min(MOST, SUM // len(unit))
        asked = np.rint(unit / factor)
        missed = length_of(unit - asked * factor)
        behind = np.square(unit.reshape(slabs, slab)).sum(axis=1)[:0:-1].cumsum()[::-1]
        documents = np.empty(room_for(len(self.scales), k), np.int64)
        starts, ends = pieces or (np.zeros(1, np.int64), np.array([len(self.scales)]))
        found = scan(
            self.codes, self.scales, self.rests, asked.astype(np.int16).reshape(slabs, slab), np.float32(factor),
            np.float32((1 + missed + off) * self.error), np.sqrt(np.append(behind, 0.0)).astype(np.float32),
            np.float32(self.longest * ((1 + off) * missed + off + ROUNDING)), starts, ends, numbers,
            allowed, k, documents,
        )  # fmt: skip
        return documents[:found] if found >= 0 else None


def _directions(rows: F32, head: int) -> F32 | None:
    """Return directions, at right angles, in which rows are longest, the first first.

    None where the first few do not hold twice as much as any would.
    """
    if not head < rows.shape[1] <= WIDEST:
        return None
    some = rows[:: max(1, len(rows) // SAMPLE)].astype(np.float64)
    if not some.any():
        return None
    energies, directions = np.linalg.eigh(some.T @ some)
    share = energies[-head:].sum() / energies.sum()
    return directions.T[::-1].astype(np.float32) if share * rows.shape[1] > 2 * head else None


def _defect(turn: F64) -> float:
    """Return how much a turn, and products with it in float32, change products of vectors of length 1, at most.

    The turn is not quite at right angles; and each number of a turned row is off by what a product in float32 is,
    which is sqrt(dim) times that for the row.
    """
    angles = float(np.linalg.norm(turn.T @ turn - np.eye(len(turn))))
    return 2 * (angles + _loss(len(turn)) * math.sqrt(len(turn)))


def _loss(dim: int) -> float:
    """Return how far a product in float32 of vectors of length 1 is off at most, however it is summed."""
    return (dim + 4) * 2.0**-24


class DenseRows:
    """The rows of all documents by number, contiguous; a row of zeros where a document has no known word."""

    def __init__(self, rows: F32) -> None:
        if rows.dtype != np.float32 or rows.ndim != 2 or not rows.flags.c_contiguous:
            raise ValueError(f"rows must be a contiguous matrix of float32, got {rows.dtype} {rows.shape}")
        self.rows = np.asarray(rows)  # a plain array, also of a mapped one
        self.once = Once()  # for what is derived from these rows, and shared
        self._asked = 0
        self._making = False

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def lengths(self) -> F32:
        """Return the length of each row, rounded up."""
        from aboutness.kernels.dense import measure

        lengths = np.empty(len(self.rows), np.float32)
        measure(self.rows, lengths)
        return lengths

    @cached_property
    def present(self) -> Mask:
        """Return for each document whether its row is not 0."""
        return self.lengths > 0

    @cached_property
    def codes(self) -> Codes:
        """Return the rows in whole numbers."""
        return Codes.of(self.rows, self.longest)

    @cached_property
    def longest(self) -> float:
        """Return the length of the longest row, rounded up."""
        return float(self.lengths.max(initial=0.0))

    def some(self, documents: Ints) -> F32:
        """Return the rows of some documents, in any order."""
        found: F32 = self.rows[documents]
        return found

    def at_hand(self, documents: Sequence[Ints]) -> None:
        """Get ready the rows of documents that will be asked for: here they are."""

    def has(self, documents: Ints) -> Mask:
        """Return for each of some documents whether its row is not 0."""
        return np.asarray(self.present[documents])

    def has_codes(self) -> bool:
        """Tell whether there are rows in whole numbers; after some questions they are made, beside these."""
        self._asked += 1
        if self._asked >= ASKED and not self._making:
            self._making = True
            Thread(target=lambda: self.codes, daemon=True).start()
        return "codes" in self.__dict__

    def candidates(self, vectors: F64, k: int, allowed: Mask) -> Sequence[Ints | None]:
        """Return for each vector, ascending, the rows that can be among the k best, by products in float32.

        None where they are too many, or very long. An empty mask allows all rows. The vectors are taken with
        length 1, which changes no order.
        """
        from aboutness.kernels.dense import finish_picking, pick

        lengths = np.sqrt(np.square(vectors).sum(axis=1))
        if not SHORTEST < self.longest < LONGEST or not ((lengths > SHORTEST) & (lengths < LONGEST)).all():
            return [None] * len(vectors)
        units = (vectors / lengths[:, None]).astype(np.float32)
        error = np.float32(self.longest * (_loss(vectors.shape[1]) + ROUNDING))
        room = len(vectors), room_for(len(self), k)
        sizes, leasts = np.zeros(len(vectors), np.int64), np.full(len(vectors), -np.inf, np.float32)
        uppers, lowers = np.empty(room, np.float32), np.empty(room, np.float32)
        documents = np.empty(room, np.int64)
        for first in range(0, len(self), BLOCK):
            here = slice(first, first + BLOCK)
            values = units @ self.rows[here].T
            pick(values, error, allowed[here], first, k, sizes, leasts, uppers, lowers, documents)
        finish_picking(k, sizes, uppers, lowers, documents)
        return [some[:size] if size >= 0 else None for some, size in zip(documents, sizes.tolist(), strict=True)]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as arrays, to be kept in a file."""
        return {"rows": self.rows, "lengths": self.lengths, **self.codes.arrays()}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> DenseRows:
        """Return what was kept, where it lies."""
        made = cls(arrays["rows"])
        made.lengths, made.codes = np.asarray(arrays["lengths"]), Codes.of_arrays(arrays)
        return made


def scores_of_rows(vector: F64 | None, rows: DenseRows, documents: Ints, lowest: float) -> F32:
    """Return the product of a vector with the row of each of some documents; the lowest where one is not known."""
    from aboutness.kernels.dense import products

    found = np.empty(len(documents), np.float32)
    if vector is None:
        found[:] = lowest
    else:
        products(vector, rows.rows, documents, found)
        np.clip(found, -LARGEST, LARGEST, out=found)
        found[~rows.present[documents]] = lowest
    return found


def room_for(rows: int, k: int) -> int:
    """Return for how many documents that can be among the k best there is room."""
    return max(1, min(rows, max(ROOM, 8 * k)))


def length_of(vector: F64) -> float:
    """Return the length of a vector."""
    return float(np.sqrt(np.square(vector).sum()))
