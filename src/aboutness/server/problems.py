"""How errors are told to a client: always as {"error", "message"}, never with a trace or a path of the server."""

from __future__ import annotations

import logging
import re
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Scope

from aboutness.app.inventory import folder_forms
from aboutness.app.outcome import outcome
from aboutness.core.errors import AboutnessError, Overloaded, Unreachable, shown
from aboutness.server.site import Site

log = logging.getLogger(__name__)

PATH = re.compile(r"(?<![\w/])/(?:[^\s/:'\"]+/)+([^\s/:'\"]+)")
JSON = "application/json"
JSON_KIND = re.compile(r"application/(?:[\w.-]+\+)?json\s*(?:;|$)", re.IGNORECASE)
METHODS = ("GET", "POST", "DELETE")
OWN_FAULT = "something went wrong in the server; its log says what"
SOON = 5  # seconds in which a part of a cluster may be back
NOT_KNOWN = "there is nothing of this name to be given here; /v1/openapi.json lists what can be"
MOST_TOLD = 5  # of what is wrong with a request


class Problem(BaseModel):
    """Why there is no answer."""

    error: str = Field(description="What kind of problem, in a few words.")
    message: str = Field(description="What was wrong, what is allowed, and what to do.")


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the problems that a route may answer with, beside those that any may."""
    return {
        status: {"model": Problem, "description": HTTPStatus(status).phrase}
        for status in (*statuses, 400, 401, 403, 413, 415, 422, 431, 503)
    }


def handle_problems(app: FastAPI) -> None:
    """Have every error answered in the one form."""
    app.add_exception_handler(AboutnessError, _ours)
    app.add_exception_handler(RequestValidationError, _wrong_request)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, unexpected)


def without_paths(message: str, site: Site) -> str:
    """Return a message in which paths are cut to their ends: what commands take, who is at the folder."""
    settings = site.settings
    known = [
        *((name if index.in_memory else index.path.name, index.path) for name, index in site.held),
        *((one.resolve().name, one) for one in (settings.results, settings.keys) if one),
    ]
    for name, path in known:
        for written in folder_forms(path):
            message = message.replace(written, name)
    around = {folder for _, path in known for folder in path.resolve().parents if len(folder.parts) > 2}
    for folder in sorted(around, key=lambda one: -len(one.parts)):
        message = message.replace(f"{folder}/", "")
    return PATH.sub(r"\1", message)


def answer(
    request: Request, status: int, error: str, message: str, headers: dict[str, str] | None = None
) -> Response:
    """Return a problem as JSON, or as a page where a page was asked for."""
    if request.url.path.startswith(("/v1/", "/static/")):
        return JSONResponse({"error": error, "message": message}, status, headers)
    from aboutness.server.pages.rendering import page

    made = page(request, "problem.html", status=status, title=error.capitalize(), message=message)
    made.headers.update(headers or {})
    return made


async def _ours(request: Request, error: Exception) -> Response:
    message = without_paths(str(error), request.app.state.site)
    if isinstance(error, Overloaded):
        return answer(request, 503, "too busy", message, {"Retry-After": str(error.after)})
    if isinstance(error, Unreachable):
        return answer(request, 503, outcome(error).meaning, message, {"Retry-After": str(SOON)})
    told = outcome(error)
    if told.http_status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("%s %s: %s", request.method, route_of(request.scope), error)
    return answer(request, told.http_status, told.meaning, message)


async def _wrong_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    kind = request.headers.get("content-type", JSON)
    if any(one["loc"] == ("body",) for one in found) and not JSON_KIND.match(kind):
        message = f"a body must be JSON: send the header 'Content-Type: {JSON}' with it, not {shown(kind)}"
        return answer(request, 415, "unsupported media type", message)
    told = [
        f"{'.'.join(str(part) for part in one['loc'][1:]) or one['loc'][0]}: "
        f"{NOT_KNOWN if one['type'] == 'extra_forbidden' else one['msg']}"
        for one in found[:MOST_TOLD]
    ]
    more = [f"and {len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else []
    message = "; ".join([*told, *more]).encode("utf-8", "replace").decode()
    return answer(request, 422, "bad request", message)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    said = {404: "there is nothing at this address", 405: f"{request.method} is not possible at this address"}
    message = said.get(error.status_code, "") if error.detail == phrase else str(error.detail)
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_possible(request))
    return answer(request, error.status_code, phrase.lower(), message or phrase, headers)


def _possible(request: Request) -> list[str]:
    """Return the methods that are possible at an address: each may have a route of its own."""
    scopes = {one: {**request.scope, "method": one} for one in METHODS}
    routes = request.app.routes
    found = [
        one for one, scope in scopes.items() if any(route.matches(scope)[0] is Match.FULL for route in routes)
    ]
    return [*found, *(["HEAD"] if "GET" in found else [])]


async def unexpected(request: Request, error: Exception) -> Response:
    """Return what is told where the server is at fault; what it was is for its log."""
    log.error("%s %s", request.method, route_of(request.scope), exc_info=error)
    try:
        return answer(request, 500, "internal error", OWN_FAULT)
    except Exception as another:  # even the page of problems cannot be made
        log.error("the page of problems", exc_info=another)
        return JSONResponse({"error": "internal error", "message": OWN_FAULT}, 500)


def route_of(scope: Scope) -> str:
    """Return the address that a request's handler stands for, as many as there are handlers."""
    path: str = getattr(scope.get("route"), "path", "other")
    return f"/v1{path}" if scope["path"].startswith("/v1/") and not path.startswith(("/v1", "other")) else path
