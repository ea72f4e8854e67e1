"""Documents: look at them as they are stored, add, replace, delete."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field

from aboutness.app.documents import MOST_LISTED, add_records, delete_records, listed, stored
from aboutness.app.index import Index
from aboutness.core.errors import IndexBusy, UsageError
from aboutness.server.access import needs
from aboutness.server.asked import Asked, DocumentId, IndexName, Sent, StrictRoute
from aboutness.server.problems import problems
from aboutness.server.site import Site, SiteHere

router = APIRouter(tags=["documents"], dependencies=[needs("read")], route_class=StrictRoute)

MOST_ADDED = 10_000
MOST_DELETED = 100
PATIENCE, PAUSE = 5.0, 0.05  # seconds
FARTHEST = 2**31 - 1


class DocumentsAsked(Asked):
    """Which documents: some by their ids, or a piece of all."""

    index: IndexName | None = None
    id: list[DocumentId] = Field([], max_length=MOST_LISTED, description="Ids of documents.")
    offset: Annotated[int, Field(ge=0, le=FARTHEST)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 20


class DocumentAnswered(BaseModel):
    """A document as it is stored."""

    id: str
    fields: dict[str, str]
    metadata: dict[str, Any]


class DocumentsAnswered(BaseModel):
    """Some documents of an index."""

    index: str
    total: int = Field(description="How many documents the index has.")
    offset: int
    generation: int
    documents: list[DocumentAnswered]


class AddAsked(Sent):
    """Documents to be added: with id, fields and metadata, or flat, as lines of JSON lines are."""

    index: IndexName | None = None
    documents: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_ADDED)]
    update: Annotated[bool, Field(description="Replace documents whose id is there.")] = False


class Added(BaseModel):
    """What came of it. It is on disk, and searches find it."""

    index: str
    documents: int
    added: int
    updated: int
    generation: int


class DeleteAsked(Asked):
    """Documents to be deleted, all or none."""

    index: IndexName | None = None
    id: Annotated[list[DocumentId], Field(min_length=1, max_length=MOST_DELETED)]
    missing_ok: Annotated[bool, Field(description="Pass over ids that are not there.")] = False


class Deleted(BaseModel):
    """What came of it."""

    index: str
    deleted: int
    documents: int
    generation: int


def changeable(site: Site, name: str | None) -> tuple[str, Index]:
    """Return an index and its name, or refuse where changes would not be kept."""
    known = site.held.name(name)
    index = site.held.one(known)
    if index.in_memory:
        raise HTTPException(409, f"{known} is in memory only and is not changed: serve an index on disk instead")
    return known, index


async def _written(site: Site, index: Index, change: Callable[[Index], dict[str, Any]]) -> dict[str, Any]:
    """Write; where somebody else does just now, which is seldom for long, try again for a while."""

    def written() -> dict[str, Any]:
        told = change(Index.open(index.path))  # others are answered from the generation before, meanwhile
        site.held.look()
        return told

    due = time.monotonic() + PATIENCE
    while True:
        try:
            return await site.work(written)
        except IndexBusy:  # before anything was written
            if time.monotonic() >= due:
                raise
        await asyncio.sleep(PAUSE)


@router.get("/documents", responses=problems(404), response_model=DocumentsAnswered)
async def documents(site: SiteHere, asked: Annotated[DocumentsAsked, Query()]) -> dict[str, Any]:
    """Return documents by their ids, or those from `offset` on, in order of arrival."""
    name = site.held.name(asked.index)
    index = site.held.one(name)
    if asked.id and asked.model_fields_set & {"offset", "limit"}:
        raise UsageError("give ids, or offset and limit, not both")
    if asked.id:
        return {"index": name, **await site.work(stored, index, asked.id, name)}
    return {"index": name, **await site.work(listed, index, asked.offset, asked.limit)}


@router.post(
    "/documents", responses=problems(404, 409, 413, 507), response_model=Added, dependencies=[needs("write")]
)
async def add(site: SiteHere, asked: AddAsked) -> dict[str, Any]:
    """Add documents, all or none, in one commit."""
    name, index = changeable(site, asked.index)
    adding = partial(add_records, records=asked.documents, update=asked.update)
    return {"index": name, **await _written(site, index, adding)}


@router.delete(
    "/documents", responses=problems(404, 409, 507), response_model=Deleted, dependencies=[needs("write")]
)
async def delete(site: SiteHere, asked: Annotated[DeleteAsked, Query()]) -> dict[str, Any]:
    """Delete documents, all or none, in one commit."""
    name, index = changeable(site, asked.index)
    deleting = partial(delete_records, identifiers=asked.id, missing_ok=asked.missing_ok)
    return {"index": name, **await _written(site, index, deleting)}
