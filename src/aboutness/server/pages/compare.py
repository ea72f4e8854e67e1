"""The page that compares rankers: an experiment's table, pictures and tests, down to the rankings of one query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from aboutness.app.compared import ComparedResults, Pair, compared
from aboutness.app.outcome import outcome
from aboutness.app.results import OpenResults, SavedResults
from aboutness.app.two_rankings import MOST_SHOWN, SHOWN, TwoRankings, per_query, titles_in
from aboutness.core.errors import AboutnessError
from aboutness.report.numbers import NOTHING, signed, told_p
from aboutness.server.api.experiments import told
from aboutness.server.pages.compare_charts import (
    LOOKS,
    BarsDrawn,
    BoxesDrawn,
    CurvesDrawn,
    Move,
    draw_bars,
    draw_boxes,
    draw_curves,
    draw_moves,
    grade_kind,
    mark_path,
)
from aboutness.server.pages.rendering import link, page
from aboutness.server.problems import without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(include_in_schema=False)

MOST_LISTED = 1000  # queries in the table
MOST_IN_MATRIX = 12  # rankers

SWATCHES = [mark_path(look, 15, 6, 3.5) for look in range(LOOKS)]  # the marks of a legend

Given = Annotated[str, Field(max_length=2_000)]


class Looking(BaseModel):
    """What the address says: which results, by what, and which query of which rankers."""

    name: Given = ""
    on: Given = ""
    measure: Given = ""
    a: Given = ""
    b: Given = ""
    query: Given = ""
    k: Annotated[int, Field(ge=1, le=MOST_SHOWN)] = SHOWN
    index: Given = ""


@dataclass(frozen=True)
class Cell:
    """Two rankers in the matrix, as the row's sees it."""

    difference: str
    p: str
    decision: str
    text: str


@dataclass(frozen=True)
class Shown:
    """An experiment as the page shows it."""

    found: ComparedResults
    letters: dict[str, str]
    curves: CurvesDrawn
    boxes: BoxesDrawn
    drawn: tuple[str, ...]  # rankers in the pictures
    matrix: dict[str, dict[str, Cell]]
    a: str
    b: str
    bars: BarsDrawn | None
    two: TwoRankings | None
    moves: tuple[Move, ...]
    problem: str  # why there are no rankings of the query

    @property
    def explained_by(self) -> list[str]:
        """Return both rankers as they are written, for the page that explains a document."""
        written = {row.ranker: row.expression for row in self.found.table}
        return [written[self.a], written[self.b]]

    @property
    def first_bar(self) -> int:
        """Return the place of the bar that the keyboard comes to first: that of the query, if it is drawn."""
        bars = self.bars.bars if self.bars else ()
        return next((bar.x for bar in bars if self.two and bar.query == self.two.query), 0)


@router.get("/compare")
async def show(request: Request, site: SiteHere, asked: Annotated[Looking, Query()]) -> Response:
    """Show the page."""
    index = site.held.name(asked.index or None)
    return await site.work(_page, request, site, asked, index)


def _page(request: Request, site: Site, asked: Looking, index: str) -> Response:
    every = site.results.all()
    shown, problem, status = None, "", 200
    if every:
        try:
            looked = looked_at(site.results, asked)
            shown = replace(looked, found=told(looked.found, site), problem=without_paths(looked.problem, site))
        except AboutnessError as error:
            problem, status = without_paths(str(error), site), outcome(error).http_status
    context: dict[str, object] = {
        "index": index,
        "saved": every,
        "chosen": asked.name or next((one.name for one in every if not one.problem), ""),
        "shown": shown,
        "problem": problem,
        "asked": asked,
        "signed": signed,
        "told_p": told_p,
        "grade_kind": grade_kind,
        "most_listed": MOST_LISTED,
        "swatches": SWATCHES,
    }
    if shown:
        context |= {
            "here": _links(shown.found, asked),
            "held": _holding(site, shown),
            "pairs": {move.document: move.pair for move in shown.moves},
            "places": {row.ranker: place for place, row in enumerate(shown.found.table)},
        }
    return page(request, "compare.html", title="Compare", status=status, **context)


def _links(found: ComparedResults, asked: Looking) -> Callable[..., str]:
    """Return what makes the address of the same results, with other rankers or another query."""
    kept = {
        "index": asked.index or None,
        "name": found.name,
        "on": found.on if len(found.parts) > 1 else None,
        "measure": found.measure if asked.measure else None,
    }
    return lambda **changed: link("/compare", **(kept | changed))


def _holding(site: Site, shown: Shown) -> tuple[str, dict[str, str]] | None:
    """Return the name of an index that holds the collection, if one does, and the titles of ranked documents."""
    if shown.two is not None:
        for name, index in site.held:
            if (titles := titles_in(index, shown.two, shown.found.documents)) is not None:
                return name, titles
    return None


def looked_at(saved: SavedResults, asked: Looking) -> Shown:
    """Return what the page shows of the results that are asked for."""
    opened = saved.open(asked.name or None)
    found = compared(opened, asked.on or None, asked.measure or None)
    letters = {row.ranker: row.letter for row in found.table}
    drawn = in_pictures(found, LOOKS)
    names = [row.ranker for row in found.table]
    a, b = _two_rankers(found, asked)
    two, problem = _rankings(opened, found, a, b, asked)
    return Shown(
        found=found,
        letters=letters,
        curves=draw_curves([one for one in found.curves if one.ranker in drawn], found.recall, letters),
        boxes=draw_boxes([one for one in found.boxes[found.measure] if one.ranker in drawn], letters),
        drawn=drawn,
        matrix=_matrix(found),
        a=a,
        b=b,
        bars=draw_bars(found.values, names.index(a), names.index(b)) if len(names) > 1 else None,
        two=two,
        moves=draw_moves(two.a, two.b) if two else (),
        problem=problem,
    )


def in_pictures(found: ComparedResults, most: int) -> tuple[str, ...]:
    """Return the rankers that are drawn: all, or the reference and the best ones by the measure."""
    order = sorted(found.table, key=lambda row: (row.ranker != found.reference, -row.means[found.measure].mean))
    chosen = {row.ranker for row in order[:most]}
    return tuple(row.ranker for row in found.table if row.ranker in chosen)


def _two_rankers(found: ComparedResults, asked: Looking) -> tuple[str, str]:
    """Return the two rankers to look at query by query: the best against the reference, unless said."""
    names = [row.ranker for row in found.table]
    order = sorted(found.table, key=lambda row: -row.means[found.measure].mean)
    by_quality = [row.ranker for row in order]
    a = asked.a if asked.a in names else ""
    b = asked.b if asked.b in names else ""
    b = b or (found.reference if found.reference != a else next((one for one in by_quality if one != a), a))
    a = a or next((one for one in by_quality if one != b), b)
    return a, b


def _rankings(
    opened: OpenResults, found: ComparedResults, a: str, b: str, asked: Looking
) -> tuple[TwoRankings | None, str]:
    if not asked.query:
        return None, ""
    try:
        return per_query(opened, asked.query, a, b, found.on, asked.k), ""
    except AboutnessError as error:
        return None, str(error)


def _matrix(found: ComparedResults) -> dict[str, dict[str, Cell]]:
    """Return a cell for each ordered pair of rankers, of the best ones where there are many."""
    if found.significance is None:
        return {}
    names = in_pictures(found, MOST_IN_MATRIX)
    pairs = {(one.ranker, one.other): one for one in found.significance.pairs}
    level = found.significance.level
    cells: dict[str, dict[str, Cell]] = {}
    for row in names:
        for column in names:
            if row != column:
                pair = pairs.get((row, column))
                turned = pair is None
                cells.setdefault(row, {})[column] = _cell(pair or pairs[column, row], turned, level)
    return cells


def _cell(pair: Pair, turned: bool, level: float) -> Cell:
    difference = -pair.difference if turned else pair.difference
    effect = None if pair.effect is None else -pair.effect if turned else pair.effect
    opposite = {"better": "worse", "worse": "better", "unsure": "unsure"}
    decision = opposite[pair.decision] if turned else pair.decision
    adjusted = NOTHING if pair.adjusted is None else told_p(pair.adjusted, level)
    said = {"better": "better", "worse": "worse", "unsure": "no sure difference"}[decision]
    size = "" if effect is None else f"; effect {effect:+.2f}"
    p = "" if pair.p is None else f"; p {told_p(pair.p, level)}, corrected {adjusted}"
    return Cell(signed(difference), adjusted, decision, f"{said}: {difference:+.4f}{p}{size}")
