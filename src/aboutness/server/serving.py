"""Serving until told to stop."""

from __future__ import annotations

import asyncio
import math
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.server.logs import logging_to_stderr
from aboutness.server.settings import Settings

if TYPE_CHECKING:
    import uvicorn

ROUNDS, MOMENT_S = 20, 0.01  # of the loop, in which what had come before the server was told to stop is read
OWN_FILES = 256  # that a server may have open beside its connections


def serve(
    indexes: Mapping[str, Index], settings: Settings, port: int = 8000, tell: Callable[[str], None] | None = None
) -> None:
    """Serve indexes by name until interrupted; `tell` is told the address once others can come."""
    import uvicorn

    from aboutness.server.app import make_app
    from aboutness.server.connection import connections_with

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            """Answer all that had come before the signal to stop: uvicorn closes connections with it unread."""
            for _ in range(ROUNDS):  # a connection takes a few to be accepted, and read
                await asyncio.sleep(MOMENT_S)
            await super().shutdown(sockets)

    app, limits = make_app(indexes, settings), settings.limits
    limits = replace(limits, connections=_room_for(limits.connections))
    with _listening(settings.host, port) as listening, logging_to_stderr(settings):
        config = uvicorn.Config(
            app,
            http=connections_with(limits),
            ws="none",
            proxy_headers=False,  # whoever asks is told the same
            log_config=None,
            access_log=False,  # queries are nobody else's business
            server_header=False,
            timeout_graceful_shutdown=math.ceil(limits.seconds) + 5,
        )
        server = Server(config)
        with _ended_by_signals(server):
            if tell is not None:
                tell(_address(settings.host, listening.getsockname()[1]))
            server.run(sockets=[listening])


def _room_for(connections: int) -> int:
    """Return how many connections there is room for among the files that a process may have open."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * connections + OWN_FILES  # as many again are told that there is no room
    if least != resource.RLIM_INFINITY and least < wanted:
        least = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (least, most))
        return max(1, min(connections, (least - OWN_FILES) // 2))
    return connections


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let signals end the server in peace, before it heeds them itself, and when it repeats them to itself."""

    def end(*_: object) -> None:
        server.should_exit = True

    before = {one: signal.signal(one, end) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def check_port(host: str, port: int) -> None:
    """Raise where a server could not listen: what takes long before it need not be done then."""
    _listening(host, port).close()


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that waits for others to come."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"the host {host!r} is not known here: {error}") from None
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(address)
        made.listen(2048)
    except OSError as error:
        made.close()
        raise UsageError(
            f"port {port} of {host} cannot be used: {error.strerror or error}; choose another one with --port, "
            f"or any that is free with --port 0"
        ) from None
    return made


def _address(host: str, port: int) -> str:
    """Return where a browser finds the server.

    >>> _address("127.0.0.1", 8000), _address("::1", 80)
    ('http://127.0.0.1:8000/', 'http://[::1]:80/')
    """
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
