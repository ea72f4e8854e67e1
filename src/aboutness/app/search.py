"""Searching an index: a question and a ranker in, hits out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from aboutness.app.generation import Generation
from aboutness.core.algebra import Ranker, inside
from aboutness.core.errors import Unreachable, UsageError, shown
from aboutness.core.kinds import FieldWeights, checked
from aboutness.core.record import Document, Query
from aboutness.index.filters import Where
from aboutness.models.embedding import Embedding
from aboutness.models.model import MATCHES, Allowed, Match, Model, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking
from aboutness.models.trained import TrainedModel
from aboutness.rank.bound import Searcher, explain
from aboutness.rank.default import Default
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.grammar import split_rankers
from aboutness.rank.inside import models_in, notes_of
from aboutness.rank.pipelines import Pipeline
from aboutness.scale.missed import Missed, told, with_all_but, without_missed

__all__ = ["DEFAULT_RANKER", "Hit", "Hits", "How", "named_ranker", "search", "search_one", "split_rankers"]

DEFAULT_RANKER = "default"
TOGETHER = 20_000  # hits of a batch whose ids are looked up together
SHOWN = 200  # characters of a text shown with a hit

Asked: TypeAlias = "str | Query | Document | Mapping[str, float]"
Fields: TypeAlias = "str | Mapping[str, float] | Sequence[str]"


@dataclass(frozen=True)
class How:
    """How to search: the ranker, what must match, which documents, which fields, and how many hits."""

    ranker: str | Ranker = DEFAULT_RANKER
    k: int = 10
    match: str | Ranker = "or"
    where: Where | None = None
    fields: Fields | None = None
    threads: int | None = None

    @cached_property
    def expression(self) -> Ranker:
        """Return the ranker with the fields chosen, behind the one that finds its documents, if there is one."""
        ranker = _with_fields(named_ranker(self.ranker), self.fields)
        if self.match in MATCHES:
            return ranker
        try:
            first = named_ranker(self.match)
        except UsageError as error:
            raise UsageError(f"match must be one of {', '.join(MATCHES)} or a cut ranker: {error}") from None
        return _with_fields(first, self.fields) >> ranker

    @property
    def step(self) -> Match:
        """Return the match step of the first ranker."""
        return next((match for match in MATCHES if match == self.match), "or")


class Hit:
    """A document that was found, with its rank (from 1) and its score."""

    __slots__ = ("_document", "_found", "_place", "id", "number", "rank", "score")

    def __init__(self, rank: int, id: str, score: float, number: int, found: Found, place: int) -> None:  # noqa: A002
        self.rank = rank
        self.id = id
        self.score = score
        self.number = number
        self._found = found
        self._place = place
        self._document: Document | None = None

    def __repr__(self) -> str:
        return f"Hit(rank={self.rank}, id={self.id!r}, score={self.score:.6g})"

    @property
    def document(self) -> Document:
        """Return the document."""
        if self._document is None:
            self._document = self._found.generation.snapshot.document(self.number)
        return self._document

    @document.setter
    def document(self, read: Document) -> None:
        self._document = read

    @property
    def title(self) -> str:
        """Return the title, or where there is none the beginning of the text."""
        return self.document.fields.get("title") or self.text

    @property
    def text(self) -> str:
        """Return the beginning of the text: of the first field that is not the title."""
        return beginning(self.document)

    def explain(self) -> Explanation:
        """Return why the document has its score."""
        found = self._found
        asked = found.questions[self._place]
        return with_all_but(
            found.missing, lambda: explain(found.searcher, asked, self.number, found.match, found.allowed)
        )

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the hit in plain values."""
        plain = _plain(self.rank, self.score, self.document)
        return plain | ({"explanation": self.explain().to_json()} if explain else {})


class Found:
    """What a batch of searches found, for those of its hits that are asked about."""

    def __init__(
        self,
        generation: Generation,
        searcher: Searcher,
        questions: list[Question],
        rankings: list[Ranking],
        match: Match,
        allowed: Allowed,
        missing: Sequence[Missed] = (),
    ) -> None:
        self.generation = generation
        self.searcher = searcher
        self.questions = questions
        self.rankings = rankings
        self.match = match
        self.allowed = allowed
        self.missing = missing

    @cached_property
    def few(self) -> bool:
        """Tell whether the hits are so few that their ids are looked up together."""
        return sum(map(len, self.rankings)) <= TOGETHER

    @cached_property
    def ids(self) -> list[list[str]]:
        """Return the ids of all hits, looked up together."""
        if len(self.rankings) == 1:
            return [self.generation.snapshot.ids_of(self.rankings[0].documents)]
        numbers = np.concatenate([ranking.documents for ranking in self.rankings])
        ids = self.generation.snapshot.ids_of(numbers)
        ends = np.cumsum([len(ranking) for ranking in self.rankings]).tolist()
        return [ids[start:end] for start, end in zip([0, *ends], ends, strict=False)]


class Hits(Sequence[Hit]):
    """The hits of one search, the best first."""

    def __init__(self, query: str, ranker: Ranker, found: Found, place: int, took: float) -> None:
        self.query = query
        self.ranker = ranker
        self.ranking = found.rankings[place]
        self.took_ms = took * 1000
        self._found = found
        self._place = place

    @property
    def without_vectors(self) -> bool:
        """Tell whether nothing is found because no word of the query has a vector."""
        found = self._found
        if any(isinstance(one, Default) for one in inside(self.ranker)):  # words find its documents
            return False
        on_vectors = any(isinstance(model, Embedding | TrainedModel) for model in models_in(self.ranker))
        return on_vectors and not found.searcher.knows(found.questions[self._place])

    @property
    def note(self) -> str | None:
        """Return what one should know of the ranker here, if there is something."""
        return "; ".join(notes_of([self.ranker], self._found.generation.snapshot)) or None

    @property
    def missing(self) -> Sequence[Missed]:
        """Return the shards that did not answer: none of their documents is among the hits."""
        return self._found.missing

    @property
    def incomplete(self) -> str | None:
        """Return in words what could not be searched, None where all was."""
        return told(self.missing, self._found.generation.snapshot.documents)

    def check_complete(self) -> None:
        """Raise where something could not be searched."""
        if self.incomplete:
            raise Unreachable(f"{self.incomplete}; ask again soon")

    @cached_property
    def _hits(self) -> list[Hit]:
        found, place = self._found, self._place
        ids = found.ids[place] if found.few else found.generation.snapshot.ids_of(self.ranking.documents)
        rows = zip(ids, self.ranking.scores.tolist(), self.ranking.documents.tolist(), strict=True)
        return [Hit(rank, id_, score, number, found, place) for rank, (id_, score, number) in enumerate(rows, 1)]

    def read_documents(self) -> None:
        """Read the documents of all hits together: faster than each when it is looked at."""
        for hit, document in zip(
            self, self._found.generation.snapshot.documents_of(self.ranking.documents), strict=True
        ):
            hit.document = document

    @overload
    def __getitem__(self, which: int) -> Hit: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Hit]: ...
    def __getitem__(self, which: int | slice) -> Hit | Sequence[Hit]:
        return self._hits[which]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __len__(self) -> int:
        return len(self.ranking)

    def __repr__(self) -> str:
        return f"<{len(self)} hits for {shown(self.query)} by {self.ranker}>"

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the hits in plain values."""
        return {
            "query": self.query,
            "ranker": str(self.ranker),
            "took_ms": round(self.took_ms, 3),
            **({"note": note} if (note := "; ".join(filter(None, (self.note, self.incomplete)))) else {}),
            **({"missing": [one.to_json() for one in self.missing]} if self.missing else {}),
            "hits": self._explained() if explain else self._plain_hits(),
        }

    def _explained(self) -> list[dict[str, Any]]:
        self.read_documents()
        return [hit.to_json(explain=True) for hit in self]

    def _plain_hits(self) -> list[dict[str, Any]]:
        """Return the same as each hit says of itself, without making these."""
        documents = self._found.generation.snapshot.documents_of(self.ranking.documents)
        return list(map(_plain, range(1, len(documents) + 1), self.ranking.scores.tolist(), documents))


def beginning(document: Document) -> str:
    """Return the beginning of a document's text in one line: of the first field that is not the title."""
    for name, text in document.fields.items():
        if name != "title":
            line = " ".join(text[: 4 * SHOWN].split())
            return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
    return ""


def _plain(rank: int, score: float, document: Document) -> dict[str, Any]:
    text = beginning(document)
    title = document.fields.get("title") or text
    return {"rank": rank, "id": document.id, "score": score, "title": title, "text": text}


def search(generation: Generation, asked: Sequence[Asked], how: How) -> list[Hits]:
    """Search for several questions at once; the same hits as one by one."""
    k = checked_k(how.k)
    ranker = how.expression
    searcher = generation.bound(ranker)
    start = time.perf_counter()
    allowed = None if how.where is None else generation.snapshot.where(how.where)
    questions = [checked_question(generation, one) for one in asked]
    found = _found(generation, searcher, questions, k, how, allowed)
    took = (time.perf_counter() - start) / max(len(asked), 1)
    return [Hits(text_of(one), ranker, found, place, took) for place, one in enumerate(asked)]


def search_one(generation: Generation, query: Asked | None, like: str | None, how: How) -> Hits:
    """Search for a query, or for documents like one of the index, by its id."""
    if (query is None) == (like is None):
        raise UsageError("give a query, or with `like` the id of a document of the index")
    if like is None:
        assert query is not None
        return search(generation, [query], how)[0]
    if not isinstance(like, str):
        raise UsageError(f"like must be the id of a document, a text, got {shown(like)}")
    return search_like(generation, like, how)


def search_like(generation: Generation, identifier: str, how: How) -> Hits:
    """Search by a document of the index, which is not among the hits."""
    ranker = how.expression
    searcher = generation.bound(ranker)
    start = time.perf_counter()
    snapshot = generation.snapshot
    number = snapshot.number(identifier)
    allowed: NDArray[np.bool_] = snapshot.alive.copy() if how.where is None else snapshot.where(how.where)
    allowed[number] = False
    found = _found(generation, searcher, [Question(document=number)], checked_k(how.k), how, allowed)
    took = time.perf_counter() - start
    return Hits(identifier, ranker, found, 0, took)


def _found(
    generation: Generation, searcher: Searcher, questions: Sequence[Question], k: int, how: How, allowed: Allowed
) -> Found:
    """Return what is found for questions, if need be without the shards that do not answer."""

    def find(missed: Sequence[Missed]) -> tuple[list[Question], list[Ranking], Allowed]:
        asked = list(map(copy, questions))  # rankers may remember what they know of a question
        among = without(missed, allowed, generation.snapshot.size)
        return asked, searcher.top_many(asked, k, match=how.step, allowed=among, threads=how.threads), among

    (asked, rankings, among), missing = without_missed(find, generation.down)
    return Found(generation, searcher, asked, rankings, how.step, among, missing)


def without(missed: Sequence[Missed], allowed: Allowed, size: int) -> Allowed:
    """Return which documents are allowed, but for those of some shards."""
    if not missed:
        return allowed
    mask = np.ones(size, np.bool_) if allowed is None else np.array(allowed, np.bool_)
    for one in missed:
        mask[one.numbers.start : one.numbers.stop] = False
    return mask


def question(asked: Asked) -> Question:
    """Return what is asked as rankers take it."""
    if isinstance(asked, str):
        return Question(asked)
    if isinstance(asked, Query) and isinstance(asked.text, str):
        return Question(asked.text)
    if isinstance(asked, Document) and all(isinstance(text, str) for text in asked.fields.values()):
        return Question(fields=asked.fields)
    if isinstance(asked, Mapping):
        return Question(terms=asked)
    raise UsageError(f"a query must be a text, a Query, a Document or terms with weights, got {shown(asked)}")


def checked_question(generation: Generation, asked: Asked) -> Question:
    """Return what is asked, or raise where it is a document of which the index has no field."""
    made, known = question(asked), generation.snapshot.fields
    if made.fields and known and not set(made.fields) & set(known):
        raise UsageError(
            f"the index has none of the document's fields {', '.join(made.fields)}. It has: {', '.join(known)}"
        )
    return made


def text_of(asked: Asked) -> str:
    """Return what is asked in words."""
    if isinstance(asked, Mapping):
        return " ".join(asked)
    return asked if isinstance(asked, str) else asked.text if isinstance(asked, Query) else asked.id


def _with_fields(ranker: Ranker, fields: Fields | None) -> Ranker:
    """Return the ranker with the fields chosen in all models and pipelines that choose none themselves."""
    if fields is None:
        return ranker
    if not isinstance(ranker, (Model, Pipeline)):
        return ranker.made_of([_with_fields(part, fields) for part in ranker.rankers])
    return (
        ranker if ranker.fields is not None else replace(ranker, fields=checked(FieldWeights(), "fields", fields))
    )
