from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from aboutness.app.index import Index
from aboutness.cli.main import app as command
from aboutness.server.api.explain import ExplainAnswered
from aboutness.server.app import make_app
from server.served import client_of

QUERY = "songs of the moon comet"
RANKERS = ["bm25", "ql", "iwcs", "wmd"]
COMMAND = ["query", "id", "ranker", "score", "formula", "parts"]  # the keys of `explain --json`


def asked(client, **body):
    return client.post("/v1/explain", json={"query": QUERY, "id": "d3-1"} | body)


@pytest.mark.parametrize("rankers", [RANKERS, ["bm25 + 3*iwcs", "rrf(bm25, ql)", "minmax(ql)", "default"]])
def test_the_command_and_python_say_the_same(site_client, index, rankers):
    found = asked(site_client, rankers=rankers).json()["explanations"]
    printed = CliRunner().invoke(
        command, ["explain", str(index.path), QUERY, "d3-1", "--json", *(f"-r{one}" for one in rankers)]
    )
    assert [{key: one[key] for key in COMMAND} for one in found] == json.loads(printed.stdout)
    assert [one["score"] for one in found] == [index.explain(QUERY, "d3-1", one).score for one in rankers]


def test_marks_lie_where_the_words_stand(site_client, index):
    found = asked(site_client, rankers=["bm25", "iwcs"]).json()
    assert found["fields"] == index["d3-1"].fields
    assert (found["id"], found["title"]) == ("d3-1", "Songs")
    lexical, vectors = (
        [(found["fields"][one["field"]][one["start"] : one["end"]], one["kind"]) for one in why["marks"]]
        for why in found["explanations"]
    )
    assert lexical == [("Songs", "query"), ("songs", "query"), ("moon", "query")]
    assert set(lexical) < set(vectors)
    assert ("sea", "evidence") in vectors


def test_an_answer_is_of_its_schema_and_by_address_the_same(site_client):
    posted = asked(site_client, rankers=RANKERS, ranks=True)
    got = site_client.get("/v1/explain", params={"query": QUERY, "id": "d3-1", "rankers": RANKERS, "ranks": True})
    assert (posted.status_code, posted.json()) == (200, got.json())
    made = ExplainAnswered.model_validate(posted.json(), strict=True)
    assert made.model_dump(exclude_unset=True) == posted.json()
    assert made.explanations[0].rank == 2  # like d3-0, which came before
    assert [len(one.flows) > 0 for one in made.explanations] == [False, False, False, True]


def test_a_query_that_nobody_knows(site_client):
    why = asked(site_client, query="unheard", rankers=["iwcs"]).json()["explanations"][0]
    assert (why["parts"], why["marks"], why["additive"]) == ([], [], False)
    assert why["rest"] == why["score"]


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"id": "z"}, 404, "there is no document 'z'"),
        ({"index": "sun"}, 404, "there is no index 'sun' here; there is: sky"),
        ({"rankers": ["bm26"]}, 400, "Known: "),
        ({"rankers": ["lsa"]}, 404, "lsa needs"),
        ({"rankers": []}, 422, "rankers: "),
        ({"rankers": ["bm25"] * 5}, 422, "rankers: "),
        ({"id": ""}, 422, "id: "),
        ({"query": None}, 422, "query: "),
        ({"html": True}, 422, "html: "),
    ],
)
def test_refusals(site_client, body, status, told):
    answer = asked(site_client, **body)
    assert answer.status_code == status
    assert told in answer.json()["message"]


def test_hostile_text_comes_back_as_it_is():
    text = "<script>alert(1)</script> \u202emoon\u202c 😀 moon &amp;"
    index = Index.build([{"id": "<b>'\"&", "title": "<svg onload=alert(2)>", "text": text}], analyzer="plain")
    with client_of(make_app({"x": index})) as client:
        answer = client.get("/v1/explain", params={"query": "moon <i>", "id": "<b>'\"&", "rankers": "bm25"})
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    assert found["fields"]["text"] == text
    assert [text[one["start"] : one["end"]] for one in found["explanations"][0]["marks"]] == ["moon", "moon"]
