"""A client's connection: uvicorn's, with an end to how long and how much a client may keep it waiting.

uvicorn sets no limit to the size of a request's head, nor to the time in which a client sends a request or takes
an answer. Here each has one, and where there are too many connections, one that asks for nothing makes room.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from heapq import nsmallest
from http import HTTPStatus

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from aboutness.server.door import ARRIVED
from aboutness.server.settings import Limits

MOST_AT_ONCE = 100  # requests that a client sends without waiting for answers
GRACE_S = 1.0  # for a client that has just come, or was just answered
PAUSE_S = 1.0  # between two looks at a connection


def connections_with(limits: Limits) -> type[HttpToolsProtocol]:
    """Return the kind of connections that have these limits."""
    return type("LimitedConnection", (Connection,), {"limits": limits, "leaving": 0, "full_until": 0.0})


class Connection(HttpToolsProtocol):
    """A client's connection that does not wait for ever."""

    limits = Limits()
    leaving = 0  # connections that were refused, and are told why
    full_until = 0.0  # by the loop's clock: none was found that could make room, so none is looked for

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for it where there are too many, and watch it."""
        super().connection_made(transport)
        self._since = self.loop.time()  # this, the head of a request or the end of an answer came last
        self._unread_since: float | None = None  # an answer waits to be taken
        self._refused = False
        self._in_head = True
        self._begun = False  # some of a request is there that is not whole
        self._put_off = False  # a request that is taken once more, without the wish for another protocol
        self._taken = 0  # bytes of a request that is not whole
        self._whole = 0  # requests
        self._running: RequestResponseCycle | None = None  # of several that came at once, the one being answered
        self._timer = self.loop.call_later(PAUSE_S, self._watch)
        if len(self.connections) > self.limits.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch it no longer, and let what is being answered know: uvicorn tells only what came last."""
        self._timer.cancel()
        self._abandon()
        type(self).leaving -= self._refused
        super().connection_lost(exc)

    def _abandon(self) -> None:
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()

    @property
    def at_work(self) -> bool:
        """Tell whether something has been asked for that is not answered yet."""
        return not getattr(self.cycle, "response_complete", True)  # there is none before the first request

    @property
    def idle(self) -> tuple[bool, float] | None:
        """Return whether anything was ever asked for, and since when nothing is; None where something is."""
        return None if self.at_work or self.transport.get_write_buffer_size() else (self._whole > 0, self._since)

    def _make_room(self) -> None:
        """Close some that ask for nothing: first those that never did, and of these the oldest.

        What has come just now may have a request that is not read yet.
        """
        now, kind = self.loop.time(), type(self)
        idle: list[tuple[tuple[bool, float], int, Connection]] = []
        if now >= kind.full_until:
            others = [one for one in self.connections if isinstance(one, Connection) and one is not self]
            idle = [(found, id(one), one) for one in others if (found := one.idle) and found[1] < now - GRACE_S]
        for *_, one in nsmallest(max(1, self.limits.connections // 20), idle):
            self.connections.discard(one)  # at once: the loop is told later
            one.transport.abort()
        if not idle:
            kind.full_until = now + PAUSE_S / 10 if now >= kind.full_until else kind.full_until
            self._refuse(503, "too busy", f"there are {self.limits.connections} connections already")

    # --- how much is taken ---------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Take what came, unless it is too much for one request."""
        if self._refused:
            return
        before = self._whole
        if not self._begun and not data.isascii():
            data = _with_address_in_ascii(data)
        self._parse(data)
        self._taken = self._taken + len(data) if self._whole == before else 0
        limits = self.limits
        if self.transport.is_closing():
            return
        if self._in_head and self._taken > limits.head:
            self._refuse(431, "too large", f"the head of a request may have at most {limits.head:,} bytes")
        elif self._taken > limits.head + 2 * limits.body:  # of which half may say how the rest is cut into pieces
            self._refuse(413, "too large", f"a request may have at most {limits.body:,} bytes; send less at once")

    def _parse(self, data: bytes) -> None:
        """Take requests, also those that wish for another protocol, such as HTTP/2: they stay in this one.

        The parser leaves out what follows the head of such a request.
        """
        self._unset_keepalive_if_required()
        while True:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as upgrade:
                if not self._put_off:
                    return
                data = self._head() + data[upgrade.args[0] :]
                self.parser = httptools.HttpRequestParser(self)  # the one before may take it for the last request
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's
                self._put_off = False
            except httptools.HttpParserError:
                self.send_400_response("")
                return

    def _head(self) -> bytes:
        """Return the head of the request as it came, but for the wish."""
        kept = [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        first = b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        return b"\r\n".join([first, *kept, b"", b""])

    def on_message_begin(self) -> None:
        """Expect the rest of a request."""
        super().on_message_begin()
        self._begun = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; what follows the body is none."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Note when the request came, unless it has to wait for another of the same client."""
        if self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT":
            self._put_off = True
            return
        self._since, self._in_head = self.loop.time(), False
        pieces = any(name == b"transfer-encoding" for name, _ in self.headers)
        if pieces and self.parser.get_http_version() == "1.0":
            raise ValueError("HTTP/1.0 has no pieces")  # where one sees a body, another may see a request
        waits = self.at_work
        if not waits:
            self.scope["state"][ARRIVED] = self._since
        elif len(self.pipeline) >= MOST_AT_ONCE:
            raise ValueError("too many at once")  # which ends the connection
        super().on_headers_complete()
        if not waits:
            self._running = self.cycle

    def on_message_complete(self) -> None:
        """Expect the next request."""
        if self._put_off:
            return
        super().on_message_complete()
        self._whole += 1
        self._in_head, self._begun = True, False

    def on_response_complete(self) -> None:
        """Expect the next request."""
        self._since = self.loop.time()
        self._running = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()

    # --- how long is waited --------------------------------------------------------------------------------

    def _watch(self) -> None:
        self._timer = self.loop.call_later(PAUSE_S, self._watch)
        now = self.loop.time()
        if not self.transport.get_write_buffer_size():
            self._unread_since = None
        elif self._unread_since is None:
            self._unread_since = now
        elif now - self._unread_since > self.limits.seconds:
            self.transport.abort()
            return
        if self.transport.is_closing():
            return
        if self.flow.read_paused:  # then it is not the client who is slow
            self._since = now
        waited = now - self._since
        if not self.at_work:
            if waited > self.limits.head_seconds:
                self._end_late("head", self.limits.head_seconds)
        elif self.cycle.more_body and waited > self.limits.seconds and not self.cycle.response_started:
            self._end_late("body", self.limits.seconds)

    def _end_late(self, part: str, seconds: float) -> None:
        if self._taken or part == "body":
            self._refuse(408, "too late", f"the {part} of a request must come within {seconds:g} s")
        else:
            self.transport.close()

    # --- what is told --------------------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - as it is called there
        """Tell that this was no request."""
        self._refuse(400, "bad request", "this is not HTTP/1.1, or not as its standard has it")

    def _refuse(self, status: int, error: str, message: str) -> None:
        if self._refused:
            return
        body = json.dumps({"error": error, "message": message}).encode()
        lines = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            "content-type: application/json",
            f"content-length: {len(body)}",
            "x-content-type-options: nosniff",
            "connection: close",
            *(["retry-after: 1"] if status == HTTPStatus.SERVICE_UNAVAILABLE else []),
        ]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)
        self._leave()

    def _leave(self) -> None:
        """Close the connection when the client has heard: at once, an answer is lost to who is still sending."""
        self._refused = True
        self._abandon()
        self.connections.discard(self)
        kind = type(self)
        kind.leaving += 1
        if kind.leaving > self.limits.connections:
            self.transport.close()
            return
        with suppress(OSError, RuntimeError):  # the client has left already
            self.transport.write_eof()
        self._timer.cancel()
        self._timer = self.loop.call_later(PAUSE_S / 2, self.transport.abort)


def _with_address_in_ascii(data: bytes) -> bytes:
    """Return the start of a request with its address written as it must be: curl sends what was typed.

    >>> _with_address_in_ascii("GET /search?q=café HTTP/1.1\\r\\nX: é".encode())
    b'GET /search?q=caf%C3%A9 HTTP/1.1\\r\\nX: \\xc3\\xa9'
    """
    line = re.match(rb"\s*[^\n]*", data)
    assert line is not None
    return re.sub(rb"[\x80-\xff]", lambda found: b"%%%02X" % found[0][0], line[0]) + data[line.end() :]
