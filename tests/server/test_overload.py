"""More than a server can do, and clients that keep it waiting: it refuses, says so, and goes on."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import ExitStack, suppress

import pytest

from aboutness.server.app import make_app
from aboutness.server.door import ARRIVED
from aboutness.server.settings import Limits
from server.pressing import LIVE, QUICK, WORK, Limited, everything, press, recovery, statuses
from server.served import client_of

HEAD = b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SLOW = 0.02  # seconds of a search: two threads do 100 in a second
LIMITS = {"threads": 2, "waiting": 16}
HASTY = {
    "line_seconds": 30,
    "head_seconds": 1,
    "seconds": 2,
    "connections": 40,
    "threads": 40,
    "head": 20_000,
    "body": 50_000,
}


@pytest.fixture(scope="module")
def busy(index):
    """A server with few threads and slow searches."""
    with Limited(index.path, limits=LIMITS, slow=SLOW) as server:
        yield server


@pytest.fixture(scope="module")
def hasty(index):
    """A server that waits for nobody."""
    with Limited(index.path, limits=HASTY, slow=0.5, plain=True) as server:
        for _ in range(10):  # what is compiled is read the first time
            if server.ask(WORK).status == 200:
                break
        yield server


def lives(server):
    """Tell whether a server answers within a few seconds; until then it says that it is busy."""
    for _ in range(50):
        answer = server.ask(LIVE)
        if answer.status == 200:
            return True
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        time.sleep(0.1)
    return False


def test_ten_times_as_many_requests_as_can_be_answered(busy):
    async def pressed():
        await press(busy.port, 0.5, 4, [WORK, QUICK])
        before = busy.megabytes()
        found = await press(busy.port, 4, 150, [WORK], pause=0.15)
        return before, found, await recovery(busy.port, WORK)

    before, found, seconds = asyncio.run(pressed())
    answered, refused = found.statuses[200], found.statuses[503]
    assert set(found.statuses) == {200, 503}
    assert not found.failures
    assert found.without_retry == 0
    assert answered > 50
    assert refused > answered
    assert found.p95(found.taken) < 3  # the queue takes (16 + 2) / 2 * 20 ms; the rest is for busy machines
    assert found.p95(found.live) < 1.5
    assert seconds < 5
    assert busy.megabytes() - before < 60


def test_quick_searches_leave_room_for_others(busy):
    found = asyncio.run(press(busy.port, 3, 150, [QUICK]))
    assert set(found.statuses) <= {200, 503}
    assert not found.failures
    assert found.p95(found.live) < 1.5
    assert max(found.live) < 5


def test_who_waited_too_long_in_line_is_told_to_come_back(index):
    app = make_app({"sky": index})

    async def late(scope, receive, send):
        waited = asyncio.get_running_loop().time() - Limits().line_seconds - 0.1
        await app({**scope, "state": {ARRIVED: waited}}, receive, send)

    with client_of(late) as client:
        answer = client.get(QUICK)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "ask again soon" in answer.json()["message"]
        assert client.get(LIVE).status_code == 200


INCOMPLETE = {
    b"": [],
    b"GET": [408],
    HEAD: [408],
    HEAD + b"\r\n": [200],
    HEAD + b"\r\n" + b"GET /v1/": [200],
    POST + b"Content-Length: 100\r\n\r\n{": [408],
}


def test_what_does_not_come_is_not_waited_for(hasty):
    start = time.monotonic()
    with ExitStack() as held:
        made = {sent: held.enter_context(hasty.connect()) for sent in INCOMPLETE}
        for sent, one in made.items():
            one.sendall(sent)
        for sent, one in made.items():
            found = everything(one)
            assert statuses(found) == INCOMPLETE[sent], sent
            assert b"408" not in found or b"must come within" in found
    assert time.monotonic() - start < 8


def test_what_trickles_is_not_waited_for(hasty):
    start = time.monotonic()
    with ExitStack() as held:
        waiting = [held.enter_context(hasty.connect()) for _ in range(2)]
        waiting[0].sendall(HEAD + b"X: ")
        waiting[1].sendall(POST + b"Content-Length: 100\r\n\r\n")
        while waiting and time.monotonic() - start < 10:
            for one in list(waiting):
                one.settimeout(0.1)
                try:
                    one.sendall(b"x")
                    assert statuses(one.recv(1000)) in ([408], [])
                    waiting.remove(one)
                except TimeoutError:
                    pass
                except ConnectionError:
                    waiting.remove(one)
    assert time.monotonic() - start < 8


def test_answers_that_are_not_taken_are_given_up(hasty):
    ask = b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert len(hasty.ask("/v1/openapi.json").body) > 80_000  # more than the system holds for a client
    with hasty.connect(buffer=4096) as made:
        made.settimeout(1)
        with suppress(TimeoutError):
            made.sendall(ask * 100)
        time.sleep(4.5)
        files = hasty.open_files()
        made.settimeout(5)
        assert len(everything(made)) < 8_000_000  # what was on its way
    assert files <= 40
    assert lives(hasty)


def test_idle_connections_make_room(hasty):
    with ExitStack() as held:
        for _ in range(200):
            held.enter_context(hasty.connect())
        assert lives(hasty)  # though those that connected first are there still
        assert hasty.open_files() < HASTY["connections"] + 40


def test_who_is_answered_is_not_sent_away_for_others(hasty):
    ask = f"GET {WORK} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    with ExitStack() as held:
        made = [held.enter_context(hasty.connect()) for _ in range(HASTY["connections"])]
        for one in made:
            one.sendall(ask)
        time.sleep(0.1)
        found, _ = hasty.say(HEAD + b"\r\n")
        assert statuses(found) == [503]
        assert b"retry-after: 1" in found
        assert b"there are 40 connections already" in found
        assert [statuses(everything(one)) for one in made] == [[200]] * len(made)


CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
HOSTILE = {
    "a long address": (b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {431, 404}),
    "a long query": (b"GET /v1/live?" + b"a" * 20_001 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {431}),
    "a long header": (HEAD + b"X: " + b"a" * 30_000 + b"\r\n\r\n", {431}),
    "a header without an end": (HEAD + b"X: " + b"a" * 2_000_000, {431}),
    "many headers": (HEAD + b"X: a\r\n" * 100_000 + b"\r\n", {431}),
    "tiny headers": (HEAD + b"X:\r\n" * 201 + b"\r\n", {431}),
    "pieces in an old version": (
        CHUNKED.replace(b"HTTP/1.1", b"HTTP/1.0") + b'f\r\n{"query":"sun"}\r\n0\r\n\r\n', {400}  # else 200
    ),
    "blank lines": (b"\r\n" * 200_000, {400, 431}),
    "an address without an end": (b"GET /" + b"a" * 2_000_000, {431}),
    "a body that is too long": (POST + b"Content-Length: 50001\r\n\r\n" + b"x" * 50_001, {413}),
    "a body that is far too long": (POST + b"Content-Length: 9000000\r\n\r\n" + b"x" * 9_000_000, {413}),
    "pieces that are too long": (CHUNKED + b"186a0\r\n" + b"x" * 100_000 + b"\r\n0\r\n\r\n", {413}),
    "pieces of one byte": (CHUNKED + b"1\r\nx\r\n" * 100_000, {413, 422}),
    "what follows a body": (CHUNKED + b"0\r\nX: " + b"a" * 2_000_000, {413, 422}),
    "words on a piece": (CHUNKED + b"1;" + b"a" * 2_000_000, {413, 400}),
    "a length below zero": (POST + b"Content-Length: -1\r\n\r\n", {400}),
    "two lengths": (POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx", {400}),
    "a length and pieces": (CHUNKED[:-2] + b"Content-Length: 5\r\n\r\n0\r\n\r\n", {400}),
    "a line cut in the head": (HEAD + b"X: a\r\n folded\r\nbroken\r\n\r\n", {400}),
    "another protocol": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), {400}),
    "the next version": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400}),
    "another version": (b"GET /v1/live HTTP/9.9\r\nHost: localhost\r\n\r\n", {400}),
    "no version": (b"GET /v1/live\r\n\r\n", {400, 403}),
    "a tunnel": (b"CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", {400, 404, 405}),
    "another kind of connection": (
        HEAD + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n"
        b"Sec-WebSocket-Version: 13\r\n\r\n",
        {200, 400},
    ),
    "very many requests": ((HEAD + b"\r\n") * 5_000, {200, 400}),
    "a request and no request": (HEAD + b"\r\n" + b"\x00\xff" * 1000, {200, 400}),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_request_is_refused(hasty, what):
    data, expected = HOSTILE[what]
    found, seconds = hasty.say(data)
    assert statuses(found)  # it is told why
    assert set(statuses(found)) <= expected
    assert seconds < 8
    assert lives(hasty)


def test_noise_does_no_harm(hasty):
    chance, seen = random.Random(5), set()
    words = [
        b"GET ",
        b"POST ",
        b"/v1/search",
        b"?query=",
        b" HTTP/1.1",
        b"\r\n",
        b"\r\n\r\n",
        b"Host: localhost",
        b":",
    ]
    for _ in range(60):
        pieces = [chance.choice([*words, chance.randbytes(chance.randrange(9))]) for _ in range(30)]
        with hasty.connect() as made, suppress(ConnectionError):
            made.sendall(b"".join(pieces) + b"\r\n\r\n\x00\r\n\r\n")
            seen |= set(statuses(made.recv(65536)))
    assert seen <= {200, 400, 403, 404, 405, 408, 422}
    assert lives(hasty)
    assert hasty.megabytes() < 1000


def test_who_leaves_within_a_request_leaves_no_trace(hasty):
    for sent in (
        POST + b"Content-Length: 100\r\n\r\n{",
        f"GET {WORK} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
    ):
        for _ in range(20):
            with hasty.connect() as made:
                made.sendall(sent)
    assert lives(hasty)
    lines = hasty.ask("/v1/metrics").body.decode().splitlines()
    assert any('status="499"' in line for line in lines)
    assert not any('status="500"' in line for line in lines)


def test_limits_are_told(hasty):
    for data, said in (
        (HEAD + b"X: " + b"a" * 30_000 + b"\r\n\r\n", b"at most 20,000 bytes"),
        (HEAD + b"X: " + b"a" * 60_000, b"at most 20,000 bytes"),
        (POST + b"Content-Length: 50001\r\n\r\n", b"at most 50,000 bytes"),
    ):
        assert said in hasty.say(data)[0]
    long = hasty.ask("/v1/search?query=" + "a" * 10_001)
    assert long.status == 422
    assert b"at most 10000 characters" in long.body
