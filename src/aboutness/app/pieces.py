"""A run that is made in pieces, each of which is kept as soon as it is there: the same again goes on from them."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import TypeAlias

from aboutness.core.advance import begin, did
from aboutness.core.record import Query
from aboutness.experiment.compare import KeptRun, rankings
from aboutness.experiment.hashes import code_version
from aboutness.experiment.kept_runs import KeptRuns
from aboutness.experiment.kept_values import index_contents
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Match
from aboutness.rank.bound import Searcher

PIECE = 256  # queries
AHEAD = 1  # pieces that are looked for while one is written: what shards send must find room

_Piece: TypeAlias = "tuple[Mapping[str, list[tuple[str, float]]], int]"


class Pieces:
    """The pieces of a run that is to be written to a file, in a hidden folder beside it."""

    def __init__(self, target: str | Path, snapshot: Snapshot, ranker: str, depth: int, match: Match) -> None:
        whole = Path(target)
        self.folder = whole.parent / f".{whole.name}.pieces"
        self.snapshot = snapshot
        self.depth = depth
        self.match = match
        self.made = 0  # queries that were ranked now, not taken from what was kept
        self._same = {
            "code": code_version(),
            "index": index_contents(snapshot),
            "ranker": ranker,
            "depth": depth,
            "match": match,
        }

    def run(self, searcher: Searcher, queries: Sequence[Query]) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """Yield the id and the ranking of each query, from a piece that is kept or by asking a ranker.

        While one piece is taken, the next ones are looked for.
        """
        begin("queries", len(queries))
        kept, asked = KeptRuns(self.folder), deque[Future[_Piece]]()
        pool = ThreadPoolExecutor(AHEAD)
        try:
            for first in range(0, len(queries), PIECE):
                some = queries[first : first + PIECE]
                asked.append(pool.submit(copy_context().run, self._piece, kept, searcher, some))
                if len(asked) > AHEAD:
                    yield from self._told(asked.popleft().result())
            while asked:
                yield from self._told(asked.popleft().result())
        finally:
            pool.shutdown(cancel_futures=True)

    def _piece(self, kept: KeptRuns, searcher: Searcher, some: Sequence[Query]) -> _Piece:
        """Return the rankings of some queries, and how many of these had to be made."""
        depends_on = {**self._same, "queries": [[query.id, query.text] for query in some]}
        if (found := kept.get(depends_on)) is not None:
            return found.run, 0
        made = KeptRun(self.snapshot, dict(rankings(searcher, some, self.depth, self.match)))
        kept.put(depends_on, made, {})
        return made, len(some)

    def _told(self, piece: _Piece) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        run, made = piece
        self.made += made
        for one in run.items():
            yield one
            did("queries")

    def remove(self) -> None:
        """Remove what was kept: the run is written."""
        shutil.rmtree(self.folder, ignore_errors=True)
