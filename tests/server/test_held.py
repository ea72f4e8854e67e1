from __future__ import annotations

import threading

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import NotFound, UsageError
from aboutness.server import app as app_module
from aboutness.server.app import make_app
from aboutness.server.held import Held, named_folders
from server.served import client_of


def test_indexes_have_names(tmp_path, index):
    held = Held({"one": index, "two": index})
    assert held.names == ["one", "two"]
    assert held.one() is held.one("one") is index
    with pytest.raises(NotFound, match="no index 'three' here; there is: one, two"):
        held.one("three")
    with pytest.raises(UsageError, match="at least one index"):
        Held({})


@pytest.mark.parametrize("folders", [["=x"], ["a/b=x"], ["..=x"], ["a.index", "b/a.index"], ["/"]])
def test_names_that_cannot_be(folders):
    with pytest.raises(UsageError):
        named_folders(folders)


def test_the_folder_that_one_is_in_has_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path.resolve()
    assert named_folders(["."]) == {folder.name: folder}
    assert named_folders(["up=.."]) == {"up": folder.parent}


def test_several_indexes_are_asked_by_name(index, changing):
    changing.delete("d0-0")
    with client_of(make_app({"sky": index, "less": changing})) as client:
        for name, expected in (("sky", 20), ("less", 19), (None, 20)):
            asked = {"query": "sun moon sea harbour", "rankers": ["bm25"], "k": 100, "match": "all", "index": name}
            assert len(client.post("/v1/search", json=asked).json()[0]["hits"]) == expected
        names = [one["name"] for one in client.get("/v1/health").json()["indexes"]]
        assert names == ["sky", "less"]


def test_it_goes_over_to_a_new_generation_with_the_rankers_in_use(changing):
    held = Held({"sky": changing})
    before = changing.generation
    changing.search("moon", 3, "bm25 + iwcs")
    assert held.look() == []
    assert changing.generation is before
    Index.open(changing.path).add([{"id": "new", "text": "a comet"}])
    assert held.look() == ["sky"]
    assert changing.generation is not before
    assert set(before.in_use) <= set(changing.generation.in_use)
    assert "new" in changing
    assert held.look() == []


def test_a_damaged_generation_leaves_the_old_one_answering(changing):
    held = Held({"sky": changing})
    database = changing.path / "index.db"
    whole = database.read_bytes()
    database.write_bytes(b"no database")
    assert held.look() == []
    assert held.trouble("sky")
    assert changing.search("moon", 3, "bm25")
    with client_of(make_app({"sky": changing})) as client:
        assert client.get("/v1/health").json()["status"] == "ok"  # it has not looked yet
        client.app.state.site.held._stamps["sky"] = ()
        client.app.state.site.held.look()
        health = client.get("/v1/health").json()
        assert health["status"] == "an older generation answers"
        assert str(changing.path.parent) not in health["indexes"][0]["trouble"]
    database.write_bytes(whole)
    held.look()
    assert held.trouble("sky") is None


def test_no_request_is_dropped_while_generations_come(changing, monkeypatch):
    monkeypatch.setattr(app_module, "SECONDS_BETWEEN_LOOKS", 0.01)
    writer = Index.open(changing.path)
    stop, statuses, counts = threading.Event(), [], []
    with client_of(make_app({"sky": changing})) as client:

        def ask() -> None:
            while not stop.is_set():
                answer = client.post(
                    "/v1/search", json={"query": "comet moon", "rankers": ["bm25", "ql"], "k": 100, "match": "all"}
                )
                statuses.append(answer.status_code)
                counts.append({len(one["hits"]) for one in answer.json()})

        asking = threading.Thread(target=ask)
        asking.start()
        for turn in range(8):
            writer.add([{"id": f"new{turn}", "text": "a comet"}])
        asked = len(statuses)
        while len(statuses) < asked + 3 and asking.is_alive():
            pass
        stop.set()
        asking.join()
    assert set(statuses) == {200}
    assert all(len(one) == 1 for one in counts)  # both rankers read the same generation
    assert len({min(one) for one in counts}) > 1  # and there were several
