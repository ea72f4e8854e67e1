"""The interface to jobs."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from aboutness.server.app import make_app
from aboutness.server.settings import Limits, Settings
from server.served import client_of

SMALL = {"dim": 8, "min_count": 1, "epochs": 2, "sample": 0}


@pytest.fixture
def client(changing):
    with client_of(make_app({"sky": changing})) as made:
        yield made


@pytest.fixture
def waiting(monkeypatch):
    """Have jobs wait until they are cancelled."""
    monkeypatch.setattr("aboutness.app.jobs.COMMAND", (sys.executable, "-c", "import sys; sys.stdin.read()"))


def ended(client, identifier):
    for _ in range(600):
        job = client.get("/v1/jobs/one", params={"id": identifier}).json()
        if job["state"] not in ("queued", "running"):
            return job
        time.sleep(0.1)
    raise AssertionError(job)


def test_what_a_job_trains_answers_at_once(client, changing):
    asked = {"kind": "word2vec", "name": "mine", "parameters": SMALL, "threads": 1, "fields": ["text"]}
    started = client.post("/v1/jobs", json=asked)
    assert started.status_code == 201
    assert started.json()["state"] in ("queued", "running")
    job = ended(client, started.json()["id"])
    assert (job["state"], job["progress"], job["index"]) == ("done", 1.0, "sky")
    (told,) = client.get("/v1/indexes").json()
    assert [one["name"] for one in told["artefacts"]] == ["word2vec", "mine"]
    assert changing.vectors("mine").provenance["fields"] == ["text"]
    search = client.get("/v1/search", params={"query": "sun", "rankers": "iwcs[vectors=mine]"})
    assert search.status_code == 200
    assert search.json()[0]["hits"]


@pytest.mark.usefixtures("waiting")
def test_jobs_are_listed_and_cancelled(client):
    first, second = (client.post("/v1/jobs", json={"kind": "word2vec", "name": name}).json() for name in "ab")
    assert [job["id"] for job in client.get("/v1/jobs").json()] == [second["id"], first["id"]]
    assert client.post("/v1/jobs", json={"kind": "word2vec", "name": "a"}).status_code == 409
    for job in (second, first, first):
        assert client.delete("/v1/jobs", params={"id": job["id"]}).json()["state"] == "cancelled"


def test_others_are_answered_while_jobs_are_being_cancelled(changing, monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(
        "aboutness.app.jobs.Jobs.cancel", lambda jobs, identifier: ended.wait(10) and jobs.one(identifier)
    )
    app = make_app({"sky": changing}, Settings(limits=Limits(threads=2)))
    with client_of(app) as client, ThreadPoolExecutor(3) as many:
        job = app.state.site.jobs.start(changing, "sky", "check")
        assert job.over.wait(60)
        cancelled = [many.submit(client.delete, "/v1/jobs", params={"id": job.id}) for _ in range(3)]
        try:
            time.sleep(0.3)
            assert client.get("/v1/indexes").status_code == 200
            assert not any(one.done() for one in cancelled)
        finally:
            ended.set()
        assert [one.result().status_code for one in cancelled] == [200] * 3


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"kind": "nobody"}, 400),
        ({"kind": "word2vec", "parameters": {"dim": 0}}, 400),
        ({"kind": "word2vec", "parameters": {"dim": [1]}}, 422),
        ({"kind": "word2vec", "layer": "nobody"}, 400),
        ({"kind": "word2vec", "fields": ["nobody"]}, 400),
        ({"kind": "word2vec", "name": "../x"}, 400),
        ({"kind": "word2vec", "index": "nobody"}, 404),
        ({}, 422),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(client, asked, status):
    assert client.post("/v1/jobs", json=asked).status_code == status
    assert client.get("/v1/jobs").json() == []


def test_an_unknown_job_is_told(client):
    assert client.get("/v1/jobs/one", params={"id": "7"}).status_code == 404
    assert client.delete("/v1/jobs", params={"id": "7"}).status_code == 404
