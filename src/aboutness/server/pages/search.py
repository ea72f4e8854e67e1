"""The search page: one to four rankers side by side. It is whole without a script; with one it is live."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, BeforeValidator, Field

from aboutness.app.index import Index
from aboutness.app.mixing import with_value
from aboutness.app.search import DEFAULT_RANKER
from aboutness.app.side_by_side import MOST, Asked, side_by_side
from aboutness.app.suggesting import example_queries, metadata_keys, ready_rankers, respelt, unknown_words
from aboutness.core.errors import UsageError, shown
from aboutness.server.asked import LONGEST_ID, MOST_K, IndexName, QueryText
from aboutness.server.pages.rendering import link, page
from aboutness.server.problems import without_paths
from aboutness.server.site import Site, SiteHere

MOST_CONDITIONS = 200  # suggested, of all keys together
MATCHES = {
    "or": "any word",
    "and": "all words",
    "all": "nothing: all documents",
    "bm25 % 100": "first 100 of bm25",
}

_BREAK = re.compile(r"(?<=\S{4}[./_(])(?=\S{3})")  # in static/common.js, too

ShortText = Annotated[str, Field(max_length=1_000)]

router = APIRouter(include_in_schema=False)


class SearchShown(BaseModel):
    """What the address of the page says; what it does not know is ignored."""

    index: IndexName | None = None
    q: QueryText = ""
    r: Annotated[list[ShortText], Field(max_length=MOST)] = []
    k: Annotated[int, Field(ge=1, le=MOST_K), BeforeValidator(lambda given: given or Asked.k)] = Asked.k
    match: ShortText = "or"
    where: Annotated[list[ShortText], Field(max_length=50)] = []
    fields: ShortText = ""
    like: Annotated[str, Field(max_length=LONGEST_ID)] = ""

    def asked(self) -> Asked:
        """Return what is asked of the index; what was left empty in the form is not."""
        return Asked(
            query=self.q,
            rankers=tuple(self.r) or (DEFAULT_RANKER,),
            k=self.k,
            match=self.match or "or",
            where=tuple(one for one in self.where if one.strip()),
            fields=self.fields.strip(),
            like=self.like,
        )


class Moved(SearchShown):
    """The same, with numbers of rankers that were moved: `0:1*:.5` gives .5 to the first ranker's place `1*`."""

    set: Annotated[list[ShortText], Field(max_length=100)] = []

    def asked(self) -> Asked:
        """Return what is asked of the index, with the numbers moved."""
        asked = super().asked()
        rankers = list(asked.rankers)
        for text in self.set:
            column, path, value = _moved(text, len(rankers))
            rankers[column] = with_value(rankers[column], path, value)
        return replace(asked, rankers=tuple(rankers))


@router.get("/search")
async def show(request: Request, site: SiteHere, shown_: Annotated[SearchShown, Query()]) -> Response:
    """Show the page."""
    name = site.held.name(shown_.index)
    index = site.held.one(name)
    given = shown_.model_copy(update={"r": [one for one in shown_.r if one.strip()]})  # emptied to be removed
    asked = given.asked()
    context = await site.work(_shown, site, index, asked)
    several = len(site.held.names) > 1
    return page(
        request,
        "search.html",
        title="Search",
        index=name,
        asked=asked,
        matches=MATCHES | ({} if asked.match in MATCHES else {asked.match: asked.match}),
        most=MOST,
        most_k=MOST_K,
        here=_Links(asked, name if several else None),
        pieces=pieces,
        **context,
    )


@router.get("/v1/search/columns")
async def columns(site: SiteHere, moved: Annotated[Moved, Query()]) -> dict[str, Any]:
    """Answer the page's script: what `/v1/search` answers, with marks, moves, sliders and hints."""
    return await site.work(_answered, site, site.held.one(moved.index), moved.asked())


def _answered(site: Site, index: Index, asked: Asked) -> dict[str, Any]:
    """Return what the rankers answer, and hints on the query; no path of the server is told."""
    answer = side_by_side(index, asked)
    answer["problems"] = {name: without_paths(text, site) for name, text in answer["problems"].items()}
    for column in answer["columns"]:
        for told in ("problem", "note"):
            column[told] = column[told] and without_paths(column[told], site)
    unknown = unknown_words(index, asked.query)
    hints = {"unknown": unknown, "respelt": respelt(index, asked.query) if unknown else None, "where": None}
    if asked.where and not answer["problems"] and not any(column["hits"] for column in answer["columns"]):
        reason = index.why_none(asked.where)
        hints["where"] = reason and f"{reason[0].upper()}{reason[1:]}."
    return answer | {"hints": hints, "documents": len(index)}


def _shown(site: Site, index: Index, asked: Asked) -> dict[str, Any]:
    """Return what the page shows."""
    conditions = [one for key in metadata_keys(index) for one in key.conditions]
    return {
        "answer": _answered(site, index, asked),
        "documents": len(index),
        "folder": index.path.name,
        "fields": list(index.snapshot.fields),
        "examples": example_queries(index),
        "rankers": ready_rankers(index),
        "conditions": conditions[:MOST_CONDITIONS],
    }


class _Links:
    """Addresses of the same search with something else in it."""

    def __init__(self, asked: Asked, index: str | None) -> None:
        self._asked = asked
        self._index = index

    def search(self, **other: Any) -> str:  # noqa: ANN401 - as asked
        """Return the address of the search with something changed."""
        asked = replace(self._asked, **other)
        return link(
            "/search",
            index=self._index,
            q=asked.query,
            like=asked.like,
            r=list(asked.rankers),
            k=None if asked.k == Asked.k else asked.k,
            match=None if asked.match == Asked.match else asked.match,
            where=list(asked.where),
            fields=asked.fields,
        )

    def with_column(self) -> str:
        """Return the address with one more ranker: bm25, to be changed."""
        return self.search(rankers=(*self._asked.rankers, "bm25"))

    def without_column(self, number: int) -> str:
        """Return the address without a ranker."""
        return self.search(rankers=_without(self._asked.rankers, number))

    def without_condition(self, number: int) -> str:
        """Return the address without a condition."""
        return self.search(where=_without(self._asked.where, number))

    def why(self, identifier: str, ranker: str) -> str:
        """Return the address of the page that says why a document has its score; of a likeness none says."""
        if self._asked.like:
            return self.like(identifier)
        return link("/explain", index=self._index, q=self._asked.query, id=identifier, r=ranker)

    def like(self, identifier: str) -> str:
        """Return the address of a search for documents like one."""
        return self.search(query="", like=identifier)


def pieces(text: str, marks: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    """Return a text in pieces, each marked or not; an empty one says where a long name may be broken.

    >>> pieces("the sun rises", [(4, 7)])
    [('the ', False), ('sun', True), (' rises', False)]
    >>> pieces("zlib.compress(data)", [(14, 18)])
    [('zlib.', False), ('', False), ('compress(', False), ('', False), ('data', True), (')', False)]
    """
    marked = {place: on for start, end in marks for place, on in ((start, True), (end, False))}
    breaks = {found.start() for found in _BREAK.finditer(text)}
    found, at, now = [], 0, False
    for place in sorted(marked.keys() | breaks | {len(text)}):
        if at < place:
            found.append((text[at:place], now))
        if place in breaks:
            found.append(("", False))
        at, now = place, marked.get(place, now)
    return found


def _moved(text: str, columns: int) -> tuple[int, str, float]:
    """Return the ranker, the place and the value of a number that was moved."""
    column, _, rest = text.partition(":")
    path, _, value = rest.rpartition(":")
    try:
        number, moved = int(column), float(value)
    except ValueError:
        number = -1
    if not 0 <= number < columns:
        raise UsageError(f"what was moved is written RANKER:PLACE:VALUE, such as 0:1*:.5, got {shown(text)}")
    return number, path, moved


def _without(items: tuple[str, ...] | Any, number: int) -> tuple[str, ...]:  # noqa: ANN401
    return tuple(item for at, item in enumerate(items) if at != number)
