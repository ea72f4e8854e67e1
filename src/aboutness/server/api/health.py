"""Whether the server is well, and what it has done."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from aboutness._version import __version__
from aboutness.server.access import needs
from aboutness.server.metrics import Gauges
from aboutness.server.problems import problems, without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(tags=["server"])


class MissingShard(BaseModel):
    """A shard that does not answer."""

    shard: Annotated[int, Field(description="Its number, from 1.")]
    documents: Annotated[int, Field(description="How many documents it has.")]


class IndexHealth(BaseModel):
    """How one index is."""

    name: str
    documents: int
    generation: int
    trouble: str | None = None
    missing: Annotated[list[MissingShard], Field(description="Shards that do not answer.")] = []


class Health(BaseModel):
    """How the server is."""

    status: str
    version: str
    indexes: list[IndexHealth]


def health_of(site: Site) -> Health:
    """Return how the server is."""
    indexes = [
        IndexHealth(
            name=name,
            documents=len(index),
            generation=index.snapshot.generation,
            trouble=without_paths(trouble, site) if (trouble := site.held.trouble(name)) else None,
            missing=[MissingShard(shard=one.shard, documents=one.documents) for one in index.down],
        )
        for name, index in site.held
    ]
    status = "an older generation answers" if any(one.trouble for one in indexes) else "ok"
    status = "degraded" if any(one.missing for one in indexes) else status
    return Health(status=status, version=__version__, indexes=indexes)


@router.get("/health", dependencies=[needs("read")], responses=problems())
async def health(site: SiteHere) -> Health:
    """Tell how the server is, and which generation of each index answers."""
    return health_of(site)


@router.get("/live")
async def live() -> dict[str, str]:
    """Tell that the server answers; for this no key is needed."""
    return {"status": "ok"}


@router.get("/metrics", dependencies=[needs("read")], responses=problems(), response_class=Response)
async def metrics(site: SiteHere) -> Response:
    """Tell what the server has done, in Prometheus' text form."""
    indexes = health_of(site).indexes
    gauges: Gauges = {
        "aboutness_http_requests_in_flight": [({}, float(site.metrics.at_work))],
        "aboutness_requests_waiting": [({}, float(site.work.waiting))],
        "aboutness_index_documents": [({"index": one.name}, float(one.documents)) for one in indexes],
        "aboutness_index_generation": [({"index": one.name}, float(one.generation)) for one in indexes],
        "aboutness_index_shards_down": [({"index": one.name}, float(len(one.missing))) for one in indexes],
        "aboutness_index_documents_missing": [
            ({"index": one.name}, float(sum(shard.documents for shard in one.missing))) for one in indexes
        ],
    }
    return Response(site.metrics.text(gauges), media_type="text/plain; version=0.0.4; charset=utf-8")
