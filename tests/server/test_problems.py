from __future__ import annotations

from pathlib import Path

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import DamagedIndex
from aboutness.server.app import make_app
from aboutness.server.problems import OWN_FAULT, without_paths
from aboutness.server.settings import Settings


def test_unexpected_errors_tell_nothing_but_that(site_client, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("the secret /etc/passwd")

    monkeypatch.setattr("aboutness.server.api.search.searched", fail)
    for path in ("/v1/search?query=moon",):
        answer = site_client.get(path)
        assert answer.status_code == 500
        assert answer.json() == {"error": "internal error", "message": OWN_FAULT}
    assert "the secret" in caplog.text
    assert "moon" not in caplog.text  # what people look for is not logged


def test_paths_of_the_server_stay_there(site_client, index, monkeypatch):
    def fail(*_):
        raise DamagedIndex(f"{index.path}/arrays/x-1.safetensors has 3 bytes; see '/var/lib/other/file.db'")

    monkeypatch.setattr("aboutness.server.api.search.searched", fail)
    message = site_client.get("/v1/search?query=moon").json()["message"]
    assert message == "sky.index/arrays/x-1.safetensors has 3 bytes; see 'file.db'"


@pytest.mark.parametrize("text", ["1/2 and a/b", "and/or", "https://a.example/b", "5 km/h", "/"])
def test_what_is_no_path_stays(site_client, text):
    assert without_paths(text, site_client.app.state.site) == text


def test_the_folder_one_is_in_is_cut_from_messages_and_their_dots_stay(index, monkeypatch):
    monkeypatch.chdir(index.path)
    app = make_app({"sky": Index.open(".")}, Settings(results=Path()))
    message = f"{index.path}/index.db: k1 must be at least .5, got '-.5'."
    assert without_paths(message, app.state.site).endswith("index.db: k1 must be at least .5, got '-.5'.")
    assert str(index.path) not in without_paths(message, app.state.site)


@pytest.mark.parametrize("path", ["/search?q=moon", "/v1/search?query=moon&rankers=bm25", "/v1/live", "/nowhere"])
def test_the_head_of_every_answer_can_be_asked_for(site_client, path):
    whole, head = site_client.get(path), site_client.head(path)
    assert (head.status_code, head.content) == (whole.status_code, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]
    assert abs(int(head.headers["content-length"]) - len(whole.content)) < 20  # but for the time that it took
    route = path.partition("?")[0].replace("/nowhere", "other")
    assert f'method="HEAD",route="{route}"' in site_client.get("/v1/metrics").text


@pytest.mark.parametrize(
    ("path", "possible"),
    [
        ("/v1/search", {"GET", "HEAD", "POST"}),
        ("/v1/documents", {"GET", "HEAD", "POST", "DELETE"}),
        ("/v1/perturb", {"POST"}),
        ("/search", {"GET", "HEAD"}),
    ],
)
def test_what_is_possible_at_an_address_is_told(site_client, path, possible):
    answer = site_client.put(path)
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == possible


@pytest.mark.parametrize("path", ["/v1/explain", "/v1/search", "/v1/documents", "/v1/perturb"])
def test_a_body_that_is_not_said_to_be_json_is_told_so(site_client, path):
    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = site_client.post(path, content=b"query=moon&id=d0-0", headers=form)
    assert answer.status_code == 415
    assert "'Content-Type: application/json'" in answer.json()["message"]
    for kind in ("application/json; charset=utf-8", "application/vnd.x+json", "APPLICATION/JSON"):
        assert site_client.post(path, content=b"{", headers={"content-type": kind}).status_code == 422


def test_pages_get_pages_and_programs_get_json(site_client):
    for path in ("/nowhere", "/search/deeper", "/v2/search"):
        answer = site_client.get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"].startswith("text/html")
        assert "there is nothing at this address" in answer.text
    answer = site_client.get("/v1/nowhere")
    assert answer.json() == {"error": "not found", "message": "there is nothing at this address"}
    refused = site_client.put("/v1/search")
    assert refused.status_code == 405
    assert "PUT is not possible" in refused.json()["message"]


def test_text_on_a_page_of_problems_is_text(site_client):
    answer = site_client.get("/search", params={"index": "<img src=x onerror=alert(1)>"})
    assert answer.status_code == 404
    assert "<img src=x" not in answer.text
    assert "&lt;img src=x" in answer.text


def test_an_index_that_is_gone_still_answers(changing, tmp_path):
    changing.search("moon", 3, "bm25")
    opened = Index.open(changing.path)
    changing.path.rename(tmp_path / "elsewhere.index")
    assert opened.search("moon", 3, "bm25")
