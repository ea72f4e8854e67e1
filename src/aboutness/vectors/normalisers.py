"""The softmax of a document over all words: ln of the sum over words w of exp(w . d), for every document d.

Products are worked out in blocks by BLAS, whose shape is always the same, so that what a document gets does not
depend on the others. Where no product can be large, exp cannot overflow and nothing is taken off first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

DOCUMENTS, WORDS = 512, 2048  # of a block: its products fit a core's cache
SAFE = 40.0  # products up to which sums of exp stay within float32, whatever their number


def log_normalisers(rows: F32, words: F32) -> F64:
    """Return for each row ln(sum over words of exp(word . row)).

    >>> log_normalisers(np.zeros((1, 2), np.float32), np.ones((5, 2), np.float32)).round(4).tolist()
    [1.6094]
    """
    found = np.empty(len(rows))
    longest = float(np.sqrt(np.square(words).sum(axis=1).max(initial=0.0)))
    products = np.empty((DOCUMENTS, WORDS), np.float32)
    block = np.zeros((DOCUMENTS, rows.shape[1]), np.float32)
    last = np.zeros((WORDS, words.shape[1]), np.float32)
    tail = len(words) % WORDS
    last[:tail] = words[len(words) - tail :]
    for first in range(0, len(rows), DOCUMENTS):
        here = rows[first : first + DOCUMENTS]
        block[: len(here)], block[len(here) :] = here, 0
        lengths = np.sqrt(np.square(block).sum(axis=1))
        shifts = np.maximum(lengths * longest - SAFE, 0)
        sums = np.zeros(DOCUMENTS)
        shifted = bool(shifts.any())
        if shifted:
            shifts = np.where(shifts > 0, _largest(block, words), np.float32(0))
        for start in range(0, len(words), WORDS):
            some = words[start : start + WORDS]
            np.matmul(block, (some if len(some) == WORDS else last).T, out=products)
            used = products[:, : len(some)]
            if shifted:
                np.subtract(used, shifts[:, None], out=used)
            np.exp(used, out=used)
            sums += used.sum(axis=1, dtype=np.float32)
        found[first : first + len(here)] = (np.log(sums) + shifts)[: len(here)]
    return found


def _largest(block: F32, words: F32) -> F32:
    """Return the largest product of each row with a word."""
    largest = np.full(len(block), -np.inf, np.float32)
    for start in range(0, len(words), WORDS):
        np.maximum(largest, (block @ words[start : start + WORDS].T).max(axis=1), out=largest)
    return largest
