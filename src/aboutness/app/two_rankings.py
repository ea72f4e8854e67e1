"""One query of an experiment: the rankings of two rankers side by side, and how documents move between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from aboutness.app.compared import part_of
from aboutness.app.index import Index
from aboutness.app.results import OpenResults, as_text
from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.corpus.files import open_bytes
from aboutness.evaluate.runs import best_first, read_run
from aboutness.experiment.compare import Comparison, Row
from aboutness.experiment.results_folder import RunFile

SHOWN = 20  # documents of each ranking, unless said
MOST_SHOWN = 200
MOST_RELEVANT = 200
LONGEST_TITLE = 160  # characters


@dataclass(frozen=True)
class Ranked:
    """A document of one ranking."""

    document: str
    rank: int  # from 1
    score: float
    grade: int | None  # None where nobody judged it
    other_rank: int | None  # in the other ranking; None where it is not found there
    move: int | None  # places that it is higher here than there


@dataclass(frozen=True)
class OneRanking:
    """The first documents of a ranking, and the values that all of it has."""

    ranker: str
    found: int
    values: dict[str, float]  # by measure
    documents: tuple[Ranked, ...]


@dataclass(frozen=True)
class Relevant:
    """A relevant document, and where it stands in both rankings, if it does."""

    document: str
    grade: int
    rank_a: int | None
    rank_b: int | None


@dataclass(frozen=True)
class TwoRankings:
    """What two rankers answer to one query."""

    name: str
    on: str
    query: str
    text: str
    a: OneRanking
    b: OneRanking
    relevant: tuple[Relevant, ...]  # the best grades first, and in these the best ranks
    relevant_in_all: int

    def to_json(self) -> dict[str, Any]:
        """Return all in plain values."""
        return asdict(self)


def per_query(
    opened: OpenResults,
    query: str,
    a: str | None = None,
    b: str | None = None,
    on: str | None = None,
    k: int = SHOWN,
) -> TwoRankings:
    """Return the first k documents of two rankers for a query; the first two rankers unless they are named."""
    if not 1 <= k <= MOST_SHOWN:
        raise UsageError(f"k must be from 1 to {MOST_SHOWN}, got {shown(k)}")
    comparison = part_of(opened, on)
    rows = {row.name: row for row in comparison.rows}
    first, second = two_of(rows, a, b)
    if query not in first.evaluation.per_query:
        raise NotFound(f"the comparison on {comparison.title} has no judged query {shown(query)}")
    return _two(opened.name, comparison, query, first, second, k)


def two_of(rows: Mapping[str, Row], a: str | None, b: str | None) -> tuple[Row, Row]:
    """Return the rows of two rankers; of what is not named, the first and the next one."""
    for name in (a, b):
        if name is not None and name not in rows:
            raise NotFound(f"no ranker is called {shown(name)} here; there are {', '.join(rows)}")
    if not rows:
        raise NotFound("this comparison has no ranker")
    first = a if a is not None else next((name for name in rows if name != b), next(iter(rows)))
    second = b if b is not None else next((name for name in rows if name != first), first)
    return rows[first], rows[second]


def _two(name: str, comparison: Comparison, query: str, first: Row, second: Row, k: int) -> TwoRankings:
    grades = comparison.qrels.get(query, {})
    rankings = [ranking_of(row, query) for row in (first, second)]
    ranks = [{document: rank for rank, (document, _) in enumerate(one, 1)} for one in rankings]
    sides = []
    for row, ranking, others in zip((first, second), rankings, ranks[::-1], strict=True):
        documents = []
        for rank, (document, score) in enumerate(ranking[:k], 1):
            other = others.get(document)
            move = None if other is None else other - rank
            documents.append(Ranked(document, rank, score, grades.get(document), other, move))
        sides.append(OneRanking(row.name, len(ranking), row.evaluation.per_query[query], tuple(documents)))
    relevant = [
        Relevant(document, grade, ranks[0].get(document), ranks[1].get(document))
        for document, grade in grades.items()
        if grade > 0
    ]
    relevant.sort(key=lambda one: (-one.grade, min(one.rank_a or 1 << 62, one.rank_b or 1 << 62), one.document))
    return TwoRankings(
        name, comparison.title, query, as_text(comparison.texts.get(query, "")), sides[0], sides[1],
        tuple(relevant[:MOST_RELEVANT]), len(relevant),
    )  # fmt: skip


def titles_in(index: Index, found: TwoRankings, documents: int) -> dict[str, str] | None:
    """Return the titles of the ranked documents, None where an index does not hold the collection they are of.

    It does if it has as many documents, and all that are ranked: ids alone, which are often numbers, tell nothing.
    """
    snapshot = index.snapshot
    ids = list(dict.fromkeys(one.document for side in (found.a, found.b) for one in side.documents))
    numbers = snapshot.numbers(ids)
    if snapshot.documents != documents or not ids or (numbers < 0).any():
        return None
    relevant = [one.document for one in found.relevant if one.document not in ids]
    places = [*numbers.tolist(), *snapshot.numbers(relevant).tolist()]
    return {
        one: _title(snapshot.document(number).fields)
        for one, number in zip([*ids, *relevant], places, strict=True)
        if number >= 0
    }


def _title(fields: Mapping[str, str]) -> str:
    text = fields.get("title") or next(iter(fields.values()), "")
    return text if len(text) <= LONGEST_TITLE else f"{text[:LONGEST_TITLE]}…"


def ranking_of(row: Row, query: str) -> list[tuple[str, float]]:
    """Return the ranking of one query; of a run in a file, only that query's lines are taken apart."""
    if not isinstance(row.run, RunFile):
        return list(row.run.get(query, ()))
    start, found = f"{query} ".encode(), []
    try:
        with open_bytes(row.run.path) as file:
            for line in file:
                if line.startswith(start):
                    _, _, document, _, score, _ = line.split()
                    found.append((document.decode(), float(score)))
    except ValueError:
        found = []
    # A file that we did not write may have tabs, or what is no run at all: who reads all of it says which line.
    return best_first(query, found) if found else read_run(row.run.path).get(query, [])
