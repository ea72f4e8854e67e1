"""How a server is set up: what it serves, to whom, and how much it takes on."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from aboutness.core.errors import UsageError, shown

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Limits:
    """How much one request may ask for, and how many are taken on at once."""

    head: int = 128 << 10  # bytes of a request's address and headers; a query of 10,000 letters fits in
    headers: int = 200
    body: int = 16 << 20  # bytes of a request
    bodies: int = 64 << 20  # bytes of all requests at once
    stranger: int = 16 << 10  # bytes of a request by who has shown no key, where one is needed
    connections: int = 1_000
    waiting: int = 64  # requests that wait for a thread
    line_seconds: float = 2.0  # that a request may wait to be looked at
    head_seconds: float = 10.0  # for a client to send an address and headers
    seconds: float = 60.0  # for a client to send a request; to work on it; for the client to take the answer
    threads: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))


@dataclass(frozen=True)
class Settings:
    """What a server is started with."""

    host: str = LOOPBACK[0]
    hosts: tuple[str, ...] = ()  # further names by which it may be called
    keys: Path | None = None  # the file of API keys
    results: Path | None = None  # the folder of experiments' results
    read_only: bool = False
    log_json: bool = False  # a line for each request
    log_queries: bool = False  # with what was asked for in it
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not self.loopback and self.keys is None:
            raise UsageError(
                f"the host {shown(self.host)} can be reached by others, so it needs an API key: make one with "
                f"'aboutness key keys.txt --scope read', and serve with --api-key-file keys.txt"
            )
        if self.results is not None and not self.results.is_dir():
            raise UsageError(f"results must be a folder that exists, got {shown(str(self.results))}")

    @property
    def loopback(self) -> bool:
        """Tell whether only this machine can reach the server."""
        return self.host in LOOPBACK
