"""What ordinary clients send, in all the forms that HTTP allows: the same answer for each."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from contextlib import suppress
from urllib.parse import unquote_plus

import pytest

from server.pressing import Limited, everything, statuses

ASKED = {"query": "moon", "k": 1}
BODY = json.dumps(ASKED).encode()
HTTP2 = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n"  # as Java's asks
POST = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /v1/search?query=moon&k=1 HTTP/1.1\r\nHost: localhost\r\n"
WHOLE = b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
CUT = b"Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n%s\r\n%x\r\n%s\r\n0\r\nX-Sum: 1\r\n\r\n" % (
    BODY[:5], len(BODY) - 5, BODY[5:],
)  # fmt: skip
CLOSE = b"Connection: close\r\n"
FORMS = {
    "a body": POST + WHOLE,
    "a body in pieces": POST + CUT,
    "no body": GET + b"\r\n",
    "asks for HTTP/2": GET + HTTP2 + b"\r\n",
    "asks for HTTP/2, with a body": POST + HTTP2 + WHOLE,
    "asks for HTTP/2, with a body in pieces": POST + HTTP2 + CUT,
    "asks for HTTP/2, old version": (GET + HTTP2 + b"\r\n").replace(b"HTTP/1.1", b"HTTP/1.0"),
    "waits to be told to go on": POST + b"Expect: 100-continue\r\n" + WHOLE,
    "old version": (POST + WHOLE).replace(b"HTTP/1.1", b"HTTP/1.0"),
    "the whole address": GET.replace(b"GET ", b"GET http://localhost") + b"\r\n",
    "a blank line before": b"\r\n" + GET + b"\r\n",
    "a body that is not packed": POST + b"Content-Encoding: identity\r\n" + WHOLE,
    "headers in other letters": GET.replace(b"Host", b"HOST") + b"aCCept:*/*\r\n\r\n",
}


@pytest.fixture(scope="module")
def server(index):
    with Limited(index.path, plain=True) as running:
        yield running


def answers(raw: bytes) -> list[dict]:
    """Return what was answered, one after the other, but for the time it took."""
    found, reader = [], json.JSONDecoder()
    for part in raw.split(b"HTTP/1.1 ")[1:]:
        head, _, body = part.partition(b"\r\n\r\n")
        if head.startswith(b"100 "):
            continue
        assert head.startswith(b"200 "), part
        if b"chunked" in head.lower():
            body = body.partition(b"\r\n")[2]
        (one,), _ = reader.raw_decode(body.decode())
        found.append({**one, "took_ms": None})
    return found


def said(server, *pieces: bytes, many: int = 1) -> list[dict]:
    """Send pieces and return the answers, when there are so many or no more come."""
    with server.connect() as made:
        for piece in pieces:
            made.sendall(piece)
            if len(pieces) > 1:
                time.sleep(0.001)
        found = b""
        made.settimeout(20)
        with suppress(TimeoutError):
            while sum(status == 200 for status in statuses(found)) < many or not found.endswith(b"}]"):
                if not (more := made.recv(1 << 16)):
                    break
                found += more
    return answers(found)


@pytest.fixture(scope="module")
def wanted(server):
    (found,) = said(server, GET + b"\r\n")
    assert [hit["rank"] for hit in found["hits"]] == [1]
    return found


@pytest.mark.parametrize("form", FORMS)
def test_each_form_has_the_same_answer(server, wanted, form):
    data = FORMS[form]
    assert said(server, data) == [wanted]
    assert said(server, *(data[at : at + 1] for at in range(len(data)))) == [wanted]  # byte by byte
    head = data.index(b"\r\n\r\n", 4) + 4
    assert said(server, data[:head], data[head:]) == [wanted]
    if b"HTTP/1.0" not in data:
        assert said(server, data * 3, many=3) == [wanted] * 3  # without waiting for answers
        last = data.replace(b"Host: ", CLOSE + b"Host: ").replace(b"HOST: ", CLOSE + b"HOST: ")
        with server.connect() as made:
            made.sendall(last)
            assert answers(everything(made)) == [wanted]  # it is closed then


def test_a_wish_for_another_protocol_hides_nothing(server):
    """What is no request is none with the wish, either; and a limit is one."""
    for wrong in (
        POST + HTTP2 + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        POST + HTTP2 + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST.replace(b"1.1", b"1.0") + HTTP2 + CUT,
        b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n" + HTTP2 + b"\r\n",
    ):
        assert statuses(server.say(wrong)[0]) == [400]
    found, seconds = server.say((GET + HTTP2 + b"\r\n") * 5_000)
    assert set(statuses(found)) <= {200, 400}
    assert seconds < 8


@pytest.mark.parametrize("query", ["café", "caf%C3%A9", "café+moon", "月", "%F0%9F%8C%99"])
def test_an_address_may_be_written_as_it_is_read(server, query):
    """As curl sends it; others write it in ASCII."""
    address = f"GET /v1/search?query={query}&k=1 HTTP/1.1\r\nHost: localhost\r\nX: é\r\n\r\n".encode()
    (found,) = said(server, address)
    assert found["query"] == unquote_plus(query)
    (after,) = said(server, b"\r\n" + address)
    assert after == found


def test_only_an_address_is_written_anew(server):
    """Not a body, wherever the pieces of requests are cut that come without waiting for answers."""
    body = '{"query": "café", "k": 1}'.encode()
    whole = POST + b"Content-Length: %d\r\n\r\n" % len(body) + body
    for cut in range(len(whole)):
        found = said(server, GET + b"\r\n" + whole[:cut], whole[cut:], many=2)
        assert [one["query"] for one in found] == ["moon", "café"]


@pytest.mark.parametrize(
    ("asked", "status", "why"),
    [
        (GET.replace(b"moon", b"caf%E9") + CLOSE + b"\r\n", 400, b"must be UTF-8"),
        (GET.replace(b"moon", b"caf\xe9") + CLOSE + b"\r\n", 400, b"must be UTF-8"),
        (POST + CLOSE + b"Content-Encoding: gzip\r\n" + WHOLE, 415, b"must not be packed"),
    ],
)
def test_what_cannot_be_read_is_refused(server, asked, status, why):
    found, _ = server.say(asked)
    assert statuses(found) == [status]
    assert why in found


JAVA = """
import java.net.URI;
import java.net.http.*;

public class Asks {
    public static void main(String[] given) throws Exception {
        var client = HttpClient.newHttpClient();
        for (int i = 0; i < 2; i++) {
            var request = HttpRequest.newBuilder(URI.create(given[0] + "/v1/search"))
                .header("Content-Type", "application/json")
                .expectContinue(i == 1)
                .POST(HttpRequest.BodyPublishers.ofString(given[1])).build();
            System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        }
    }
}
"""


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java")
def test_java(server, wanted, tmp_path):
    (tmp_path / "Asks.java").write_text(JAVA)
    ran = subprocess.run(
        ["java", "Asks.java", f"http://127.0.0.1:{server.port}", BODY.decode()],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    for line in ran.stdout.splitlines():
        (one,) = json.loads(line)
        assert {**one, "took_ms": None} == wanted
    assert len(ran.stdout.splitlines()) == 2
