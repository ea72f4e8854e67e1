"""The docs site in a browser: readable on a desk and on a phone, without barriers, and searched without a server."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from browser.conftest import PHONE
from browser.watched import watched

FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
PAGES = (
    "index.html",
    "models/default.html",
    "measures/ndcg.html",
    "reference/python/indexes.html",
    "reference/http/search.html",
    "papers.html",
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    "look", [{}, {"color_scheme": "dark"}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}]
)
def test_pages_fit_and_have_no_barriers(open_page, address, axe, name, look):
    page = open_page(base_url=address, **look)
    page.goto(f"/{name}")
    assert page.evaluate(FITS)
    axe(page)


def test_the_menu_of_a_phone(open_page, address):
    page = open_page(base_url=address, viewport=PHONE, has_touch=True, is_mobile=True)
    page.goto("/models/bm25.html")
    pages = page.get_by_role("navigation", name="Pages")
    assert not pages.is_visible()
    page.get_by_role("button", name="Menu").click()
    assert pages.is_visible()
    pages.get_by_role("link", name="bm25-cosine").click()
    page.wait_for_url("**/models/bm25-cosine.html")


def test_search_works_from_a_folder(browser, site):
    context = browser.new_context()
    watch = watched(context, "")
    page = watch.page
    page.goto((site / "measures" / "ap.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("word mover dist")
    page.locator("#found a").first.wait_for()
    found = page.locator("#found a").all_inner_texts()
    assert any(one.startswith("wmd") for one in found)
    assert page.locator("#found mark").count()
    page.locator("#query").fill("bm25 cosine")
    page.get_by_role("link", name="bm25-cosine").first.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/bm25-cosine.html*")
    page.locator("#query").fill("qqqqq")
    page.get_by_text("Nothing is found.").wait_for()
    page.keyboard.press("Escape")
    assert not page.locator("#found").is_visible()
    context.close()
    assert watch.complaints() == []
