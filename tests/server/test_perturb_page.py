from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from aboutness.app.index import Index
from aboutness.app.perturbing import perturb
from aboutness.server.api.perturb import LONGEST
from aboutness.server.app import make_app
from aboutness.server.pages.perturb import PassageSet, passage_sets, rows_of
from server.served import client_of

SETS = list(passage_sets().values())


def shown(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.text


def times(word: str, text: str) -> int:
    return len(re.findall(rf"\b{word}\b", text, re.IGNORECASE))


@pytest.mark.parametrize("one", SETS, ids=lambda one: one.name)
def test_the_five_passages_have_the_design_of_the_table(one: PassageSet) -> None:
    about, near, unrelated, stuffed, nameless = one.passages.values()
    assert times(one.query, about) >= 4
    assert times(one.query, stuffed) >= 3
    assert [times(one.query, text) for text in (near, unrelated, nameless)] == [0, 0, 0]
    assert [len(text.split()) for text in (stuffed, nameless)] == [
        len(text.split()) for text in (unrelated, about)
    ]
    assert all(60 <= len(text.split()) <= 120 and len(text) < LONGEST for text in one.passages.values())


def test_terms_are_fooled_by_stuffing_where_vectors_are_not() -> None:
    """On a text about modules: what the page is there to show."""
    python = passage_sets()["python"]
    about, near, unrelated, stuffed, nameless = python.passages
    texts = [*python.passages.values()][:3]
    index = Index.build([{"id": f"{n}", "text": text} for n, text in enumerate(texts * 3)])
    index.train("word2vec", dim=16, min_count=1, epochs=20, sample=0, threads=1)
    found = perturb(index, python.query, python.passages)
    assert found[stuffed].ranks["bm25"] in (1, 2)
    assert found[near].scores["bm25"] == found[nameless].scores["bm25"] == 0
    assert found[about].ranks["desm-in-in"] == 1
    assert found[nameless].scores["desm-in-in"] > found[unrelated].scores["desm-in-in"]  # type: ignore[operator]


def test_scores_are_there_without_a_script(site_client: TestClient, index: Index) -> None:
    html = shown(site_client, "/perturb?q=moon&set=city")
    found = perturb(index, "moon", passage_sets()["city"].passages)
    for row in rows_of(found):
        assert f">{'words counted' if row.column == 'count' else row.column}</th>" in html
    for name in passage_sets()["city"].passages:
        assert name in html
    score = found.rows[0].scores["ql"]
    assert f'<span class="value">{score:.3f}</span>' in html


def test_rows_have_bars_and_an_order(index: Index) -> None:
    passages = {"a": "the moon", "b": "the moon, the moon", "c": "the sun"}
    rows = {row.column: row for row in rows_of(perturb(index, "moon", passages))}
    assert rows["count"].order == "2 > 1 > 3"
    assert rows["count"].cells == [(1, 2, 50.0), (2, 1, 100.0), (0, 3, 0.0)]
    below = rows["ql"].cells
    assert all(score is not None and score < 0 for score, _, _ in below)
    assert (max(bar for _, _, bar in below), min(bar for _, _, bar in below)) == (100.0, 0.0)
    unknown = rows_of(perturb(index, "comet", passages))[1]
    assert (unknown.order, unknown.cells[0]) == ("", (None, None, 0.0))


def test_the_set_is_one_that_the_documents_know(tmp_path: Path) -> None:
    modules = Index.build([{"id": "a", "text": "json"}], tmp_path / "a.index")
    cities = Index.build([{"id": "a", "text": "London"}], tmp_path / "b.index")
    with client_of(make_app({"modules": modules, "cities": cities})) as client:
        assert 'value="json"' in shown(client, "/perturb?index=modules")
        assert 'value="london"' in shown(client, "/perturb?index=cities")
        assert 'value="london"' in shown(client, "/perturb?index=modules&set=city")


def test_a_query_that_nothing_knows_has_a_hint(site_client: TestClient) -> None:
    assert re.search(r'id="perturb-hint">No document here', shown(site_client, "/perturb?q=comet"))
    assert re.search(r'id="perturb-hint" hidden>', shown(site_client, "/perturb?q=moon"))
    assert "knows no word of the query" in shown(site_client, "/perturb?q=comet")


def test_an_empty_index_is_told(tmp_path: Path) -> None:
    index = Index.build([], tmp_path / "none.index")
    with client_of(make_app({"none": index})) as client:
        html = shown(client, "/perturb")
    assert 'data-kind="empty">none.index has no text fields yet; add documents first<' in html
    assert 'data-kind="error"' not in html


def test_what_the_script_is_told(site_client: TestClient) -> None:
    html = shown(site_client, "/perturb")
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])  # type: ignore[index]
    assert [one["name"] for one in data["sets"]] == [one.name for one in SETS]
    assert "bm25" in data["rankers"][0]
    assert "lsa" in data["rankers"][1]
    assert not set(data["rankers"][0]) & set(data["rankers"][1])


def test_hostile_text_is_escaped(site_client: TestClient) -> None:
    hostile = '"><script>alert(1)</script>&lt;\u202e</textarea>'
    html = site_client.get("/perturb", params={"q": hostile, "set": hostile}).text
    assert "<script>alert" not in html
    assert site_client.get("/perturb", params={"q": "x" * 2001}).status_code == 422
