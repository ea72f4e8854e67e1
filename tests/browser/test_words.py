from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from aboutness.app.index import Index
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors
from browser.conftest import run_server
from server.served import RECORDS

FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e"


def words_in(page, title: str) -> list[str]:
    column = page.locator(".space", has=page.get_by_role("heading", name=title, exact=True))
    return column.locator("tbody th").all_inner_texts()


def asked(page):
    return page.get_by_label("Word, or sum of words")


def test_neighbours_appear_while_a_word_is_typed(page, server, axe):
    page.goto("/words")
    asked(page).press_sequentially("moon")
    expect(page.locator(".space")).to_have_count(3)
    near = server.index.neighbours("moon")
    for title, pair in (("IN-IN", "in-in"), ("OUT-OUT", "out-out"), ("IN-OUT", "in-out")):
        assert words_in(page, title) == [one.word for one in near[pair]]
    expect(page.locator(".facts")).to_have_text("moon in 10 of 20 documents, 15 times")
    expect(page).to_have_url(re.compile("q=moon"))
    axe(page)


@pytest.mark.parametrize("words", ["cities", "moon+sea"])
def test_what_the_script_shows_is_what_the_server_shows(page, words):
    page.goto(f"/words?q={words}&k=4")
    by_server = page.locator("#words-results").inner_text()
    page.get_by_role("button", name="Look up").click()
    page.wait_for_load_state("networkidle")
    assert page.locator("#words-results").inner_text() == by_server
    assert page.locator(".near tbody tr").count() == 12


def test_a_neighbour_is_one_click_away_and_the_way_back_too(page):
    page.goto("/words?q=moon")
    second = page.locator(".space").first.locator("tbody a").nth(1)
    word = second.inner_text()
    second.click()
    expect(asked(page)).to_have_value(word)
    assert words_in(page, "IN-IN")[0] == word
    page.go_back()
    expect(asked(page)).to_have_value("moon")


def test_sums_and_how_many(page, server):
    page.goto("/words?q=moon")
    page.get_by_label("How many").fill("3")
    asked(page).fill("sun - sea")
    expect(page).to_have_url(re.compile(r"q=sun\+-\+sea"))
    expect(page.locator(".near tbody tr")).to_have_count(9)
    assert words_in(page, "IN-OUT") == [one.word for one in server.index.neighbours("sun - sea", 3)["in-out"]]


def test_what_cannot_be_asked_is_not_asked_but_told(page):
    page.goto("/words?q=moon")
    state = page.locator("#words-state")
    asked(page).fill("moon -")
    expect(state).to_have_text("Go on: a word is missing beside a + or -.")
    asked(page).fill("")
    expect(state).to_contain_text("Type a word")
    page.get_by_label("How many").fill("0")
    expect(state).to_contain_text("from 1 to 100")


def test_an_unknown_word_leads_to_one_that_is_spelt_so(page, axe):
    page.goto("/words")
    asked(page).fill("sun + harbuor")
    hint = page.locator(".unknown")
    expect(hint).to_contain_text("harbuor has no vector: it stands in no document of this index.")
    axe(page)
    hint.get_by_role("link", name="harbour").click()
    expect(asked(page)).to_have_value("sun + harbour")
    expect(page.locator(".space")).to_have_count(3)


def test_an_error_of_the_server_is_told(page):
    page.allowed.append("status of 503")
    page.goto("/words")
    busy = {"message": "the server is busy"}
    page.route("**/v1/neighbours?*", lambda route: route.fulfill(status=503, json=busy))
    asked(page).fill("moon")
    expect(page.locator("#words-state[data-kind=error]")).to_have_text("the server is busy")


def test_a_server_that_is_gone_can_be_asked_again(page):
    page.allowed.append("net::ERR_FAILED")
    page.goto("/words")
    page.route("**/v1/neighbours?*", lambda route: route.abort())
    asked(page).fill("moon")
    expect(page.locator("#words-state[data-kind=error]")).to_contain_text("The server does not answer.")
    page.unroute("**/v1/neighbours?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".space")).to_have_count(3)


def test_a_slow_answer_is_waited_for_in_sight(page):
    page.goto("/words")
    held = []

    def hold(route) -> None:
        held.append(route)

    page.route("**/v1/neighbours?*", hold)
    asked(page).fill("moon")
    expect(page.locator("#words-state[data-kind=loading]")).to_be_visible()
    held[-1].continue_()
    expect(page.locator(".space")).to_have_count(3)
    expect(page.locator("#words-state")).to_be_hidden()


def test_hostile_words_do_nothing(page):
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto("/words")
    asked(page).fill(HOSTILE)
    expect(page.locator(".unknown strong")).to_have_text(HOSTILE)
    page.reload()
    expect(page.locator(".unknown strong")).to_have_text(HOSTILE)
    assert page.locator("main img, main script").count() == 0


def test_hostile_neighbours_do_nothing_and_can_be_asked_for(open_page, tmp_path):
    index = Index.build([*RECORDS, {"id": HOSTILE, "text": HOSTILE}], tmp_path / "hostile.index")
    words = [HOSTILE, "moon", "</script>", "constructor", "__proto__"]
    rows = np.eye(5, dtype=np.float32) + np.float32(0.5)
    index.keep_vectors(WordVectors(StringTable.of(words), {"in": rows}), "published")
    for url in run_server({"hostile": index}):
        page = open_page(base_url=url)
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        page.goto("/words?q=moon")
        assert page.locator(".near th a").all_text_contents() == [
            "moon",
            *(word for word in words if word != "moon"),
        ]
        asked(page).fill("MOON")
        expect(page.locator(".facts")).to_contain_text("MOON")
        assert sorted(page.locator(".near th a").all_text_contents()) == sorted(words)
        assert page.locator("main img, main script").count() == 0
        page.get_by_role("link", name="constructor").click()
        expect(page.locator(".near th a").first).to_have_text("constructor")


def test_all_by_keyboard(page):
    page.goto("/words")
    asked(page).focus()
    page.keyboard.type("moon")
    page.keyboard.press("Enter")
    expect(page.locator(".space")).to_have_count(3)
    for name in ("vectors", "k"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == name
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('table') !== null")


def test_it_fits_a_phone(phone, axe):
    phone.goto("/words?q=moon")
    assert phone.evaluate(FITS)
    tops = [one.bounding_box()["y"] for one in phone.locator(".space").all()]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3
    axe(phone)


def test_it_is_legible_in_the_dark(dark, axe):
    dark.goto("/words?q=moon+%2B+harbuor")
    axe(dark)
    dark.goto("/words?q=moon")
    axe(dark)


def test_without_vectors_the_command_is_told(open_page, tmp_path, axe):
    bare = Index.build(RECORDS, tmp_path / "bare.index")
    for url in run_server({"bare": bare}):
        page = open_page(base_url=url)
        page.goto("/words")
        expect(page.locator("pre")).to_have_text("aboutness train bare.index word2vec")
        axe(page)


def test_the_back_button_goes_from_word_to_word_not_from_letter_to_letter(page):
    page.goto("/words?q=moon")
    for word in ("sun", "sea"):
        asked(page).fill("")
        asked(page).press_sequentially(word, delay=300)  # longer than it waits for the next letter
        asked(page).press("Enter")
        expect(page.locator(".facts")).to_contain_text(f"{word} in")
    for word in ("sun", "moon"):
        page.go_back()
        expect(asked(page)).to_have_value(word)
        expect(page.locator(".facts")).to_contain_text(f"{word} in")
    page.go_forward()
    expect(asked(page)).to_have_value("sun")
