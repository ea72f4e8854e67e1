"""Scores and document numbers in one integer, the best the smallest, and how the k best are kept.

Equal scores keep the order of arrival, since they are followed by the document's number. There is room for more
keys than the k that are wanted; when it is full, the k best are selected, which costs less than a heap.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled

UNUSED = np.uint64(2**64 - 1)

Integer: TypeAlias = Any  # of the machine's
Real: TypeAlias = Any
Keys = NDArray[np.uint64]


@compiled
def key_of(score: Real, document: Integer) -> Integer:
    """Return score and document number in one integer: the better, the smaller."""
    bits = np.float32(np.float32(score) + np.float32(0.0)).view(np.uint32)  # -0.0 is 0.0
    descending = bits if bits >> np.uint32(31) else ~(bits | np.uint32(0x80000000))
    return np.uint64(np.uint32(descending)) << np.uint64(32) | np.uint64(document)


@compiled
def score_of(key: Integer) -> Real:
    """Return the score in a key."""
    descending = np.uint32(key >> np.uint64(32))
    negative = descending >> np.uint32(31)
    bits = descending if negative else ~descending & np.uint32(0x7FFFFFFF)
    return np.uint32(bits).view(np.float32)


@compiled
def best_first(keys: NDArray[Any], count: Integer) -> None:
    """Bring the `count` best, that is least, keys or other numbers to the front, in any order.

    This is Hoare's selection.
    """
    low = 0
    high = len(keys) - 1
    while low < high:
        pivot = keys[(low + high) >> 1]
        left = low
        right = high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                left += 1
                right -= 1
        if count - 1 <= right:
            high = right
        elif count - 1 >= left:
            low = left
        else:
            return


@compiled
def worst_of(keys: Keys) -> Integer:
    """Return the worst of some keys."""
    worst = np.uint64(0)
    for key in keys:
        worst = max(worst, key)
    return worst


@compiled
def kth_score(keys: Keys, k: Integer) -> Real:
    """Bring the k best keys to the front, and return the score of the worst of these."""
    best_first(keys, k)
    return score_of(worst_of(keys[:k]))


@compiled
def keep(keys: Keys, size: Integer, k: Integer, key: Integer) -> Integer:
    """Add a key behind `size` others; where no room is left keep the k best. Return how many there are then."""
    keys[size] = key
    if size + 1 < len(keys):
        return size + 1
    best_first(keys, k)
    return k


@compiled
def finish(keys: Keys, size: Integer, k: Integer) -> Integer:
    """Keep the k best of `size` keys and mark the room behind them as unused; return how many there are then."""
    if size > k:
        best_first(keys[:size], k)
        size = k
    keys[size:] = UNUSED
    return size


@compiled
def split(keys: Keys, documents: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
    """Write the document and the score of each key, in rows."""
    for row in range(len(keys)):
        for i in range(keys.shape[1]):
            documents[row, i] = np.int64(keys[row, i] & np.uint64(0xFFFFFFFF))
            scores[row, i] = score_of(keys[row, i])
