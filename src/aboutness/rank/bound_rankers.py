"""Rankers that are bound to an index and kept, as long as there is room: each is bound once, at its first use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from weakref import WeakSet

from aboutness.core.algebra import Ranker
from aboutness.models.model import Scorer
from aboutness.rank.searching import Searcher

MOST_BOUND = 32  # rankers kept
MOST_HELD = 4 << 30  # bytes that these hold besides what lies in the index; the last one may hold any


class _Place:
    """Where a bound ranker will be: whoever comes first binds it, and others wait for that one only."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.searcher: Searcher | None = None


class BoundRankers:
    """Bound rankers by what they are; safe to use from several threads.

    Where there are too many, or where they hold too much, those that have not been used for longest are forgotten.
    What they hold is free when nobody uses it: neither who is asking, nor another ranker that is made of it.
    """

    def __init__(self, most_held: int = MOST_HELD) -> None:
        self._most_held = most_held
        self._places: OrderedDict[Ranker, _Place] = OrderedDict()
        self._holding: WeakSet[Scorer] = WeakSet()  # all that are somewhere in use
        self._lock = Lock()

    def get(self, ranker: Ranker, bind: Callable[[Ranker], Searcher]) -> Searcher:
        """Return a bound ranker, bound now by `bind` if it is not there."""
        with self._lock:
            place = self._places.setdefault(ranker, _Place())
            self._places.move_to_end(ranker)
            if len(self._places) > MOST_BOUND:
                self._places.popitem(last=False)
        if place.searcher is None:
            with place.lock:
                if place.searcher is None:
                    place.searcher = self._bound(ranker, bind)
                    self._make_room(ranker, place)
        return place.searcher

    def there(self, ranker: Ranker) -> Searcher | None:
        """Return a bound ranker; None where it is not there."""
        with self._lock:
            if (place := self._places.get(ranker)) is None:
                return None
            self._places.move_to_end(ranker)
            return place.searcher

    @property
    def in_use(self) -> list[Ranker]:
        """Return the rankers that are bound, the one used last at the end."""
        with self._lock:
            return [ranker for ranker, place in self._places.items() if place.searcher is not None]

    @property
    def held(self) -> int:
        """Return how many bytes all of them hold that are somewhere in use."""
        return sum(one.held for one in list(self._holding))

    def _bound(self, ranker: Ranker, bind: Callable[[Ranker], Searcher]) -> Searcher:
        try:
            searcher = bind(ranker)
        except BaseException:
            with self._lock:
                self._places.pop(ranker, None)  # what cannot be bound takes nobody's place
            raise
        if isinstance(searcher, Scorer):
            with self._lock:
                self._holding.add(searcher)
        return searcher

    def _make_room(self, last: Ranker, place: _Place) -> None:
        """Forget others until not too much is held; the last one came before its parts, and goes behind them."""
        with self._lock:
            self._places[last] = place
            self._places.move_to_end(last)
            for ranker in list(self._places)[:-1]:
                if self.held <= self._most_held:
                    break
                if self._places[ranker].searcher is not None:
                    del self._places[ranker]
