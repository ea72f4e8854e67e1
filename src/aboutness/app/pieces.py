"""A run that is made in pieces, each of which is kept as soon as it is there: the same again goes on from them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from aboutness.core.record import Query
from aboutness.experiment.compare import KeptRun, rankings
from aboutness.experiment.hashes import code_version
from aboutness.experiment.kept_runs import KeptRuns
from aboutness.experiment.kept_values import index_contents
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Match
from aboutness.rank.bound import Searcher

PIECE = 256  # queries


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
        """Yield the id and the ranking of each query, from a piece that is kept or by asking a ranker."""
        kept = KeptRuns(self.folder)
        for first in range(0, len(queries), PIECE):
            some = queries[first : first + PIECE]
            depends_on = {**self._same, "queries": [[query.id, query.text] for query in some]}
            found = kept.get(depends_on)
            if found is None:
                made = KeptRun(self.snapshot, dict(rankings(searcher, some, self.depth, self.match)))
                self.made += len(some)
                kept.put(depends_on, made, {})
                yield from made.items()
            else:
                yield from found.run.items()

    def remove(self) -> None:
        """Remove what was kept: the run is written."""
        shutil.rmtree(self.folder, ignore_errors=True)
