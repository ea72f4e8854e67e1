"""One generation of an index with the rankers that have been bound to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from aboutness.core.algebra import Ranker
from aboutness.index.snapshot import Snapshot
from aboutness.models.question import Question
from aboutness.rank.bound import Searcher, bind
from aboutness.rank.bound_rankers import BoundRankers
from aboutness.scale.missed import Missed, noting_missed

Part: TypeAlias = Callable[[Ranker], Searcher]  # binds what a ranker is made of
Bind: TypeAlias = Callable[[Ranker, Part], Searcher]


class Generation:
    """A snapshot and its bound rankers, made at first use; safe to use from several threads.

    They are bound to the snapshot itself, unless `binding` does it otherwise.
    """

    def __init__(self, snapshot: Snapshot, binding: Bind | None = None) -> None:
        self.snapshot = snapshot
        self._binding: Bind = binding or (lambda ranker, part: bind(ranker, snapshot, part))
        self._rankers = BoundRankers()

    def bound(self, ranker: Ranker) -> Searcher:
        """Return a ranker bound to the snapshot; the rankers that it is made of are shared with others."""
        return self._rankers.get(ranker, self._bind)

    def is_bound(self, ranker: Ranker) -> bool:
        """Tell whether a ranker is bound already, so that asking for it takes no time."""
        return self._rankers.there(ranker) is not None

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
        return self._rankers.in_use

    def _bind(self, ranker: Ranker) -> Searcher:
        with noting_missed():  # a shard that is down now can be bound later
            searcher = self._binding(ranker, self.bound)
            searcher.top_many([Question("")], 1, threads=1)  # compiled code is loaded now, not when timed
            view, numbers = self.snapshot.view(), self.snapshot.live_numbers()[:1]
            for term in [term for number in numbers for term in view.forward(int(number))[0][:1]]:
                searcher.scores(Question(terms={view.term(int(term)): 1.0}), numbers)
        return searcher
