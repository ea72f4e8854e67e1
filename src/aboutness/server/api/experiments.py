"""Results of experiments: which there are, what they found, and one query's rankings by two rankers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from aboutness.app.compared import ComparedResults, compared
from aboutness.app.results import Saved
from aboutness.app.two_rankings import MOST_SHOWN, SHOWN, TwoRankings, per_query
from aboutness.server.access import needs
from aboutness.server.asked import Asked
from aboutness.server.problems import problems, without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(tags=["experiments"], dependencies=[needs("read")])

Name = Annotated[str, Field(max_length=1_000, description="The name of an experiment's results. [the newest]")]
Part = Annotated[
    str, Field(max_length=2_000, description="Which comparison of several, by its title. [the first]")
]
MeasureName = Annotated[str, Field(max_length=200, description="One of the experiment's measures. [the first]")]
RankerName = Annotated[str, Field(max_length=2_000, description="A ranker, as the experiment calls it.")]
QueryId = Annotated[str, Field(max_length=2_000, description="The id of a query.")]
Depth = Annotated[int, Field(ge=1, le=MOST_SHOWN, description="How many documents of each ranking.")]


class ExperimentAsked(Asked):
    """Which results, and by which measure."""

    name: Name | None = None
    on: Part | None = None
    measure: MeasureName | None = None


class RankingsAsked(Asked):
    """Which query, and which two rankers."""

    name: Name | None = None
    on: Part | None = None
    query: QueryId
    a: RankerName | None = None
    b: RankerName | None = None
    k: Depth = SHOWN


def told(found: ComparedResults, site: Site) -> ComparedResults:
    """Return what an experiment found as it is told: with no path of the machine that it ran on."""
    notes = tuple(without_paths(note, site) for note in found.notes)
    return replace(found, notes=notes, made={name: without_paths(how, site) for name, how in found.made.items()})


def _answers(model: object, about: str) -> dict[int | str, dict[str, Any]]:
    return {**problems(404), 200: {"model": model, "description": about}}


def _json(plain: object) -> Response:
    return Response(json.dumps(plain, ensure_ascii=False, allow_nan=False).encode(), media_type="application/json")


@router.get(
    "/experiments",
    responses=_answers(list[Saved], "The results that there are, the newest first."),
    response_class=Response,
)
async def experiments(site: SiteHere) -> Response:
    """List the results of experiments."""
    return await site.work(lambda: _json([one.to_json() for one in site.results.all()]))


@router.get(
    "/experiments/one",
    responses=_answers(ComparedResults, "Table, curves, boxes, tests and values of one comparison."),
    response_class=Response,
)
async def experiment(site: SiteHere, asked: Annotated[ExperimentAsked, Query()]) -> Response:
    """Show what an experiment found, by one measure."""

    def answer() -> Response:
        return _json(told(compared(site.results.open(asked.name), asked.on, asked.measure), site).to_json())

    return await site.work(answer)


@router.get(
    "/experiments/query",
    responses=_answers(TwoRankings, "The rankings of two rankers for one query."),
    response_class=Response,
)
async def rankings(site: SiteHere, asked: Annotated[RankingsAsked, Query()]) -> Response:
    """Show what two rankers answer to one query."""

    def answer() -> Response:
        opened = site.results.open(asked.name)
        return _json(per_query(opened, asked.query, asked.a, asked.b, asked.on, asked.k).to_json())

    return await site.work(answer)
