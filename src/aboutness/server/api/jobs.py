"""Jobs: trainings and deep checks, each in a process of its own."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from aboutness.server.access import needs
from aboutness.server.api.documents import changeable
from aboutness.server.asked import IndexName, Sent, StrictRoute
from aboutness.server.problems import problems
from aboutness.server.site import SiteHere

router = APIRouter(tags=["jobs"], dependencies=[needs("read")], route_class=StrictRoute)

MOST_PARAMETERS = 64
Short = Annotated[str, Field(min_length=1, max_length=64)]
Value = bool | int | float | Annotated[str, Field(max_length=200)]
JobId = Annotated[str, Query(min_length=1, max_length=20, description="The id of a job.")]


class JobAsked(Sent):
    """What is to be done."""

    index: IndexName | None = None
    kind: Annotated[Short, Field(description="A way of training (see /v1/trainers), or check.")]
    name: Annotated[Short | None, Field(description="Under which the result is kept. [the kind]")] = None
    parameters: dict[Short, Value] = Field(
        {}, max_length=MOST_PARAMETERS, description="What the way of training declares."
    )
    layer: Annotated[Short | None, Field(description="Of which layer the terms are. [the first]")] = None
    fields: Annotated[
        Annotated[list[Short], Field(max_length=MOST_PARAMETERS)]
        | Annotated[dict[Short, float], Field(max_length=MOST_PARAMETERS)]
        | None,
        Field(description="Which fields are trained on, perhaps with weights. [all]"),
    ] = None
    threads: Annotated[int | None, Field(ge=1, le=1024, description="[all cores]")] = None
    restart: Annotated[bool, Field(description="Forget what an interrupted training had reached.")] = False


class JobAnswered(BaseModel):
    """A job and how far it is."""

    id: str
    index: str
    kind: str
    name: str | None
    parameters: dict[str, Any]
    state: str = Field(description="queued, running, done, failed or cancelled.")
    progress: float = Field(description="From 0 to 1.")
    seconds_left: float | None
    message: str
    created: str
    started: str | None
    ended: str | None


@router.get("/jobs", responses=problems(), response_model=list[JobAnswered])
async def jobs(site: SiteHere) -> list[dict[str, Any]]:
    """Return the jobs, the newest first."""
    return [job.to_json() for job in site.jobs.all()]


@router.get("/jobs/one", responses=problems(404), response_model=JobAnswered)
async def job(site: SiteHere, id: JobId) -> dict[str, Any]:  # noqa: A002 - its name everywhere
    """Return a job."""
    return site.jobs.one(id).to_json()


@router.post(
    "/jobs",
    status_code=201,
    responses=problems(404, 409),
    response_model=JobAnswered,
    dependencies=[needs("admin")],
)
async def start(site: SiteHere, asked: JobAsked) -> dict[str, Any]:
    """Queue a job."""
    name, index = changeable(site, asked.index)
    given = asked.model_dump(exclude={"index", "kind"})
    started = await site.work(site.jobs.start, index, name, asked.kind, **given)
    return started.to_json()


@router.delete("/jobs", responses=problems(404), response_model=JobAnswered, dependencies=[needs("admin")])
async def cancel(site: SiteHere, id: JobId) -> dict[str, Any]:  # noqa: A002
    """Cancel a job and wait until it has ended; one that has ended stays as it is."""
    cancelled = await asyncio.to_thread(
        site.jobs.cancel, id
    )  # which waits for seconds; searches need their threads
    return cancelled.to_json()
