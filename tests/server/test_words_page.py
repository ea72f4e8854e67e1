from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from aboutness.app.index import Index
from aboutness.server.app import make_app
from aboutness.server.pages.words import Shown
from server.served import RECORDS, client_of

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>&lt;\u202e'


def shown(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.text


def links(html: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'href="(/words\?[^"]*)"', html)]


def test_three_columns_with_bars_without_a_script(site_client: TestClient, index: Index) -> None:
    html = shown(site_client, "/words?q=moon")
    near = index.neighbours("moon")
    for title in ("IN-IN", "OUT-OUT", "IN-OUT"):
        assert f"<h2>{title}</h2>" in html
    assert html.count('<svg class="bar"') == sum(map(len, near.values()))
    for one in near["in-out"]:
        assert f'<span class="score">{one.score:.3f}</span>' in html
    assert "in 10 of 20 documents, 15 times" in html
    assert f"/words?index=sky&vectors=word2vec&q={near['in-in'][1].word}" in links(html)


def test_two_words_without_a_sign_have_a_frequency_each(site_client: TestClient, index: Index) -> None:
    html = shown(site_client, "/words?q=moons+seas")
    view = index.view()
    for term, (_, df) in zip(("moon", "sea"), view.look_up(["moon", "sea"]), strict=True):
        assert f"in {df} of 20 documents as “{term}”" in html


def test_every_link_of_the_page_finds_its_word(site_client: TestClient) -> None:
    for address in links(shown(site_client, "/words?q=cities"))[:12]:
        assert "has no vector" not in shown(site_client, address)


def test_a_sum_and_how_many(site_client: TestClient) -> None:
    html = shown(site_client, "/words?q=sun+-+sea&k=2")
    assert html.count('<svg class="bar"') == 6
    assert 'value="sun - sea"' in html


def test_to_begin_with_there_are_words_to_choose(site_client: TestClient) -> None:
    html = shown(site_client, "/words")
    assert "Some frequent words" in html
    assert "<svg" not in html


def test_an_unknown_word_has_a_hint(site_client: TestClient) -> None:
    html = shown(site_client, "/words?q=sun+-+harbuor")
    assert "has no vector: it stands in no document of this index." in html
    assert "/words?index=sky&vectors=word2vec&q=sun+-+harbour" in links(html)
    assert "is left out by the analyzer" in shown(site_client, "/words?q=the")


def test_a_word_that_is_too_rare_is_told(tmp_path: Path) -> None:
    index = Index.build([*RECORDS, {"id": "x", "text": "a comet"}], tmp_path / "x.index")
    index.train("word2vec", dim=8, min_count=2, threads=1)
    with client_of(make_app({"x": index})) as client:
        assert "too seldom to have been given a vector" in shown(client, "/words?q=comet")


def test_without_vectors_the_page_says_how_to_train_some(tmp_path: Path) -> None:
    bare = Index.build(RECORDS, tmp_path / "bare.index")
    with client_of(make_app({"bare": bare})) as client:
        html = shown(client, "/words?q=moon")
    assert "aboutness train bare.index word2vec" in html
    assert '<a href="/indexes">Index</a> or by a command' in html
    assert str(tmp_path) not in html


@pytest.mark.parametrize("address", ["/words", "/map"])
def test_without_documents_the_page_says_to_add_some_first(tmp_path: Path, address: str) -> None:
    with client_of(make_app({"none": Index.build([], tmp_path / "none.index")})) as client:
        html = shown(client, address)
    assert "aboutness add none.index FILE" in html
    assert "aboutness train" not in html


@pytest.mark.parametrize(("score", "says"), [(-0.0001, "0.000"), (-0.0009, "-0.001"), (0.98765, "0.988")])
def test_what_is_next_to_nothing_below_0_is_0(score: float, says: str) -> None:
    assert Shown.cosine(score) == says


def test_vectors_with_one_space_leave_columns_empty(changing: Index) -> None:
    changing.train("lsa", dim=3)
    with client_of(make_app({"sky": changing})) as client:
        html = shown(client, "/words?q=moon&vectors=lsa")
    assert "These vectors have no OUT space." in html
    assert "This needs both spaces" in html


@pytest.mark.parametrize(
    ("address", "says"),
    [("/words?q=moon+-", "a word is missing"), ("/words?q=moon&vectors=nope", "It has: word2vec, lsa")],
)
def test_a_mistake_is_told_on_the_page(changing: Index, address: str, says: str) -> None:
    changing.train("lsa", dim=3)
    with client_of(make_app({"sky": changing})) as client:
        answer = client.get(address)
    assert answer.status_code == (404 if "nope" in address else 200)
    assert 'data-kind="error"' in answer.text
    assert says in answer.text


def test_an_emptied_number_is_the_usual_one(site_client: TestClient) -> None:
    assert shown(site_client, "/words?q=moon&k=") == shown(site_client, "/words?q=moon&k=10")


@pytest.mark.parametrize("name", ["q", "vectors"])
def test_hostile_text_is_escaped(site_client: TestClient, name: str) -> None:
    html = site_client.get("/words", params={"q": "moon", name: HOSTILE}).text
    assert "<script>alert" not in html
    assert "<img src=x" not in html
