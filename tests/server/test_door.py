from __future__ import annotations

import pytest

from aboutness.server.access import make_key
from aboutness.server.app import make_app
from aboutness.server.door import Door
from aboutness.server.metrics import Metrics
from aboutness.server.settings import Limits, Settings
from server.served import client_of

FOREIGN = "https://elsewhere.example"


def test_every_answer_has_the_headers_that_keep_browsers_safe(site_client):
    for path in ("/search", "/v1/health", "/nowhere", "/v1/nowhere", "/v1/search?k=x", "/"):
        headers = site_client.get(path, follow_redirects=False).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_so_have_answers_to_what_went_wrong(site_client, monkeypatch):
    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr("aboutness.server.api.search.searched", fail)
    monkeypatch.setattr("aboutness.server.pages.search._shown", fail)
    for path in ("/v1/search?query=moon", "/search?q=moon"):
        answer = site_client.get(path)
        assert answer.status_code == 500
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["cache-control"] == "no-store"


def test_static_files_may_be_kept_and_have_their_kinds(site_client):
    from aboutness.server.static_files import KINDS, address, static_files

    for name in static_files():
        answer = site_client.get(address(name))
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["content-type"] == KINDS[name[name.rindex(".") :]]
    assert site_client.get("/static/old/common.js").status_code == 404
    folder = address("common.js").removesuffix("common.js")
    for wrong in ("..%2fapp.py", "%2e%2e/app.py", "..%5capp.py", "common.js%00", "....//app.py"):
        assert site_client.get(folder + wrong).status_code == 404


@pytest.mark.parametrize(
    "host",
    [
        "elsewhere.example", "elsewhere.example:8000", "127.0.0.1.elsewhere.example", "", "[::2]",
        "localhost@elsewhere.example", "localhost:80@elsewhere.example", "elsewhere.example#localhost",
        "elsewhere.example/localhost", "[::1]elsewhere.example", "[::1].elsewhere.example", "localhost:x",
        "localhost:", "localhost:123456", "localhost.", "localhost,elsewhere.example", "127.1", "0.0.0.0",
        "[::ffff:127.0.0.1]", "localhost elsewhere.example", "[localhost]",
    ],
)  # fmt: skip
def test_a_server_on_the_loopback_answers_to_its_own_names_only(site_client, host):
    refused = site_client.get("/v1/health", headers={"Host": host})
    assert refused.status_code == 403
    assert "not called" in refused.json()["message"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:8000"])
def test_these_are_its_names(site_client, host):
    assert site_client.get("/v1/health", headers={"Host": host}).status_code == 200


def test_names_that_others_give_it_count_for_nothing(site_client):
    for name in ("X-Forwarded-Host", "X-Host", "Forwarded", "X-Original-Host", "X-HTTP-Host-Override"):
        headers = {"Host": "elsewhere.example", name: "localhost"}
        assert site_client.get("/v1/health", headers=headers).status_code == 403
        headers = {"Host": "localhost", name: "elsewhere.example"}
        sent_on = site_client.get("/v1/health/", headers=headers, follow_redirects=False)
        assert "elsewhere" not in sent_on.headers.get("location", "")
    headers = [("Host", "localhost"), ("Host", "elsewhere.example")]
    assert site_client.get("/v1/health", headers=headers).status_code == 400


def test_further_names_are_given(index):
    with client_of(make_app({"sky": index}, Settings(hosts=("search.example",)))) as client:
        assert client.get("/v1/health", headers={"Host": "search.example:80"}).status_code == 200
        assert client.get("/v1/health", headers={"Host": "other.example"}).status_code == 403


def test_pages_of_other_sites_change_nothing(site_client):
    for headers in (
        {"Origin": FOREIGN},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://localhost@elsewhere.example"},
        {"Origin": "http://[", "Referer": "http://localhost/"},
        {"Origin": "localhost"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "same-site"},
    ):
        for method, path in (
            ("POST", "/v1/documents"),
            ("DELETE", "/v1/documents?id=d0-0"),
            ("POST", "/v1/search"),
        ):
            refused = site_client.request(method, path, headers=headers)
            assert refused.status_code == 403, (method, path, headers)
    own = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert site_client.post("/v1/search", json={"query": "moon"}, headers=own).status_code == 200


@pytest.mark.parametrize("origin", ["null", "http://localhost", ""])
def test_a_request_without_a_host_comes_from_another_site(tmp_path, origin):
    make_key(tmp_path / "keys.txt", "read")
    door = Door(None, Settings(host="0.0.0.0", keys=tmp_path / "keys.txt"), None)  # it is called by any name
    headers = [(b"origin", origin.encode())]  # as HTTP/1.0 allows
    refused = door._refused({"method": "POST", "headers": headers, "query_string": b""}, 1000)
    assert refused.status == 403


def test_requests_have_an_end(index):
    with client_of(make_app({"sky": index}, Settings(limits=Limits(body=1000)))) as client:
        for content in (b"x" * 1001, iter([b"x" * 600, b"x" * 600])):  # the second does not say how long it is
            refused = client.post("/v1/search", content=content, headers={"Content-Type": "application/json"})
            assert refused.status_code == 413
            assert "at most 1,000 bytes" in refused.json()["message"]
        assert client.post("/v1/search", json={"query": "moon"}).status_code == 200


def test_much_at_once_is_told_to_come_back(index):
    with client_of(make_app({"sky": index}, Settings(limits=Limits(bodies=1000)))) as client:
        refused = client.post("/v1/search", json={"query": "x" * 1001})
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "1"
        for _ in range(3):  # what was held is free again
            assert client.post("/v1/search", json={"query": "x" * 900}).status_code == 200


def test_connections_of_other_kinds_are_not_let_in(site_client):
    with (
        pytest.raises(RuntimeError, match="no connections of the kind websocket"),
        site_client.websocket_connect("/"),
    ):
        pass


def test_gauges_have_all_their_digits():
    gauges = {"documents": [({"index": "a"}, 12_345_678.0), ({"index": "b"}, 0.25)]}
    assert Metrics().text(gauges).endswith('documents{index="a"} 12345678\ndocuments{index="b"} 0.25\n')


def test_requests_are_counted(site_client):
    site_client.get("/v1/search", params={"query": "moon", "rankers": "bm25"})
    site_client.get("/v1/search", params={"k": 0})
    site_client.get("/search")
    site_client.get("/v1/no/such/thing")
    lines = site_client.get("/v1/metrics").text.splitlines()
    for line in (
        'aboutness_http_requests_total{method="GET",route="/v1/search",status="200"} 1',
        'aboutness_http_requests_total{method="GET",route="/v1/search",status="422"} 1',
        'aboutness_http_requests_total{method="GET",route="/search",status="200"} 1',
        'aboutness_http_requests_total{method="GET",route="other",status="404"} 1',
        'aboutness_http_request_seconds_count{route="/v1/search"} 2',
        'aboutness_http_request_seconds_bucket{route="/v1/search",le="+Inf"} 2',
        "aboutness_http_requests_in_flight 1",
        'aboutness_index_documents{index="sky"} 20',
    ):
        assert line in lines
