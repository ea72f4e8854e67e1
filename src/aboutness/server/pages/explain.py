"""The page that explains a score: the document with its words marked, and the parts that sum to the score."""

from __future__ import annotations

import math
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from aboutness.app.describe import models
from aboutness.app.explained import ExplainedScore
from aboutness.app.explaining import RANKED, explained, score_and_rank
from aboutness.app.generation import Generation
from aboutness.app.outcome import outcome
from aboutness.app.search import DEFAULT_RANKER
from aboutness.core.errors import BadInput, NotFound, UsageError
from aboutness.report.explained import shown_number
from aboutness.server.asked import LONGEST_ID, MOST_RANKERS
from aboutness.server.pages.explain_bars import about_bars, part_bars, verdict
from aboutness.server.pages.explain_flow import drawn
from aboutness.server.pages.explain_text import marked_text, script_data
from aboutness.server.pages.rendering import link, page
from aboutness.server.problems import without_paths
from aboutness.server.site import SiteHere

router = APIRouter(include_in_schema=False)

STEP = 0.001  # of the threshold
MOST_FLOWS = 100  # rows of their table
LONG_TITLE = 150  # characters: on a phone it may have to be scrolled, which takes a key's focus
ADVICE = "The id must be that of a document of this index, letter for letter."


@router.get("/explain")
async def show(
    request: Request,
    site: SiteHere,
    index: str | None = None,
    q: Annotated[str, Query(max_length=10_000)] = "",
    id: Annotated[str, Query(max_length=LONGEST_ID)] = "",  # noqa: A002 - its name in addresses
    r: Annotated[list[str], Query(max_length=20)] = [],  # noqa: B006 - FastAPI copies it
    show: Annotated[int, Query(ge=0, description="The place of the ranker whose parts are shown.")] = 0,
    mark: str = "share",
    t: float | None = None,
) -> Response:
    """Show why a document has its scores."""
    asked = [one.strip() for one in r if one.strip()]
    rankers = asked[:MOST_RANKERS] or [DEFAULT_RANKER]
    name = index if len(site.held.names) > 1 else None
    context: dict[str, Any] = {
        "index": site.held.name(index),
        "index_name": name,
        "q": q,
        "id": id,
        "slots": (asked + [""] * MOST_RANKERS)[:MOST_RANKERS],
        "known": [one["written"] for one in models() if "(" not in one["written"]],
        "search_url": link("/search", index=name, q=q, r=asked),
        "problem": None,
        "advice": "",
        "shown": None,
    }
    if not q.strip() or not id:
        return page(request, "explain.html", title="Explain", **context)
    links = [
        link("/explain", index=name, q=q, id=id, r=asked, show=place or None) for place in range(len(rankers))
    ]
    at = min(show, len(rankers) - 1)
    try:
        found = await site.work(_shown, site.held.one(index).generation, q, id, rankers, at, t)
    except (UsageError, BadInput, NotFound) as error:  # the asker's to mend; others are told as everywhere
        advice = "" if id in site.held.one(index) else ADVICE
        context |= {"problem": without_paths(str(error), site), "advice": advice}
        return page(request, "explain.html", title="Explain", status=outcome(error).http_status, **context)
    found["note"] = without_paths(found["shown"].note or "", site)
    for place, (one, url) in enumerate(zip(found["scores"], links, strict=True)):
        one |= {"url": url, "current": place == at}
    context |= found | {"mark": "evidence" if mark == "evidence" and found["threshold"] else "share"}
    return await site.work(page, request, "explain.html", title=f"Explain {id}", **context)  # long texts take long


def _shown(
    generation: Generation, query: str, identifier: str, rankers: list[str], at: int, limit: float | None
) -> dict[str, Any]:
    """Return what the page shows: all scores, and the parts of one of them."""
    score = explained(generation, query, identifier, rankers[at], ranked=RANKED)
    pairs = [
        (score.score, score.rank, score.ranker)
        if place == at
        else score_and_rank(generation, query, identifier, one, RANKED)
        for place, one in enumerate(rankers)
    ]
    range_ = _range(score)
    if range_ and score.threshold:
        chosen = score.threshold[0] if limit is None or math.isnan(limit) else limit
        limit = min(max(chosen, range_["low"]), range_["high"])
    text = marked_text(score, limit if range_ else None)
    flows = score.written_flows
    return {
        "shown": score,
        "scores": [{"ranker": name, "score": shown_number(value), "rank": rank} for value, rank, name in pairs],
        "ranked": RANKED,
        "text": text,
        "long_title": LONG_TITLE,
        "threshold": range_,
        "limit": limit,
        "negative": any(mark.contribution < 0 for mark in text.kinds),
        "parts": part_bars(score),
        "sum": shown_number(score.explanation.total + score.rest),
        "total": shown_number(score.score),
        "about": about_bars(score),
        "verdict": verdict(score),
        "flow": drawn(flows) if flows else None,
        "flow_rows": [
            {
                "word": flow.word,
                "to": flow.to,
                "amount": shown_number(flow.amount),
                "distance": shown_number(flow.distance),
                "cost": shown_number(flow.cost),
            }
            for flow in flows[:MOST_FLOWS]
        ],
        "flow_more": max(0, len(flows) - MOST_FLOWS),
        "data": script_data(score, text),
    }


def _range(score: ExplainedScore) -> dict[str, float] | None:
    """Return the least and the greatest threshold there is: places where the slider can stand."""
    if score.threshold is None:
        return None
    _, least, most = score.threshold
    return {"low": round(math.floor(least / STEP) * STEP, 3), "high": round(math.ceil(most / STEP) * STEP, 3)}
