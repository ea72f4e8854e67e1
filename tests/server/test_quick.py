"""The short way for quick searches answers as the route does, and leaves everything else to it."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest

from aboutness.core.deadline import still_wanted
from aboutness.core.errors import UsageError
from aboutness.rank.bound_rankers import MOST_BOUND
from aboutness.server import quick
from aboutness.server.access import make_key
from aboutness.server.api import search
from aboutness.server.app import make_app
from aboutness.server.settings import Settings
from server.served import client_of

QUICK = {"query": "songs of the sea", "rankers": ["bm25"]}


@pytest.fixture
def answered(monkeypatch):
    """Which requests the short way has answered, and with what."""
    found, own = [], quick.Quick._answer

    def noting(self, message):
        found.append(None)
        found[-1] = own(self, message)
        return found[-1]

    monkeypatch.setattr(quick.Quick, "_answer", noting)
    return found


@pytest.fixture
def client(index):
    """A client of a server that knows its searches to be quick."""
    with client_of(make_app({"sky": index})) as client:
        for _ in range(60):
            client.post("/v1/search", json=QUICK)
        yield client


def by_the_route(client, monkeypatch, **how):
    with monkeypatch.context() as patched:
        patched.setattr(quick, "PATH", "/nowhere")
        return client.post("/v1/search", **how)


def comparable(answer):
    headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
    body = answer.json()
    if answer.status_code == 200:
        body = [{**one, "took_ms": 0} for one in body]
    return answer.status_code, headers, body


SAME = [
    QUICK,
    {"query": "sun", "rankers": ["bm25"], "k": 3, "index": "sky"},
    {"query": "nothing of the kind", "rankers": ["bm25"]},
    {"query": "", "rankers": ["bm25"]},
    {"query": "über <b>sea</b> \u202e", "rankers": ["bm25"]},
]
LEFT = [
    {"query": "sun", "rankers": ["bm25"], "explain": True},
    {"query": "sun", "rankers": ["bm25"], "where": ["year>=1993"]},
    {"query": "sun", "rankers": ["bm25"], "k": 100},
    {"query": "sun " * 100, "rankers": ["bm25"]},
    {"like": "d1-0", "rankers": ["bm25"]},
    {"query": "sun", "rankers": ["iwcs"]},
    {"query": "sun", "rankers": ["bm52"]},
    {"query": "sun", "rankers": ["bm25"], "index": "sea"},
    {"query": "sun", "rankers": ["bm25"], "unknown": 1},
    {"query": 7},
    {"query": "sun", "rankers": ["bm25"], "k": "3"},
    {"query": "sun", "rankers": ["bm25"], "k": True},
    {"query": "sun", "rankers": ["bm25"], "explain": "no"},
    {},
]


@pytest.mark.parametrize("asked", SAME, ids=str)
def test_it_answers_as_the_route_does(client, answered, monkeypatch, asked):
    one = client.post("/v1/search", json=asked)
    assert len(answered) == 1
    assert json.loads(answered[0]) == one.json()
    other = by_the_route(client, monkeypatch, json=asked)
    assert len(answered) == 1
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize("asked", LEFT, ids=str)
def test_everything_else_is_left_to_the_route(client, answered, monkeypatch, asked):
    one = client.post("/v1/search", json=asked)
    assert answered == [None]
    assert comparable(one) == comparable(by_the_route(client, monkeypatch, json=asked))


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b"null", b'{"query": "a", "k": 3.0}'], ids=str)
def test_a_body_that_is_none_is_refused_by_the_route(client, answered, monkeypatch, body):
    one = client.post("/v1/search", content=body)
    assert (one.status_code, answered) == (422, [None])
    assert comparable(one) == comparable(by_the_route(client, monkeypatch, content=body))


def test_a_key_that_is_there_twice_is_refused_by_the_route(client, answered, monkeypatch):
    body = b'{"query": "sun", "rankers": ["bm25"], "query": "moon"}'
    one = client.post("/v1/search", content=body)
    assert (one.status_code, answered) == (400, [None])
    assert one.json()["message"] == "'query' is there twice in the request; keep one"
    assert comparable(one) == comparable(by_the_route(client, monkeypatch, content=body))


def test_what_is_not_known_to_be_quick_is_left_to_the_route(index, answered):
    with client_of(make_app({"sky": index})) as client:
        assert client.post("/v1/search", json=QUICK).status_code == 200
    assert answered == [None]


def test_who_needs_a_key_and_has_none_is_not_answered(index, tmp_path, answered):
    key = make_key(tmp_path / "keys", "read")
    with client_of(make_app({"sky": index}, Settings(keys=tmp_path / "keys"))) as client:
        known = {"Authorization": f"Bearer {key}"}
        for _ in range(60):
            client.post("/v1/search", json=QUICK, headers=known)
        assert answered[-1] is not None
        for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Cookie": "aboutness_key=nonsense"}):
            answer = client.post("/v1/search", json=QUICK, headers=headers)
            assert answer.status_code == 401
        assert len(answered) == 60


def asked_by_hand(client, receive, **more):
    """What is sent in answer to a search whose body comes by `receive`."""
    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/v1/search",
        "raw_path": b"/v1/search", "query_string": b"", "root_path": "", "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "state": {}, **more,
    }  # fmt: skip
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(asyncio.wait_for(client.app(scope, receive, send), 20))
    return sent


def test_who_needs_a_key_and_has_none_need_not_send_the_body(index, tmp_path):
    make_key(tmp_path / "keys", "read")

    async def never():
        await asyncio.Event().wait()

    with client_of(make_app({"sky": index}, Settings(keys=tmp_path / "keys"))) as client:
        assert asked_by_hand(client, never)[0]["status"] == 401


def test_a_page_of_another_site_is_refused_before_it(client, answered):
    answer = client.post("/v1/search", json=QUICK, headers={"Origin": "http://elsewhere.example"})
    assert (answer.status_code, answered) == (403, [])


def counted(client, status):
    line = f'aboutness_http_requests_total{{method="POST",route="/v1/search",status="{status}"}} '
    text = client.get("/v1/metrics").text
    return int(text.partition(line)[2].split()[0]) if line in text else 0


def test_it_is_counted_as_the_route_is(client, answered):
    before = counted(client, 200)
    client.post("/v1/search", json=QUICK)
    assert answered[-1] is not None
    assert counted(client, 200) == before + 1


def test_an_unexpected_error_is_counted_and_told_as_the_route_does(client, monkeypatch, caplog):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(quick, "at_once", broken)
    answer = client.post("/v1/search", json=QUICK)
    assert (answer.status_code, answer.json()["error"]) == (500, "internal error")
    assert counted(client, 500) == 1
    assert [record.getMessage() for record in caplog.records] == ["POST /v1/search"]


def test_a_search_that_is_refused_is_not_run_again(client, monkeypatch):
    def refusing(*_):
        raise UsageError("not so")

    monkeypatch.setattr(quick, "at_once", refusing)
    monkeypatch.setattr(search, "at_once", None)
    answer = client.post("/v1/search", json=QUICK)
    assert (answer.status_code, answer.json()["message"]) == (400, "not so")
    assert counted(client, 400) == 1


def test_a_body_in_pieces_is_left_to_the_route(client, answered):
    whole = json.dumps(QUICK).encode()
    pieces = [
        {"type": "http.request", "body": whole[:9], "more_body": True},
        {"type": "http.request", "body": whole[9:], "more_body": False},
    ]

    async def receive():
        return pieces.pop(0)

    sent = asked_by_hand(client, receive)
    assert answered == [None]
    assert sent[0]["status"] == 200
    assert json.loads(b"".join(one.get("body", b"") for one in sent[1:]))[0]["hits"]


def test_a_search_that_is_not_quick_as_others_were_is_given_up_and_handed_over(client, answered, monkeypatch):
    real, turns = search.searched, []

    def searched(index, asked):
        if asked.query == "heavy":
            start, thread = time.monotonic(), threading.current_thread().name
            turns.append([thread, None])
            while time.monotonic() < start + 0.5:
                time.sleep(0.001)
                turns[-1][1] = time.monotonic() - start
                still_wanted()
        return real(index, asked)

    monkeypatch.setattr(search, "searched", searched)
    answer = client.post("/v1/search", json={**QUICK, "query": "heavy"})
    assert (answer.status_code, answered) == (200, [None])
    (_, first), (thread, second) = turns
    assert first < 0.3 < second
    assert thread.startswith("work")
    assert client.post("/v1/search", json=QUICK).status_code == 200
    assert answered == [None, None]  # nor is the next taken for quick


def test_a_ranker_that_would_have_to_be_bound_first_is_left_to_the_route(client, index, answered):
    assert client.post("/v1/search", json=QUICK).status_code == 200
    assert answered[-1] is not None
    for number in range(MOST_BOUND):
        index.search("sun", 1, f"bm25[k1={2 + number}]")
    assert client.post("/v1/search", json=QUICK).status_code == 200
    assert answered[-1] is None  # it was forgotten for the others
    assert client.post("/v1/search", json=QUICK).status_code == 200
    assert answered[-1] is not None
