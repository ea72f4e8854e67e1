"""What clients are told and what the log says: no paths, no traces, and nothing of what people look for."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import sys

import pytest

from aboutness.core.errors import AboutnessError, BadInput, DamagedIndex, IndexBusy, StorageError
from aboutness.server.app import PAGES, make_app
from aboutness.server.logs import AsJson, AsText
from aboutness.server.problems import OWN_FAULT
from aboutness.server.settings import Settings
from aboutness.server.working import Work
from server.pressing import Client, Limited
from server.served import client_of, sky_index
from server.test_access import routes

FAILING = ["aboutness.server.api.explain.told", "aboutness.server.pages.search._answered"]
ASKED = (
    "/v1/search?query=CANARY-QUERY&rankers=bm25",
    "/v1/search?query=CANARY-QUERY&rankers=CANARY-RANKER",
    "/v1/search?k=CANARY-K&query=x",
    "/v1/explain?query=CANARY-QUERY&id=CANARY-ID",
    "/v1/explain?query=CANARY-QUERY&id=d0-0",
    "/search?q=CANARY-QUERY",
    "/CANARY-PATH",
    "/v1/CANARY-PATH?CANARY=CANARY",
    "/static/CANARY/CANARY",
    "/login?to=CANARY",
)


@pytest.fixture(scope="module")
def hidden(tmp_path_factory):
    """An index in a folder whose name is nobody else's business."""
    folder = tmp_path_factory.mktemp("CANARY-PLACE it's here") / "CANARY-FOLDER"
    folder.mkdir()
    return sky_index(folder / "sky.index")


def served_with(hidden, **settings):
    """Return the statuses of requests with canaries in them, all that was answered, and all that was logged."""

    async def asked(port):
        headers = {"Cookie": "a=CANARY-COOKIE", "User-Agent": "CANARY-AGENT", "Referer": "CANARY-REFERER"}
        async with Client(port) as client:
            found = [await client.ask(path, **headers) for path in ASKED]
            body = json.dumps({"query": "CANARY-BODY", "id": "d0-0"}).encode()
            kind = {"Content-Type": "application/json"}
            found.append(await client.ask("/v1/explain", "POST", body, **kind, **headers))
            found.append(await client.ask("/v1/search", "POST", b'{"CANARY', **kind))
            return found

    server = Limited(hidden.path, broken=FAILING, settings=settings)
    answers = asyncio.run(asked(server.port))
    server.say(b"CANARY-NOISE\r\n\r\n")
    code, err = server.end()
    assert code == 0
    return [one.status for one in answers], b"".join(one.body for one in answers).decode(), err


def test_a_line_of_json_for_each_request_without_what_was_asked_for(hidden):
    statuses, told, err = served_with(hidden, log_json=True)
    lines = [json.loads(line) for line in err.splitlines()]
    requests = [line for line in lines if "status" in line]
    assert [line["status"] for line in requests] == statuses
    assert statuses.count(500) == 4
    first = requests[0]
    assert list(first) == ["time", "level", "method", "route", "status", "ms", "bytes"]
    assert (first["method"], first["route"], first["status"]) == ("GET", "/v1/search", 200)
    assert first["bytes"] > 2
    assert first["ms"] > 0
    assert [line["route"] for line in requests if line["status"] == 404] == [
        "other",
        "other",
        "/static/{of}/{name}",
    ]
    faults = [line for line in lines if "trace" in line]
    assert len(faults) == 4
    assert all("limited.py" in line["trace"] and line["trace"].endswith("ValueError") for line in faults)
    assert "CANARY" not in err.replace(str(hidden.path), "")
    assert "CANARY-PLACE" not in told
    assert "CANARY-FAULT" not in told
    assert "Traceback" not in told
    assert ".py" not in told


def test_troubles_are_told(hidden):
    _, told, err = served_with(hidden)
    assert err.count("ERROR") == 4
    assert "builtins.ValueError" in err
    assert "CANARY" not in err.replace(str(hidden.path), "")
    assert "CANARY-PLACE" not in told


def test_what_was_asked_for_is_logged_where_that_is_asked_for(index, caplog):
    caplog.set_level(logging.INFO)
    settings = Settings(log_json=True, log_queries=True)
    with client_of(make_app({"sky": index}, settings)) as client:
        client.get("/v1/search?query=CANARY&rankers=bm25")
    (record,) = (one for one in caplog.records if one.name == "aboutness.server.logs")
    assert json.loads(AsJson(told=True).format(record))["asked"] == "query=CANARY&rankers=bm25"


def faults(hidden):
    """Return errors as they come from anywhere, with what must not be told in them."""
    place = hidden.path / "arrays" / "CANARY"
    yield from (kind(f"CANARY-TEXT {place}") for kind in (KeyError, MemoryError, RecursionError, AssertionError))
    yield OSError(errno.EIO, "CANARY-TEXT", str(place))
    yield UnicodeDecodeError("utf-8", b"CANARY-TEXT", 0, 1, "CANARY-TEXT")
    yield DamagedIndex(f"{hidden.path}/arrays/x.safetensors cannot be read")
    yield StorageError(f"{hidden.path.parent}/.sky.index.tmp is in the way")
    yield BadInput(f"[Errno 13] Permission denied: '{hidden.path.parent.parent}/other/file'")
    yield IndexBusy(f"{hidden.path.resolve()} is being written to")
    yield AboutnessError("see /CANARY/canary/file or '/srv/CANARY/file.db'")


def parameters(client, path):
    """Return the names of what can be asked for at an address."""
    described = client.app.openapi()["paths"].get(path)
    return {one["name"] for one in described["get"].get("parameters", [])} if described else {"q", "id", "word"}


def test_no_error_tells_a_path_or_a_trace(hidden, monkeypatch):
    with client_of(make_app({"sky": hidden})) as client:
        pages = [shown.router.routes[0].path for shown in PAGES]
        asked = [path for method, path in routes(client) if method == "GET"] + pages
        known = {"query": "moon", "q": "moon", "id": "d0-0", "word": "moon", "words": "moon", "rankers": "bm25"}
        failed = set()
        for error in faults(hidden):

            async def fail(self, *args, error=error, **kwargs):
                raise error

            monkeypatch.setattr(Work, "__call__", fail)
            for path in asked:
                given = {name: known[name] for name in parameters(client, path) & set(known)}
                answer = client.get(path, params=given, follow_redirects=False)
                told = answer.text + str(answer.headers)
                assert "CANARY" not in told, (path, error, told)
                assert "Traceback" not in told
                assert ".py" not in told
                if answer.status_code == 500 and not isinstance(error, AboutnessError):
                    assert OWN_FAULT in told
                    failed.add(path)
    assert len(failed) > 15, failed


def test_errors_that_have_begun_their_answer_and_pages_that_cannot_be_made_tell_nothing(hidden, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("CANARY-TEXT")

    monkeypatch.setattr("aboutness.server.pages.search._shown", fail)
    monkeypatch.setattr("aboutness.server.pages.rendering._templates", fail)
    with client_of(make_app({"sky": hidden})) as client:
        answer = client.get("/search?q=moon")
        assert answer.status_code == 500
        assert answer.json()["message"] == OWN_FAULT


def test_records_are_written_without_what_errors_say():
    full = OSError(errno.ENOSPC, "No space left on device", "/canary/CANARY")
    try:
        raise full
    except OSError:
        record = logging.LogRecord("aboutness", logging.ERROR, "", 1, "writing", None, sys.exc_info())
    text = AsText(told=False).format(record)
    assert text.endswith("builtins.OSError: No space left on device")
    record.exc_text = None
    assert json.loads(AsJson(told=False).format(record))["trace"].endswith("No space left on device")
    assert "CANARY" not in text
    record.exc_text = None
    assert "CANARY" in AsText(told=True).format(record)


def test_what_the_framework_could_tell_others_of_requests_is_off(hidden, monkeypatch):
    trace = pytest.importorskip("opentelemetry.trace")
    told = []

    class Collecting(trace.TracerProvider):
        def get_tracer(self, *args, **kwargs):
            told.append((args, kwargs))
            return trace.NoOpTracer()

    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setattr(trace, "get_tracer_provider", Collecting)
    with client_of(make_app({"sky": hidden})) as client:
        assert client.get("/v1/search?query=moon&rankers=bm25").status_code == 200
        assert client.get("/v1/search?k=x").status_code == 422
    assert not told
