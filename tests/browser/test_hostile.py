"""Text that wants to be more than text: in titles, bodies, ids, labels and queries."""

from __future__ import annotations

from urllib.parse import quote, quote_plus

import pytest

from aboutness.app.index import Index
from app.sky import SMALL
from browser.conftest import run_server

HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "' onmouseover='window.hacked = 1' autofocus onfocus='window.hacked = 1",
    "<svg onload=window.hacked=1><animate onbegin=window.hacked=1 attributeName=x></svg>",
    "&lt;script&gt;window.hacked = 1&lt;/script&gt; &#60;b&#62;",
    "javascript:window.hacked=1//",
    "\u202egnp.moon\u202c \u2066isolated\u2069 \u200f\u061c",
    "{{7*7}} {% raw %} ${7*7} <%= 7*7 %>",
    "<style>*{display:none}</style><base href=//elsewhere.example><meta http-equiv=refresh content=0>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
    "]]> <!-- <textarea> <title> <plaintext>",
    "\ufeff \ufffe \ue000 𝔪𝔬𝔬𝔫 é e\u0301",
    "__proto__ constructor toString",
]


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory):
    records = [
        {"id": f"{text}", "title": f"{text} moon", "text": f"the moon {text} over the sea {number}", "label": text}
        for number, text in enumerate(HOSTILE)
    ]
    index = Index.build(records, tmp_path_factory.mktemp("hostile") / "hostile.index")
    index.train("word2vec", **SMALL)
    yield from run_server({"sky": index})


@pytest.fixture
def hostile_page(open_page, hostile_site):
    page = open_page(base_url=hostile_site)
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    yield page
    assert page.evaluate("window.hacked") is None


def settle(page):
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("text", HOSTILE)
def test_in_queries(hostile_page, text):
    for path in ("/search?r=bm25&q=", "/words?q=", "/explain?q="):
        hostile_page.goto(path + quote_plus(text))
        settle(hostile_page)
        assert hostile_page.locator("h1").is_visible()


@pytest.mark.parametrize("text", HOSTILE)
def test_in_ids_titles_and_bodies(hostile_page, text):
    hostile_page.goto(f"/explain?q=moon&r=bm25&id={quote(text, safe='')}")
    settle(hostile_page)
    shown = hostile_page.locator("main").inner_text()
    if text.isprintable() and "\u202e" not in text:
        assert " ".join(text.split())[:20] in " ".join(shown.split())


@pytest.mark.parametrize(
    "path",
    [
        "/search?q=moon&r=bm25&r=iwcs&k=20",
        "/map?q=moon&colour=label",
        "/judge?q=moon",
        "/indexes",
        "/perturb",
        f"/search?q=moon&where={quote_plus('label=' + HOSTILE[0])}",
        f"/search?q=moon&r={quote_plus(HOSTILE[2])}",
        f"/search?q=moon&fields={quote_plus(HOSTILE[2])}",
        f"/words?q=moon&vectors={quote_plus(HOSTILE[2])}",
        f"/compare?name={quote_plus(HOSTILE[2])}",
    ],
)
def test_all_at_once(hostile_page, path):
    hostile_page.allowed += ["status of 404", "status of 400"]
    hostile_page.goto(path)
    settle(hostile_page)
    assert hostile_page.locator("h1").is_visible()
    assert hostile_page.locator("main script:not([type='application/json'])").count() == 0


def test_as_typed(hostile_page):
    hostile_page.goto("/search?r=bm25")
    box = hostile_page.get_by_role("searchbox").first
    for text in HOSTILE[:6]:
        box.fill(f"moon {text}")
        hostile_page.wait_for_timeout(300)
    settle(hostile_page)
    assert hostile_page.locator("main img").count() == 0
