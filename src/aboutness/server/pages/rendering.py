"""Pages from templates: all text is escaped, and all pages have the same frame."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from aboutness._version import __version__
from aboutness.server.access import COOKIE, SCOPES
from aboutness.server.static_files import address

NAVIGATION = (
    ("/search", "Search"),
    ("/explain", "Explain"),
    ("/words", "Words"),
    ("/perturb", "Perturb"),
    ("/map", "Map"),
    ("/compare", "Compare"),
    ("/judge", "Judge"),
    ("/indexes", "Index"),
)
KEPT = ("q", "r", "k", "match", "where", "fields", "depth", "set")  # of an address when another index is chosen


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("aboutness.server"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"static": address, "version": __version__, "link": link}
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": True}
    return environment


def link(path: str, **parameters: object) -> str:
    """Return an address with parameters, those left out that are None; lists give one for each value.

    >>> link("/search", q="a & b", r=["bm25", "ql"], index=None)
    '/search?q=a+%26+b&r=bm25&r=ql'
    """
    given = [(name, value) for name, value in parameters.items() if value is not None and value != ""]
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def page(request: Request, template: str, *, title: str, status: int = 200, **context: object) -> HTMLResponse:
    """Return a page. `index`, where it is among the context, is the name of the index that the page is about."""
    site = request.app.state.site
    scope = site.keys.scope(request.cookies.get(COOKIE))
    names: list[str] = site.held.names if scope is not None else []
    frame = {
        "title": title,
        "path": request.url.path,
        "navigation": NAVIGATION,
        "indexes": names,
        "kept": KEPT,
        "asked_here": [
            one for one in request.query_params.multi_items() if one[0] in KEPT and status == HTTPStatus.OK
        ],
        "index": names[0] if names else None,
        "keys_needed": site.keys.needed,
        "scope": None if scope is None else SCOPES[scope],
    }
    return HTMLResponse(_templates().get_template(template).render(frame | context), status)
