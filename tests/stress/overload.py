"""Ten times as many requests as can be answered for minutes, with slow and idle clients beside them; then many requests.

    python -m tests.stress.overload --seconds 240 --count 150000

Two threads that take 50 ms for each search do 40 in a second; clients ask for ten times as many, though they are told
to come later. Beside them clients send heads and bodies byte by byte, take no answers, leave, make noise, or connect
and say nothing. Then the server must be its old self within 5 s, and its memory must not grow with the requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from server.pressing import LIVE, QUICK, WORK, Client, Closed, Cut, Limited, press, recovery
from server.served import sky_index

SLOW, THREADS, WAITING, CONNECTIONS = 0.05, 2, 16, 600
CAPACITY = THREADS / SLOW  # a second
IDLE, TRICKLING, GREEDY = 2_000, 100, 20
CLIENTS = 200
MIX = (
    QUICK, "/v1/search?query=sun+sea&rankers=ql&k=20", "/v1/explain?query=moon&id=d1-0&rankers=bm25", LIVE,
    "/search?q=harbour&r=bm25", "/v1/search?k=0", "/nowhere", "/v1/health", "/v1/search/columns?q=moon&r=bm25",
    QUICK, "/v1/metrics", "/v1/search?query=songs+of+the+{turn}&rankers=bm25(k1=1.{turn})", QUICK, QUICK,
)  # fmt: skip
HEAD = b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\nX: "
BODY = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
GREED = b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100


async def kept_waiting(port, end, first):
    """Send something byte by byte, again and again."""
    while time.monotonic() < end:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(first)
            while time.monotonic() < end and not writer.transport.is_closing():
                writer.write(b"x")
                await asyncio.sleep(0.5)
            writer.transport.abort()


async def greedy(port, end):
    """Ask for much, and take nothing of it."""
    while time.monotonic() < end:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
            writer.write(GREED)
            while time.monotonic() < end and not writer.transport.is_closing():
                await asyncio.sleep(0.5)
            writer.transport.abort()


async def idle(port, end, count):
    """Connect, and say nothing; those that are sent away come back."""
    while time.monotonic() < end:
        writers = []
        for _ in range(count):
            with suppress(OSError):
                writers.append((await asyncio.open_connection("127.0.0.1", port))[1])
            if len(writers) % 50 == 0:
                await asyncio.sleep(0.05)
        await asyncio.sleep(2)
        for writer in writers:
            writer.transport.abort()


async def noisy(port, end, chance):
    """Say what is no request, and leave within requests."""
    while time.monotonic() < end:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                chance.choice([chance.randbytes(500), HEAD + b"a" * 200_000, BODY, HEAD + b"\r\n\r\n" * 9])
            )
            await asyncio.sleep(0.05)
            writer.transport.abort()


async def pressed(server, seconds):
    """Press the server with all kinds of clients at once."""
    port, end = server.port, time.monotonic() + seconds
    beside = [
        *(kept_waiting(port, end, HEAD if number % 2 else BODY) for number in range(TRICKLING)),
        *(greedy(port, end) for _ in range(GREEDY)),
        *(noisy(port, end, random.Random(number)) for number in range(5)),
        idle(port, end, IDLE),
    ]
    others = [asyncio.ensure_future(one) for one in beside]
    found = await press(port, seconds, CLIENTS, [WORK] * 9 + [QUICK], pause=CLIENTS / (10 * CAPACITY))
    await asyncio.wait(others, timeout=30)
    return found


async def remembered(server, seconds, count):
    """Ask many things, and return how many answers came, how many failed, and the memory that the server had meanwhile."""
    end, done, failed, memory = time.monotonic() + seconds, 0, 0, []

    async def asking(number):
        nonlocal done, failed
        async with Client(server.port) as client:
            turn = number
            while time.monotonic() < end and done < count:
                turn += 1
                try:
                    answer = await client.ask(MIX[turn % len(MIX)].format(turn=turn))
                    failed += answer.status >= 500 and answer.status != 503
                except (Cut, Closed, OSError, TimeoutError):
                    failed += 1
                done += 1

    async def looking():
        while time.monotonic() < end and done < count:
            memory.append((done, server.megabytes()))
            await asyncio.sleep(0.5)

    await asyncio.gather(looking(), *(asking(number) for number in range(16)))
    return done, failed, memory


def slope(memory):
    """Return the megabytes that 100,000 requests add, from the second quarter to the last one."""
    quarter = len(memory) // 4
    early, late = memory[quarter : 2 * quarter], memory[-quarter:]
    done, megabytes = ([statistics.median(one[at] for one in part) for part in (early, late)] for at in (0, 1))
    return 100_000 * (megabytes[1] - megabytes[0]) / max(1, done[1] - done[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=240, help="for all of it")
    parser.add_argument("--count", type=int, default=150_000, help="of requests whose memory is watched, at most")
    parser.add_argument(
        "--plain", action="store_true", help="with Python's own loop, also where uvloop is installed"
    )
    given = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = sky_index(Path(folder) / "sky.index").path
        limits = {"threads": THREADS, "waiting": WAITING, "connections": CONNECTIONS, "head_seconds": 3}
        server = Limited(path, limits=limits, slow=SLOW, plain=given.plain)
        asyncio.run(press(server.port, 2, 4, [WORK, QUICK]))
        found = asyncio.run(pressed(server, given.seconds / 3))
        back = asyncio.run(recovery(server.port, WORK))
        after = server.megabytes()
        done, failed, memory = asyncio.run(remembered(server, given.seconds * 2 / 3, given.count))
        code, err = server.end()
    asked = sum(found.statuses.values())
    figures = {
        "capacity_a_second": CAPACITY,
        "asked_a_second": round(asked / (given.seconds / 3)),
        "answered": found.statuses[200],
        "refused": found.statuses[503],
        "statuses": dict(found.statuses),
        "without_retry_after": found.without_retry,
        "failures": [],
        "p95_accepted_s": round(found.p95(found.taken), 3),
        "slowest_accepted_s": round(max(found.taken), 3),
        "p95_live_s": round(found.p95(found.live), 3),
        "slowest_live_s": round(max(found.live), 3),
        "recovered_in_s": round(back, 2),
        "megabytes_after_pressing": round(after),
        "requests_watched": done,
        "requests_failed": failed,
        "megabytes": [round(one[1]) for one in memory[:: max(1, len(memory) // 8)]],
        "megabytes_per_100000": round(slope(memory), 1),
        "exit": code,
        "log": err[-500:],
        "seconds": round(time.monotonic() - start),
    }
    bounds = [
        ("failed or were cut", sum(found.failures.values()) + failed, 0),
        ("have an answer besides 200 and 503", asked - found.statuses[200] - found.statuses[503], 0),
        ("are refused without saying when to come again", found.without_retry, 0),
        ("seconds take accepted ones (p95)", figures["p95_accepted_s"], 3),
        ("seconds takes a sign of life (p95)", figures["p95_live_s"], 2),
        ("seconds until it is its old self", back, 5),
        ("megabytes more after 100,000 requests", figures["megabytes_per_100000"], 20),
        ("is how the server ended", abs(code), 0),
        ("bytes in its log", len(err), 0),
    ]
    figures["failures"] = [f"{value:g} {what}, at most {most}" for what, value, most in bounds if value > most]
    sys.stdout.write(f"{json.dumps(figures)}\n")
    sys.exit(1 if figures["failures"] else 0)


if __name__ == "__main__":
    main()
