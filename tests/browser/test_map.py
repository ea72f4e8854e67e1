from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors
from browser.conftest import PHONE, run_server

HOSTILE = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">\u202eevil"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with 20,000 documents, some of them hostile, and one without vectors."""
    chance = np.random.default_rng(1)
    words = [f"w{number}" for number in range(500)]
    records = [
        {
            "id": f"d{n}",
            "title": f"Title {n}",
            "text": " ".join(words[one] for one in chance.integers(500, size=4).tolist()),
            "kind": f"kind {n % 13}",
        }
        for n in range(20_000)
    ]
    records[7] |= {"id": HOSTILE, "title": HOSTILE, "text": "w1 w1 w1"}
    for record in records[::5]:
        record["kind"] = HOSTILE
    folder = tmp_path_factory.mktemp("many")
    index = Index.build(records, folder / "many.index", analyzer="plain")
    matrix = chance.normal(size=(500, 20)).astype(np.float32)
    index.keep_vectors(WordVectors(StringTable.of(words), {"in": matrix}), "random")
    yield from run_server({"many": index, "bare": Index.build(records[:3], folder / "bare.index")})


def drawn(page, frames: int = 0) -> None:
    """Wait until the map is drawn, again after some frames."""
    page.wait_for_function(
        "n => Number(document.getElementById('map').dataset.frames ?? 0) > n"
        " && !document.querySelector('#map-state[data-kind=loading]')",
        arg=frames,
    )


def frames(page) -> int:
    return int(page.locator("#map").get_attribute("data-frames"))


def zoom(page) -> float:
    page.wait_for_timeout(60)
    return float(page.locator("#map").get_attribute("data-zoom"))


def middle(page) -> tuple[float, float]:
    box = page.locator("#map").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def over_a_point(page) -> None:
    """Move the pointer over the canvas until it is over a document."""
    box = page.locator("#map").bounding_box()
    for row in range(1, 12):
        for column in range(1, 24):
            page.mouse.move(box["x"] + box["width"] * column / 24, box["y"] + box["height"] * row / 12)
            if page.locator("#map-tip").is_visible():
                return
    raise AssertionError("no document was found")


def test_a_map_is_drawn_and_a_query_is_placed_as_one_types(page, axe):
    page.goto("/map?ranker=iwcs")
    drawn(page)
    assert page.locator("#map-note").inner_text().startswith("All 20 documents")
    assert page.locator("#map-near li").count() == 0
    page.get_by_role("searchbox").press_sequentially("moon")
    page.locator("#map-near li").nth(19).wait_for()
    assert "q=moon" in page.url
    assert "Score by iwcs" in page.locator("#map-legend").inner_text()
    first = page.locator("#map-near a").first
    first.hover()
    assert first.get_attribute("href").startswith("/explain?q=moon&id=")
    axe(page)
    page.get_by_role("searchbox").fill("unheard")
    page.get_by_text("No word of the query has a vector here").wait_for()
    axe(page)


def test_labels_have_colours_and_can_be_looked_at_alone(page, axe):
    page.goto("/map")
    drawn(page)
    page.get_by_label("Colour by").select_option("topic")
    button = page.locator("#map-legend button", has_text="Songs")
    button.wait_for()
    assert page.locator("#map-legend button").count() == 4
    before = frames(page)
    button.click()
    drawn(page, before)
    assert button.get_attribute("aria-pressed") == "true"
    axe(page)
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert "colour=topic" in page.url
    page.reload()
    button.wait_for()


def test_tsne_and_back(page):
    pytest.importorskip("openTSNE")
    page.goto("/map")
    drawn(page)
    before = frames(page)
    page.get_by_text("t-SNE").first.click()
    page.get_by_text("distances between groups say little").wait_for()
    drawn(page, before)
    assert "method=tsne" in page.url
    before = frames(page)
    page.get_by_text("PCA").first.click()
    page.get_by_text("The two axes hold").wait_for()
    drawn(page, before)


def test_zoom_and_pan_by_keys_buttons_wheel_and_drag(page):
    page.goto("/map")
    drawn(page)
    page.locator("#map").focus()
    for key in ("+", "+", "ArrowLeft", "ArrowUp", "-"):
        page.keyboard.press(key)
    assert zoom(page) == pytest.approx(1.5, rel=0.01)
    page.keyboard.press("0")
    assert zoom(page) == 1
    page.get_by_role("button", name="Enlarge").click()
    page.mouse.move(*middle(page))
    page.mouse.wheel(0, -100)
    assert zoom(page) > 1.6
    before = page.screenshot(clip=page.locator("#map").bounding_box())
    count = frames(page)
    page.mouse.down()
    page.mouse.move(*(value + 90 for value in middle(page)), steps=4)
    page.mouse.up()
    drawn(page, count)
    assert page.screenshot(clip=page.locator("#map").bounding_box()) != before
    page.get_by_role("button", name="Show all").click()
    assert zoom(page) == 1


def test_pointing_and_clicking_tell_about_a_document(page):
    page.goto("/map?q=sun&colour=topic")
    drawn(page)
    over_a_point(page)
    told = page.locator("#map-tip").inner_text()
    assert "topic: " in told
    assert "score " in told
    page.mouse.down()
    page.mouse.up()
    link = page.locator("#map-card a")
    assert link.inner_text() == "Explain its score"
    assert "/explain?q=sun&id=d" in link.get_attribute("href")
    score = page.locator("#map-card span", has_text="score").inner_text()
    page.get_by_role("searchbox").fill("harbour")
    page.locator("#map-card span", has_text="score").filter(has_not_text=score).wait_for()
    assert "q=harbour" in link.get_attribute("href")
    page.locator("#map").press("Escape")
    assert page.locator("#map-card").is_hidden()


def test_all_by_keyboard(page):
    page.goto("/map?q=moon&ranker=desm-in-out")
    drawn(page)
    page.locator("#map").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.locator("#map-card", has_text="rank 2").wait_for()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('#map-card') !== null")
    assert "r=desm-in-out" in page.locator(":focus").get_attribute("href")


def test_a_phone_can_pinch(phone, axe):
    phone.goto("/map?q=moon")
    drawn(phone)
    touch = phone.context.new_cdp_session(phone)
    x, y = middle(phone)

    def send(kind: str, apart: float) -> None:
        points = (
            [] if kind == "touchEnd" else [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        )
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", 30)
    for apart in (45, 60, 75, 90):
        send("touchMove", apart)
    send("touchEnd", 0)
    assert zoom(phone) > 2
    axe(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_in_the_dark(dark, axe):
    dark.goto("/map?q=moon&colour=topic")
    drawn(dark)
    axe(dark)


def test_problems_are_told_and_can_be_left(page):
    page.allowed.append("status of 400")
    page.goto("/map?ranker=bm25&q=moon")
    page.locator("#map-state[data-kind=error]", has_text="bm25 has no vectors of documents").wait_for()
    page.get_by_role("combobox", name="Vectors").select_option("iwcs")
    drawn(page)
    assert page.locator("#map-state").is_hidden()


def test_twenty_thousand_documents_are_fluent_and_hostile_ones_do_nothing(open_page, many, axe):
    page = open_page(base_url=many)
    page.goto("/map?index=many&most=20000&q=w1&colour=kind")
    drawn(page)
    assert "All 20,000 documents" in page.locator("#map-note").inner_text()
    assert page.locator("#map-near a", has_text="<script>").count() == 1
    took = []
    page.mouse.move(*middle(page))
    for turn in range(12):
        before = frames(page)
        page.mouse.wheel(0, -30 if turn % 2 else 30)
        drawn(page, before)
        took.append(float(page.locator("#map").get_attribute("data-milliseconds")))
    assert sorted(took)[len(took) // 2] < 50  # about 3 where nothing else is at work
    page.locator("#map").focus()
    page.keyboard.press("n")
    page.locator("#map-card").wait_for()
    axe(page)
    assert page.title() == "Map · aboutness"
    assert page.locator("#map-legend button").first.inner_text().startswith("<script>")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_an_index_without_vectors_says_what_to_do(open_page, many, axe):
    page = open_page(base_url=many)
    page.goto("/map?index=bare")
    assert page.get_by_text("aboutness train bare.index word2vec").is_visible()
    axe(page)


def test_the_back_button_goes_from_query_to_query_and_to_other_choices(page):
    page.goto("/map?q=moon")
    drawn(page)
    query = page.locator("#map-q")
    query.fill("")
    query.press_sequentially("sun", delay=300)
    query.press("Enter")
    page.wait_for_url("**q=sun*")
    page.locator("#map-most").select_option("1000")
    page.wait_for_url("**most=1000*")
    for address, value, most in (("**q=sun", "sun", "3000"), ("**q=moon", "moon", "3000")):
        page.go_back()
        page.wait_for_url(address)
        assert query.input_value() == value
        assert page.locator("#map-most").input_value() == most
        drawn(page)


def test_a_query_that_takes_long_says_so(page):
    page.goto("/map?q=moon")
    drawn(page)
    waiting = []
    page.route("**/v1/map*", lambda route: waiting.append(route.continue_))
    page.locator("#map-q").fill("sun")
    page.locator("#map-state[data-kind=loading]").wait_for()
    waiting[0]()
    page.locator("#map-state").wait_for(state="hidden")
    assert page.locator("#map-near li").count() > 0


def test_the_map_has_its_place_before_the_documents_come(page):
    waiting = []
    page.route("**/v1/map*", lambda route: waiting.append(route.continue_))
    page.goto("/map?q=moon")
    page.locator("#map-state[data-kind=loading]").wait_for()
    before = page.locator("#map-frame").bounding_box()
    waiting[0]()
    drawn(page)
    assert page.locator("#map-frame").bounding_box() == before
    page.locator("#map").press("+")


def test_without_a_script_there_is_no_room_for_a_map(open_page):
    page = open_page(java_script_enabled=False)
    page.goto("/map?q=moon")
    assert not page.locator("#map-side").is_visible()
    assert page.locator("#map-near li").count() > 0


def test_a_server_that_is_gone_can_be_asked_again(page):
    page.goto("/map?q=moon")
    drawn(page)
    page.allowed.append("net::ERR_FAILED")
    page.route("**/v1/map*", lambda route: route.abort())
    page.locator("#map-q").fill("sun")
    page.locator("#map-state[data-kind=error]").wait_for()
    page.unroute("**/v1/map*")
    page.get_by_role("button", name="Try again").click()
    page.locator("#map-state").wait_for(state="hidden")
    assert page.locator("#map-near li").count() > 0


def test_a_query_beyond_all_documents_is_in_sight(page):
    page.goto("/map")
    drawn(page)
    column, row = page.evaluate(
        """async () => {
            const { MapView } = await import(document.querySelector("script[src*='map.js']").src.replace("map.js", "map_view.js"));
            const canvas = document.body.appendChild(document.createElement("canvas"));
            const view = new MapView(canvas, () => {});
            view.setLook({ paper: [255, 255, 255], ink: "#000", accent: "#00f" });
            view.resize();
            view.setPlaces([0, 1], [0, 1]);
            view.setMarks({ query: { x: 3, y: -2 }, near: [] });
            const [x, y] = view.pixelOf(3, -2);
            return [x / canvas.width, y / canvas.height];
        }"""
    )
    assert 0 < column < 1
    assert 0 < row < 1
