"""Judge: grade what several rankers find, without knowing which one found it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from aboutness.app.describe import models
from aboutness.app.pooling import DEPTH
from aboutness.server.api.pool import MOST_DEPTH
from aboutness.server.asked import MOST_RANKERS
from aboutness.server.pages.rendering import page
from aboutness.server.site import SiteHere

router = APIRouter(include_in_schema=False)

FIRST_RANKERS = ("default", "bm25", "ql")
GRADES = ("not relevant", "touches on it", "relevant", "exactly this")
KEYS = (
    (("0", "1", "2", "3"), "give that grade and go on"),
    (("j", "→"), "next document"),
    (("k", "←"), "document before"),
    (("n",), "next document without a grade"),
    (("u",), "undo the last grade"),
    (("[", "]"), "query before, next query"),
    (("?",), "show this list"),
)
Texts = Annotated[list[str] | None, Query()]


@router.get("/judge")
async def show(
    request: Request, site: SiteHere, index: str | None = None, q: str = "", r: Texts = None, depth: str = ""
) -> Response:
    """Show the page; the judgements themselves stay in the browser."""
    name = site.held.name(index)
    rankers = [one.strip() for one in r or () if one.strip()][:MOST_RANKERS] or list(FIRST_RANKERS)
    wanted = int(depth) if depth.isascii() and depth.isdigit() and len(depth) < 6 else DEPTH
    return page(
        request,
        "judge.html",
        title="Judge",
        index=name,
        q=q,
        rankers=[*rankers, *[""] * (MOST_RANKERS - len(rankers))],
        depth=min(max(1, wanted), MOST_DEPTH),
        most_depth=MOST_DEPTH,
        known=[one["name"] for one in models() if one["written"] == one["name"]],
        grades=GRADES,
        keys=KEYS,
    )
