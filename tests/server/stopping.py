"""Servers that are told to stop while they are asked much."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from server.pressing import QUICK, WORK, Client, Closed, Cut, Limited

PATHS = (QUICK, WORK, "/v1/openapi.json", "/search?q=moon&r=bm25", QUICK)


@dataclass
class Stopped:
    """How a server ended, and what came of the requests before and after."""

    code: int = -1
    err: str = ""
    seconds: float = 0.0  # until it had ended
    answered: int = 0
    cut: int = 0  # answers that ended before their end
    unanswered: int = 0  # requests that were sent before the signal, and not answered
    later: int = 0  # requests that were sent after the signal, and not answered


def stopped_under_load(folder, chance, clients):
    """Tell a server to stop while many ask."""
    with Limited(folder, slow=0.02) as server:
        return asyncio.run(_stopped(server, chance, clients))


async def _stopped(server, chance, clients):
    found, at = Stopped(), [float("inf")]
    async with Client(server.port) as client:
        for path in PATHS:  # what is compiled is read the first time
            await client.ask(path)

    async def asking(number):
        async with Client(server.port) as client:
            for turn in range(100_000):
                try:
                    answer = await client.ask(PATHS[(number + turn) % len(PATHS)])
                except Cut:
                    found.cut += 1
                except Closed:
                    before = client.sent_at is not None and client.sent_at < at[0]
                    found.unanswered += before
                    found.later += not before
                except OSError:  # nobody listens any more
                    return
                else:
                    found.answered += answer.status == 200

    asked = [asyncio.ensure_future(asking(number)) for number in range(clients)]
    await asyncio.sleep(0.5 + chance.random())
    at[0] = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(asyncio.gather(*asked), 60)
    found.code, found.err = await asyncio.to_thread(server.ended)
    found.seconds = time.monotonic() - at[0]
    return found


def training_stopped(folder):
    """Tell a server to stop while it trains; return its code, which of its children are left, and what it said."""
    with Limited(folder) as server:
        asyncio.run(_train(server.port))
        for _ in range(100):
            if children := _children(server.process.pid):
                break
            time.sleep(0.1)
        else:
            raise AssertionError("no training has begun")
        server.process.send_signal(signal.SIGTERM)
        code, err = server.ended()
    time.sleep(0.2)
    return code, [one for one in children if Path(f"/proc/{one}").exists()], err


async def _train(port):
    body = {"kind": "word2vec", "name": "long", "parameters": {"epochs": 1000, "dim": 50, "min_count": 1}}
    async with Client(port) as client:
        answer = await client.ask(
            "/v1/jobs", "POST", json.dumps(body).encode(), **{"Content-Type": "application/json"}
        )
        assert answer.status < 300, answer


def _children(process):
    folders = Path(f"/proc/{process}/task").glob("*/children")
    return [int(one) for folder in folders for one in folder.read_text().split()]
