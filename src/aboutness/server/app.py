"""The server as one application: requests pass the door, then go to the interface (/v1) or to a page."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import quote

from fastapi import Depends, FastAPI, HTTPException, Request

from aboutness._version import __version__
from aboutness.app.index import Index
from aboutness.app.jobs import Jobs
from aboutness.app.mapping import Maps
from aboutness.app.results import SavedResults
from aboutness.server import static_files
from aboutness.server.access import BEARER, COOKIE, Keys, key_of, no_key
from aboutness.server.api import documents, experiments, explain, health, jobs, known, perturb, pool, search, words
from aboutness.server.api import map as map_api
from aboutness.server.door import Door
from aboutness.server.heads import Heads
from aboutness.server.held import Held
from aboutness.server.metrics import Metrics
from aboutness.server.pace import Pace
from aboutness.server.pages import compare, home, indexes, judge, login
from aboutness.server.pages import explain as explain_page
from aboutness.server.pages import map as map_page
from aboutness.server.pages import perturb as perturb_page
from aboutness.server.pages import search as search_page
from aboutness.server.pages import words as words_page
from aboutness.server.problems import handle_problems
from aboutness.server.quick import Quick
from aboutness.server.settings import Settings
from aboutness.server.site import Site
from aboutness.server.working import Work

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 1.0  # for a new generation
API = (search, explain, words, perturb, map_api, documents, known, experiments, pool, jobs, health)
PAGES = (search_page, explain_page, words_page, perturb_page, map_page, compare, judge, indexes)
OPEN_PAGES = (home, login, static_files)  # nothing of an index is on these


def make_app(open_indexes: Mapping[str, Index], settings: Settings | None = None) -> FastAPI:
    """Return the application that serves indexes by name."""
    settings = settings or Settings()
    site = Site(
        settings=settings,
        held=Held(open_indexes),
        keys=Keys(settings.keys, read_only=settings.read_only),
        work=Work(settings.limits),
        metrics=Metrics(),
        jobs=Jobs(),
        pace=Pace(),
        maps=Maps(),
        results=SavedResults(settings.results),
    )
    app = FastAPI(
        title="aboutness",
        version=__version__,
        description="Search that knows what a document is about, and says why.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_living,
        # What is asked is told to nobody, whatever the framework finds installed or in its environment.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.site = site
    app.openapi = partial(_described, app, app.openapi)  # type: ignore[method-assign]
    handle_problems(app)
    for part in API:
        app.include_router(part.router, prefix="/v1")
    for shown in PAGES:
        app.include_router(shown.router, dependencies=[Depends(_known_reader)])
    for shown in OPEN_PAGES:
        app.include_router(shown.router)
    app.add_middleware(Heads)
    app.add_middleware(Quick, site=site)
    app.add_middleware(Door, settings=settings, metrics=site.metrics)  # the last that is added comes first
    return app


def _described(app: FastAPI, describe: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the OpenAPI document with what it says of keys; they are needed where the server was given some."""
    if app.openapi_schema is None:
        described = describe()
        described["components"]["securitySchemes"] = {"key": BEARER}
        described["security"] = [{"key": []}, *([] if app.state.site.keys.needed else [{}])]
    return describe()


@asynccontextmanager
async def _living(app: FastAPI) -> AsyncIterator[None]:
    site: Site = app.state.site
    looking = asyncio.create_task(_keep_looking(site))
    try:
        yield
    finally:
        looking.cancel()
        site.jobs.close()
        site.work.close()


async def _keep_looking(site: Site) -> None:
    """Go over to new generations of the indexes as they come; who asks meanwhile is answered from the old ones."""
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        try:
            await asyncio.to_thread(site.held.look)
        except Exception:
            log.exception("looking for new generations")


async def _known_reader(request: Request) -> None:
    """Send to the form for the key whoever needs one and has none; a page's script is told."""
    keys = request.app.state.site.keys
    if request.url.path.startswith("/v1/"):
        if keys.scope(key_of(request)) is None:
            raise no_key(request)
    elif keys.scope(request.cookies.get(COOKIE)) is None:
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        raise HTTPException(303, headers={"Location": f"/login?to={quote(here, safe='')}"})
