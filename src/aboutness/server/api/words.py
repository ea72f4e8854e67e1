"""Words: their neighbours, how frequent they are, and what is spelt nearly so."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from aboutness.app.index import Index
from aboutness.app.words import find_words
from aboutness.server.access import needs
from aboutness.server.asked import Asked, IndexName
from aboutness.server.problems import problems
from aboutness.server.site import SiteHere

router = APIRouter(tags=["words"], dependencies=[needs("read")])

MOST_NEIGHBOURS = 100
LONGEST = 1_000  # characters of a word or a sum


class NeighboursAsked(Asked):
    """A word, or a sum of words, whose neighbours are wanted."""

    index: IndexName | None = None
    word: Annotated[
        str, Field(min_length=1, max_length=LONGEST, description="A word, or a sum: king - man + woman.")
    ]
    k: Annotated[int, Field(ge=1, le=MOST_NEIGHBOURS, description="How many neighbours.")] = 10
    vectors: Annotated[
        str | None, Field(max_length=200, description="Which vectors, where the index has several: their name.")
    ] = None


class NeighbourAnswered(BaseModel):
    """A word and its cosine with what was asked for."""

    word: str
    score: float


class FrequencyAnswered(BaseModel):
    """In how many documents a word stands, and how often in all."""

    df: int
    cf: int


class LayerFrequencyAnswered(FrequencyAnswered):
    """The same for a term of a layer."""

    layer: str
    term: str


class WordAnswered(BaseModel):
    """A word of what was asked for: what it is looked up as, and where that has no vector, what is spelt so."""

    word: str
    weight: float
    terms: list[str]
    known: bool
    frequencies: list[LayerFrequencyAnswered]
    suggestions: list[str]


class NeighboursAnswered(BaseModel):
    """The nearest words in each pair of spaces; none where a word is unknown, which the message then says."""

    words: str
    neighbours: dict[str, list[NeighbourAnswered]]
    vectors: str
    known: bool
    message: str | None
    documents: int
    asked: list[WordAnswered]
    frequencies: dict[str, FrequencyAnswered]


def found(index: Index, asked: NeighboursAsked) -> dict[str, Any]:
    """Return what is known of a word, or a sum."""
    return find_words(index, asked.word, asked.k, asked.vectors).to_json()


@router.get("/neighbours", responses=problems(404), response_model=NeighboursAnswered)
async def neighbours(site: SiteHere, asked: Annotated[NeighboursAsked, Query()]) -> dict[str, Any]:
    """Return the nearest words: IN-IN, OUT-OUT: what could stand in its place; IN-OUT: what stands beside it."""
    return await site.work(found, site.held.one(asked.index), asked)
