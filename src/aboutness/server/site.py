"""What all requests share: the indexes, the threads, who may do what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from aboutness.app.jobs import Jobs
from aboutness.app.mapping import Maps
from aboutness.app.results import SavedResults
from aboutness.server.access import Keys
from aboutness.server.held import Held
from aboutness.server.metrics import Metrics
from aboutness.server.pace import Pace
from aboutness.server.settings import Settings
from aboutness.server.working import Work


@dataclass(frozen=True)
class Site:
    """A server's parts."""

    settings: Settings
    held: Held
    keys: Keys
    work: Work
    metrics: Metrics
    jobs: Jobs
    pace: Pace
    maps: Maps
    results: SavedResults


async def site_here(request: Request) -> Site:
    """Return the site that a request came to. It is `async` since others are called in threads."""
    site = request.app.state.site
    assert isinstance(site, Site)
    return site


SiteHere = Annotated[Site, Depends(site_here)]
