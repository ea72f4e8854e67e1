"""One generation of an index with the rankers that have been bound to it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeAlias

from aboutness.core.algebra import Ranker
from aboutness.index.snapshot import Snapshot
from aboutness.models.question import Question
from aboutness.rank.bound import Searcher, bind
from aboutness.scale.missed import Missed, noting_missed

Part: TypeAlias = Callable[[Ranker], Searcher]  # binds what a ranker is made of
Bind: TypeAlias = Callable[[Ranker, Part], Searcher]

MOST_BOUND = 32  # rankers kept; each may hold an impact for every posting
MOST_HELD = 4 << 30  # bytes that these hold beyond; the last one may hold any


class _Place:
    """Where a bound ranker will be: whoever comes first binds it, and others wait for that one only."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.searcher: Searcher | None = None


class Generation:
    """A snapshot and its bound rankers, made at first use; safe to use from several threads.

    They are bound to the snapshot itself, unless `binding` does it otherwise.
    """

    def __init__(self, snapshot: Snapshot, binding: Bind | None = None) -> None:
        self.snapshot = snapshot
        self._binding: Bind = binding or (lambda ranker, part: bind(ranker, snapshot, part))
        self._places: OrderedDict[Ranker, _Place] = OrderedDict()
        self._lock = Lock()

    def bound(self, ranker: Ranker) -> Searcher:
        """Return a ranker bound to the snapshot; the rankers that it is made of are shared with others."""
        with self._lock:
            place = self._places.setdefault(ranker, _Place())
            self._places.move_to_end(ranker)
            if len(self._places) > MOST_BOUND:
                self._places.popitem(last=False)
        if place.searcher is None:
            with place.lock:
                if place.searcher is None:
                    place.searcher = self._bind(ranker)
                    self._forget()
        return place.searcher

    @property
    def here(self) -> Generation:
        """Return what binds rankers to the snapshot itself, for who needs to see all documents' vectors."""
        return self

    @property
    def down(self) -> Sequence[Missed]:
        """Return the shards that do not answer, as far as is known: none, where there are none."""
        return ()

    @property
    def in_use(self) -> list[Ranker]:
        """Return the rankers that are bound, the one used last at the end."""
        with self._lock:
            return [ranker for ranker, place in self._places.items() if place.searcher is not None]

    def _forget(self) -> None:
        """Drop the rankers that have not been used for longest, while all together hold too much."""
        with self._lock:
            held = {ranker: getattr(place.searcher, "held", 0) for ranker, place in self._places.items()}
            for ranker in list(held)[:-1]:
                if sum(held.values()) <= MOST_HELD:
                    break
                if held.pop(ranker):
                    self._places.pop(ranker)

    def _bind(self, ranker: Ranker) -> Searcher:
        try:
            with noting_missed():  # a shard that is down now can be bound later
                searcher = self._binding(ranker, self.bound)
                searcher.top_many([Question("")], 1, threads=1)  # compiled code is loaded now, not when timed
                view, numbers = self.snapshot.view(), self.snapshot.live_numbers()[:1]
                for term in [term for number in numbers for term in view.forward(int(number))[0][:1]]:
                    searcher.scores(Question(terms={view.term(int(term)): 1.0}), numbers)
        except BaseException:
            with self._lock:
                self._places.pop(ranker, None)  # what cannot be bound takes nobody's place
            raise
        return searcher
