from __future__ import annotations

import time

import pytest

from aboutness.app.index import Index
from aboutness.app.mapping import document_points
from aboutness.server.app import make_app
from server.served import RECORDS, client_of

HOSTILE = "<script>alert(1)</script>\u202e&amp;"


def test_the_answer_is_pythons(site_client, index):
    answer = site_client.get("/v1/map")
    assert answer.status_code == 200
    assert answer.json() == document_points(index.generation).to_json()
    asked = {"ranker": "iwcs", "most": 7, "seed": 3, "query": "moon", "colour": "topic", "index": "sky"}
    answer = site_client.get("/v1/map", params=asked)
    wanted = document_points(index.generation, by="iwcs", most=7, seed=3, query="moon", label="topic")
    assert answer.json() == wanted.to_json()
    assert answer.json()["documents"] == 7
    assert set(answer.json()["labels"]) <= {record["topic"] for record in RECORDS}


def test_without_places_only_what_depends_on_the_query_is_answered(site_client):
    whole = site_client.get("/v1/map", params={"query": "moon"}).json()
    short = site_client.get("/v1/map", params={"query": "moon", "places": "false"}).json()
    assert whole.keys() - short.keys() == {"ids", "titles", "x", "y", "labels", "label"}
    assert short.items() <= whole.items()


def test_the_nearest_are_those_that_search_finds(site_client):
    asked = {"query": "the moon", "ranker": "desm-in-out"}
    near = site_client.get("/v1/map", params=asked).json()["nearest"]
    wanted = {"query": "the moon", "rankers": ["desm-in-out"], "k": 20, "match": "all"}
    hits = site_client.post("/v1/search", json=wanted).json()[0]["hits"]
    assert [(one["id"], one["score"]) for one in near] == [(one["id"], one["score"]) for one in hits]


def test_a_map_that_takes_long_is_asked_for_again(site_client):
    pytest.importorskip("openTSNE")
    statuses = []
    for _ in range(200):
        answer = site_client.get("/v1/map", params={"method": "tsne", "query": "moon"})
        statuses.append(answer.status_code)
        if answer.status_code == 200:
            break
        assert "ask again" in answer.json()["making"]
        assert answer.headers["Retry-After"] == "2"
        time.sleep(0.1)
    assert set(statuses) <= {200, 202}
    assert statuses[-1] == 200
    assert answer.json()["method"] == "tsne"
    assert "amid the ten documents" in answer.json()["note"]


@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        ({"ranker": "bm25"}, 400, "bm25 has no vectors of documents"),
        ({"ranker": "nobody"}, 400, "Known: "),
        ({"colour": "size"}, 400, "they have: year, topic"),
        ({"index": "other"}, 404, "there is: sky"),
        ({"most": 20_001}, 422, "most"),
        ({"method": "umap"}, 422, "method"),
        ({"wrong": 1}, 422, "wrong"),
    ],
)
def test_refusals(site_client, asked, status, message):
    answer = site_client.get("/v1/map", params=asked)
    assert answer.status_code == status
    assert message in answer.json()["message"]


def test_an_index_without_vectors_says_what_to_do(tmp_path):
    with client_of(make_app({"bare": Index.build(RECORDS, tmp_path / "bare.index")})) as client:
        answer = client.get("/v1/map")
    assert answer.status_code == 404
    assert "aboutness train bare.index pv" in answer.json()["message"]


def test_texts_come_as_they_are(changing):
    changing.add([{"id": HOSTILE, "title": HOSTILE, "text": "the moon", "topic": HOSTILE}])
    with client_of(make_app({"x": changing})) as client:
        told = client.get("/v1/map", params={"query": HOSTILE + " moon", "colour": "topic"}).json()
    assert told["ids"][-1] == told["titles"][-1] == HOSTILE
    assert HOSTILE in told["labels"]
