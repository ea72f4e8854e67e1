from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest

from aboutness.app.index import Index
from browser.conftest import PHONE, run_server

COLUMNS = "**/v1/search/columns*"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>\"'&lt;b&gt;\u202e\u2066evil"


def ids(page, column: int = 0) -> list[str]:
    return (
        page.locator(".column").nth(column).locator(".hit").evaluate_all("all => all.map(one => one.dataset.id)")
    )


def asked(page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def settled(page, q: str | None = None) -> None:
    """Wait for the answer to what is asked."""
    page.wait_for_function(
        "q => !document.querySelector('.columns[aria-busy]') && (q === null || location.search.includes(q))", arg=q
    )


def until(page, so: str) -> None:
    """Wait until an expression is true; as a function, for the page's policy forbids to evaluate texts."""
    page.wait_for_function(f"() => {so}")


def test_hits_come_as_one_types_and_the_address_can_be_shared(page, server, open_page):
    page.goto("/search")
    page.locator("#q").press_sequentially("songs of the moon", delay=10)
    settled(page, "q=songs+of+the+moon")
    assert ids(page) == [hit.id for hit in server.index.search("songs of the moon")]
    assert page.locator("mark", has_text="moon").count() > 0
    assert page.locator("#start").is_hidden()
    other = open_page()
    other.goto(page.url)
    assert ids(other) == ids(page)


def test_who_has_trained_nothing_is_led_to_where_it_is_done(open_page, tmp_path):
    for url in run_server({"new": Index.build([{"id": "1", "text": "moonlight"}], tmp_path / "new.index")}):
        for script in (True, False):
            page = open_page(base_url=url, java_script_enabled=script)
            page.goto("/search?q=moonlight")
            if script:
                page.fill("#q", "the moonlight")
                settled(page, "q=the+moonlight")
            assert "is not trained" in page.locator(".note").text_content()
            page.locator(".note a").click()
            page.wait_for_url("**/indexes*")


def test_hints_wait_until_typing_rests(page):
    """So that hits do not jump while a word is not whole."""
    page.goto("/search")
    page.locator("#q").press_sequentially("moonx", delay=10)
    settled(page, "q=moonx")
    assert page.locator(".hint").count() == 0
    page.locator(".hint", has_text="moonx").wait_for()
    page.locator("#q").press("Backspace")
    settled(page, "q=moon")
    until(page, "location.search.endsWith('q=moon') && !document.querySelector('.hint')")


def test_long_names_are_broken_between_their_parts(open_page):
    """With a script and without; the text is as it was."""
    title = "archive.LongestCompressor.compress(moonlight)"
    for url in run_server({"names": Index.build([{"id": "1", "title": title, "text": "A moonlight."}])}):
        for script in (True, False):
            page = open_page(base_url=url, viewport=PHONE, java_script_enabled=script)
            page.goto("/search?q=moonlight")
            if script:  # what it shows itself
                page.fill("#q", "the moonlight")
                settled(page, "q=the+moonlight")
            found = page.locator(".title a")
            assert found.text_content().strip() == title
            assert found.locator("mark").text_content() == "moonlight"
            assert found.inner_html().count("<wbr>") == 3


def test_without_a_script_the_same_hits_are_there(open_page, server):
    page = open_page(java_script_enabled=False)
    page.goto("/search")
    page.fill("#q", "harbour")
    page.press("#q", "Enter")
    hrefs = page.locator("a.why").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert [parse_qs(urlsplit(href).query)["id"][0] for href in hrefs] == [
        hit.id for hit in server.index.search("harbour")
    ]
    page.click("text=Compare rankers")
    assert page.locator(".column").count() == 2
    assert page.locator(".move").first.is_visible()


def test_an_older_answer_is_never_shown_over_a_newer_one(page):
    from playwright.sync_api import Error

    page.goto("/search")
    held = []

    def hold_the_first(route):
        if "q=sun&" in route.request.url or route.request.url.endswith("q=sun"):
            held.append(route)
        else:
            route.continue_()

    page.route(COLUMNS, hold_the_first)
    page.fill("#q", "sun")
    until(page, "document.querySelector('.columns[aria-busy]')")
    page.wait_for_timeout(50)
    page.fill("#q", "harbour")
    settled(page, "q=harbour")
    newer = ids(page)
    assert len(held) == 1
    with suppress(Error):  # the page does not listen any more
        held[0].fulfill(response=page.request.get("/v1/search/columns?q=sun"))
    page.wait_for_timeout(100)
    assert ids(page) == newer
    assert "q=harbour" in page.url


def test_rankers_are_added_compared_and_removed(page, server):
    page.goto("/search?q=songs+of+the+sea&r=bm25")
    page.click("text=Compare rankers")
    settled(page, "r=iwcs")
    assert page.evaluate("document.activeElement.id") == "r1"
    page.fill("#r1", "bm25 + 5*desm-in-out")
    page.keyboard.press("Enter")
    settled(page, "desm-in-out")
    assert ids(page, 1) == [
        hit.id for hit in server.index.search("songs of the sea", ranker="bm25 + 5*desm-in-out")
    ]
    for _ in range(2):
        page.click("text=Compare rankers")
    settled(page)
    assert page.locator(".column").count() == 4
    assert page.locator("#add-column").is_hidden()
    page.locator(".column").nth(1).get_by_role("button", name="Remove the ranker").click()
    until(page, "document.querySelectorAll('.column').length === 3 && !location.search.includes('desm')")


def test_lines_show_how_documents_move_and_one_is_followed_through_all_columns(page):
    page.goto("/search?q=songs+of+the+moon&r=bm25&r=wcs&k=5")
    left, right = ids(page, 0), ids(page, 1)
    drawn = page.locator("svg.moves > *").evaluate_all("all => all.map(one => [one.dataset.id, one.dataset.way])")
    expected = {
        name: "gone" if name not in right else "new" if name not in left
        else "same" if left.index(name) == right.index(name) else "up" if left.index(name) > right.index(name) else "down"
        for name in [*left, *right]
    }  # fmt: skip
    assert dict(drawn) == expected
    both = next(name for name in left if name in right)
    page.locator(f'.column:first-child .hit[data-id="{both}"]').hover()
    marked = page.locator(".same").evaluate_all("all => all.map(one => one.dataset.id)")
    assert marked == [both] * 3
    page.locator("h1").evaluate("one => one.dispatchEvent(new Event('pointerleave'))")


def test_the_key_to_the_lines_is_there_only_with_lines_and_rankers_are_called_so(page):
    page.goto("/search?q=songs+of+the+moon&r=bm25&r=wcs")
    assert page.locator("#legend").is_visible()
    assert page.locator(".head label:visible").all_inner_texts()[:2] == ["Ranker 1", "Ranker 2"]
    page.fill("#q", "zzqqxx")
    until(page, "!document.querySelector('.hit')")
    assert not page.locator("#legend").is_visible()
    page.get_by_role("button", name="Remove the ranker wcs").click()
    until(page, "document.querySelectorAll('.column').length === 1")
    assert page.locator(".head label:visible").all_inner_texts() == ["Ranker"]


def test_sliders_move_the_numbers_of_a_mixture(page, server):
    page.goto("/search?q=songs+of+the+moon&r=bm25+%2B+2*ql")
    slider = page.get_by_label("weight of ql")
    assert (slider.input_value(), slider.get_attribute("max")) == ("2", "5")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowLeft")
    until(page, "document.querySelector('#r0').value === 'bm25 + 1.95*ql'")
    settled(page)
    scores = page.locator(".score").all_inner_texts()
    hits = server.index.search("songs of the moon", ranker="bm25 + 1.95*ql")
    assert [float(score) for score in scores] == [pytest.approx(hit.score, rel=1e-3) for hit in hits]
    assert asked(page)["r"] == ["bm25 + 1.95*ql"]
    assert page.evaluate("document.activeElement.type") == "range"


def test_what_a_slider_moved_is_a_step_of_its_own_for_the_back_button(page):
    page.goto("/search?q=moon&r=bm25")
    page.route("**/v1/search/columns*", lambda route: (page.wait_for_timeout(150), route.continue_()))
    page.locator("#r0").fill("bm25 + 2*ql")
    page.wait_for_url("**2*ql*")
    slider = page.get_by_label("weight of ql")
    slider.focus()  # which has the ranker asked for once more: it was written, and is left
    slider.press("ArrowLeft")
    until(page, "document.querySelector('#r0').value === 'bm25 + 1.99*ql'")
    page.wait_for_url("**1.99*")
    page.go_back()
    until(page, "document.querySelector('#r0').value === 'bm25 + 2*ql'")
    page.go_back()
    until(page, "document.querySelector('#r0').value === 'bm25'")
    settled(page)


def test_a_slider_that_is_dragged_fast_ends_where_it_was_let_go(page):
    page.goto("/search?q=moon&r=bm25+%2B+ql")
    page.get_by_label("weight of bm25").evaluate(
        """async slider => {
          for (let step = 0; step <= 40; step++) {
            slider.value = 2 - step * .05;
            slider.dispatchEvent(new Event("input"));
            await new Promise(done => setTimeout(done, 3));
          }
        }"""
    )
    until(page, "document.querySelector('#r0').value === '0*bm25 + ql'")
    settled(page)
    assert asked(page)["r"] == ["0*bm25 + ql"]


def test_filters_fields_and_match_narrow_the_search(page, server):
    page.goto("/search?q=songs+of+the+moon&r=bm25")
    page.fill("#where", "year>=1993")
    page.press("#where", "Enter")
    settled(page, "where=year")
    wanted = [hit.id for hit in server.index.search("songs of the moon", ranker="bm25", where="year>=1993")]
    assert ids(page) == wanted
    page.get_by_label("text", exact=True).uncheck()
    settled(page, "fields=title")
    page.get_by_label("Weight of title").fill("3")
    settled(page, "fields=3*title")
    page.get_by_label("Must have").select_option("and")
    settled(page, "match=and")
    assert asked(page) == {
        "q": ["songs of the moon"], "r": ["bm25"], "match": ["and"], "where": ["year>=1993"], "fields": ["3*title"],
    }  # fmt: skip
    page.get_by_label("Hits").fill("2")
    settled(page, "k=2")
    page.get_by_role("button", name="Remove the filter year>=1993").click()
    until(page, "!location.search.includes('where')")


def test_the_back_button_goes_back_to_what_was_asked_before(page):
    page.goto("/search?q=moon&r=bm25")
    first = ids(page)
    page.fill("#q", "harbour")
    settled(page, "q=harbour")
    page.click("text=Compare rankers")
    settled(page, "r=iwcs")
    page.go_back()
    until(page, "document.querySelectorAll('.column').length === 1")
    page.go_back()
    until(page, "document.querySelector('#q').value === 'moon'")
    settled(page)
    assert ids(page) == first
    page.go_forward()
    until(page, "document.querySelector('#q').value === 'harbour'")


def test_a_ranker_that_is_rewritten_forgets_what_was_moved_in_it(page):
    page.goto("/search?q=moon&r=bm25+%2B+ql")
    page.route(COLUMNS, lambda _: None, times=1)  # no answer
    page.get_by_label("weight of ql").press("ArrowRight")
    page.fill("#r0", "bm25")
    settled(page, "r=bm25")
    until(page, "document.querySelectorAll('.hit').length === 10 && !location.search.includes('ql')")
    assert page.locator("#state").is_hidden()


def test_an_unreadable_ranker_is_told_beside_its_field(page):
    page.goto("/search?q=moon&r=bm25&r=ql")
    page.fill("#r1", "bm25 +")
    page.wait_for_selector("#problem-r1:has-text('the name of a ranker was expected')")
    assert page.locator("#r1").get_attribute("aria-invalid") is not None
    assert len(ids(page, 0)) == 10
    page.fill("#r1", "ql")
    until(page, "!document.querySelector('#r1').hasAttribute('aria-invalid')")
    assert len(ids(page, 1)) == 10


def test_an_error_is_told_and_can_be_tried_again(page):
    page.allowed.append("status of 503")
    page.goto("/search")
    busy = {"status": 503, "json": {"error": "too busy", "message": "the server is busy"}}
    page.route(COLUMNS, lambda route: route.fulfill(**busy), times=1)
    page.fill("#q", "moon")
    page.wait_for_selector("#state[data-kind=error]:has-text('the server is busy')")
    page.click("text=Try again")
    settled(page, "q=moon")
    assert page.locator("#state").is_hidden()
    assert len(ids(page)) == 10


def test_one_waits_with_a_word(page):
    page.goto("/search")
    held = []
    page.route(COLUMNS, lambda route: held.append(route))  # noqa: PLW0108 - it must take attributes
    page.fill("#q", "moon")
    page.wait_for_selector("#state[data-kind=loading]")
    held[0].continue_()
    settled(page, "q=moon")
    assert page.locator("#state").is_hidden()


def test_all_by_keyboard(page):
    page.goto("/search?r=bm25&r=ql")
    page.keyboard.press("/")
    page.keyboard.type("moon and sea")
    settled(page, "q=moon")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    focused = "document.activeElement.closest('.hit').dataset.id"
    assert page.evaluate(focused) == ids(page)[1]
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.closest('.column').ariaLabel") == "Ranker 2"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.press("ArrowDown")
    wanted = page.evaluate(focused)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/explain"))
    assert asked(page) == {"q": ["moon and sea"], "id": [wanted], "r": ["bm25"]}


def test_titles_and_ids_without_an_end_leave_room_for_other_hits(open_page):
    long = [{"id": "x" * 1_500, "title": "moon " + "w" * 3_000}, {"id": "other", "title": "moon and nothing else"}]
    for url in run_server({"long": Index.build(long)}):
        page = open_page(base_url=url, viewport={"width": 390, "height": 844})
        page.goto("/search?q=moon&r=bm25")
        heights = page.locator(".hit").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
        assert max(heights) < 250
        page.goto("about:blank")


def test_a_score_by_some_fields_is_explained_as_it_is_shown(page):
    page.goto("/search?q=moon+and+sea&r=bm25&fields=title")
    score = page.locator(".hit .score").first.inner_text()
    page.locator(".hit a.why").first.click()
    page.wait_for_url(re.compile("/explain"))
    assert asked(page)["r"] == ["bm25[fields=title]"]
    assert float(page.locator(".score .value").inner_text()) == pytest.approx(float(score), rel=1e-3)


def test_more_like_this_and_back_to_words(page, server):
    page.goto("/search?q=harbour&r=bm25")
    page.locator(".hit").first.get_by_text("more like this").click()
    page.wait_for_url(re.compile("like="))
    like = asked(page)["like"][0]
    assert ids(page) == [hit.id for hit in server.index.search(like=like, ranker="bm25")]
    page.fill("#q", "moon")
    settled(page, "q=moon")
    assert "like" not in asked(page)
    assert page.locator("#like").is_hidden()


def test_an_empty_page_offers_examples_and_an_unknown_word_another_spelling(page):
    page.goto("/search")
    page.locator("#start a.chip").first.click()
    settled(page, "q=")
    assert ids(page)
    page.fill("#q", "harbor")
    page.get_by_role("link", name="harbour").click()
    settled(page, "q=harbour")
    assert ids(page)
    page.fill("#q", "moon harbour songs cities")
    page.get_by_label("Must have").select_option("and")
    page.get_by_role("button", name="Find any of the words").click()
    until(page, "document.querySelectorAll('.hit').length === 10")


def test_on_a_phone_columns_stand_below_each_other_and_moves_are_told_in_words(phone, axe):
    phone.goto("/search?q=songs+of+the+moon&r=bm25&r=wcs+%25+5+%3E%3E+ql")
    boxes = [phone.locator(".column").nth(n).bounding_box() for n in range(2)]
    assert boxes[1]["y"] > boxes[0]["y"] + boxes[0]["height"] - 1
    assert phone.locator("svg.moves").is_hidden()
    assert re.fullmatch("▲\\d+|▼\\d+|=|new", phone.locator(".move").first.inner_text())
    assert phone.locator(".move").first.is_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    axe(phone)


@pytest.mark.parametrize("kind", ["page", "dark"])
def test_no_barriers_with_everything_on_the_page(request, axe, kind):
    shown = request.getfixturevalue(kind)
    shown.goto(
        "/search?q=harbor+moon&r=bm25+%2B+ql&r=bm25+%25+9+%3E%3E+wcs&r=default&r=bm52&where=year%3E%3D1990&match=and"
    )
    axe(shown)
    shown.goto("/search?q=zeppelin&match=and&where=x&like=nobody")
    axe(shown)


@pytest.fixture(scope="module")
def hostile():
    records = [
        {"id": f"{HOSTILE}{n}", "title": f"{HOSTILE} moon", "text": f"moon {HOSTILE}", "topic": f"a{HOSTILE}"}
        for n in range(3)
    ]
    yield from run_server({"sky": Index.build(records), "other": Index.build(records[:1])})


def test_hostile_text_does_nothing(open_page, hostile):
    page = open_page(base_url=hostile)
    page.goto("/search?index=sky&r=bm25&r=ql")
    page.fill("#q", f"moon {HOSTILE}")
    settled(page, "moon")
    assert len(ids(page)) == 3
    assert page.locator(".hit script, .hit img, .hit svg").count() == 0
    page.fill("#where", f"topic=a{HOSTILE}")
    page.press("#where", "Enter")
    settled(page, "where")
    assert len(ids(page)) == 3
    page.locator(".hit").first.get_by_text("more like this").click()
    page.wait_for_url(re.compile("like="))
    assert len(ids(page)) == 2
    page.fill("#r0", HOSTILE)
    page.wait_for_selector("#problem-r0:has-text('cannot read the ranker')")
    page.select_option("#choose-index", "other")
    page.wait_for_url(re.compile("index=other"))


def test_more_hits_than_there_may_be_are_as_many_as_there_may_be(page):
    page.goto("/search?q=moon&r=bm25")
    page.fill("#k", "5000")
    page.fill("#q", "sun")
    settled(page, "sun")
    assert asked(page)["k"] == [page.get_attribute("#k", "max")]
    assert page.input_value("#k") == page.get_attribute("#k", "max")


def test_the_way_back_from_an_explanation_leads_to_all_that_was_chosen(page):
    chosen = "/search?q=moon&r=bm25&r=ql&k=5&where=year%3E%3D1991"
    page.goto(chosen)
    page.locator("a.why").first.click()
    page.get_by_role("link", name="Back to the search").click()
    page.locator("a.why").first.wait_for()
    assert asked(page) == {"q": ["moon"], "r": ["bm25", "ql"], "k": ["5"], "where": ["year>=1991"]}


def test_another_index_is_asked_the_same(open_page, server):
    for url in run_server({"sky": server.index, "other": server.index}):
        for script in (True, False):
            page = open_page(base_url=url, java_script_enabled=script)
            page.goto("/search?index=sky&q=moon&r=bm25&r=ql&where=year%3E%3D1991")
            if script:
                page.fill("#q", "sun")
                settled(page, "sun")
            page.get_by_label("Index", exact=True).select_option("other")
            if not script:
                page.get_by_role("button", name="Go").click()
            page.wait_for_url("**index=other*")
            assert asked(page) == {
                "q": ["sun" if script else "moon"], "r": ["bm25", "ql"], "where": ["year>=1991"], "index": ["other"],
            }  # fmt: skip
            page.goto("about:blank")
