from __future__ import annotations

import random
from urllib.parse import urlencode

import pytest

from aboutness.app.index import Index
from browser.conftest import PHONE, run_server

QUERY = "songs of the moon"
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def address(*rankers: str, query: str = QUERY, identifier: str = "d3-1", **more: str) -> str:
    return "/explain?" + urlencode(
        [("q", query), ("id", identifier), *(("r", one) for one in rankers), *more.items()]
    )


@pytest.mark.parametrize("kind", ["page", "phone", "dark"])
def test_every_state_is_without_barriers_and_fits(request, axe, kind):
    shown = request.getfixturevalue(kind)
    shown.allowed.append("status of 404")
    for where in (
        "/explain",
        address("iwcs", "bm25", "wmd", "ql"),
        address("wmd"),
        address("bm25", identifier="nobody"),
    ):
        shown.goto(where)
        axe(shown)
        assert shown.evaluate(FITS)


def test_the_threshold_moves_the_evidence(page):
    page.goto(address("iwcs"))
    others = page.locator("#result .w.other[data-k]").count()
    slider = page.get_by_label("Similarity over")
    slider.focus()
    page.keyboard.press("Home")
    page.locator("#result .w.over[data-k]").nth(others - 2).wait_for()  # all but the least similar
    assert page.locator("#result").get_attribute("data-mark") == "evidence"  # moving it chooses it
    over = page.locator("#result .w.over[data-k]").count()
    assert page.locator("#count").inner_text().startswith(f"{over} of {others} words are over this similarity")
    page.wait_for_url("**mark=evidence**")
    page.reload()  # the address says what was chosen
    assert page.locator("#result .w.over[data-k]").count() == over
    page.get_by_label("Similarity over").press("End")
    page.locator("#result .w.over[data-k]").first.wait_for(state="detached")
    page.get_by_label("what each word adds").check()
    assert page.locator("#result").get_attribute("data-mark") == "share"


def test_words_say_what_they_add(page):
    page.goto(address("iwcs"))
    page.locator("#words .w", has_text="moon").hover()
    tip = page.get_by_role("tooltip")
    assert "this occurrence adds" in tip.inner_text()
    assert "a word of the query" in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    page.locator("#words").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.k") is not None
    tip.wait_for()
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") != first
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == first


def test_a_part_finds_its_words(page):
    page.goto(address("bm25"))
    button = page.get_by_role("button", name="songs")
    button.focus()
    page.keyboard.press("Enter")
    assert [one.lower() for one in page.locator(".w.found").all_inner_texts()] == ["songs", "songs"]
    assert page.locator(".w.here").inner_text() == "Songs"
    page.keyboard.press("Enter")  # the next one
    assert page.locator(".w.here").inner_text() == "songs"
    page.get_by_role("button", name="moon").click()
    assert page.locator(".w.found").all_inner_texts() == ["moon"]
    assert button.get_attribute("aria-pressed") == "false"


def test_another_ranker_comes_without_a_new_page(page):
    page.goto(address("bm25", "wmd"))
    page.evaluate("window.same = true")
    page.get_by_role("link", name="wmd").click()
    page.get_by_role("heading", name="How the query's words travel").wait_for()
    assert page.evaluate("window.same") is True
    assert "show=1" in page.url
    assert page.locator(".ribbon").count() > 0
    page.go_back()
    page.get_by_role("heading", name="How the query's words travel").wait_for(state="detached")
    page.get_by_label("ranker 3").fill("iwcs")
    page.keyboard.press("Tab")
    page.get_by_role("link", name="iwcs").wait_for()
    assert page.locator("a.score").count() == 3


def test_another_document_and_one_that_is_not_there(page):
    page.allowed.append("status of 404")
    page.goto(address("bm25"))
    page.get_by_label("Document (its id)").fill("d1-0")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The moon").wait_for()
    page.get_by_label("Document (its id)").fill("nobody")
    page.get_by_role("button", name="Explain").click()
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "there is no document 'nobody'" in alert.inner_text()
    alert.get_by_role("link").click()
    page.wait_for_url("**/search?**")
    assert "songs" in page.url


def test_waiting_and_a_server_that_is_gone(page):
    page.allowed.append("Failed to load")
    page.goto(address("bm25"))
    held = []
    page.route("**/explain?**", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    page.get_by_role("button", name="Explain").click()
    state = page.locator("#state")
    state.get_by_text("Explaining…").wait_for()
    assert state.get_attribute("data-kind") == "loading"
    held[0].abort()
    page.locator("#state[data-kind=error]").wait_for()
    assert "Is the server still running?" in state.inner_text()
    page.unroute("**/explain?**")
    page.get_by_role("button", name="Explain").click()
    state.wait_for(state="hidden")


def test_without_a_script_everything_is_there(open_page):
    page = open_page(java_script_enabled=False)
    page.goto(address("iwcs", "wmd", show="1"))
    assert page.locator("#words .w").count() > 3
    assert page.locator(".ribbon").count() > 0
    page.get_by_role("link", name="iwcs").click()
    page.get_by_label("words over a similarity").check()
    page.get_by_role("button", name="Explain").click()
    assert page.locator("#result").get_attribute("data-mark") == "evidence"


# --- texts that are hostile, and very long ones ---------------------------------------------------------------

EVIL = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
BIDI = "\u202egnp.moon\u202c \u2066שמש moon"


@pytest.fixture(scope="module")
def hard():
    chance = random.Random(1)
    words = ["moon", *("".join(chance.choice("aeioustnrl") for _ in range(6)) for _ in range(4000))]
    long = " ".join(chance.choices(words, k=24_000))
    evil = {
        "id": EVIL,
        "title": f"{EVIL} {BIDI}",
        "text": f"<svg onload=\"document.title='broken'\"> moon &lt;i&gt; {BIDI}",
    }
    index = Index.build([evil, {"id": "long", "title": "long", "text": long}], analyzer="plain")
    index.train("word2vec", dim=8, min_count=1, epochs=1, threads=1)
    yield from run_server({"hard": index})


def test_hostile_text_does_nothing(open_page, hard, axe):
    page = open_page(base_url=hard)
    for ranker in ("bm25", "iwcs", "wmd"):
        page.goto(address(ranker, query=f"moon {EVIL}", identifier=EVIL))
        page.locator("#words .w", has_text="moon").first.hover()
        page.get_by_role("button", name="Explain").click()
        page.locator("#result:not([aria-busy])").wait_for()
        assert page.title() == f"Explain {EVIL} · aboutness"
        assert page.locator("#result img, #result b, #result [onload]").count() == 0
        assert page.locator("#result h2").inner_text().startswith("</script><script>")
    axe(page)


def test_a_very_long_document_stays_fluent(open_page, hard):
    page = open_page(base_url=hard)
    page.goto(address("iwcs", query="moon", identifier="long"))
    assert page.locator("#words .w").count() > 20_000
    took = page.evaluate("""async () => {
      const slider = document.getElementById("t"), start = performance.now();
      slider.value = slider.min;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return performance.now() - start;
    }""")
    assert page.locator("#words .w.over").count() > 20_000
    assert took < 3000  # 0.1 s on an idle machine
    page.get_by_role("button", name="moon", exact=True).click()
    assert page.locator(".w.here").text_content() == "moon"


def test_what_the_score_is_made_of_is_in_reach_below_a_long_text(open_page, hard):
    shown = open_page(base_url=hard, viewport=PHONE)
    shown.goto(address("bm25", query="moon", identifier="long"))
    text, parts = shown.locator("#words"), shown.locator("#parts-title")
    assert text.bounding_box()["height"] <= PHONE["height"]
    assert parts.bounding_box()["y"] < 3 * PHONE["height"]
    shown.get_by_role("button", name="moon", exact=True).click()
    shown.locator(".w.here").wait_for()
    text.focus()
    shown.keyboard.press("End")
    shown.wait_for_function("() => document.getElementById('words').scrollTop > 1000")


def test_on_paper_nothing_is_cut_off(open_page, hard):
    shown = open_page(base_url=hard)
    shown.goto(address("bm25", query="moon", identifier="long"))
    assert shown.get_by_role("navigation", name="Pages").is_visible()
    shown.emulate_media(media="print")
    assert not shown.get_by_role("navigation", name="Pages").is_visible()
    assert shown.locator("#words").evaluate("one => one.scrollHeight <= one.clientHeight")


def test_a_title_as_long_as_a_text_leaves_room_for_the_rest(open_page, tmp_path, axe):
    record = {"id": "long", "title": "moon " + "x" * 3000 + " moon" * 200, "text": "the moon"}
    for url in run_server({"long": Index.build([record], tmp_path / "long.index")}):
        shown = open_page(base_url=url, viewport={"width": 360, "height": 740})
        shown.goto(address("bm25", query="moon", identifier="long"))
        assert shown.locator("#result h2").bounding_box()["height"] < 250
        shown.locator("#result h2").focus()
        shown.keyboard.press("End")
        shown.wait_for_function("() => document.querySelector('#result h2').scrollTop > 100")
        axe(shown)
        assert shown.evaluate(FITS)
        shown.goto("about:blank")
