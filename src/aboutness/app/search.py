"""Searching an index: a question and a ranker in, hits out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.app.generation import Generation
from aboutness.app.hits import Found, Hits
from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import FieldWeights, checked
from aboutness.core.record import Document, Query
from aboutness.index.filters import Where
from aboutness.models.model import MATCHES, Allowed, Match, Model, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.bound import Searcher
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.grammar import split_rankers
from aboutness.rank.pipelines import Pipeline
from aboutness.scale.missed import Missed, without_missed

__all__ = [
    "DEFAULT_RANKER",
    "How",
    "named_ranker",
    "search",
    "search_among",
    "search_one",
    "split_rankers",
]

DEFAULT_RANKER = "default"

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


def search(generation: Generation, asked: Sequence[Asked], how: How) -> list[Hits]:
    """Search for several questions at once; the same hits as one by one."""
    k = checked_k(how.k)
    ranker = how.expression
    searcher = generation.bound(ranker)
    start = time.perf_counter()
    allowed = None if how.where is None else generation.snapshot.where(how.where)
    found = _found(generation, searcher, asked, k, how, allowed)
    took = (time.perf_counter() - start) / max(len(asked), 1)
    return [Hits(text_of(one), ranker, found, place, took) for place, one in enumerate(asked)]


def search_among(
    generation: Generation, asked: Sequence[Asked], documents: Sequence[Sequence[str]], how: How
) -> list[Hits]:
    """Rank for each question just some documents, by their ids; of these, all that are allowed are ranked."""
    ranker, snapshot = how.expression, generation.snapshot
    searcher = generation.bound(ranker)
    filtered = None if how.where is None else snapshot.where(how.where)
    hits = []
    for one, identifiers in zip(asked, documents, strict=True):
        start = time.perf_counter()
        allowed = np.sort(snapshot.numbers(identifiers))
        allowed = allowed if filtered is None else allowed[filtered[allowed]]
        found = _found(generation, searcher, [one], checked_k(how.k), replace(how, match="all"), allowed)
        hits.append(Hits(text_of(one), ranker, found, 0, time.perf_counter() - start))
    return hits


def search_one(generation: Generation, query: Asked | None, like: str | None, how: How) -> Hits:
    """Search for a query, or for documents like one of the index, by its id."""
    if (query is None) == (like is None):
        both = ", not both" if query is not None else ""
        raise UsageError(f"give a query, or the id of a document with --like (like= in Python){both}")
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
    generation: Generation,
    searcher: Searcher,
    asked: Sequence[Asked | Question],
    k: int,
    how: How,
    allowed: Allowed,
) -> Found:
    """Return what is found for what is asked, if need be without the shards that do not answer."""

    def find(missed: Sequence[Missed]) -> tuple[list[Question], list[Ranking], Allowed]:
        questions = [checked_question(generation, one) for one in asked]  # anew: rankers may note things in them
        among = without(missed, allowed, generation.snapshot.size)
        return (
            questions,
            searcher.top_many(questions, k, match=how.step, allowed=among, threads=how.threads),
            among,
        )

    (questions, rankings, among), missing = without_missed(find, generation.down)
    return Found(generation, searcher, questions, rankings, how.step, among, missing)


def without(missed: Sequence[Missed], allowed: Allowed, size: int) -> Allowed:
    """Return which documents are allowed, but for those of some shards."""
    if not missed:
        return allowed
    mask = np.full(size, allowed is None)
    mask[slice(0) if allowed is None else np.asarray(allowed)] = True
    for one in missed:
        mask[one.numbers.start : one.numbers.stop] = False
    return mask


def question(asked: Asked | Question) -> Question:
    """Return what is asked as rankers take it."""
    if isinstance(asked, str):
        return Question(asked)
    if isinstance(asked, Question):
        return copy(asked)
    if isinstance(asked, Query) and isinstance(asked.text, str):
        return Question(asked.text)
    if isinstance(asked, Document) and all(isinstance(text, str) for text in asked.fields.values()):
        return Question(fields=asked.fields)
    if isinstance(asked, Mapping):
        return Question(terms=asked)
    raise UsageError(f"a query must be a text, a Query, a Document or terms with weights, got {shown(asked)}")


def checked_question(generation: Generation, asked: Asked | Question) -> Question:
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
