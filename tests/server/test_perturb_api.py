from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from aboutness.app.index import Index
from aboutness.app.perturbing import COUNT, RANKERS, Perturbation, every_ranker
from aboutness.cli.main import app
from aboutness.server.api.perturb import LONGEST, MOST_PASSAGES, MOST_RANKERS, told
from aboutness.server.app import make_app
from server.served import RECORDS, client_of

ADDRESS = "/v1/perturb"
PASSAGES = {"night": "The moon over the harbour, a new moon.", "day": "The sun and the sea."}
ASKED: dict[str, Any] = {"query": "moon", "passages": PASSAGES}


@pytest.mark.parametrize("rankers", [None, ["bm25", "desm-in-out", "bm25 % 10 >> ql"]])
def test_the_answer_is_that_of_the_command(
    site_client: TestClient, index: Index, tmp_path: Path, rankers: list[str] | None
) -> None:
    file = tmp_path / "passages.jsonl"
    file.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in PASSAGES.items()))
    arguments = ["perturb", str(index.path), "moon", str(file), "--replace", "moon=sun", "--json"]
    arguments += [argument for ranker in rankers or () for argument in ("-r", ranker)]
    ran = CliRunner().invoke(app, arguments, catch_exceptions=False)
    answer = site_client.post(ADDRESS, json={**ASKED, "replace": [["moon", "sun"]], "rankers": rankers})
    assert answer.status_code == 200
    assert answer.json() == json.loads(ran.stdout)
    assert [row["name"] for row in answer.json()["rows"]] == ["night", "night, with moon → sun", "day"]


def test_what_the_index_has_nothing_for_is_left_out_with_the_reason(tmp_path: Path) -> None:
    bare = Index.build(RECORDS, tmp_path / "bare.index")
    with client_of(make_app({"bare": bare})) as client:
        usual = client.post(ADDRESS, json=ASKED).json()
        named = client.post(ADDRESS, json={**ASKED, "rankers": ["lsa", "bm25"]}).json()
    assert usual["columns"] == [COUNT, *(name for name in RANKERS if not name.startswith("desm"))]
    assert list(usual["left_out"]) == ["desm-in-in", "desm-in-out"]
    assert (named["columns"], list(named["left_out"])) == ([COUNT, "bm25"], ["lsa"])
    assert "aboutness train bare.index lsa" in named["left_out"]["lsa"]
    assert str(tmp_path) not in json.dumps([usual, named])


def test_every_ranker_can_be_asked_for_at_once() -> None:
    assert len(every_ranker()) <= MOST_RANKERS


@pytest.mark.parametrize(
    ("more", "status", "says"),
    [
        ({"rankers": ["nope"]}, 400, "nope"),
        ({"rankers": ["bm25[k1=-1]"]}, 400, "k1"),
        ({"replace": [["comet", "sun"]]}, 400, "no passage has the word 'comet'"),
        ({"replace": [["", "sun"]]}, 400, "missing"),
        ({"index": "nope"}, 404, "there is: sky"),
        ({"passages": {"p": " "}}, 422, "the passage 'p' is empty"),
        ({"passages": {}}, 422, "passages"),
        ({"passages": {str(n): "moon" for n in range(MOST_PASSAGES + 1)}}, 422, "passages"),
        ({"passages": {"p": "m" * (LONGEST + 1)}}, 422, "passages.p"),
        ({"passages": {"p": {"text": "moon"}}}, 422, "passages.p"),
        ({"replace": [["moon"]]}, 422, "replace"),
        ({"replace": [["moon", "sun"]] * 11}, 422, "replace"),
        ({"rankers": []}, 422, "rankers"),
        ({"query": None}, 422, "query"),
        ({"query": "x" * 2001}, 422, "query"),
        ({"more": 1}, 422, "more"),
    ],
)
def test_what_is_refused(site_client: TestClient, more: dict[str, Any], status: int, says: str) -> None:
    answer = site_client.post(ADDRESS, json={**ASKED, **more})
    assert answer.status_code == status
    assert says in answer.json()["message"]


@pytest.mark.parametrize(
    "text", ["\\ud800", "a\\u0000b", "\\u202e moon", "<script>alert(1)</script> moon", "日本"]
)
def test_odd_texts_are_scored_or_refused(site_client: TestClient, text: str) -> None:
    body = f'{{"query": "{text}", "passages": {{"{text}": "{text} moon"}}}}'
    answer = site_client.post(ADDRESS, content=body.encode(), headers={"Content-Type": "application/json"})
    assert answer.status_code == (422 if "ud800" in text else 200)


def test_as_much_as_is_allowed_is_scored(site_client: TestClient) -> None:
    passages = {f"p{n}": ("moon " * LONGEST)[:LONGEST] for n in range(MOST_PASSAGES)}
    answer = site_client.post(ADDRESS, json={"query": "moon", "passages": passages, "rankers": ["bm25"]})
    assert len(answer.json()["rows"]) == MOST_PASSAGES


def test_a_score_that_is_no_number_is_null(site_client: TestClient) -> None:
    found = Perturbation("q", ("a",), ())
    row = {"name": "p", "scores": {"a": math.nan, "b": -math.inf, "c": 1.5, "d": None}}
    object.__setattr__(found, "to_json", lambda: {"rows": [row], "left_out": {}})
    answer = told(found, site_client.app.state.site)  # type: ignore[attr-defined]
    assert answer["rows"][0]["scores"] == {"a": None, "b": None, "c": 1.5, "d": None}
