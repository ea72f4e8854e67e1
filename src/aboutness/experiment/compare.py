"""Rankers compared: each is run over the judged queries of a collection, and measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError
from aboutness.core.record import Query
from aboutness.evaluate.evaluation import Evaluation, evaluate, unknown_documents
from aboutness.evaluate.judgements import Qrels
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.experiment.asking import JUDGED, Asking, Step
from aboutness.experiment.collection import Collection as TestCollection
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Match, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.bound import Searcher, bind

if TYPE_CHECKING:
    from ir_measures import Measure

    from aboutness.frames.frame import Frame

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

    def packed(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], list[str]]:
        """Return where each ranking ends, the places of all documents in a list, their scores, and that list."""
        every = list(self._rankings.values())
        numbers = np.concatenate([np.zeros(0, np.int64), *(one.documents for one in every)])
        scores = np.concatenate([np.zeros(0, np.float32), *(one.scores for one in every)])
        ends = np.cumsum([len(one) for one in every], dtype=np.int64)
        found, places = np.unique(numbers, return_inverse=True)
        return ends, places.astype(np.int32), scores, self._snapshot.ids_of(found)


@dataclass(frozen=True)
class Row:
    """One ranker: its rankings, and how good they are."""

    ranker: Ranker
    run: Mapping[str, list[tuple[str, float]]]
    evaluation: Evaluation
    seconds: float = 0.0  # that it took to make the rankings
    cached: bool = False  # whether they were made earlier
    named: str = ""  # what its user calls it
    chosen: str = ""  # the setting of a tuned ranker, or each one with how many folds chose it

    @property
    def name(self) -> str:
        """Return what its user calls the ranker, or else what it is."""
        return self.named or str(self.ranker)

    def to_json(self) -> dict[str, Any]:
        """Return the ranker and the means in plain values."""
        chosen = {"chosen": self.chosen} if self.chosen else {}
        return {"ranker": self.name, **chosen, **self.evaluation.mean}


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
    setting: str = ""  # fields, form of the queries, documents that are ranked: where it is not the usual one
    qrels: Qrels = field(default_factory=dict, repr=False)
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)  # of the queries
    unjudged: tuple[str, ...] = ()  # queries of the collection without judgements, which are not ranked
    unasked: tuple[str, ...] = ()  # judged queries that the collection does not have: they count 0
    chosen_by: int = 0  # how many judged queries served only to choose parameters

    @property
    def title(self) -> str:
        """Return the collection and, where it is not the usual one, the setting."""
        return f"{self.collection}, {self.setting}" if self.setting else self.collection

    @property
    def queries(self) -> int:
        """Return how many queries the means are over."""
        return self.rows[0].evaluation.queries if self.rows else 0

    @property
    def unanswered(self) -> dict[tuple[str, ...], list[str]]:
        """Return the queries that were asked and have no ranking, each time with the rankers that have none."""
        found: dict[tuple[str, ...], list[str]] = {}
        for row in self.rows:
            if some := tuple(one for one in row.evaluation.unanswered if one not in self.unasked):
                found.setdefault(some, []).append(row.name)
        return found

    def to_json(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the comparison in plain values; `unanswered` are those that any ranker has no ranking of."""
        plain: dict[str, Any] = {
            "collection": self.collection,
            **({"setting": self.setting} if self.setting else {}),
            "documents": self.documents,
            "analyzer": self.analyzer,
            "queries": self.queries,
            "unjudged": list(self.unjudged),
            "unasked": list(self.unasked),
            "chosen_by": self.chosen_by,
            "unanswered": len({query for some in self.unanswered for query in some}),
            "unknown_documents": sum(map(len, self.unknown.values())),
            "rows": [row.to_json() for row in self.rows],
            **({"left_out": self.left_out} if self.left_out else {}),
            **({"note": self.note} if self.note else {}),
        }
        if per_query:
            plain["per_query"] = {row.name: row.evaluation.per_query for row in self.rows}
        return plain

    def to_frame(self, *, per_query: bool = False) -> Frame:
        """Return a data frame with a row for each ranker: its name, and the mean of each measure.

        With `per_query`, there is a row for each ranker and query, whose id is the column `qid`.
        """
        from aboutness.frames.frame import frame_of

        if not per_query:
            return frame_of((row.to_json() for row in self.rows), ["ranker", *self.measures])
        rows = (
            {"ranker": row.name, "qid": query, **values}
            for row in self.rows
            for query, values in row.evaluation.per_query.items()
        )
        return frame_of(rows, ["ranker", "qid", *self.measures])

    def __str__(self) -> str:
        head = ["ranker", *self.measures]
        cells = [[row.name, *(f"{row.evaluation.mean[name]:.4f}" for name in self.measures)] for row in self.rows]
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
    match: Step = "or",
    threads: int | None = None,
    progress: Progress | None = None,
    optional: Collection[Ranker] = (),
    bound: Callable[[Ranker], Searcher] | None = None,
) -> Comparison:
    """Run rankers over the judged queries of a collection that an index holds, and measure them.

    `bound` binds rankers where that is to be done otherwise than to the index as it lies here.
    An optional ranker that cannot be bound to the index, such as one whose vectors are not there, is left out.
    """
    chosen = parse_measures(measures)
    asking = Asking(snapshot, collection, match)
    rows = []
    left_out: dict[str, str] = {}
    for ranker in dict.fromkeys(rankers):
        start = time.perf_counter()
        try:
            searcher = bound(ranker) if bound else bind(ranker, snapshot)
        except (NotFound, UsageError) as error:
            if ranker not in optional:
                raise
            left_out[str(ranker)] = str(error)
            continue
        run = run_of(ranker, searcher, asking, depth=depth, threads=threads, progress=progress)
        seconds = time.perf_counter() - start
        rows.append(Row(ranker, run, evaluate(collection.qrels, run, chosen), seconds))
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
        qrels=collection.qrels,
        texts={query.id: query.text for query in collection.judged_queries},
        unjudged=collection.unjudged,
        unasked=collection.unasked,
        chosen_by=len(collection.chosen_by),
    )


def run_of(
    ranker: Ranker,
    searcher: Searcher,
    asking: Asking,
    *,
    depth: int = DEPTH,
    threads: int | None = None,
    progress: Progress | None = None,
) -> KeptRun:
    """Return the rankings of the judged queries by a ranker that is bound."""
    queries = asking.collection.judged_queries
    found: dict[str, Ranking] = {}
    for query, ranking in rankings(searcher, queries, checked_k(depth), asking.match, threads, asking):
        found[query] = ranking
        if progress and (len(found) % AT_ONCE == 0 or len(found) == len(queries)):
            progress(str(ranker), len(found), len(queries))
    return KeptRun(asking.snapshot, found)


def rankings(
    searcher: Searcher,
    queries: Sequence[Query],
    depth: int = DEPTH,
    match: Match = "or",
    threads: int | None = None,
    asking: Asking | None = None,
) -> Iterator[tuple[str, Ranking]]:
    """Yield the id and the ranking of each query; `asking` says where it is not its text that is asked of all."""
    step = AT_ONCE * getattr(searcher, "lanes", 1)  # more where it works on several such parts at once
    for first in range(0, len(queries), step):
        some = queries[first : first + step]
        if asking is None:
            questions, allowed = [Question(query.text) for query in some], None
        else:
            questions, allowed = [asking.question(query) for query in some], asking.allowed
        if asking is not None and asking.step == JUDGED:
            found = [
                searcher.top_many([one], depth, match=match, allowed=asking.allowed_for(query), threads=1)[0]
                for query, one in zip(some, questions, strict=True)
            ]
        else:
            found = searcher.top_many(questions, depth, match=match, allowed=allowed, threads=threads)
        yield from ((query.id, ranking) for query, ranking in zip(some, found, strict=True))


def missing_documents(snapshot: Snapshot, collection: TestCollection) -> dict[str, list[str]]:
    """Return the judged documents that an index does not hold, by query."""
    judged = list({document for grades in collection.qrels.values() for document in grades})
    missing = {judged[i] for i in (snapshot.numbers(judged) < 0).nonzero()[0]}
    return unknown_documents(collection.qrels, lambda document: document not in missing) if missing else {}
