"""The softmax of a document over all words: ln of the sum over words w of exp(w . d), for every document d.

What a document gets depends on its row and on the words alone, to the bit: neither on the documents beside it, nor
on the number of threads. Where no product can be large, exp cannot overflow and nothing is taken off first.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
from numpy.typing import NDArray

from aboutness.core.advance import begin, did
from aboutness.core.threads import checked_threads
from aboutness.vectors import products

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

UNIT = "probabilities"  # of a word by a document, in which progress is told
SAFE = 40.0  # products up to which sums of exp stay within float32, whatever their number


def log_normalisers(rows: F32, words: F32, threads: int | None = None) -> F64:
    """Return for each row ln(sum over words of exp(word . row)), worked out by as many threads as there are cores.

    >>> log_normalisers(np.zeros((1, 2), np.float32), np.ones((5, 2), np.float32)).round(4).tolist()
    [1.6094]
    """
    found = np.empty(len(rows))
    longest = float(np.sqrt(np.square(words).sum(axis=1).max(initial=0.0)))
    blocks = -(-len(rows) // products.ROWS)
    workers = min(checked_threads(threads), blocks)
    share = products.ROWS * -(-blocks // max(workers, 1))

    def work(first: int) -> None:
        here = slice(first, first + share)
        found[here] = _of_some(rows[here], words, longest)

    begin(UNIT, len(rows) * len(words))
    if workers <= 1:
        work(0)
    else:
        with ThreadPoolExecutor(workers) as pool:
            told = [pool.submit(copy_context().run, work, first) for first in range(0, len(rows), share)]
            for one in told:
                one.result()
    return found


def _of_some(rows: F32, words: F32, longest: float) -> F64:
    """Return the same for some rows; no word is longer than `longest`."""
    shifts = _shifts(rows, words, longest)
    sums = np.zeros(len(rows))
    for here, found in products.products(rows, words):
        if shifts[here].any():
            np.subtract(found, shifts[here, None], out=found)
        np.exp(found, out=found)
        sums[here] += found.sum(axis=1, dtype=np.float32)
        did(UNIT, found.size)
    return np.asarray(np.log(sums) + shifts)


def _shifts(rows: F32, words: F32, longest: float) -> F32:
    """Return what is taken off the products of each row: its largest, where one may be beyond what exp takes."""
    lengths = np.empty(len(rows), np.float32)
    for first in range(0, len(rows), products.ROWS):
        here = slice(first, first + products.ROWS)
        lengths[here] = np.sqrt(np.square(rows[here]).sum(axis=1))
    large = np.flatnonzero(lengths * longest > SAFE)
    shifts = np.zeros(len(rows), np.float32)
    for first in range(0, len(large), products.ROWS):
        some = large[first : first + products.ROWS]
        shifts[some] = _largest(rows[some], words)
    return shifts


def _largest(rows: F32, words: F32) -> F32:
    """Return the largest product of each row with a word."""
    largest = np.full(len(rows), -np.inf, np.float32)
    for here, found in products.products(rows, words):
        np.maximum(largest[here], found.max(axis=1), out=largest[here])
    return largest
