"""The page for judging, as the server makes it."""

from __future__ import annotations

import pytest


def test_the_address_fills_in_the_form(site_client):
    html = site_client.get("/judge", params={"q": "sun", "r": ["bm25", "ql[mu=5]"], "depth": "7"}).text
    assert 'name="q" value="sun"' in html
    assert 'name="r" value="bm25"' in html
    assert 'name="r" value="ql[mu=5]"' in html
    assert 'max="100" value="7"' in html
    assert html.count('name="r"') == 4


@pytest.mark.parametrize(("depth", "shown"), [("x", 10), ("0", 1), ("999", 100), ("٣", 10), ("9" * 5000, 10)])
def test_a_depth_that_is_none_is_mended(site_client, depth, shown):
    assert f'max="100" value="{shown}"' in site_client.get("/judge", params={"depth": depth}).text


def test_hostile_values_are_only_text(site_client):
    bad = '"><script>alert(1)</script>'
    html = site_client.get("/judge", params={"q": bad, "r": bad}).text
    assert "<script>alert" not in html


def test_an_unknown_index_is_told(site_client):
    answer = site_client.get("/judge", params={"index": "nobody"})
    assert answer.status_code == 404
    assert "nobody" in answer.text
