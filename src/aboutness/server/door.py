"""What every request passes: who calls and whence, how large it is, headers of the answer, and the counting."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aboutness.server.access import key_of
from aboutness.server.logs import log_request
from aboutness.server.metrics import Metrics
from aboutness.server.problems import route_of, unexpected
from aboutness.server.settings import LOOPBACK, Settings

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
SAFE = ("GET", "HEAD", "OPTIONS")
OTHER_SITES = frozenset(("cross-site", "same-site"))
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\[\]:@/?#\s]+))(?::[0-9]{1,5})?|([0-9a-f:]+)")
LOOKED_AT = (b"host", b"origin", b"content-length", b"sec-fetch-site", b"content-encoding")
ARRIVED = "arrived"  # in a request's state: when it came, by the loop's clock
LIVE = "/v1/live"
BUSY, LEFT = 503, 499  # the second is told to nobody: the client did not wait for the answer


class Refusal(NamedTuple):
    """Why a request is not let in."""

    status: int
    error: str
    message: str

    def headers(self, scope: Scope) -> dict[str, str]:
        """Return what its answer has beside the usual headers. The connection is kept where more may be sent.

        What is sent to a connection that is closed has the answer lost, which says why.
        """
        waits = any(name == b"expect" for name, _ in scope["headers"])
        return ({"Connection": "close"} if waits else {}) | ({"Retry-After": "1"} if self.status == BUSY else {})


class Door:
    """Lets requests in, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._limits = settings.limits
        self._settings = settings
        self._metrics = metrics
        self._held = 0  # bytes of requests that are being worked on
        own = (*LOOPBACK, *settings.hosts, settings.host)
        self._hosts = {name.lower() for name in own} if settings.loopback or settings.hosts else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"there are no connections of the kind {scope['type']} here")
        passing = _Passing(scope, receive, send)
        self._metrics.at_work += 1
        try:
            most = self._most(scope)
            refused = self._too_late(scope) or self._refused(scope, most)
            if refused:
                await passing.answer(refused)
            else:
                await self._let_in(passing, most)
        except ClientDisconnect:
            passing.status = LEFT
        except Exception as error:
            answer = await unexpected(Request(scope), error)
            if not passing.started:
                await answer(scope, receive, passing.send)
        finally:
            self._metrics.at_work -= 1
            self._note(passing)

    async def _let_in(self, passing: _Passing, most: int) -> None:
        taken = 0

        async def received() -> Message:
            nonlocal taken
            message = await passing.receive()
            size = len(message.get("body", b""))
            taken += size
            self._held += size
            refused = self._too_large(most) if taken > most else self._too_full()
            if refused:
                raise HTTPException(refused.status, refused.message, refused.headers(passing.scope))
            return message

        try:
            await self._app(passing.scope, received, passing.send)
        finally:
            self._held -= taken

    def _note(self, passing: _Passing) -> None:
        scope, seconds = passing.scope, time.perf_counter() - passing.start
        route = route_of(scope)
        method = scope["method"] if scope["method"] in (*SAFE, "POST", "DELETE") else "other"
        self._metrics.count(method, route, passing.status, seconds)
        if self._settings.log_json:
            asked = {"asked": scope["query_string"].decode("latin-1")} if self._settings.log_queries else {}
            log_request(
                method=method,
                route=route,
                status=passing.status,
                ms=round(1000 * seconds, 1),
                bytes=passing.bytes,
                **asked,
            )

    def _refused(self, scope: Scope, most: int) -> Refusal | None:
        """Return why a request is not let in, if so; it may have so many bytes."""
        named, origins, lengths, fetched, packed = _texts(scope, *LOOKED_AT)
        if len(named) > 1 or len(origins) > 1:
            return Refusal(400, "bad request", "a request has one Host and at most one Origin")
        host = _host_of("".join(named))
        if self._hosts is not None and host not in self._hosts:
            allowed, called = ", ".join(sorted(self._hosts)), "".join(named)[:80]
            return Refusal(403, "forbidden", f"this server is not called {called!r}; it is called: {allowed}")
        foreign = any(not named or _site_of(origin) != named[0].lower() for origin in origins)
        if scope["method"] not in SAFE and (foreign or not OTHER_SITES.isdisjoint(fetched)):
            return Refusal(403, "forbidden", "a page of another site may not change anything here")
        if any(length.isascii() and length.isdigit() and int(length[:20]) > most for length in lengths):
            return self._too_large(most)
        return self._too_long(scope) or _unreadable(scope["query_string"], packed)

    def _too_long(self, scope: Scope) -> Refusal | None:
        """Return that the head of a request is too long, if so."""
        most, headers = self._limits, scope["headers"]
        if sum(len(name) + len(value) for name, value in headers) + len(scope["query_string"]) > most.head:
            return Refusal(431, "too large", f"the head of a request may have at most {most.head:,} bytes")
        if len(headers) > most.headers:
            return Refusal(431, "too large", f"a request may have at most {most.headers} headers")
        return None

    def _too_late(self, scope: Scope) -> Refusal | None:
        """Return that others came too many before, if so; whether the server lives is always told."""
        arrived = scope.get("state", {}).get(ARRIVED)
        if arrived is None or scope["path"] == LIVE:
            return None
        if asyncio.get_running_loop().time() - arrived <= self._limits.line_seconds:
            return None
        return Refusal(BUSY, "too busy", "the server is busy: too many requests came before; ask again soon")

    def _too_full(self) -> Refusal | None:
        if self._held <= self._limits.bodies:
            return None
        return Refusal(BUSY, "too busy", "the server is busy: it holds too much already; ask again soon")

    def _most(self, scope: Scope) -> int:
        """Return how many bytes a request may have: few where its sender is not known."""
        keys = scope["app"].state.site.keys
        known = not keys.needed or keys.scope(key_of(HTTPConnection(scope))) is not None
        return self._limits.body if known else min(self._limits.stranger, self._limits.body)

    def _too_large(self, most: int) -> Refusal:
        hint = "send less at once" if most == self._limits.body else "more needs an API key"
        return Refusal(413, "too large", f"a request may have at most {most:,} bytes; {hint}")


class _Passing:
    """A request on its way through the door."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.receive, self._send = scope, receive, send
        self.start, self.status, self.bytes, self.started = time.perf_counter(), 500, 0, False

    async def send(self, message: Message) -> None:
        """Send a part of the answer, the first with the headers that all have."""
        if message["type"] == "http.response.start":
            self.status, self.started = message["status"], True
            given = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(pair for pair in HEADERS if pair[0] not in given)]
            if b"cache-control" not in given:
                message["headers"].append((b"cache-control", b"no-store"))
        else:
            self.bytes += len(message.get("body", b""))
        await self._send(message)

    async def answer(self, refused: Refusal) -> None:
        """Send why a request is refused."""
        told = {"error": refused.error, "message": refused.message}
        answer = JSONResponse(told, refused.status, refused.headers(self.scope))
        await answer(self.scope, self.receive, self.send)


def _texts(scope: Scope, *names: bytes) -> Iterator[list[str]]:
    """Yield the values of each of some headers, in the order in which they were sent."""
    found: dict[bytes, list[str]] = {name: [] for name in names}
    for name, value in scope["headers"]:
        if name in found:
            found[name].append(value.decode("latin-1"))
    yield from found.values()


def _unreadable(asked: bytes, packed: list[str]) -> Refusal | None:
    """Return that nobody can read what was sent, if so."""
    if any(one.lower() != "identity" for one in packed):
        return Refusal(415, "unsupported media type", "a body must not be packed: leave out Content-Encoding")
    if not _is_text(asked):
        return Refusal(400, "bad request", "what an address asks for must be UTF-8, such as %C3%A9 for é")
    return None


def _is_text(asked: bytes) -> bool:
    """Tell whether what an address asks for can be read; what cannot would be asked for in other letters.

    >>> _is_text(b"query=caf%C3%A9"), _is_text(b"query=caf%E9")
    (True, False)
    """
    if b"%" in asked:
        try:
            unquote_to_bytes(asked).decode()
        except UnicodeDecodeError:
            return False
    return True


def _host_of(header: str) -> str:
    """Return the name in a Host header, without the port; nothing where it is not written as one.

    >>> _host_of("localhost:8000"), _host_of("[::1]:80"), _host_of("::1"), _host_of("localhost:80@elsewhere")
    ('localhost', '::1', '::1', '')
    """
    found = HOST.fullmatch(header.lower())
    return "" if found is None else found[1] or found[2] or found[3]


def _site_of(origin: str) -> str | None:
    """Return the host and port of an Origin header, as a Host header has them."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None
