from __future__ import annotations

import pytest

from aboutness.server.pages.rendering import NAVIGATION
from browser.conftest import run_server

PAGES = [address for address, _ in NAVIGATION]


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("kind", ["page", "phone", "dark"])
def test_every_page_opens_without_barriers_and_fits(request, axe, kind, address):
    shown = request.getfixturevalue(kind)
    shown.goto(address)
    assert shown.locator("h1").count() == 1
    assert shown.locator("nav [aria-current=page]").count() == 1
    axe(shown)
    assert shown.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("address", [*PAGES, "/explain?q=moon&id=d3-1&r=bm25", "/words?q=moon"])
def test_the_content_is_one_key_away(page, address):
    page.goto(address)
    page.wait_for_load_state("networkidle")
    loaded = []
    page.on("load", lambda one: loaded.append(one.url))
    page.locator("body").press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert page.evaluate("document.activeElement.id") == "content"
    assert not loaded  # it is the same page


@pytest.mark.parametrize("wide", [700, 820, 950, 1100])
def test_all_pages_are_in_view_beside_the_choice_of_an_index(open_page, index, wide):
    for url in run_server({"sky": index, "another sky": index}):
        page = open_page(base_url=url, viewport={"width": wide, "height": 700})
        page.goto("/search")
        assert page.evaluate("(nav => nav.scrollWidth <= nav.clientWidth)(document.querySelector('nav'))")
        page.goto("about:blank")


def test_on_a_phone_it_is_seen_that_there_are_more_pages(phone):
    phone.goto("/search")
    edge = "(at => getComputedStyle(document.querySelector('nav')).backgroundImage.split('gradient').length - 1)()"
    assert phone.evaluate("(nav => nav.scrollWidth > nav.clientWidth)(document.querySelector('nav'))")
    assert phone.evaluate(edge) == 4  # a shadow at each side, and what covers it at the end
