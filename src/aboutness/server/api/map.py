"""Documents in the plane, with a query among them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from aboutness.app.index import Index
from aboutness.app.mapping import DRAWN, MOST_DRAWN, PCA, TSNE, Choice, Maps
from aboutness.server.access import needs
from aboutness.server.asked import Asked, IndexName, QueryText, RankerText
from aboutness.server.problems import problems
from aboutness.server.site import SiteHere

router = APIRouter(tags=["map"], dependencies=[needs("read")])

RELEVANCE = "relevance"
PATIENCE = {PCA: 20.0, TSNE: 0.25}  # seconds; t-SNE takes so long that no thread should wait for it
AFTER = 2  # seconds until it is worth asking again


class MapAsked(Asked):
    """Which documents to draw, how, and what among them."""

    index: IndexName | None = None
    method: Annotated[Literal["pca", "tsne"], Field(description="How documents are brought into the plane.")] = (
        "pca"
    )
    ranker: Annotated[
        RankerText | None,
        Field(description="A ranker with vectors (iwcs), or what was trained on documents. [as available]"),
    ] = None
    most: Annotated[int, Field(ge=2, le=MOST_DRAWN, description="How many documents, drawn by the seed.")] = DRAWN
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    query: QueryText | None = None
    colour: Annotated[
        str, Field(min_length=1, max_length=200, description="relevance, or the metadata key that says a label.")
    ] = RELEVANCE
    places: Annotated[bool, Field(description="Without them, only what depends on the query is answered.")] = True


class PlaceAnswered(BaseModel):
    """A place in the plane."""

    x: float
    y: float


class NearAnswered(PlaceAnswered):
    """A document that scores well for the query, drawn or not."""

    rank: int
    id: str
    title: str
    score: float
    drawn: bool


class MapAnswered(BaseModel):
    """Documents, column by column. Titles are cut. What depends on a query is null without one."""

    method: str
    methods: list[str] = Field(description="The methods that this server can do.")
    by: str = Field(description="Whose vectors these are.")
    generation: int = Field(description="The generation of the index that these documents are of.")
    documents: int = Field(description="How many are drawn.")
    of: int = Field(description="How many have a vector.")
    keys: list[str] = Field(description="The metadata that documents have.")
    ids: list[str] | None = None
    titles: list[str] | None = None
    x: list[float] | None = None
    y: list[float] | None = None
    labels: list[str] | None = Field(None, description="Names of labels, the most frequent first.")
    label: list[int] | None = Field(
        None, description="The number of each document's label; -1 for none, and one too many for any other."
    )
    relevance: list[float] | None = Field(None, description="The score of each document for the query.")
    query: PlaceAnswered | None = None
    nearest: list[NearAnswered]
    note: str


class MapBegun(BaseModel):
    """A map that takes longer: ask again for the same."""

    making: str


ANSWERS: dict[int | str, dict[str, Any]] = {
    **problems(404),
    200: {"model": MapAnswered, "description": "The map."},
    202: {"model": MapBegun, "description": "The map is being made; ask again."},
}


def mapped(index: Index, maps: Maps, asked: MapAsked) -> bytes | None:
    """Return a map as JSON; None where it takes longer."""
    choice = Choice(asked.ranker, asked.method, asked.most, asked.seed)
    label = None if asked.colour == RELEVANCE else asked.colour
    try:
        points = maps.points(
            index.generation, choice, query=asked.query, label=label, patience=PATIENCE[asked.method]
        )
    except TimeoutError:
        return None
    return json.dumps(points.to_json(places=asked.places), ensure_ascii=False, allow_nan=False).encode()


@router.get("/map", responses=ANSWERS, response_class=Response)
async def draw(site: SiteHere, asked: Annotated[MapAsked, Query()]) -> Response:
    """Bring documents into the plane by their vectors, with a query among them.

    A map by t-SNE takes from seconds to minutes: until it is there, the answer is 202.
    """
    made = await site.work(mapped, site.held.one(asked.index), site.maps, asked)
    if made is not None:
        return Response(made, media_type="application/json")
    begun = MapBegun(making=f"a map of {asked.most:,} documents is being made; ask again for the same")
    return Response(
        begun.model_dump_json(), 202, headers={"Retry-After": str(AFTER)}, media_type="application/json"
    )
