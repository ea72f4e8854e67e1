"""One question asked of several rankers: their hits side by side, with words marked and ranks compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aboutness.app.generation import Generation
from aboutness.app.hits import Hits
from aboutness.app.index import Index
from aboutness.app.mixing import places
from aboutness.app.query_words import QueryWords
from aboutness.app.search import DEFAULT_RANKER, How, search_one
from aboutness.core.errors import AboutnessError, UsageError
from aboutness.core.kinds import FieldWeights, checked
from aboutness.index.filters import conditions
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import checked_k
from aboutness.scale.missed import Missed, told

MOST = 4  # rankers beside each other


@dataclass(frozen=True)
class Asked:
    """What is asked of all rankers: a query, or a document of the index (`like`), and of which documents."""

    query: str = ""
    rankers: Sequence[str] = (DEFAULT_RANKER,)
    k: int = 10
    match: str = "or"
    where: Sequence[str] = ()
    fields: str = ""
    like: str = ""

    @property
    def empty(self) -> bool:
        """Tell whether nothing is asked."""
        return not self.query.strip() and not self.like


@dataclass(frozen=True)
class Column:
    """What one ranker answers: hits, or why it has none."""

    ranker: str
    hits: Hits | None = None
    problem: str | None = None

    def to_json(self, query_words: QueryWords, before: Column | None) -> dict[str, Any]:
        """Return the column in plain values; `hits` as a search gives them, with marks and how each one moved.

        `explained_by` is the ranker whose explanations sum to these scores: the fields that were chosen, and the
        ranker that finds the documents, stand in its text.
        """
        plain: dict[str, Any] = {"ranker": self.ranker, "problem": self.problem, "places": _places(self.ranker)}
        if self.hits is None:
            empty = {"explained_by": self.ranker, "note": None, "took_ms": None, "without_vectors": False}
            return plain | empty | {"missing": [], "hits": []}
        ranks, shown = before.ranks() if before else {}, self.hits.to_json()
        return plain | {
            "explained_by": shown["ranker"],
            "note": self.hits.note,
            "took_ms": shown["took_ms"],
            "without_vectors": not self.hits and self.hits.without_vectors,
            "missing": shown.get("missing", []),
            "hits": [
                {
                    **hit,
                    "marks": {name: query_words.marks(hit[name]) for name in ("title", "text")},
                    "before": ranks.get(hit["id"]),
                }
                for hit in shown["hits"]
            ],
        }

    def ranks(self) -> dict[str, int]:
        """Return the rank of each hit by its id."""
        return {hit.id: hit.rank for hit in self.hits or ()}


def side_by_side(index: Index, asked: Asked) -> dict[str, Any]:
    """Return what each ranker answers, in plain values.

    What is wrong with one ranker stands in its column; what is wrong with the rest is under `problems`, by its
    name, and then nobody is asked.
    """
    generation = index.generation  # one for all, also where another thread refreshes
    problems = dict(_found_wrong(generation.snapshot, asked))
    rankers = asked.rankers[:MOST]
    if problems or asked.empty:
        columns = [Column(ranker, problem=_unreadable(ranker)) for ranker in rankers]
    else:
        columns = [_column(generation, asked, ranker) for ranker in rankers]
    words = QueryWords(generation.snapshot.analyzer(), asked.query)
    return {
        "query": asked.query,
        "like": asked.like,
        "problems": problems,
        "incomplete": told(_missing(columns), generation.snapshot.documents),
        "columns": [
            column.to_json(words, columns[number - 1] if number else None) for number, column in enumerate(columns)
        ],
    }


def _missing(columns: Sequence[Column]) -> list[Missed]:
    """Return the shards that did not answer to one of the rankers."""
    missing = {one for column in columns if column.hits is not None for one in column.hits.missing}
    return sorted(missing, key=lambda one: one.shard)


def _column(generation: Generation, asked: Asked, ranker: str) -> Column:
    """Return what one ranker answers."""
    how = How(ranker, asked.k, asked.match, list(asked.where) or None, asked.fields or None, threads=1)
    try:
        query, like = (None, asked.like) if asked.like else (asked.query, None)
        return Column(ranker, search_one(generation, query, like, how))
    except AboutnessError as error:
        return Column(ranker, problem=str(error))


def _found_wrong(snapshot: Snapshot, asked: Asked) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with what is asked, but for the rankers: its name and why."""
    if not 1 <= len(asked.rankers) <= MOST:
        yield "rankers", f"there are one to {MOST} rankers beside each other, got {len(asked.rankers)}"
    checks: Mapping[str, Callable[[], object]] = {
        "k": lambda: checked_k(asked.k),
        "where": lambda: conditions(asked.where),
        "match": lambda: How(match=asked.match).expression,
        "fields": lambda: _check_fields(snapshot, asked.fields),
        "like": lambda: snapshot.number(asked.like) if asked.like else None,
    }
    for name, check in checks.items():
        try:
            check()
        except AboutnessError as error:
            yield name, str(error)


def _check_fields(snapshot: Snapshot, fields: str) -> None:
    known = snapshot.manifest.fields
    for name, _ in checked(FieldWeights(), "fields", fields or None) or ():
        if name not in known:
            raise UsageError(f"the index has no field {name!r}. It has: {', '.join(known)}")


def _unreadable(ranker: str) -> str | None:
    """Return why a text is no ranker; None where it is one."""
    try:
        places(ranker)
    except UsageError as error:
        return str(error)
    return None


def _places(ranker: str) -> list[dict[str, Any]]:
    """Return the numbers of a ranker that can be moved; none where it cannot be read."""
    try:
        return [place.to_json() for place in places(ranker)]
    except UsageError:
        return []
