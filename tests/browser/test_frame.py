from __future__ import annotations

import pytest

from aboutness.server.pages.rendering import NAVIGATION

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


def test_the_content_is_one_key_away(page):
    page.goto("/search")
    page.locator("body").press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
