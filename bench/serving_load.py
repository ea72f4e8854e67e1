"""`python -m bench.serving_load PORT SECONDS CLIENTS RANKER < queries`: clients that ask query after query.

Each keeps one connection and asks anew as soon as it is answered. Prints JSON: milliseconds of all answers, their
statuses, and for how long it went. Clients are as light as can be, as they share the machine with the server.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle

HEAD = (
    "POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    "Content-Length: {length}\r\n\r\n"
)


class Client(asyncio.Protocol):
    """A connection that asks from a shared list until the time is over."""

    def __init__(
        self, requests: Iterator[bytes], until: float, times: list[float], statuses: Counter[str]
    ) -> None:
        self.requests, self.until, self.times, self.statuses = requests, until, times, statuses
        self.done = asyncio.get_running_loop().create_future()
        self.got = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.ask()

    def ask(self) -> None:
        self.start = time.perf_counter()
        if self.start > self.until:
            self.transport.close()
            self.done.set_result(None)
            return
        self.transport.write(next(self.requests))  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.got += data
        head = self.got.find(b"\r\n\r\n")
        if head < 0:
            return
        lower = bytes(self.got[:head]).lower()
        at = lower.index(b"content-length:") + 15
        length = int(lower[at : lower.find(b"\r\n", at) if b"\r\n" in lower[at:] else None])
        if len(self.got) < head + 4 + length:
            return
        self.times.append(time.perf_counter() - self.start)
        self.statuses[lower[9:12].decode()] += 1
        self.got.clear()
        self.ask()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the server closed the connection"))


async def load(port: int, seconds: float, clients: int, ranker: str, queries: list[str]) -> dict[str, object]:
    bodies = [
        json.dumps({"query": text, "k": 10, **({"rankers": [ranker]} if ranker else {})}).encode()
        for text in queries
    ]
    requests = cycle([HEAD.format(port=port, length=len(body)).encode() + body for body in bodies])
    loop = asyncio.get_running_loop()
    times: list[float] = []
    statuses: Counter[str] = Counter()
    start = time.perf_counter()
    made = [
        await loop.create_connection(lambda: Client(requests, start + seconds, times, statuses), "127.0.0.1", port)
        for _ in range(clients)
    ]
    await asyncio.gather(*(client.done for _, client in made))
    wall = time.perf_counter() - start
    return {"ms": [1000 * one for one in times], "statuses": statuses, "seconds": wall}


if __name__ == "__main__":
    port, seconds, clients, ranker = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    print(json.dumps(asyncio.run(load(port, seconds, clients, ranker, sys.stdin.read().splitlines()))))
