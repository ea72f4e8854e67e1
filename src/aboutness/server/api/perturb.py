"""Scoring passages that are in no index, as they are and with words replaced."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field, Strict

from aboutness.app.index import Index
from aboutness.app.perturbing import Perturbation, perturb
from aboutness.core.finite import finite
from aboutness.server.access import needs
from aboutness.server.asked import IndexName, RankerText, Sent, StrictRoute
from aboutness.server.problems import problems, without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(tags=["perturb"], dependencies=[needs("read")], route_class=StrictRoute)

MOST_PASSAGES = 20
LONGEST = 20_000  # characters of a passage
LONGEST_QUERY = 2_000
MOST_PAIRS = 10
MOST_RANKERS = 40

PassageName = Annotated[str, Field(max_length=200)]
PassageText = Annotated[str, Field(max_length=LONGEST)]
Word = Annotated[str, Field(max_length=200)]
Pair = Annotated[tuple[Word, Word], Strict(False)]  # JSON has no tuples, but lists


class PerturbAsked(Sent):
    """Passages by name, to be scored for a query as if they were documents of an index."""

    index: IndexName | None = None
    query: Annotated[str, Field(max_length=LONGEST_QUERY, description="What the passages are scored for.")]
    passages: Annotated[
        dict[PassageName, PassageText],
        Field(min_length=1, max_length=MOST_PASSAGES, description="Texts by name, up to 20."),
    ]
    replace: Annotated[
        list[Pair],
        Field(max_length=MOST_PAIRS, description="Pairs of a word and what stands in its place."),
    ] = Field([])
    rankers: Annotated[
        list[RankerText] | None,
        Field(
            min_length=1,
            max_length=MOST_RANKERS,
            description="Rankers. [term models, and DESM with word vectors] What cannot be used here is left out.",
        ),
    ] = None


class PassageAnswered(BaseModel):
    """A passage, as it was or with a word replaced, and its score and rank in each column, where it has one."""

    name: str
    passage: str
    replaced: tuple[str, str] | None
    text: str
    scores: dict[str, float | None]
    ranks: dict[str, int | None]


class PerturbAnswered(BaseModel):
    """All passages, the columns of their scores in order, and the rankers that are left out, with why."""

    query: str
    columns: list[str]
    rows: list[PassageAnswered]
    left_out: dict[str, str]


def perturbed(index: Index, asked: PerturbAsked) -> Perturbation:
    """Return the scores of passages."""
    return perturb(index, asked.query, asked.passages, asked.replace, asked.rankers, leave_out=True)


def told(found: Perturbation, site: Site) -> dict[str, Any]:
    """Return scores as they are sent: finite, and with no path of the server."""
    answer = found.to_json()
    for row in answer["rows"]:
        row["scores"] = {name: finite(score) for name, score in row["scores"].items()}
    answer["left_out"] = {name: without_paths(why, site) for name, why in found.left_out.items()}
    return answer


@router.post("/perturb", responses=problems(404), response_model=PerturbAnswered)
async def score(site: SiteHere, asked: PerturbAsked) -> dict[str, Any]:
    """Score passages by several rankers, as they are and with words replaced; nothing is written to the index."""
    return told(await site.work(perturbed, site.held.one(asked.index), asked), site)
