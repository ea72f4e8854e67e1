"""Rankers compared: each is run over the judged queries of a collection, and measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError
from aboutness.core.record import Query
from aboutness.evaluate.evaluation import Evaluation, evaluate, unknown_documents
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.experiment.collection import Collection as TestCollection
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Match, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.bound import Searcher, bind

if TYPE_CHECKING:
    from ir_measures import Measure

DEPTH = 1000  # documents of each ranking that are measured, as TREC does
AT_ONCE = 64  # queries run between two reports of progress

Progress: TypeAlias = Callable[[str, int, int], None]  # ranker, queries done, queries in all


class KeptRun(Mapping[str, "list[tuple[str, float]]"]):
    """A run whose rankings are kept as arrays, a tenth of the memory; ids are looked up when one is asked for."""

    def __init__(self, snapshot: Snapshot, rankings: dict[str, Ranking]) -> None:
        self._snapshot = snapshot
        self._rankings = rankings

    def __getitem__(self, query: str) -> list[tuple[str, float]]:
        ranking = self._rankings[query]
        return list(zip(self._snapshot.ids_of(ranking.documents), ranking.scores.tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rankings)

    def __len__(self) -> int:
        return len(self._rankings)


@dataclass(frozen=True)
class Row:
    """One ranker: its rankings, and how good they are."""

    ranker: Ranker
    run: KeptRun
    evaluation: Evaluation

    def to_json(self) -> dict[str, Any]:
        """Return the ranker and the means in plain values."""
        return {"ranker": str(self.ranker), **self.evaluation.mean}


@dataclass(frozen=True)
class Comparison:
    """Several rankers on one collection."""

    collection: str
    documents: int
    analyzer: str
    measures: tuple[str, ...]
    rows: tuple[Row, ...]
    unknown: dict[str, list[str]]  # judged documents that the collection does not have, by query
    left_out: dict[str, str] = field(default_factory=dict)  # rankers that cannot be used here, and why
    note: str | None = None  # what else one should know

    @property
    def queries(self) -> int:
        """Return how many queries the means are over."""
        return self.rows[0].evaluation.queries if self.rows else 0

    def to_json(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the comparison in plain values."""
        plain: dict[str, Any] = {
            "collection": self.collection,
            "documents": self.documents,
            "analyzer": self.analyzer,
            "queries": self.queries,
            "unanswered": len(self.rows[0].evaluation.unanswered) if self.rows else 0,
            "unknown_documents": sum(map(len, self.unknown.values())),
            "rows": [row.to_json() for row in self.rows],
            **({"left_out": self.left_out} if self.left_out else {}),
            **({"note": self.note} if self.note else {}),
        }
        if per_query:
            plain["per_query"] = {str(row.ranker): row.evaluation.per_query for row in self.rows}
        return plain

    def __str__(self) -> str:
        head = ["ranker", *self.measures]
        cells = [
            [str(row.ranker), *(f"{row.evaluation.mean[name]:.4f}" for name in self.measures)] for row in self.rows
        ]
        widths = [max(len(row[i]) for row in [head, *cells]) for i in range(len(head))]
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
            for row in [head, *cells]
        )


def compare_on(
    snapshot: Snapshot,
    collection: TestCollection,
    rankers: Sequence[Ranker],
    measures: str | Iterable[str | Measure],
    *,
    depth: int = DEPTH,
    match: Match = "or",
    threads: int | None = None,
    progress: Progress | None = None,
    optional: Collection[Ranker] = (),
) -> Comparison:
    """Run rankers over the judged queries of a collection that an index holds, and measure them.

    An optional ranker that cannot be bound to the index, such as one whose vectors are not there, is left out.
    """
    chosen = parse_measures(measures)
    depth = checked_k(depth)
    queries = collection.judged_queries
    rows = []
    left_out: dict[str, str] = {}
    for ranker in dict.fromkeys(rankers):
        found: dict[str, Ranking] = {}
        try:
            searcher = bind(ranker, snapshot)
        except (NotFound, UsageError) as error:
            if ranker not in optional:
                raise
            left_out[str(ranker)] = str(error)
            continue
        for query, ranking in rankings(searcher, queries, depth, match, threads):
            found[query] = ranking
            if progress and (len(found) % AT_ONCE == 0 or len(found) == len(queries)):
                progress(str(ranker), len(found), len(queries))
        run = KeptRun(snapshot, found)
        rows.append(Row(ranker, run, evaluate(collection.qrels, run, chosen)))
    if left_out and not rows:
        raise UsageError(f"no ranker can be used: {next(iter(left_out.values()))}")
    return Comparison(
        collection=collection.name,
        documents=snapshot.documents,
        analyzer=snapshot.analyzer().name,
        measures=tuple(str(measure) for measure in chosen),
        rows=tuple(rows),
        unknown=missing_documents(snapshot, collection),
        left_out=left_out,
    )


def rankings(
    searcher: Searcher,
    queries: Sequence[Query],
    depth: int = DEPTH,
    match: Match = "or",
    threads: int | None = None,
) -> Iterator[tuple[str, Ranking]]:
    """Yield the id and the ranking of each query."""
    for first in range(0, len(queries), AT_ONCE):
        some = queries[first : first + AT_ONCE]
        found = searcher.top_many([Question(query.text) for query in some], depth, match=match, threads=threads)
        yield from ((query.id, ranking) for query, ranking in zip(some, found, strict=True))


def missing_documents(snapshot: Snapshot, collection: TestCollection) -> dict[str, list[str]]:
    """Return the judged documents that an index does not hold, by query."""
    judged = list({document for grades in collection.qrels.values() for document in grades})
    missing = {judged[i] for i in (snapshot.numbers(judged) < 0).nonzero()[0]}
    return unknown_documents(collection.qrels, lambda document: document not in missing) if missing else {}
