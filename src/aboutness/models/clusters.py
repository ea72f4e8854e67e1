"""Rows in clusters of like directions: spherical k-means on a sample (Dhillon and Modha 2001).

A row belongs to the centre with which its product is largest; centres have length 1, and lie where the sum of the
directions of their rows points. Products of matrices in float32 do the work. A cluster that loses all of its rows
begins anew with a row that is far from its own centre.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Ints = NDArray[np.int64]

ROUNDS = 8  # more of them change little
EACH = 40  # rows of the sample for each centre
BLOCK = 4096  # rows that are multiplied at a time
TINY = np.float32(1e-30)


def centres_of(rows: F32, numbers: Ints, count: int, seed: int) -> F32:
    """Return so many centres of those rows that have some numbers; there must be as many."""
    chance = np.random.default_rng(seed)
    some = np.sort(chance.permutation(len(numbers))[: EACH * count])
    sample = directions(rows[numbers[some]])
    centres = sample[np.sort(chance.permutation(len(sample))[:count])]
    for _ in range(ROUNDS):
        found, products = nearest_centres(sample, centres)
        centres = _moved(sample, centres, found[:, 0], products)
    return centres


def _moved(sample: F32, centres: F32, found: Ints, products: F32) -> F32:
    """Return the centres where their rows point; those without any become rows that are far from their own."""
    order, sizes = np.argsort(found, kind="stable"), np.bincount(found, minlength=len(centres))
    filled = np.flatnonzero(sizes)
    moved = np.empty_like(centres)
    starts = (np.cumsum(sizes) - sizes)[filled]
    moved[filled] = directions(np.add.reduceat(sample[order], starts, axis=0))
    empty = np.flatnonzero(sizes == 0)
    moved[empty] = sample[np.argsort(products, kind="stable")[: len(empty)]]
    return moved


def nearest_centres(rows: F32, centres: F32, numbers: Ints | None = None, count: int = 1) -> tuple[Ints, F32]:
    """Return for each row, or for those with some numbers, its nearest centres and its product with the first."""
    size = len(rows) if numbers is None else len(numbers)
    found, products = np.empty((size, count), np.int64), np.empty(size, np.float32)
    across = np.ascontiguousarray(centres.T)
    for here in _blocks(size):
        values = (rows[here] if numbers is None else rows[numbers[here]]) @ across
        every = np.arange(len(values))
        products[here] = values.max(axis=1, initial=-np.inf)
        for place in range(count):
            found[here, place] = nearest = values.argmax(axis=1)
            values[every, nearest] = -np.inf
    return found, products


def directions(rows: F32) -> F32:
    """Return rows with length 1; a row of zeros stays one."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.maximum(lengths, TINY)[:, None], np.float32)


def _blocks(size: int) -> Iterator[slice]:
    return (slice(first, first + BLOCK) for first in range(0, size, BLOCK))
