"""The page Perturb: passages in the design of mitra2016's table 2, to be edited, and what rankers make of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from aboutness.app.index import Index
from aboutness.app.perturbing import RANKERS, Perturbation, every_ranker, perturb, replaced
from aboutness.app.words import in_documents
from aboutness.core.errors import AboutnessError
from aboutness.server.api.perturb import LONGEST, LONGEST_QUERY, MOST_PAIRS, MOST_PASSAGES
from aboutness.server.pages.rendering import page
from aboutness.server.problems import without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(include_in_schema=False)

LIMITS = {"passages": MOST_PASSAGES, "characters": LONGEST, "pairs": MOST_PAIRS}


@dataclass(frozen=True)
class PassageSet:
    """Five passages: about a word, near it, about something else, that stuffed with the word, and without it."""

    name: str
    label: str
    query: str
    passages: Mapping[str, str]

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> PassageSet:
        """Make the last two of the three that are written."""
        word, other = written["word"], written["other"]
        about, near, unrelated = written["about"], written["near"], written["unrelated"]
        passages = {
            f"About {about[0]}": about[1],
            f"About {near[0]}": near[1],
            f"About {unrelated[0]}": unrelated[1],
            f"{unrelated[0]} stuffed with {word}": replaced(unrelated[1], other, word),
            f"{about[0]} without its name": replaced(about[1], word, other),
        }
        return cls(written["name"], written["label"], written["query"], passages)


@cache
def passage_sets() -> dict[str, PassageSet]:
    """Return the sets of passages that were written for this page, by name."""
    text = files("aboutness.server").joinpath("passages.json").read_text("utf-8")
    return {written["name"]: PassageSet.of(written) for written in json.loads(text)}


@dataclass(frozen=True)
class Row:
    """A ranker's scores of all passages."""

    column: str
    cells: Sequence[tuple[float | None, int | None, float]]  # score, rank, and how long the bar is, up to 100
    order: str  # empty where the ranker knows no word of the query


@dataclass(frozen=True)
class Shown:
    """What the page shows before anything is edited."""

    chosen: PassageSet
    query: str
    known: bool  # whether the documents have a word of the query
    names: Sequence[str] = ()
    rows: Sequence[Row] = ()
    left_out: Mapping[str, str] | None = None
    problem: str | None = None
    empty: bool = False  # whether there is no document, so that nothing can be scored

    @property
    def data(self) -> dict[str, Any]:
        """Return what the page's script is told."""
        rest = [name for name in every_ranker() if name not in RANKERS]
        return {
            "set": self.chosen.name,
            "sets": [asdict(one) for one in passage_sets().values()],
            "limits": LIMITS,
            "empty": self.problem if self.empty else None,
            "rankers": [list(RANKERS), rest],
        }


def chosen_set(index: Index, name: str | None) -> PassageSet:
    """Return a set by name, or the first one whose subject the documents know."""
    sets = passage_sets()
    if name in sets:
        return sets[str(name)]
    return next((one for one in sets.values() if in_documents(index, one.query)), next(iter(sets.values())))


def rows_of(found: Perturbation) -> list[Row]:
    """Return a row for each column of scores."""
    rows = []
    for column in found.columns:
        scores, ranks = [row.scores[column] for row in found.rows], [row.ranks[column] for row in found.rows]
        there = [score for score in scores if score is not None]
        low, high = min([0.0, *there]), max(there, default=0.0)
        bars = [
            round(100 * (score - low) / (high - low), 1) if score is not None and high > low else 0.0
            for score in scores
        ]
        rows.append(Row(column, list(zip(scores, ranks, bars, strict=True)), _order(ranks)))
    return rows


def _order(ranks: Sequence[int | None]) -> str:
    """Return the numbers of the passages, the best first.

    >>> _order([2, 1, 2]), _order([None, None])
    ('2 > 1 = 3', '')
    """
    ranked = sorted((rank, number) for number, rank in enumerate(ranks, 1) if rank is not None)
    signs = ["", *(" = " if one[0] == other[0] else " > " for one, other in pairwise(ranked))]
    return "".join(f"{sign}{number}" for sign, (_, number) in zip(signs, ranked, strict=False))


def shown(site: Site, index: Index, name: str | None, query: str | None) -> Shown:
    """Return what the page shows; a mistake in what is asked is shown on it, too."""
    chosen = chosen_set(index, name)
    asked = chosen.query if query is None else query
    try:
        found = perturb(index, asked, chosen.passages)
    except AboutnessError as error:
        return Shown(chosen, asked, known=True, problem=without_paths(str(error), site), empty=not len(index))
    why = {ranker: without_paths(reason, site) for ranker, reason in found.left_out.items()}
    return Shown(chosen, asked, in_documents(index, asked), [row.name for row in found.rows], rows_of(found), why)


@router.get("/perturb")
async def show(
    request: Request,
    site: SiteHere,
    index: str | None = None,
    q: Annotated[str | None, Query(max_length=LONGEST_QUERY)] = None,
    set: Annotated[str | None, Query(max_length=100)] = None,  # noqa: A002 - as it stands in the address
) -> Response:
    """Show passages and their scores."""
    name = site.held.name(index)
    found = await site.work(shown, site, site.held.one(name), set, q)
    return page(request, "perturb.html", title="Perturb", index=name, shown=found, sets=passage_sets().values())
