"""Bodies say what they mean: numbers are numbers, and no key is there twice. Addresses are text, and are read so."""

from __future__ import annotations

import json

import pytest

from aboutness.server.app import make_app
from server.served import client_of

SOUND = {
    "/v1/search": {"query": "moon", "rankers": ["bm25"], "k": 3},
    "/v1/explain": {"query": "moon", "id": "d1-0", "rankers": ["bm25"], "ranks": True},
    "/v1/pool": {"query": "moon", "rankers": ["bm25"], "depth": 3},
    "/v1/pool/revealed": {"query": "moon", "rankers": ["bm25"], "grades": {"d1-0": 1}},
    "/v1/perturb": {
        "query": "moon",
        "passages": {"a": "the moon"},
        "replace": [["moon", "sun"]],
        "rankers": ["bm25"],
    },
    "/v1/documents": {"documents": [{"id": "new", "text": "a comet"}], "update": True},
    "/v1/jobs": {"kind": "check", "threads": 1},
}
LOOSE = [
    ("/v1/search", {"k": "3"}),
    ("/v1/search", {"k": True}),
    ("/v1/search", {"explain": "yes"}),
    ("/v1/explain", {"ranks": 1}),
    ("/v1/pool", {"depth": "3"}),
    ("/v1/pool/revealed", {"grades": {"d1-0": "1"}}),
    ("/v1/pool/revealed", {"seed": 1.0}),
    ("/v1/documents", {"update": "no"}),
    ("/v1/jobs", {"restart": 0}),
    ("/v1/jobs", {"threads": "1"}),
]


@pytest.fixture
def client(changing):
    with client_of(make_app({"sky": changing})) as client:
        yield client


@pytest.mark.parametrize("address", SOUND)
def test_a_body_that_is_sound_and_the_same_with_a_key_twice(client, address):
    answer = client.post(address, json=SOUND[address])
    assert answer.status_code in (200, 201), answer.text
    key, value = next(iter(SOUND[address].items()))
    text = json.dumps(SOUND[address])
    doubled = f"{text[:-1]}, {json.dumps(key)}: {json.dumps(value)}}}"
    refused = client.post(address, content=doubled, headers={"Content-Type": "application/json"})
    assert refused.status_code == 400
    assert refused.json() == {
        "error": "bad request",
        "message": f"{key!r} is there twice in the request; keep one",
    }


def test_a_key_of_a_document_may_not_be_there_twice(client):
    body = '{"documents": [{"id": "new", "text": "a", "text": "b"}]}'
    answer = client.post("/v1/documents", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["message"]) == (
        400,
        "'text' is there twice in the request; keep one",
    )


@pytest.mark.parametrize(("address", "change"), LOOSE, ids=str)
def test_values_that_only_look_right_are_refused(client, address, change):
    answer = client.post(address, json=SOUND[address] | change)
    assert answer.status_code == 422, answer.text
    assert answer.json()["message"].startswith(f"{next(iter(change))}")


def test_addresses_are_read_as_text(client):
    for address in ("/v1/search", "/v1/explain", "/v1/pool"):
        assert client.get(address, params=SOUND[address]).status_code == 200, address


@pytest.mark.parametrize("address", [one for one in SOUND if one != "/v1/search"])
def test_what_is_not_said_to_be_json_is_refused(client, address):
    answer = client.post(address, content=json.dumps(SOUND[address]), headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
    assert "application/json" in answer.json()["message"]
