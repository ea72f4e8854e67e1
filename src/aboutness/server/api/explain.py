"""Explaining: why a document has its scores, and which of its words they come from."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from aboutness.app.explaining import RANKED, explained
from aboutness.app.index import Index
from aboutness.app.search import DEFAULT_RANKER
from aboutness.server.access import needs
from aboutness.server.asked import Asked, DocumentId, IndexName, QueryText, RankerTexts, Sent, StrictRoute
from aboutness.server.problems import problems, without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(tags=["explain"], dependencies=[needs("read")], route_class=StrictRoute)


class ExplainAsked(Asked):
    """Why a document has its score for a query, with one ranker or several."""

    index: IndexName | None = None
    query: QueryText
    id: DocumentId
    rankers: RankerTexts = Field([DEFAULT_RANKER])
    ranks: Annotated[bool, Field(description=f"Say the document's rank, if it is among the first {RANKED}.")] = (
        False
    )


class ExplainSent(ExplainAsked, Sent):
    """Why a document has its score for a query, with one ranker or several."""


class PartAnswered(BaseModel):
    """What one thing, mostly a word, adds to a score; the numbers that this comes from have names of their own."""

    model_config = ConfigDict(extra="allow")

    name: str
    value: float | None
    by: Annotated[str, Field(description="The ranker that it comes from, in a mixture.")] = ""


class MarkAnswered(BaseModel):
    """A word that counts, where it stands in a field: from `start` to before `end`, in code points."""

    field: str
    start: int
    end: int
    term: str
    contribution: float | None
    kind: Literal["query", "evidence"]
    similarity: float | None


class MentionsAnswered(BaseModel):
    """Whether the document is about the query, or mentions it: what words add, which sums to the score."""

    query_words: list[str]
    mentioned: list[str]
    times: int
    evidence: int
    from_query_words: float | None
    from_evidence: float | None
    from_elsewhere: float | None


class FlowAnswered(BaseModel):
    """How much of a query's word goes to a word of the document, and how far."""

    word: str
    to: str
    amount: float
    distance: float
    cost: float


class ExplanationAnswered(BaseModel):
    """Why the document has its score with one ranker."""

    query: str
    id: str
    ranker: str
    score: float
    formula: str
    parts: list[PartAnswered]
    additive: Annotated[bool, Field(description="Whether the parts sum to the score.")]
    rest: Annotated[float | None, Field(description="What the parts leave of the score.")]
    rank: int | None
    note: str | None
    marks: list[MarkAnswered]
    mentions: MentionsAnswered
    threshold: Annotated[
        list[float] | None,
        Field(description="Over which similarity words are evidence; the least and the greatest there is."),
    ]
    flows: list[FlowAnswered]


class ExplainAnswered(BaseModel):
    """A document with its texts, and why it has its scores."""

    id: str
    title: str
    fields: dict[str, str]
    explanations: list[ExplanationAnswered]


def told(index: Index, asked: ExplainAsked) -> dict[str, Any]:
    """Return why a document has its scores, from one generation of the index."""
    generation = index.generation
    ranked = RANKED if asked.ranks else 0
    scores = [explained(generation, asked.query, asked.id, one, ranked=ranked) for one in asked.rankers]
    return {
        "id": asked.id,
        "title": scores[0].title,
        "fields": dict(scores[0].fields),
        "explanations": [one.to_json() for one in scores],
    }


ANSWERS = {**problems(404), 200: {"model": ExplainAnswered, "description": "Why the document has its scores."}}


async def _answer(site: SiteHere, asked: ExplainAsked) -> Response:
    found = await site.work(_as_json, site, asked)
    return Response(found, media_type="application/json")


def _as_json(site: Site, asked: ExplainAsked) -> bytes:
    """Return the answer as it is sent: of a long document that takes a while, too."""
    answer = told(site.held.one(asked.index), asked)
    for one in answer["explanations"]:
        one["note"] = one["note"] and without_paths(one["note"], site)
    return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()


@router.get("/explain", responses=ANSWERS, response_class=Response)
async def explain_by_address(site: SiteHere, asked: Annotated[ExplainAsked, Query()]) -> Response:
    """Say why a document has its score for a query, found or not."""
    return await _answer(site, asked)


@router.post("/explain", responses=ANSWERS, response_class=Response)
async def explain(site: SiteHere, asked: ExplainSent) -> Response:
    """Say why a document has its score for a query, found or not."""
    return await _answer(site, asked)
