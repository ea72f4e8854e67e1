"""Searching: several rankers at once."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field
from pydantic_core import to_json

from aboutness.app.generation import Generation
from aboutness.app.index import Index
from aboutness.app.search import DEFAULT_RANKER, How, named_ranker, search_one
from aboutness.core.deadline import wanted_until
from aboutness.core.errors import Unreachable, UsageError
from aboutness.server.access import needs
from aboutness.server.api.health import MissingShard
from aboutness.server.asked import Asked, DocumentId, IndexName, K, QueryText, RankerTexts, body_of, read_body
from aboutness.server.pace import LONGEST_S
from aboutness.server.problems import problems, without_paths
from aboutness.server.site import Site, SiteHere, site_here

router = APIRouter(tags=["search"], dependencies=[needs("read")])


class SearchAsked(Asked):
    """A search: for a query, or for documents like one of the index."""

    index: IndexName | None = None
    query: QueryText | None = None
    rankers: RankerTexts = Field([DEFAULT_RANKER])
    k: K = 10
    like: DocumentId | None = None
    match: Annotated[str, Field(max_length=1_000, description="or, and, all, or a cut ranker ('bm25 % 100').")] = (
        "or"
    )
    where: Annotated[
        list[Annotated[str, Field(max_length=1_000)]] | None,
        Field(max_length=50, description="Conditions on metadata, such as 'year>=1990'."),
    ] = None
    fields: Annotated[
        str | None, Field(max_length=1_000, description="Which fields count: title, or 3*title+text.")
    ] = None
    explain: Annotated[bool, Field(description="Say why each document has its score.")] = False

    @property
    def small(self) -> bool:
        """Tell whether it is of the usual size, so that it takes about as long as others by the same rankers."""
        plain = self.match == "or" and self.where is None and self.fields is None and not self.explain
        return plain and self.query is not None and len(self.query) <= SMALL_QUERY and self.k <= SMALL_K


class HitAnswered(BaseModel):
    """A document that was found."""

    rank: int
    id: str
    score: float
    title: str
    text: str
    explanation: dict[str, Any] | None = None


class HitsAnswered(BaseModel):
    """What one ranker found."""

    query: str
    ranker: str
    took_ms: float
    note: str | None = None
    missing: Annotated[
        list[MissingShard] | None, Field(description="Shards that did not answer; hits are those of the others.")
    ] = None
    hits: list[HitAnswered]


def searched(index: Index, asked: SearchAsked) -> list[dict[str, Any]]:
    """Return what each ranker finds, from one generation of the index."""
    if asked.explain and asked.k > MOST_EXPLAINED:
        raise UsageError(f"at most {MOST_EXPLAINED} documents are explained at once, got k = {asked.k}")
    generation = index.generation  # one for all rankers, also where another comes meanwhile
    hows = [How(one, asked.k, asked.match, asked.where or None, asked.fields, threads=1) for one in asked.rankers]
    return [_found(generation, asked, how) for how in hows]


def _found(generation: Generation, asked: SearchAsked, how: How) -> dict[str, Any]:
    hits = search_one(generation, asked.query, asked.like, how)
    try:
        return hits.to_json(explain=asked.explain)
    except Unreachable:  # a shard has found something and was lost before it said why: now it is passed over
        return search_one(generation, asked.query, asked.like, how).to_json(explain=asked.explain)


MOST_EXPLAINED = 100
SMALL_QUERY, SMALL_K = 200, 20
ANSWERS = {**problems(404), 200: {"model": list[HitsAnswered], "description": "What each ranker found."}}


def at_once(site: Site, asked: SearchAsked) -> list[dict[str, Any]] | None:
    """Return what each ranker finds, if that is over in a moment: else others would have to wait.

    It may be that others by the same rankers were quick and this is not, as where their words were unknown.
    """
    index = site.held.one(asked.index)
    alike = (index.path, *asked.rankers)
    if index.elsewhere or not asked.small or not site.pace.quick(alike):
        return None
    if not all(index.generation.is_bound(named_ranker(one)) for one in asked.rankers):
        return None  # forgotten for others, or not bound to a new generation yet: that may take long
    try:
        with wanted_until(time.monotonic() + LONGEST_S):
            return site.pace.timed(alike, searched, index, asked)
    except TimeoutError:
        return None


async def _answer(site: SiteHere, asked: SearchAsked) -> Response:
    if (found := at_once(site, asked)) is None:
        index = site.held.one(asked.index)
        if index.elsewhere or not asked.small:
            found = await site.work(searched, index, asked)
        else:
            found = await site.work(site.pace.timed, (index.path, *asked.rankers), searched, index, asked)
    return Response(as_json(site, found), media_type="application/json")


def as_json(site: Site, found: list[dict[str, Any]]) -> bytes:
    """Return what was found as it is answered."""
    for one in found:
        if "note" in one:
            one["note"] = without_paths(one["note"], site)
    return to_json(found)


@router.get("/search", responses=ANSWERS, response_class=Response)
async def search_by_address(site: SiteHere, asked: Annotated[SearchAsked, Query()]) -> Response:
    """Search by one ranker or several."""
    return await _answer(site, asked)


@router.post("/search", responses=ANSWERS, response_class=Response, openapi_extra=body_of(SearchAsked))
async def search(request: Request) -> Response:
    """Search by one ranker or several."""
    return await _answer(await site_here(request), await read_body(request, SearchAsked))
