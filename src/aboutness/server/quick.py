"""A short way for what is asked most: a search that is over in a moment, without the framework's detours.

The route of `api/search.py` is the definition. This answers only where that route would answer with hits at once,
and then in the same way; everything else is left to it, and so is telling what is wrong with a request.
"""

from __future__ import annotations

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aboutness.core.errors import AboutnessError
from aboutness.server.access import key_of
from aboutness.server.api.search import SearchAsked, as_json, at_once
from aboutness.server.asked import parsed
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
        if not self._may_answer(scope):
            await self._app(scope, receive, send)
            return
        scope["route"] = self
        try:
            first = await receive()
            answer = self._answer(first)
        except (AboutnessError, HTTPException, RequestValidationError) as refusal:
            await self._app(scope, _raising(refusal), send)  # the route's way of telling that is the usual one
            return
        if answer is None:
            await self._app(scope, _again(first, receive), send)
            return
        length = str(len(answer)).encode()
        headers = [(b"content-length", length), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    def _may_answer(self, scope: Scope) -> bool:
        """Tell whether a request is a search by somebody who may: known before its body has come."""
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != METHOD:
            return False
        keys = self._site.keys
        return not keys.needed or keys.scope(key_of(HTTPConnection(scope))) is not None

    def _answer(self, message: Message) -> bytes | None:
        """Return the answer to a search; None where it is not a quick one, or not one at all."""
        if message["type"] != "http.request" or message.get("more_body"):
            return None
        found = at_once(self._site, parsed(message.get("body", b""), SearchAsked))
        return None if found is None else as_json(self._site, found)


def _raising(error: Exception) -> Receive:
    async def received() -> Message:
        raise error

    return received


def _again(first: Message, receive: Receive) -> Receive:
    """Return what gives a message that has been received already, and then what comes."""
    waiting = [first]

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    return received
