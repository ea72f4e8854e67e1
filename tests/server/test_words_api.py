from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from aboutness.app.index import Index
from aboutness.cli.main import app
from aboutness.server.app import make_app
from server.served import RECORDS, client_of

ADDRESS = "/v1/neighbours"


def by_command(index: Index, *arguments: str) -> Any:
    ran = CliRunner().invoke(app, ["neighbours", str(index.path), *arguments, "--json"], catch_exceptions=False)
    return json.loads(ran.stdout)


@pytest.mark.parametrize("word", ["moon", "CITIES", "sun - sea", "new songs + harbour"])
def test_the_answer_is_that_of_the_command(site_client: TestClient, index: Index, word: str) -> None:
    answer = site_client.get(ADDRESS, params={"word": word, "k": 4}).json()
    (told,) = by_command(index, word, "-k", "4")
    assert {key: answer[key] for key in told} == told
    assert (answer["known"], answer["message"], answer["vectors"]) == (True, None, "word2vec")


def test_how_frequent_words_are(site_client: TestClient) -> None:
    answer = site_client.get(ADDRESS, params={"word": "cities", "index": "sky", "vectors": "word2vec"}).json()
    assert answer["asked"] == [
        {
            "word": "cities",
            "weight": 1.0,
            "terms": ["citi"],
            "known": True,
            "frequencies": [{"layer": "main", "term": "citi", "df": 10, "cf": 15}],
            "suggestions": [],
        }
    ]
    assert answer["frequencies"]["citi"] == {"df": 10, "cf": 15}
    assert answer["documents"] == 20


def test_an_unknown_word_has_suggestions(site_client: TestClient) -> None:
    answer = site_client.get(ADDRESS, params={"word": "harbuor"})
    assert answer.status_code == 200
    told = answer.json()
    assert (told["known"], told["neighbours"], told["asked"][0]["suggestions"]) == (False, {}, ["harbour"])
    assert told["message"].startswith("there is no word 'harbuor' among these")


@pytest.mark.parametrize(
    ("asked", "status", "says"),
    [
        ({"word": "moon -"}, 400, "a word is missing beside a + or -"),
        ({"word": " "}, 400, "at least one word"),
        ({"word": "moon", "index": "nope"}, 404, "there is: sky"),
        ({"word": "moon", "vectors": "nope"}, 404, "It has: word2vec"),
        ({"word": ""}, 422, "word"),
        ({}, 422, "word"),
        ({"word": "x" * 1001}, 422, "word"),
        ({"word": "moon", "k": 0}, 422, "k"),
        ({"word": "moon", "k": 101}, 422, "k"),
        ({"word": "moon", "more": "x"}, 422, "more"),
    ],
)
def test_what_is_refused(site_client: TestClient, asked: dict[str, Any], status: int, says: str) -> None:
    answer = site_client.get(ADDRESS, params=asked)
    assert answer.status_code == status
    assert says in answer.json()["message"]


def test_an_index_without_vectors_says_how_to_get_some(tmp_path: Path) -> None:
    bare = Index.build(RECORDS, tmp_path / "bare.index")
    with client_of(make_app({"bare": bare})) as client:
        answer = client.get(ADDRESS, params={"word": "moon"})
    assert answer.status_code == 404
    assert "aboutness train bare.index word2vec" in answer.json()["message"]
    assert str(tmp_path) not in answer.text


def test_of_several_vectors_one_is_to_be_named(changing: Index) -> None:
    changing.keep_vectors(changing.vectors().processed("unit"), "other")
    with client_of(make_app({"sky": changing})) as client:
        refused = client.get(ADDRESS, params={"word": "moon"})
        named = client.get(ADDRESS, params={"word": "moon", "vectors": "other"})
    assert (refused.status_code, named.status_code) == (400, 200)
    assert "word2vec, other" in refused.json()["message"] or "other, word2vec" in refused.json()["message"]
    assert named.json()["vectors"] == "other"
