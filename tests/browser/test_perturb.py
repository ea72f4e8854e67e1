from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from aboutness.app.index import Index
from aboutness.app.perturbing import every_ranker, perturb
from aboutness.server.pages.perturb import passage_sets
from browser.conftest import run_server

FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
CITY = passage_sets()["city"].passages


def opened(page, address: str = "/perturb?q=moon&set=city"):
    """Open the page and wait until every ranker has scored the passages."""
    page.goto(address)
    settled(page)


def settled(page) -> None:
    page.wait_for_timeout(400)  # for the pause after the last key
    expect(page.locator("#perturb-state[data-kind=loading]")).to_have_count(0)


def texts(page):
    return page.get_by_role("textbox", name="Text")


def of_ranker(page, ranker: str):
    return page.locator(".scores-table tr", has=page.get_by_role("rowheader", name=ranker, exact=True))


def scores(page, ranker: str) -> list[str]:
    return of_ranker(page, ranker).locator(".value").all_inner_texts()


def load(page, name: str, content: str) -> None:
    given = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.get_by_label("Your own file").set_input_files(given)
    settled(page)


def names(page) -> list[str]:
    return [one.input_value() for one in page.get_by_role("textbox", name="Name").all()]


def test_five_passages_and_every_ranker(page, server, axe):
    opened(page)
    assert names(page) == list(CITY)
    found = perturb(server.index, "moon", CITY, (), every_ranker(), leave_out=True)
    shown = page.locator(".scores-table tbody th").all_inner_texts()
    assert shown == ["words counted", *found.columns[1:]]
    assert scores(page, "ql") == [f"{one.scores['ql']:.3f}" for one in found.rows]
    expect(page.locator("#perturb-left-out summary")).to_contain_text(f"({len(found.left_out)})")
    page.locator("#perturb-left-out summary").click()
    expect(page.locator("#perturb-left-out dl")).to_contain_text("aboutness train sky")
    axe(page)


def test_scores_follow_what_is_typed(page, server):
    opened(page)
    assert scores(page, "words counted") == ["0"] * 5
    texts(page).nth(1).fill("The moon, the moon over the sea.")
    settled(page)
    assert scores(page, "words counted") == ["0", "2", "0", "0", "0"]
    expect(of_ranker(page, "bm25").locator("td.best")).to_have_count(1)
    passages = {**CITY, "About Paris": "The moon, the moon over the sea."}
    found = perturb(server.index, "moon", passages, (), "bm25")
    assert scores(page, "bm25") == [f"{one.scores['bm25']:.3f}" for one in found.rows]
    expect(of_ranker(page, "bm25").locator(".order")).to_have_text("2 > 1 = 3 = 4 = 5")


def test_the_query_is_live_and_in_the_address(page):
    opened(page)
    page.get_by_label("Query").fill("harbour city")
    settled(page)
    expect(page).to_have_url(re.compile(r"set=city&q=harbour\+city"))
    page.get_by_label("Query").fill("")
    expect(page.locator("#perturb-state")).to_have_text("Type a query: the passages are scored for it.")
    page.get_by_label("Query").fill("comet")
    settled(page)
    expect(page.locator("#perturb-hint")).to_be_visible()
    expect(page.locator(".scores-table")).to_contain_text("knows no word of the query")


def test_passages_come_and_go(page):
    opened(page)
    page.get_by_role("button", name="Remove this passage").nth(2).click()
    page.get_by_role("button", name="Add a passage").click()
    assert page.evaluate("document.activeElement.value") == "Passage 5"
    page.keyboard.type("Mine")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("the moon")
    settled(page)
    heads = page.locator(".scores-table thead .name").all_inner_texts()
    assert heads == [name for name in CITY if name != "About elephants"] + ["Mine"]
    assert scores(page, "words counted")[-1] == "1"


def test_no_more_passages_than_are_scored(page):
    opened(page)
    add = page.get_by_role("button", name="Add a passage")
    for _ in range(15):
        add.click()
    expect(add).to_be_disabled()
    for _ in range(20):
        page.get_by_role("button", name="Remove this passage").first.click()
    expect(page.locator("#perturb-state")).to_contain_text("There is no passage with a text")


def test_words_are_replaced(page):
    opened(page, "/perturb?q=sun&set=city")
    texts(page).first.fill("The moon at night.")
    page.get_by_label("Replace").fill("moonn")
    expect(page.get_by_text("No passage has this word.")).to_be_visible()
    page.get_by_label("Replace").fill("moon")
    page.get_by_label("with", exact=True).fill("sun")
    settled(page)
    assert page.locator(".scores-table thead .name").nth(1).inner_text() == "About London, with moon → sun"
    assert scores(page, "words counted") == ["0", "1", "0", "0", "0", "0"]
    page.get_by_role("button", name="Remove this pair").click()
    settled(page)
    expect(page.locator(".scores-table thead .name")).to_have_count(5)


def test_odd_words_to_be_replaced(page):
    opened(page)
    for word in ("c++", "a-b", "(", "\\", "/x", "é"):
        texts(page).first.fill(f"moon {word} moon")
        page.get_by_label("Replace").fill(word)
        expect(page.locator(".scores-table thead .name").nth(1)).to_have_text(f"About London, with {word} → ")
    settled(page)


FILES = [
    ("mine.json", json.dumps({"b": "the moon", "a": "moon and sun"}), ["b", "a"]),
    ("mine.json", json.dumps({"2": "the moon", "1": "moon"}), ["1", "2"]),
    ("mine.jsonl", '{"id": "x", "text": "the moon"}\n\n{"id": 7, "title": "Sun", "body": "sea"}\n', ["x", "7"]),
    ("mine.txt", "The moon\nand the sea.\n\n\nThe sun.\n", ["Passage 1", "Passage 2"]),
]
WRONG_FILES = [
    ("mine.json", "{", "mine.json is no JSON"),
    ("mine.json", '{"a": 1}', "the passage “a” must be a text"),
    ("mine.jsonl", '{"id": "x"}', "Passage 1 has no text"),
    ("mine.txt", "\n\n", "mine.txt has no passage"),
    ("mine.txt", "moon\n\n" * 21, "has 21 passages; at most 20"),
    ("mine.txt", "m" * 20_001, "longer than 20,000 characters"),
]


def test_files_of_ones_own(page):
    opened(page)
    for file, content, wanted in FILES:
        load(page, file, content)
        assert names(page) == wanted
        assert page.locator(".scores-table thead .name").all_inner_texts() == wanted
        assert scores(page, "words counted")[0] == "1"


def test_files_that_do_not_do(page):
    opened(page)
    for file, content, says in WRONG_FILES:
        load(page, file, content)
        expect(page.locator("#perturb-state[data-kind=error]")).to_contain_text(says)
    assert names(page) == list(CITY)


def test_what_is_saved_can_be_loaded(page, tmp_path):
    opened(page)
    texts(page).first.fill("the moon")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    saved.value.save_as(tmp_path / "passages.jsonl")
    kept = [json.loads(line) for line in (tmp_path / "passages.jsonl").read_text("utf-8").splitlines()]
    assert kept == [{"id": name, "text": text} for name, text in {**CITY, "About London": "the moon"}.items()]


def test_other_passages_and_back(page):
    opened(page)
    page.get_by_label("Start from").select_option("python")
    settled(page)
    expect(page.get_by_label("Query")).to_have_value("json")
    assert names(page)[0] == "About json"
    texts(page).first.fill("changed")
    page.get_by_role("button", name="Reset").click()
    settled(page)
    assert names(page) == list(CITY)
    expect(texts(page).first).to_have_value(CITY["About London"])


def test_an_error_of_the_server_is_told(page):
    page.allowed.append("status of 503")
    opened(page)
    page.route("**/v1/perturb", lambda route: route.fulfill(status=503, json={"message": "the server is busy"}))
    page.get_by_label("Query").fill("sun")
    expect(page.locator("#perturb-state[data-kind=error]")).to_have_text("the server is busy")


def test_hostile_passages_do_nothing(page):
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e</textarea>"
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    opened(page)
    load(page, "x.json", json.dumps({hostile: f"moon {hostile}", "__proto__": "moon"}))
    assert page.locator(".scores-table thead .name").all_text_contents() == [hostile, "__proto__"]
    page.get_by_label("Query").fill(hostile)
    settled(page)
    assert page.locator("main img, main script").count() == 0


def test_it_fits_a_phone(phone, axe):
    opened(phone)
    assert phone.evaluate(FITS)
    axe(phone)
    phone.get_by_role("button", name="Add a pair").click()
    assert phone.evaluate(FITS)


def test_it_is_legible_in_the_dark(dark, axe):
    opened(dark)
    axe(dark)


def test_what_was_edited_can_be_had_back_from_other_passages(page):
    opened(page)
    texts(page).first.fill("My own words on the moon.")
    page.get_by_label("Query").fill("sea")
    page.get_by_label("Query").press("Enter")
    settled(page)
    other = next(one for one in page.locator("#perturb-set option").all() if one.get_attribute("value") != "city")
    page.get_by_label("Start from").select_option(other.get_attribute("value"))
    settled(page)
    assert texts(page).first.input_value() != "My own words on the moon."
    page.get_by_role("button", name="Undo").click()
    settled(page)
    assert texts(page).first.input_value() == "My own words on the moon."
    assert (page.get_by_label("Query").input_value(), page.get_by_label("Start from").input_value()) == (
        "sea",
        "city",
    )
    expect(page.locator("#perturb-replaced")).to_be_hidden()


def test_the_back_button_goes_to_the_query_before_and_leaves_the_passages(page):
    opened(page)
    texts(page).first.fill("My own words on the moon.")
    page.get_by_label("Query").fill("sea")
    page.get_by_label("Query").press("Enter")
    settled(page)
    page.go_back()
    expect(page.get_by_label("Query")).to_have_value("moon")
    assert texts(page).first.input_value() == "My own words on the moon."


def test_the_same_file_can_be_loaded_again(page, tmp_path):
    opened(page)
    (tmp_path / "one.txt").write_text("The moon.")
    for _ in range(2):
        with page.expect_file_chooser() as chooser:
            page.get_by_label("Your own file").click()
        chooser.value.set_files(tmp_path / "one.txt")
        settled(page)
        assert texts(page).count() == 1
        page.get_by_role("button", name="Add a passage").click()


def test_rankers_stay_in_sight_while_scores_are_scrolled_on_a_phone(phone):
    opened(phone)
    box = phone.locator("#perturb-scores")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    left = box.evaluate("box => box.getBoundingClientRect().left")
    for head in phone.locator(".scores-table tbody th").all():
        assert abs(head.bounding_box()["x"] - left) <= 1
    assert phone.locator(".scores-table tbody th").first.bounding_box()["width"] < 0.5 * 390


def test_an_empty_index_is_not_asked(open_page, tmp_path):
    for url in run_server({"none": Index.build([], tmp_path / "none.index")}):
        page = open_page(base_url=url)
        page.goto("/perturb")
        page.wait_for_load_state("networkidle")
        assert "add documents first" in page.locator("#perturb-state[data-kind=empty]").inner_text()
        page.goto("about:blank")
