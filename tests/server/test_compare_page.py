from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import pytest

from aboutness.app.index import Index
from aboutness.server.app import make_app
from aboutness.server.settings import Settings
from report.made_results import HOSTILE_NAMES
from server.compared_results import HOSTILE_QUERY, write_results
from server.served import client_of


@pytest.fixture(scope="module")
def client(tmp_path_factory, index):
    folder = write_results(tmp_path_factory.mktemp("results"))
    with client_of(make_app({"sky": index}, Settings(results=folder))) as made:
        yield made


class Parts(HTMLParser):
    """What a page is made of: the names of its elements and of their attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}


def shown(client, status=200, **asked):
    answer = client.get("/compare", params=asked)
    assert answer.status_code == status
    return answer.text


def test_without_results_it_says_how_to_make_some(site_client):
    html = shown(site_client)
    assert 'data-kind="empty"' in html
    assert "aboutness experiment cranfield -r bm25 -r ql -o results/first" in html
    assert "aboutness serve my.index --results results" in html


def test_all_is_there_without_scripts(client):
    html = shown(client, name="first", measure="AP", query="q2", a="wcs", b="bm25")
    found = client.get("/v1/experiments/one", params={"name": "first", "measure": "AP"}).json()
    for row in found["table"]:
        assert f"{row['means']['AP']['mean']:.4f}" in html
    assert html.count('class="curve"') == 2 * 3  # in the picture, and in the legend
    assert html.count('class="box look-') == 3
    assert len(re.findall(r'<td class="(better|worse|unsure)"', html)) == 6
    assert html.count('class="bar ') == 12
    two = client.get(
        "/v1/experiments/query", params={"name": "first", "query": "q2", "a": "wcs", "b": "bm25"}
    ).json()
    ids = re.findall(r'<span class="text document" dir="auto">(.*?)</span>', html)
    assert ids == [one["document"] for side in "ab" for one in two[side]["documents"]]
    both = {one["document"] for one in two["a"]["documents"]} & {one["document"] for one in two["b"]["documents"]}
    assert len(re.findall(r'<path class="(?:relevant|irrelevant|unjudged)" data-pair', html)) == len(both)
    assert "what is question 2 about?" in html


def test_the_best_is_marked(client):
    html = shown(client, name="first")
    found = client.get("/v1/experiments/one", params={"name": "first"}).json()
    best = [f"{mean['mean']:.4f}" for row in found["table"] for mean in row["means"].values() if mean["best"]]
    assert re.findall(r"best </span></span><strong>([\d.]+)</strong>", html) == best


def test_the_two_rankers_are_the_best_and_the_reference_unless_said(client):
    html = shown(client, name="first")
    assert re.findall(r'<option value="(\w+)" selected>[abc]: ', html) == ["wcs", "bm25"]
    assert re.findall(r'<option value="(\w+)" selected>[abc]: ', shown(client, name="first", a="ql", b="wcs")) == [
        "ql",
        "wcs",
    ]
    assert re.findall(r'<option value="(\w+)" selected>[abc]: ', shown(client, name="first", a="bm25")) == [
        "bm25",
        "wcs",
    ]


def test_parts_can_be_chosen(client):
    html = shown(client, name="first", on="chance, titles")
    assert '<option value="chance, titles" selected>' in html
    assert "name=first&amp;on=chance%2C+titles" in html
    assert "choose-on" not in shown(client, name="single")


def test_one_ranker_has_no_matrix_and_no_pairs(client):
    html = shown(client, name="single")
    assert "matrix" not in html
    assert 'id="bars"' not in html
    assert html.count('class="box look-') == 1


def test_problems_are_told_on_the_page(client):
    html = shown(client, 404, name="nothing")
    assert 'role="alert"' in html
    assert "there are no results &#39;nothing&#39;" in html
    assert "choose-name" in html
    assert "this is no JSON" in shown(client, 422, name="broken")
    assert "measure must be one of" in shown(client, 404, name="first", measure="x")
    assert "has no judged query &#39;q99&#39;" in shown(client, name="first", query="q99")
    assert client.get("/compare", params={"name": "x" * 3000}).status_code == 422


def test_odd_names_are_only_text(client):
    html = shown(client, name="odd", query=HOSTILE_QUERY, a=HOSTILE_NAMES[0], b=HOSTILE_NAMES[1])
    assert "<script>alert" not in html
    assert not re.search(r"<(img|svg)[ /][^>]*on\w+=", html)
    assert HOSTILE_QUERY in unescape(html)
    usual = Parts(shown(client, name="first", query="q2", a="wcs", b="bm25", measure="AP"))
    odd = Parts(html)
    assert odd.tags <= usual.tags
    assert odd.attributes <= usual.attributes | {"open", "checked"}
    assert not [name for name in odd.attributes if name == "style" or name.startswith("on")]


def test_the_index_stays_chosen(index, tmp_path):
    write_results(tmp_path)
    with client_of(make_app({"one": index, "two": index}, Settings(results=tmp_path))) as client:
        html = shown(client, name="first", index="two")
    assert "/compare?index=two&amp;name=first" in html


def test_documents_have_titles_and_links_where_an_index_holds_them(index, tmp_path):
    write_results(tmp_path)
    records = [{"id": f"d{number}", "title": f"Title <{number}>", "text": "words"} for number in range(50)]
    holding = Index.build(records, tmp_path / "holding.index")
    with client_of(make_app({"sky": index, "holding": holding}, Settings(results=tmp_path))) as client:
        html = shown(client, name="first", query="q2", a="wcs", b="bm25")
        first = client.get("/v1/experiments/query", params={"name": "first", "query": "q2", "a": "wcs"}).json()[
            "a"
        ]
    document = first["documents"][0]["document"]
    found = re.search(r'<a class="text document" dir="auto" href="([^"]+)"[^>]*>(.*?)</a>', html)
    assert f"Title &lt;{document[1:]}&gt;" in found[2]
    asked = parse_qs(urlsplit(unescape(found[1])).query)
    assert asked == {"index": ["holding"], "q": ["what is question 2 about?"], "id": [document], "r": ["bm25[k1=1.02]", "bm25[k1=1]"]}  # fmt: skip


def test_an_index_that_is_not_there(client):
    assert "there is no index &#39;x&#39; here" in shown(client, 404, name="first", index="x")
