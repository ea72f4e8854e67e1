"""The interface to documents: as they are stored; what is written is on disk and found at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from aboutness.app.documents import plain
from aboutness.app.index import Index
from aboutness.index.intake import LONGEST_ID
from aboutness.server.access import make_key
from aboutness.server.app import make_app
from aboutness.server.settings import Settings
from server.served import RECORDS, client_of

COMET = {"id": "c", "title": "Comets", "text": "a comet", "year": 1986}


@pytest.fixture
def client(changing):
    with client_of(make_app({"sky": changing})) as made:
        yield made


def test_documents_are_as_they_are_stored(site_client, index):
    answer = site_client.get("/v1/documents", params={"id": ["d1-0", "d0-3"]}).json()
    assert answer["documents"] == [plain(index["d1-0"]), plain(index["d0-3"])]
    assert (answer["index"], answer["total"]) == ("sky", 20)


def test_all_of_them_come_in_pieces(site_client, index):
    pieces = [site_client.get("/v1/documents", params={"offset": at, "limit": 8}).json() for at in (0, 8, 16, 24)]
    assert [one["id"] for piece in pieces for one in piece["documents"]] == [one.id for one in index]


@pytest.mark.parametrize(
    ("params", "status"),
    [({"id": "nobody"}, 404), ({"limit": 101}, 422), ({"offset": -1}, 422), ({"id": "d0-0", "limit": 3}, 400)],
)
def test_what_is_not_there_is_told(site_client, params, status):
    answer = site_client.get("/v1/documents", params=params)
    assert answer.status_code == status
    assert "/" not in answer.json()["message"]


def test_what_is_added_is_on_disk_and_found(client, changing):
    answer = client.post("/v1/documents", json={"documents": [COMET]})
    assert answer.json() == {"index": "sky", "documents": 21, "added": 1, "updated": 0, "generation": 3}
    hits = client.get("/v1/search", params={"query": "comet", "rankers": "bm25"}).json()[0]["hits"]
    assert [hit["id"] for hit in hits] == ["c"]
    assert Index.open(changing.path)["c"].metadata == {"year": 1986}


def test_what_is_there_is_replaced_only_when_it_is_said(client):
    first = client.post("/v1/documents", json={"documents": [COMET]})
    again = client.post("/v1/documents", json={"documents": [COMET]})
    assert (first.status_code, again.status_code) == (200, 422)
    assert "'c'" in again.json()["message"]
    answer = client.post("/v1/documents", json={"documents": [COMET | {"text": "other"}], "update": True}).json()
    assert (answer["added"], answer["updated"]) == (0, 1)
    assert client.get("/v1/documents", params={"id": "c"}).json()["documents"][0]["fields"]["text"] == "other"


def test_documents_are_deleted(client):
    answer = client.delete("/v1/documents", params={"id": ["d0-0", "d1-0"]})
    assert answer.json() == {"index": "sky", "deleted": 2, "documents": 18, "generation": 3}
    assert client.get("/v1/documents", params={"id": "d0-0"}).status_code == 404
    assert client.delete("/v1/documents", params={"id": "d0-0"}).status_code == 404
    assert client.delete("/v1/documents", params={"id": "d0-0", "missing_ok": True}).json()["deleted"] == 0
    assert client.delete("/v1/documents").status_code == 422


def test_the_longest_id_that_an_index_takes_can_be_asked_for_everywhere(client):
    one = COMET | {"id": "c" * LONGEST_ID}
    assert (
        client.post("/v1/documents", json={"documents": [one | {"id": "c" * (LONGEST_ID + 1)}]}).status_code == 422
    )
    assert client.post("/v1/documents", json={"documents": [one]}).status_code == 200
    for path, name in (("/v1/documents", "id"), ("/v1/explain", "id"), ("/explain", "id"), ("/search", "like")):
        query = {"query": "comet", "rankers": "bm25"} if path == "/v1/explain" else {}
        query |= {"q": "comet", "r": "bm25"} if path == "/explain" else {}
        assert client.get(path, params={name: one["id"], **query}).status_code == 200, path
    assert client.delete("/v1/documents", params={"id": one["id"]}).status_code == 200


def test_who_writes_at_the_same_time_waits(client, changing):
    def send(number):
        return client.post("/v1/documents", json={"documents": [COMET | {"id": f"c{number}"}]}).status_code

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(send, range(8))) == {200}
    assert len(Index.open(changing.path)) == 28


def test_a_writer_elsewhere_is_named(client, changing, monkeypatch):
    monkeypatch.setattr("aboutness.server.api.documents.PATIENCE", 0.2)
    with changing.writing():
        answer = client.post("/v1/documents", json={"documents": [COMET]})
    assert answer.status_code == 409
    assert "is writing to changing.index" in answer.json()["message"]


def test_what_is_only_to_be_read_is_not_changed(index, tmp_path):
    with client_of(make_app({"sky": index}, Settings(read_only=True))) as client:
        for answer in (
            client.post("/v1/documents", json={"documents": [COMET]}),
            client.delete("/v1/documents", params={"id": "d0-0"}),
            client.post("/v1/jobs", json={"kind": "word2vec"}),
        ):
            assert answer.status_code == 403
    with client_of(make_app({"memory": Index.build(RECORDS)})) as client:
        answer = client.post("/v1/documents", json={"documents": [COMET]})
        assert (answer.status_code, answer.json()["message"].split(";")[0].split(":")[0]) == (
            409,
            "memory is in memory only and is not changed",
        )
        assert client.post("/v1/jobs", json={"kind": "word2vec"}).status_code == 409


def test_a_key_to_read_does_not_write(index, tmp_path):
    keys = tmp_path / "keys"
    bearer = {"Authorization": f"Bearer {make_key(keys, 'read')}"}
    with client_of(make_app({"sky": index}, Settings(keys=keys))) as client:
        assert client.get("/v1/documents", headers=bearer).status_code == 200
        assert client.post("/v1/documents", json={"documents": [COMET]}, headers=bearer).status_code == 403
        assert client.get("/v1/documents").status_code == 401
