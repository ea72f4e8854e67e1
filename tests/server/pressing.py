"""Servers in processes of their own, and clients that press them."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cli.running import SOURCE, environment

TESTS = str(Path(__file__).parents[1])
PATIENCE = 30  # seconds that a client waits for an answer
WORK = "/v1/search?query=moon&rankers=bm25&match=and"  # is handed to a thread, and slowed where asked for
QUICK = "/v1/search?query=moon&rankers=bm25"  # is answered at once, after the first few
LIVE = "/v1/live"


class Limited:
    """A server with limits of its own, in a process of its own."""

    def __init__(self, folder, **given):
        command = [sys.executable, "-m", "server.limited", str(folder), json.dumps(given)]
        where = environment(PYTHONPATH=f"{SOURCE}:{TESTS}")
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - a pipe that nobody reads would hold the server up
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, text=True, env=where)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.ended()[1])
        self.port = int(line.rstrip("/\n").rpartition(":")[2])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.process.kill()
        code, err = self.end()
        if kind is None:
            assert code == 0, err
            assert not err, err[:2000]

    def end(self, signal_=signal.SIGTERM):
        """Have it end, and return its code and what it said."""
        self.process.send_signal(signal_)
        return self.ended()

    def ended(self):
        """Wait until it has ended, and return its code and what it said."""
        code = self.process.wait(120)
        self.process.stdout.close()
        if self._log.closed:
            return code, ""
        self._log.seek(0)
        with self._log:
            return code, self._log.read()

    def megabytes(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def open_files(self):
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def connect(self, buffer=None):
        """Return a socket that is connected to it."""
        made = socket.socket()
        if buffer is not None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        made.settimeout(PATIENCE)
        made.connect(("127.0.0.1", self.port))
        return made

    def ask(self, path, **headers):
        """Return the answer to one request, by a connection of its own."""
        return asyncio.run(self._ask(path, headers))

    async def _ask(self, path, headers):
        async with Client(self.port) as client:
            return await client.ask(path, **headers)

    def say(self, data, seconds=PATIENCE):
        """Return all that is answered to some bytes until the connection is closed, and after how many seconds."""
        start = time.monotonic()
        with self.connect() as made:
            made.settimeout(seconds)
            with suppress(ConnectionError):
                made.sendall(data)
            return everything(made), time.monotonic() - start


def everything(made):
    """Return all that comes until the other side closes."""
    found = b""
    with suppress(ConnectionError):
        while piece := made.recv(1 << 16):
            found += piece
    return found


def statuses(answered):
    """Return the statuses of answers that came one after the other."""
    return [int(piece[:3]) for piece in answered.split(b"HTTP/1.1 ")[1:]]


class Cut(Exception):
    """The connection ended within an answer."""


class Closed(Exception):
    """The connection ended before an answer began."""


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float


class Client:
    """Asks one thing after the other by one connection."""

    def __init__(self, port):
        self.port = port
        self._writer = None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.leave()

    def leave(self):
        if self._writer is not None:
            self._writer.transport.abort()
            self._writer = None

    async def ask(self, path, method="GET", body=b"", **headers):
        """Return an answer; the connection is kept for the next one where the server keeps it."""
        start = time.monotonic()
        async with asyncio.timeout(PATIENCE):
            if self._writer is None:
                self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
            self.sent_at = None
            lines = [f"{method} {path} HTTP/1.1", f"Host: localhost:{self.port}", f"Content-Length: {len(body)}"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            try:
                self._writer.write("\r\n".join([*lines, "", ""]).encode() + body)
                self.sent_at = time.monotonic()
                status, told, answered = await self._answer()
            except BaseException:
                self.leave()
                raise
        if told.get("connection") == "close":
            self.leave()
        return Answer(status, told, answered, time.monotonic() - start)

    async def _answer(self):
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise (Cut if getattr(error, "partial", b"") else Closed) from None
        first, *lines = head.decode("latin-1").split("\r\n")
        told = dict(line.lower().split(": ", 1) for line in lines if line)
        try:
            body = await self._reader.readexactly(int(told["content-length"]))
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Cut from None
        return int(first.split()[1]), told, body


@dataclass
class Pressed:
    """How a server fared under too many requests."""

    statuses: Counter[int] = field(default_factory=Counter)
    taken: list[float] = field(default_factory=list)  # seconds, of requests that were accepted
    live: list[float] = field(default_factory=list)
    without_retry: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    def p95(self, seconds):
        return sorted(seconds)[int(0.95 * (len(seconds) - 1))] if seconds else 0.0


async def press(port, seconds, clients, paths, pause=0.1):
    """Have many clients ask again and again, though they are told to come later; one asks whether the server lives."""
    pressed, end = Pressed(), time.monotonic() + seconds

    async def pressing(number):
        await asyncio.sleep(0.3 * number / clients)
        async with Client(port) as client:
            turn = number
            while time.monotonic() < end:
                turn += 1
                try:
                    answer = await client.ask(paths[turn % len(paths)])
                except (Cut, Closed, OSError, TimeoutError) as error:
                    pressed.failures[type(error).__name__] += 1
                    await asyncio.sleep(pause)
                    continue
                pressed.statuses[answer.status] += 1
                if answer.status == 200:
                    pressed.taken.append(answer.seconds)
                elif answer.status == 503:
                    pressed.without_retry += int(answer.headers.get("retry-after", 0)) < 1
                    await asyncio.sleep(pause)

    async def living():
        async with Client(port) as client:
            while time.monotonic() < end:
                try:
                    answer = await client.ask(LIVE)
                    pressed.failures["not alive"] += answer.status != 200
                    pressed.live.append(answer.seconds)
                except (Cut, Closed, OSError, TimeoutError) as error:
                    pressed.failures[f"not alive: {type(error).__name__}"] += 1
                await asyncio.sleep(0.1)

    await asyncio.gather(living(), *(pressing(number) for number in range(clients)))
    pressed.failures = +pressed.failures
    return pressed


async def recovery(port, path):
    """Return after how many seconds a request is answered, and at once."""
    start = time.monotonic()
    async with Client(port) as client:
        while time.monotonic() - start < PATIENCE:
            answer = await client.ask(path)
            if answer.status == 200 and answer.seconds < 1:
                break
            await asyncio.sleep(0.1)
    return time.monotonic() - start
