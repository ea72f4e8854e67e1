from __future__ import annotations

import re
from html import unescape

import pytest

from aboutness.app.index import Index
from aboutness.server.app import make_app
from server.served import RECORDS, client_of

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>\u202e&lt;'


def listed(html: str) -> list[str]:
    """Return the titles in the list of the nearest."""
    part = html[html.index('id="map-near"') :]
    return [unescape(one) for one in re.findall(r'<li><a class="text" dir="auto" href="[^"]*">([^<]*)</a>', part)]


def test_the_page_says_what_can_be_chosen(site_client):
    html = site_client.get("/map").text
    assert re.findall(r'<option value="([^"]*)" data-is-ranker="1"', html) == [
        "wcs",
        "iwcs",
        "desm-in-in",
        "desm-in-out",
    ]
    assert re.findall(r'value="(\d+)"( selected)?>', html) == [
        ("1000", ""),
        ("3000", " selected"),
        ("10000", ""),
        ("20000", ""),
    ]
    assert "Type a query" in html
    assert listed(html) == []


def test_the_nearest_are_listed_without_a_script(site_client, index):
    for method in ("pca", "tsne"):
        html = site_client.get("/map", params={"q": "moon", "ranker": "iwcs", "method": method}).text
        assert listed(html) == [hit.title for hit in index.search("moon", 20, "iwcs", match="all")]
        assert 'href="/explain?q=moon&amp;id=' in html
        assert "&amp;r=iwcs" in html


def test_choices_stay_in_the_form(site_client):
    asked = {"q": "moon", "ranker": "wcs[fields=title]", "method": "tsne", "most": 77, "colour": "topic"}
    html = site_client.get("/map", params=asked).text
    assert '<option value="wcs[fields=title]" data-is-ranker="1" selected>' in html
    assert '<option value="77" selected>' in html
    assert '<option value="topic" selected>' in html
    assert re.search(r'value="tsne" checked', html)


def test_an_index_without_vectors_says_the_command(tmp_path):
    bare, other = (Index.build(RECORDS, tmp_path / f"{name}.index") for name in ("bare", "other"))
    with client_of(make_app({"other": other, "bare": bare})) as client:
        answer = client.get("/map", params={"index": "bare"})
    assert answer.status_code == 200
    assert '<a href="/indexes?index=bare">Index</a> or by a command' in answer.text
    assert '<a class="brand" href="/search?index=bare">' in answer.text
    assert "aboutness train bare.index word2vec" in answer.text
    assert '<script type="module" src="/static/' in answer.text
    assert "map.js" not in answer.text


@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        ({"ranker": "bm25", "q": "moon"}, 400, "bm25 has no vectors of documents"),
        ({"ranker": HOSTILE, "q": "moon"}, 400, "&lt;script&gt;"),
        ({"index": "other"}, 404, "there is: sky"),
        ({"method": "umap"}, 422, "method"),
    ],
)
def test_problems_are_told_on_the_page(site_client, asked, status, message):
    answer = site_client.get("/map", params=asked)
    assert answer.status_code == status
    assert message in answer.text
    assert 'data-kind="error"' in answer.text
    assert "<script>alert" not in answer.text


def test_hostile_texts_are_texts(changing):
    changing.add([{"id": HOSTILE, "title": HOSTILE, "text": "the moon", HOSTILE: HOSTILE}])
    with client_of(make_app({"x": changing})) as client:
        html = client.get("/map", params={"q": f"moon {HOSTILE}", "colour": HOSTILE}).text
    assert HOSTILE in listed(html)
    assert "<script>alert" not in html
    assert "<img src=x" not in html


def test_the_extra_is_missing(site_client, monkeypatch):
    monkeypatch.setattr("aboutness.app.mapping.find_spec", lambda _: None)
    html = site_client.get("/map").text
    assert re.search(r'value="tsne" disabled>\s*<label for="map-tsne" title="needs: pip install', html)
