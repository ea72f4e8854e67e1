"""What is known here: indexes and what they hold, rankers, ways of training, measures, analyzers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from aboutness.app.describe import analyzers as known_analyzers
from aboutness.app.describe import models as known_models
from aboutness.app.evaluating import known_measures
from aboutness.app.inventory import FREQUENT, health, inventory, vocabulary
from aboutness.app.training import trainers as known_trainers
from aboutness.server.access import needs
from aboutness.server.asked import Asked, IndexName
from aboutness.server.problems import problems
from aboutness.server.site import Site, SiteHere

router = APIRouter(tags=["known"], dependencies=[needs("read")])

MOST_TERMS = 1_000


class ParameterKnown(BaseModel):
    """A parameter that can be set."""

    name: str
    default: Any
    allowed: str
    symbol: str | None
    help: str


class TrainerKnown(BaseModel):
    """A way of training."""

    name: str
    summary: str
    source: str
    parameters: list[ParameterKnown]


class ModelKnown(TrainerKnown):
    """A ranker, or what combines rankers."""

    written: str = Field(description="How it is written.")


class MeasureKnown(BaseModel):
    """A measure of rankings."""

    name: str
    about: str
    example: str


class AnalyzerKnown(BaseModel):
    """A way in which text becomes terms."""

    name: str
    summary: str


class IndexKnown(BaseModel):
    """What an index holds, as `aboutness info --json` has it, but with its name instead of its folder."""

    index: str
    generation: int
    documents: int
    deleted: int
    segments: int
    bytes: int
    fields: list[dict[str, Any]]
    layers: list[dict[str, Any]]
    metadata: list[dict[str, Any]]
    artefacts: list[dict[str, Any]]
    created: str
    software: str


class TermKnown(BaseModel):
    """A term, in how many documents it is and how often in all."""

    term: str
    documents: int
    tokens: int


class VocabularyKnown(BaseModel):
    """The terms of a layer."""

    layer: str
    terms: int
    frequent: list[TermKnown]


class VocabularyAsked(Asked):
    """Of which index, and how many terms."""

    index: IndexName | None = None
    k: Annotated[int, Field(ge=1, le=MOST_TERMS)] = FREQUENT


class HealthKnown(BaseModel):
    """Whether an index is what was written: names, sizes and headers of its files are compared."""

    index: str
    ok: bool
    deep: bool
    generation: int
    files: int
    bytes: int
    documents: int
    problems: list[str]
    unnamed: int = Field(description="Files that belong to no commit; the next writer removes them.")
    changed: str


@router.get("/models", responses=problems(), response_model=list[ModelKnown])
async def models(site: SiteHere) -> list[dict[str, Any]]:
    """Return the rankers with their parameters."""
    return await site.work(known_models)


@router.get("/trainers", responses=problems(), response_model=list[TrainerKnown])
async def trainers(site: SiteHere) -> list[dict[str, Any]]:
    """Return the ways of training with their parameters."""
    return await site.work(known_trainers)


@router.get("/measures", responses=problems(), response_model=list[MeasureKnown])
async def measures(site: SiteHere) -> list[dict[str, str]]:
    """Return the measures of rankings."""
    return await site.work(known_measures)


@router.get("/analyzers", responses=problems(), response_model=list[AnalyzerKnown])
async def analyzers(site: SiteHere) -> list[dict[str, str]]:
    """Return the analyzers."""
    return await site.work(known_analyzers)


@router.get("/indexes", responses=problems(), response_model=list[IndexKnown])
async def indexes(site: SiteHere) -> list[dict[str, Any]]:
    """Return the indexes that are served, with what they hold."""

    def all_of(here: Site) -> list[dict[str, Any]]:
        return [inventory(index, name) for name, index in here.held]

    return await site.work(all_of, site)


@router.get("/indexes/vocabulary", responses=problems(404), response_model=list[VocabularyKnown])
async def terms(site: SiteHere, asked: Annotated[VocabularyAsked, Query()]) -> list[dict[str, Any]]:
    """Return of each layer of an index the terms that most documents have."""
    return await site.work(vocabulary, site.held.one(asked.index), asked.k)


@router.get("/indexes/health", responses=problems(404), response_model=HealthKnown)
async def soundness(site: SiteHere, index: IndexName | None = None) -> dict[str, Any]:
    """Look for damage, quickly; the job `check` compares every byte."""
    name = site.held.name(index)
    return await site.work(health, site.held.one(name), name)
