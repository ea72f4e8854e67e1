from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from aboutness.app.index import Index
from aboutness.server.app import make_app
from aboutness.server.pages.search import pieces
from server.served import client_of

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;\u202e\u2066</title>"
RANKERS = ["bm25", "bm25 + .5*wcs", "default"]


def columns(client: TestClient, **asked: Any) -> dict[str, Any]:
    answer = client.get("/v1/search/columns", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def told(text: str) -> str:
    """Return a page's text without tags."""
    shown, _, _ = text.partition('<script type="application/json"')
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", shown)))


def test_the_page_shows_hits_without_a_script(site_client: TestClient, index: Index) -> None:
    page = site_client.get("/search", params={"q": "songs of the moon", "r": RANKERS, "k": 3})
    assert page.status_code == 200
    for ranker in RANKERS:
        for hit in index.search("songs of the moon", 3, ranker):
            assert f"id={hit.id}&amp;r=" in page.text
    assert "<mark>moon</mark>" in page.text
    assert page.text.count('<section class="column"') == 3
    assert "default is not trained here, so bm25 answers; run: aboutness train sky.index default" in told(
        page.text
    )


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"k": 2},
        {"match": "and"},
        {"match": "bm25 % 2"},
        {"where": ["year>=1993", "topic=Songs"]},
        {"fields": "3*title+text"},
    ],
)
def test_the_script_is_answered_what_the_interface_answers(site_client: TestClient, asked: dict[str, Any]) -> None:
    found = columns(site_client, q="sun and sea", r=RANKERS[:2], **asked)["columns"]
    same = site_client.post("/v1/search", json={"query": "sun and sea", "rankers": RANKERS[:2], **asked}).json()
    for column, hits in zip(found, same, strict=True):
        assert [
            {name: hit[name] for name in ("rank", "id", "score", "title", "text")} for hit in column["hits"]
        ] == (hits["hits"])


def test_documents_like_one_are_found_and_it_is_not_among_them(site_client: TestClient) -> None:
    (column,) = columns(site_client, like="d0-0", r="bm25")["columns"]
    same = site_client.post("/v1/search", json={"like": "d0-0", "rankers": ["bm25"]}).json()
    assert [hit["id"] for hit in column["hits"]] == [hit["id"] for hit in same[0]["hits"]]
    page = site_client.get("/search", params={"like": "d0-0"}).text
    assert "Documents like d0-0" in told(page)


def test_numbers_that_were_moved_come_back_in_the_rankers_text(site_client: TestClient) -> None:
    answer = columns(site_client, q="sun", r=["bm25 + ql", "bm25"], set=["0:1*:.25", "1:[k1]:2", "0:0/0*:3"][:2])
    assert [column["ranker"] for column in answer["columns"]] == ["bm25 + 0.25*ql", "bm25[k1=2]"]
    same = site_client.post("/v1/search", json={"query": "sun", "rankers": ["bm25 + 0.25*ql"]}).json()
    assert [hit["score"] for hit in answer["columns"][0]["hits"]] == [hit["score"] for hit in same[0]["hits"]]


@pytest.mark.parametrize(
    "wrong", ["", "0", "x:1*:1", "5:1*:1", "-1:1*:1", "0:1*:much", "0:9*:1", "0:1*:-1", "0:1*:nan"]
)
def test_what_cannot_have_been_moved_is_refused(site_client: TestClient, wrong: str) -> None:
    answer = site_client.get("/v1/search/columns", params={"q": "sun", "r": "bm25 + ql", "set": wrong})
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_an_unreadable_ranker_is_told_beside_its_field_and_the_others_answer(site_client: TestClient) -> None:
    page = site_client.get("/search", params={"q": "moon", "r": ["bm25", "bm52"]})
    assert page.status_code == 200
    assert 'aria-describedby="problem-r1" aria-invalid="true"' in page.text
    assert "unknown ranker 'bm52'" in told(page.text)
    assert page.text.count('<li class="hit">') == 10


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"where": "year"}, "a condition is written key=value"),
        ({"match": "some"}, "match must be one of or, and, all"),
        ({"fields": "body"}, "the index has no field 'body'"),
        ({"like": "nobody"}, "there is no document 'nobody' in sky"),
    ],
)
def test_what_is_wrong_with_an_option_is_told_on_the_page(
    site_client: TestClient, asked: dict[str, str], said: str
) -> None:
    page = site_client.get("/search", params={"q": "moon", **asked})
    assert page.status_code == 200
    assert said in told(page.text)
    assert '<li class="hit">' not in page.text


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": "many"}, {"r": ["bm25"] * 5}, {"q": "x" * 10_001}])
def test_what_no_form_sends_is_refused(site_client: TestClient, wrong: dict[str, Any]) -> None:
    assert site_client.get("/search", params=wrong).status_code == 422
    assert site_client.get("/search", params={"index": "nobody"}).status_code == 404


def test_without_a_query_the_page_says_what_is_there(site_client: TestClient) -> None:
    page = site_client.get("/search")
    assert "20 documents with title, text" in told(page.text)
    assert 'href="/search?q=songs&amp;r=default"' in page.text
    assert '<option value="bm25 + 30*desm-in-out">' in page.text
    assert '<option value="topic=Songs">' in page.text


def test_rankers_that_were_emptied_are_removed_and_empty_filters_are_none(site_client: TestClient) -> None:
    page = site_client.get("/search", params={"q": "moon", "r": ["bm25", " ", "ql"], "where": ["", "year=1990"]})
    assert page.text.count('<section class="column"') == 2
    assert page.text.count('<li class="chip"') == 1


def test_a_number_of_hits_that_was_emptied_is_the_usual_one(site_client: TestClient) -> None:
    page = site_client.get("/search", params={"q": "moon", "k": ""}).text
    assert page.count('<li class="hit">') == 10


def test_an_empty_ranker_is_told_to_the_script(site_client: TestClient) -> None:
    assert "a ranker is missing" in columns(site_client, q="moon", r=" ")["columns"][0]["problem"]


def test_an_unknown_word_comes_with_another_spelling(site_client: TestClient) -> None:
    assert columns(site_client, q="harbor moon")["hints"] == {
        "unknown": ["harbor"],
        "respelt": "harbour moon",
        "where": None,
    }
    page = told(site_client.get("/search", params={"q": "harbor"}).text)
    assert "No document has harbor. Did you mean harbour?" in page


def test_where_nothing_is_found_something_else_is_offered(site_client: TestClient) -> None:
    page = site_client.get("/search", params={"q": "moon", "match": "and", "where": "year=1800"}).text
    assert "No hits." in page
    assert "Find documents with any of the words" in page
    assert "Search without filters" in page


def test_a_filter_that_nothing_meets_is_told(site_client: TestClient) -> None:
    for where in ("yeer=1800", "year=1800"):
        hint = columns(site_client, q="moon", where=where)["hints"]["where"]
        assert hint.startswith("No document has ")
        assert hint.endswith(".")
        assert hint in told(site_client.get("/search", params={"q": "moon", "where": where}).text)
    assert columns(site_client, q="moon", where="year>1800")["hints"]["where"] is None
    assert columns(site_client, q="moon", where="year")["hints"]["where"] is None


def test_hostile_text_stays_text() -> None:
    index = Index.build([{"id": HOSTILE, "title": HOSTILE, "text": f"moon {HOSTILE}", "topic": HOSTILE}])
    with client_of(make_app({"sky": index})) as client:
        for asked in (
            {"q": HOSTILE},
            {"q": "moon", "r": HOSTILE},
            {"q": "moon", "where": f"topic={HOSTILE}"},
            {"like": HOSTILE},
        ):
            page = client.get("/search", params=asked).text
            assert "<script>alert" not in page
            assert "<img src=x" not in page
            assert page.count("</title>") == 1
            assert page.count("<script") == 3


def test_texts_are_cut_where_they_are_marked() -> None:
    assert pieces("😀ab", [(0, 1), (2, 3)]) == [("😀", True), ("a", False), ("b", True)]
    assert pieces("", []) == []


def test_an_empty_index_says_so_and_how_to_fill_it(tmp_path: Path) -> None:
    empty = Index.build([], tmp_path / "none.index")
    with client_of(make_app({"none": empty})) as client:
        text = told(client.get("/search?q=moon").text)
        assert client.get("/v1/search/columns?q=moon").json()["documents"] == 0
    assert "No hits: the index is empty. Add documents with aboutness add none.index FILE" in text


def test_one_document_is_not_told_as_several(tmp_path: Path) -> None:
    with client_of(
        make_app({"one": Index.build([{"id": "a", "text": "moon"}], tmp_path / "one.index")})
    ) as client:
        assert 'placeholder="Search 1 document"' in client.get("/search").text
