from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from aboutness.app.index import Index
from aboutness.cli.main import app as command_line

RANKERS = ["bm25", "ql[mu=500]", "bm25 + 3*iwcs", "bm25 % 5 >> wmd"]


def plain(answer):
    return {key: value for key, value in answer.items() if key != "took_ms"}


def by_command_line(index: Index, *arguments: str):
    ran = CliRunner().invoke(
        command_line, ["search", str(index.path), *arguments, "--json"], catch_exceptions=False
    )
    found = json.loads(ran.stdout)
    return [plain(one) for one in (found if isinstance(found, list) else [found])]


def test_answers_are_those_of_python_and_of_the_command_line(site_client, index):
    answer = site_client.post("/v1/search", json={"query": "the moon and the sea", "rankers": RANKERS, "k": 7})
    assert answer.status_code == 200
    found = [plain(one) for one in answer.json()]
    assert found == [plain(index.search("the moon and the sea", 7, ranker).to_json()) for ranker in RANKERS]
    options = [part for ranker in RANKERS for part in ("-r", ranker)]
    assert found == by_command_line(index, "the moon and the sea", "-k", "7", *options)
    assert [len(one["hits"]) for one in found] == [7, 7, 7, 5]


def test_the_address_says_the_same_as_the_body(site_client):
    asked = {
        "query": "moon",
        "rankers": ["bm25", "ql"],
        "k": 3,
        "where": ["year>=1993"],
        "match": "all",
        "fields": "title",
    }
    by_body = site_client.post("/v1/search", json=asked).json()
    by_address = site_client.get("/v1/search", params=asked).json()
    assert list(map(plain, by_body)) == list(map(plain, by_address))


def test_filters_fields_match_likeness_and_explanations(site_client, index):
    cases = [
        (
            {"query": "moon", "where": ["year>=1993", "topic=The moon"]},
            {"where": ["year>=1993", "topic=The moon"]},
        ),
        ({"query": "sun moon", "match": "and"}, {"match": "and"}),
        ({"query": "moon", "fields": "3*title+text"}, {"fields": "3*title+text"}),
        ({"like": "d1-0"}, {"like": "d1-0"}),
    ]
    for asked, options in cases:
        answer = site_client.post("/v1/search", json={**asked, "rankers": ["bm25"], "explain": True}).json()
        expected = index.search(asked.get("query"), 10, "bm25", **options)
        assert [plain(one) for one in answer] == [plain(expected.to_json(explain=True))]
        assert answer[0]["hits"], asked


def test_the_same_search_again_and_again_has_the_same_answer(site_client):
    """Once it is known to be quick, it is no more handed to another thread."""
    asked = {"query": "songs of the sea", "rankers": ["bm25"]}
    answers = [plain(site_client.post("/v1/search", json=asked).json()[0]) for _ in range(60)]
    site = site_client.app.state.site
    assert site.pace.quick((site.held.one().path, "bm25"))
    assert all(one == answers[0] for one in answers)


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ({}, 400, "give a query"),
        ({"query": "a", "like": "d0-0"}, 400, "give a query"),
        ({"query": "a", "rankers": ["bm52"]}, 400, "unknown ranker 'bm52'"),
        ({"query": "a", "rankers": ["bm25["]}, 400, "bm25["),
        ({"query": "a", "index": "sea"}, 404, "there is no index 'sea' here; there is: sky"),
        ({"like": "nobody"}, 404, "nobody"),
        ({"query": "a", "rankers": []}, 422, "rankers"),
        ({"query": "a", "rankers": ["bm25"] * 5}, 422, "rankers"),
        ({"query": "a", "k": 0}, 422, "k:"),
        ({"query": "a", "k": 1001}, 422, "k:"),
        ({"query": "a", "k": 101, "explain": True}, 400, "at most 100 documents are explained"),
        ({"query": "a" * 10_001}, 422, "query"),
        ({"query": "a", "ranker": "bm25"}, 422, "ranker"),
        ({"query": "a", "where": ["year"]}, 400, "year"),
        ({"query": "a", "match": "some"}, 400, "match"),
        ({"query": "a", "rankers": ["lsa"]}, 404, "lsa"),
    ],
)
def test_what_is_wrong_is_said(site_client, asked, status, said):
    answer = site_client.post("/v1/search", json=asked)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error", "message"}
    assert said in answer.json()["message"]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"query": "\\ud800"}', b"\xff\xfe", b'{"query": 7}']
)
def test_what_is_no_request_is_refused(site_client, body):
    answer = site_client.post("/v1/search", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert set(answer.json()) == {"error", "message"}


def test_strange_queries_are_answered(site_client):
    for query in [
        "",
        " ",
        "\x00",
        "\u202e moon",
        "<script>alert(1)</script>",
        "𝔪𝔬𝔬𝔫",
        "a" * 10_000,
        "moon " * 1500,
    ]:
        assert site_client.post("/v1/search", json={"query": query, "rankers": ["bm25"]}).status_code == 200
