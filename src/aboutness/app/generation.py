"""One generation of an index with the rankers that have been bound to it."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from aboutness.core.algebra import Ranker
from aboutness.index.snapshot import Snapshot
from aboutness.rank.bound import Searcher, bind

MOST_BOUND = 32  # rankers kept; each may hold an impact for every posting


class Generation:
    """A snapshot and its bound rankers, made at first use; safe to use from several threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._bound: OrderedDict[Ranker, Searcher] = OrderedDict()
        self._lock = Lock()

    def bound(self, ranker: Ranker) -> Searcher:
        """Return a ranker bound to the snapshot."""
        with self._lock:
            if ranker not in self._bound:
                self._bound[ranker] = bind(ranker, self.snapshot)
                if len(self._bound) > MOST_BOUND:
                    self._bound.popitem(last=False)
            self._bound.move_to_end(ranker)
            return self._bound[ranker]
