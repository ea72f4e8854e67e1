"""How much each posting counts, worked out list by list when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from aboutness.index.postings import PostingLists

LEVELS = np.array([10, 100, 1000], np.int64)
AT_ONCE = 1 << 22  # postings worked out at once: bounds the memory that this takes

Ints = NDArray[np.int64]
Weigh = Callable[[Ints, Ints, NDArray[np.float64]], NDArray[np.float64]]


class ImpactLists:
    """The posting lists of one segment with an impact for each posting; that of a dead document is 0.

    `weigh` takes the term numbers, document numbers and weighted counts of postings and gives their impacts,
    which must not be negative; they are kept as float32. Memory is taken only for lists that are asked for.
    """

    def __init__(self, lists: PostingLists, weigh: Weigh, priors: NDArray[np.float64] | None = None) -> None:
        from aboutness.kernels.search import BLOCK

        self.lists = lists
        self.impacts = np.empty(len(lists.documents), np.float32)
        self.block_most = np.empty(len(lists.documents) // BLOCK + 1, np.float32)
        # One more than there are lists: an empty one, the last, stands for a term without one (-1).
        self.starts = np.append(lists.starts, 0)
        self.ends = np.append(lists.ends, 0)
        self.most = np.zeros(len(self.starts), np.float32)
        self.reached = np.full((len(self.starts), len(LEVELS)), -1.0, np.float32)
        self.lowest = np.zeros((len(self.starts), len(LEVELS)), np.float64)
        none = np.zeros(0, np.float64)
        self.priors = none if priors is None else priors[lists.first : lists.first + lists.size]
        self.has_dead = bool(lists.dead.any())
        self.living = ~lists.dead if self.has_dead else lists.dead[:0]  # empty where all are
        self.held = 0  # bytes of those that have been worked out
        self._ready = np.append(np.zeros(len(lists.terms), np.bool_), True)
        self._weigh = weigh
        self._lock = Lock()

    def find(self, terms: Ints) -> Ints:
        """Return which list is that of each term (-1: none), after their impacts have been worked out."""
        which = self.lists.find(terms)
        self.prepare(which)
        return which

    def prepare(self, which: Ints) -> None:
        """Work out the impacts of some lists, unless that has been done."""
        if self._ready[which].all():
            return
        with self._lock:
            missing = np.unique(which[~self._ready[which]])
            sizes = self.ends[missing] - self.starts[missing]
            for some in np.split(missing, np.flatnonzero(np.diff(sizes.cumsum() // AT_ONCE)) + 1):
                self._fill(some)

    def _fill(self, which: Ints) -> None:
        from aboutness.kernels.impacts import summarise

        lists = self.lists
        sizes = self.ends[which] - self.starts[which]
        before = sizes.cumsum() - sizes
        places = np.arange(int(sizes.sum())) + np.repeat(self.starts[which] - before, sizes)
        documents = lists.documents[places].astype(np.int64)
        terms = np.repeat(lists.terms[which].astype(np.int64), sizes)
        impacts = self._weigh(terms, documents + lists.first, lists.counts(places))
        if self.has_dead:
            impacts[lists.dead[documents]] = 0.0
        self.impacts[places] = impacts
        self.held += self.impacts.itemsize * len(places)
        summarise(
            which, self.starts, self.ends, LEVELS, lists.documents, self.impacts, self.priors, self.block_most,
            self.most, self.reached, self.lowest,
        )  # fmt: skip
        self._ready[which] = True

    def impact(self, which: int, document: int) -> tuple[float, float]:
        """Return the impact and the weighted count of a list's posting for a document of the segment, or 0, 0."""
        lists = self.lists
        if which < 0:
            return 0.0, 0.0
        start, end = int(lists.starts[which]), int(lists.ends[which])
        place = start + int(np.searchsorted(lists.documents[start:end], document))
        if place == end or lists.documents[place] != document:
            return 0.0, 0.0
        self.prepare(np.array([which], np.int64))
        return float(self.impacts[place]), float(lists.counts(slice(place, place + 1))[0])
