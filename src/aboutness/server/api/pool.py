"""Documents to be judged: those that several rankers find, blind; and afterwards, who had found what."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from aboutness.app.pooling import DEPTH, pooled
from aboutness.app.search import DEFAULT_RANKER
from aboutness.server.access import needs
from aboutness.server.asked import Asked, DocumentId, IndexName, QueryText, RankerTexts, Sent, StrictRoute
from aboutness.server.problems import problems, without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(tags=["judge"], dependencies=[needs("read")], route_class=StrictRoute)

MOST_DEPTH = 100
MOST_GRADES = 10_000  # of one query
LARGEST_GRADE = 1023  # that measures can be computed with in good time

Grade = Annotated[int, Field(ge=-(2**31), le=LARGEST_GRADE)]


class PoolAsked(Asked):
    """Which documents are to be judged."""

    index: IndexName | None = None
    query: QueryText
    rankers: RankerTexts = Field([DEFAULT_RANKER])
    depth: Annotated[int, Field(ge=1, le=MOST_DEPTH, description="How many documents of each ranker.")] = DEPTH
    seed: Annotated[int, Field(ge=0, le=2**31 - 1, description="By which the order is shuffled.")] = 1


class PoolSent(PoolAsked, Sent):
    """Which documents are to be judged."""


class RevealAsked(PoolSent):
    """The same, with the grades that were given."""

    grades: dict[DocumentId, Grade] = Field({}, max_length=MOST_GRADES)


class PooledDocument(BaseModel):
    """A document as a judge reads it."""

    id: str
    fields: dict[str, str]
    marks: dict[str, list[tuple[int, int]]] = Field(
        description="Where words of the query stand in each field: from which code point to before which."
    )
    metadata: dict[str, Any]
    cut: list[str] = Field(description="The fields of which only the beginning is here.")


class PoolAnswered(BaseModel):
    """The documents to be judged, in an order that tells nothing."""

    index: str
    query: str
    depth: int
    seed: int
    rankers: int = Field(description="How many different ones there were.")
    generation: int
    documents: list[PooledDocument]


class RevealedHit(BaseModel):
    """A document where a ranker had it."""

    id: str
    rank: int
    score: float
    grade: int | None


class Revealed(BaseModel):
    """What one ranker had found, and how good that is by the grades alone."""

    ranker: str
    note: str | None
    hits: list[RevealedHit]
    measures: dict[str, float | None] | None


async def _pool(site: Site, asked: PoolAsked) -> dict[str, Any]:
    name = site.held.name(asked.index)
    index = site.held.one(name)

    def put_together() -> dict[str, Any]:
        return pooled(index, asked.query, asked.rankers, asked.depth, seed=asked.seed).to_json()

    return {"index": name, **await site.work(put_together)}


@router.get("/pool", responses=problems(404), response_model=PoolAnswered)
async def pool_by_address(site: SiteHere, asked: Annotated[PoolAsked, Query()]) -> dict[str, Any]:
    """Return what several rankers find for a query, together and shuffled: who found what is not told."""
    return await _pool(site, asked)


@router.post("/pool", responses=problems(404), response_model=PoolAnswered)
async def pool(site: SiteHere, asked: PoolSent) -> dict[str, Any]:
    """Return what several rankers find for a query, together and shuffled: who found what is not told."""
    return await _pool(site, asked)


@router.post("/pool/revealed", responses=problems(404), response_model=list[Revealed])
async def revealed(site: SiteHere, asked: RevealAsked) -> list[dict[str, Any]]:
    """Tell which ranker had which documents and, by the grades that were given, how good it is."""
    index = site.held.one(asked.index)

    def told() -> list[dict[str, Any]]:
        found = pooled(index, asked.query, asked.rankers, asked.depth, seed=asked.seed)
        return found.revealed(asked.grades)

    return [one | {"note": without_paths(one["note"] or "", site) or None} for one in await site.work(told)]
