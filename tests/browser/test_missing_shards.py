"""The search page over shards: what could not be searched stands above the hits, until it can be again."""

from __future__ import annotations

import pytest

from aboutness.app.over_shards import opened_to_serve
from aboutness.scale import replicas
from browser.conftest import PHONE, run_server
from scale.losing import Losing, sky_in_parts, until

TOLD = "5 of 20 documents could not be searched: shard 3 does not answer"


@pytest.fixture(scope="module")
def over(tmp_path_factory):
    """A server over four shards: its engine, its index and its address."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(replicas, "PAUSE_S", 0.05)
        engine = Losing()
        index = sky_in_parts(tmp_path_factory.mktemp("browsed") / "sky.index")
        indexes = opened_to_serve({"sky": index}, engine)
        for url in run_server(indexes):
            yield engine, indexes["sky"], url


@pytest.fixture
def down(over):
    """The same while shard 3 does not answer."""
    engine, index, _ = over
    index.search("moon", 3, "bm25")
    engine.lost.add(2)
    index.look()
    yield over
    engine.restart(2)
    until(lambda: not index.down)


OPTIONS = {"desk": {}, "phone": {"viewport": PHONE}, "dark": {"color_scheme": "dark"}}


@pytest.mark.parametrize("kind", OPTIONS)
def test_it_can_be_seen_and_is_no_barrier(open_page, down, axe, kind):
    page = open_page(base_url=down[2], **OPTIONS[kind])
    page.goto("/search?q=songs+of+the+moon&r=bm25&r=iwcs")
    notice = page.locator("#incomplete")
    assert notice.is_visible()
    assert notice.inner_text() == TOLD
    assert notice.bounding_box()["y"] < page.locator(".hit").first.bounding_box()["y"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe(page)
    page.goto("/indexes")
    assert page.get_by_role("alert").filter(has_text=TOLD).is_visible()
    axe(page)


def test_it_goes_when_the_shard_is_back_and_comes_when_it_is_lost(open_page, over):
    engine, index, url = over
    page = open_page(base_url=url)
    page.goto("/search?q=moon&r=bm25")
    assert page.locator("#incomplete").is_hidden()
    engine.lost.add(2)
    page.fill("#q", "the sea")
    page.wait_for_selector(f"#incomplete:visible >> text={TOLD}")
    engine.restart(2)
    until(lambda: not index.down)
    page.fill("#q", "songs")
    page.wait_for_selector("#incomplete", state="hidden")
