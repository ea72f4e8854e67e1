from __future__ import annotations

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import DamagedIndex
from aboutness.server.problems import OWN_FAULT, without_paths


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
