"""The page Map: documents in the plane. The script draws; the list of the nearest is there without it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from aboutness.app.index import Index
from aboutness.app.mapping import DRAWN, MOST_DRAWN, PCA, TSNE, Choice, Maps, Near, methods_here, vectors_here
from aboutness.app.outcome import outcome
from aboutness.core.errors import AboutnessError, Overloaded
from aboutness.server.api.map import RELEVANCE
from aboutness.server.asked import IndexName, QueryText
from aboutness.server.pages.rendering import page
from aboutness.server.problems import without_paths
from aboutness.server.site import SiteHere

router = APIRouter(include_in_schema=False)

NUMBERS = (1_000, DRAWN, 10_000, MOST_DRAWN)  # of documents, to choose from
PATIENCE = 5.0  # seconds; then the page comes without the list, which its script asks for


class MapShown(BaseModel):
    """What the address of the page says."""

    index: IndexName | None = None
    q: QueryText = ""
    ranker: Annotated[str, Field(max_length=1_000)] = ""
    method: Literal["pca", "tsne"] = "pca"
    most: Annotated[int, Field(ge=2, le=MOST_DRAWN)] = DRAWN
    colour: Annotated[str, Field(min_length=1, max_length=200)] = RELEVANCE


@router.get("/map")
async def show(request: Request, site: SiteHere, shown: Annotated[MapShown, Query()]) -> Response:
    """Show the page."""
    name = site.held.name(shown.index)
    index = site.held.one(name)
    status, problem = 200, ""
    vectors = await site.work(vectors_here, index.generation)
    chosen = shown.ranker or next(iter(vectors), "")
    nearest: tuple[Near, ...] = ()
    if chosen and shown.q.strip():
        try:
            nearest = await site.work(_nearest, index, site.maps, chosen, shown)
        except Overloaded:
            pass  # the script asks again
        except AboutnessError as error:
            status, problem = outcome(error).http_status, without_paths(str(error), site)
    several = len(site.held.names) > 1
    return page(
        request,
        "map.html",
        title="Map",
        status=status,
        index=name,
        several=several,
        folder=index.path.name,
        documents=len(index),
        shown=shown,
        problem=problem,
        methods={PCA: "PCA", TSNE: "t-SNE"},
        numbers=sorted({*NUMBERS, shown.most}),
        relevance=RELEVANCE,
        installed=methods_here(),
        vectors=vectors | ({chosen: True} if chosen and chosen not in vectors else {}),
        chosen=chosen,
        nearest=nearest,
    )


def _nearest(index: Index, maps: Maps, by: str, shown: MapShown) -> tuple[Near, ...]:
    """Return what is nearest to the query: the same by any method, and by PCA soon there."""
    try:
        return maps.points(index.generation, Choice(by, PCA, shown.most), query=shown.q, patience=PATIENCE).nearest
    except TimeoutError:
        return ()
