"""Scores of relevant, of irrelevant and of random documents, by several rankers (mitra2016 figures 4 and 5).

Irrelevant are documents that are judged so, with a grade of 0 or less. Where a collection has no such judgements,
they are those in the first of another ranker that are not relevant, and are named so: nobody judged them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Whole, checked
from aboutness.core.record import Query
from aboutness.experiment.asking import Asking
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import DEPTH, Progress
from aboutness.index.snapshot import Snapshot
from aboutness.rank.bound import Searcher, bind
from aboutness.rank.grammar import ranker as named_ranker

RELEVANT, JUDGED_IRRELEVANT, RANDOM = "relevant", "judged irrelevant", "random"
DRAWN = 100  # random documents for each query
FIRST = "bm25 % 100"

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class SampledScores:
    """Documents for queries, the kind of each, and their scores: one row for each query and document."""

    collection: str
    rankers: tuple[str, ...]
    sets: tuple[str, ...]  # the kinds: relevant, irrelevant, random
    queries: list[str] = field(repr=False)
    documents: list[str] = field(repr=False)
    kinds: list[str] = field(repr=False)
    scores: NDArray[np.float64] = field(repr=False)  # rankers x rows

    def of(self, kind: str) -> NDArray[np.float64]:
        """Return the scores of the documents of one kind: rankers x documents."""
        return np.asarray(self.scores[:, [one == kind for one in self.kinds]])

    @property
    def table(self) -> list[dict[str, str | float]]:
        """Return one row for each query, document and ranker."""
        rows = zip(self.queries, self.documents, self.kinds, self.scores.T.tolist(), strict=True)
        return [
            {"query": query, "document": one, "kind": kind, "ranker": name, "score": score}
            for query, one, kind, scores in rows
            for name, score in zip(self.rankers, scores, strict=True)
        ]


def samples_table(samples: Iterable[SampledScores]) -> str:
    """Return one line for each collection, query, document and ranker, as CSV."""
    table = io.StringIO()
    lines = csv.writer(table, lineterminator="\n")
    lines.writerow(["collection", "query", "document", "kind", "ranker", "score"])
    for one in samples:
        lines.writerows([one.collection, *row.values()] for row in one.table)
    return table.getvalue()


def sampled_scores(
    snapshot: Snapshot,
    collection: Collection,
    rankers: Iterable[str | Ranker],
    *,
    random: int = DRAWN,
    first: str | Ranker = FIRST,
    seed: int = 1,
    progress: Progress | None = None,
) -> SampledScores:
    """Score documents of three kinds for each judged query: relevant, irrelevant, and drawn by chance.

    Random documents are neither judged for the query nor found for it by `first`. Those of a query depend on the
    seed, on the query's place and on the collection alone. A query of which a ranker knows no word is left out.
    """
    count = checked(Whole(0, 10**6), "the number of random documents", random)
    chance = np.random.SeedSequence(checked(Whole(0, (1 << 63) - 1), "seed", seed))
    asking = Asking(snapshot, collection, "all")
    chosen = list(dict.fromkeys(map(named_ranker, rankers)))
    searchers = [bind(one, snapshot) for one in chosen]
    finder = named_ranker(first)
    judged = any(grade <= 0 for grades in collection.qrels.values() for grade in grades.values())
    sets = (RELEVANT, JUDGED_IRRELEVANT if judged else f"irrelevant in {finder}", RANDOM)
    drawing = _Drawing(asking, bind(finder, snapshot), count, judged=judged)
    queries = collection.judged_queries
    rows: list[tuple[str, Ints, list[str]]] = []
    columns: list[NDArray[np.float64]] = []
    for place, (query, own) in enumerate(zip(queries, chance.spawn(len(queries)), strict=True), 1):
        question = asking.question(query)
        kinds = dict(zip(sets, drawing.documents(query, np.random.default_rng(own)), strict=True))
        numbers = np.concatenate(list(kinds.values()))
        order = np.argsort(numbers)
        if len(numbers) and all(one.knows(question) for one in searchers):
            names = np.repeat(sets, [len(some) for some in kinds.values()])[order].tolist()
            rows.append((query.id, numbers[order], names))
            columns.append(np.array([one.scores(question, numbers[order]) for one in searchers], np.float64))
        if progress:
            progress("sampling", place, len(queries))
    if not rows:
        raise UsageError(
            f"{collection.name}: the rankers know no word of any judged query, so there are no scores"
        )
    return SampledScores(
        collection=collection.name,
        rankers=tuple(map(str, chosen)),
        sets=sets,
        queries=[query for query, numbers, _ in rows for _ in numbers],
        documents=[one for _, numbers, _ in rows for one in snapshot.ids_of(numbers)],
        kinds=[kind for _, _, kinds in rows for kind in kinds],
        scores=np.concatenate(columns, axis=1),
    )


@dataclass(frozen=True)
class _Drawing:
    """Finds the three kinds of documents of a query."""

    asking: Asking
    finder: Searcher
    count: int
    judged: bool

    def documents(self, query: Query, chance: np.random.Generator) -> Sequence[Ints]:
        """Return the numbers of the relevant, the irrelevant and the random documents."""
        asking = self.asking
        grades = asking.collection.qrels[query.id]
        relevant = asking.numbers(one for one, grade in grades.items() if grade > 0)
        judged_irrelevant = asking.numbers(one for one, grade in grades.items() if grade <= 0)
        found = self.finder.top_many([asking.question(query)], DEPTH, allowed=asking.allowed)[0].documents
        irrelevant = judged_irrelevant if self.judged else np.setdiff1d(found, relevant)
        living = asking.snapshot.alive if asking.allowed is None else asking.allowed
        others = np.setdiff1d(np.flatnonzero(living), np.concatenate([relevant, judged_irrelevant, found]))
        drawn = chance.choice(others, min(self.count, len(others)), replace=False)
        return relevant, irrelevant, drawn.astype(np.int64)
