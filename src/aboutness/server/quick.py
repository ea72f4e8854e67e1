"""A short way for what is asked most: a search that is over in a moment, without the framework's detours.

The route of `api/search.py` is the definition. This answers only where that route would answer with hits at once,
and then in the same way; everything else, errors above all, is left to it.
"""

from __future__ import annotations

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aboutness.core.errors import AboutnessError
from aboutness.server.access import key_of
from aboutness.server.api.search import SearchAsked, as_json, at_once
from aboutness.server.site import Site

PATH, METHOD = "/v1/search", "POST"


class Quick:
    """Answers quick searches itself, and hands all other requests on."""

    path = PATH  # as routes have it, for who counts them

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != METHOD:
            await self._app(scope, receive, send)
            return
        try:
            first = await receive()
        except HTTPException as refusal:  # too much of it: the route's way of telling that is the usual one
            await self._app(scope, _raising(refusal), send)
            return
        answer = self._answer(scope, first)
        if answer is None:
            await self._app(scope, _again(first, receive), send)
            return
        scope["route"] = self
        length = str(len(answer)).encode()
        headers = [(b"content-length", length), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    def _answer(self, scope: Scope, message: Message) -> bytes | None:
        """Return the answer to a search; None where it is not a quick one, or not one at all."""
        site = self._site
        if message["type"] != "http.request" or message.get("more_body"):
            return None
        if site.keys.needed and site.keys.scope(key_of(HTTPConnection(scope))) is None:
            return None
        try:
            asked = SearchAsked.model_validate_json(message.get("body", b""))
            found = at_once(site, asked)
        except (ValidationError, AboutnessError):
            return None
        return None if found is None else as_json(site, found)


def _raising(error: HTTPException) -> Receive:
    async def received() -> Message:
        raise error

    return received


def _again(first: Message, receive: Receive) -> Receive:
    """Return what gives a message that has been received already, and then what comes."""
    waiting = [first]

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    return received
