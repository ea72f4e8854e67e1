"""The page of an index in a browser: jobs as they go on, and documents that come and go."""

from __future__ import annotations

import json

import pytest

from aboutness.app.index import Index
from browser.conftest import PHONE, run_server
from server.served import sky_index

SCRIPT = "<script>document.title='no'</script><img src=x onerror=\"document.title='no'\">"


@pytest.fixture
def changing(tmp_path):
    return sky_index(tmp_path / "changing.index")


@pytest.fixture
def own(open_page, changing):
    """A page of a server whose index may be changed."""
    for url in run_server({"sky": changing}):
        page = open_page(base_url=url)
        page.set_default_timeout(90_000)  # processes take their time to start on a busy machine
        page.goto("/indexes")
        yield page
        page.goto("about:blank")


def test_what_is_trained_is_shown_with_its_progress(own, changing):
    own.click("text=Train something")
    own.click("summary:has-text('Parameters')")
    own.fill("#name", "mine")
    for name, value in (("dim", "8"), ("min_count", "1"), ("epochs", "2")):
        own.fill(f"#parameter-{name}", value)
    own.click("#train button.primary")
    own.locator("#jobs [data-state=done]").wait_for()
    assert "words x 8" in own.locator("#jobs li").inner_text()
    assert changing.vectors("mine").dim == 8
    own.click("text=Show the index as it is now")
    own.locator("[data-again=mine]").wait_for()
    own.click("[data-again=mine]")
    own.locator("#jobs [data-state=done]").nth(1).wait_for()
    assert changing.snapshot.generation == 4
    assert changing.vectors("mine").provenance["parameters"]["min_count"] == 1


def test_all_of_what_was_trained_is_in_view_on_a_desk(page):
    page.goto("/indexes")
    region = page.locator("[aria-label='What was trained']")
    assert region.evaluate("region => region.scrollWidth <= region.clientWidth")
    assert page.locator("[data-again=word2vec]").is_visible()


def test_a_job_is_cancelled(own, changing):
    own.click("text=Train something")
    own.click("summary:has-text('Parameters')")
    own.fill("#parameter-epochs", "100000")
    own.fill("#parameter-dim", "500")
    own.click("#train button.primary")
    own.locator("#jobs progress").wait_for()
    own.click("#jobs [data-cancel]")
    own.locator("#jobs [data-state=cancelled]").wait_for()
    assert "the index is unchanged" in own.locator("#jobs li").inner_text()
    assert changing.snapshot.generation == 2


def test_every_byte_is_compared(own):
    own.click("#check")
    own.locator("#jobs [data-state=done]", has_text="done").wait_for()
    assert "every byte compared" in own.locator("#jobs li").inner_text()


def test_what_cannot_be_trained_is_told(own):
    own.allowed.append("status of 400")
    own.click("text=Train something")
    own.fill("#name", "no/name")
    own.click("#train button.primary")
    own.locator("#told[data-kind=error]", has_text="ASCII letters").wait_for()


def test_documents_come_and_go(own, changing):
    own.click("text=Add documents")
    own.fill("#new-id", "comet")
    own.fill("[data-field=title]", "Comets")
    own.fill("[data-field=text]", "a comet rises")
    own.click("#add button.primary")
    own.locator("#told", has_text="1 added, 0 replaced; the index has 21 documents now.").wait_for()
    assert changing["comet"].fields["text"] == "a comet rises"
    own.goto("/indexes?offset=20")
    own.click(".documents summary")
    own.on("dialog", lambda dialog: dialog.accept())
    own.click("[data-delete=comet]")
    own.locator("#told", has_text="The document comet is deleted.").wait_for()
    assert "comet" not in changing


def test_a_file_of_documents_is_added_or_refused(own, changing):
    own.allowed.append("status of 422")
    own.click("text=Add documents")

    def load(content):
        own.set_input_files("#file", {"name": "x.jsonl", "mimeType": "text/plain", "buffer": content.encode()})

    load("{}\nno")
    own.locator("#told[data-kind=error]", has_text="line 2 is no JSON object").wait_for()
    load(json.dumps({"id": "d0-0", "text": "x"}))
    own.locator("#told[data-kind=error]", has_text="d0-0").wait_for()
    load("".join(json.dumps({"id": f"n{n}", "text": "x", "year": n}) + "\n" for n in range(3)))
    own.locator("#told", has_text="3 added").wait_for()
    assert changing["n2"].metadata == {"year": 2}


@pytest.mark.parametrize("kind", ["page", "phone", "dark"])
def test_there_is_no_barrier(request, axe, kind):
    shown = request.getfixturevalue(kind)
    shown.goto("/indexes")
    for summary in ("Train something", "Parameters", "Add documents"):
        shown.click(f"summary:has-text('{summary}')")
    shown.click(".documents summary >> nth=0")
    axe(shown)
    assert shown.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_texts_do_nothing(open_page, tmp_path):
    record = {
        "id": SCRIPT,
        "title": f"\u202e{SCRIPT}",
        "text": f"sun <svg onload=alert(1)> {SCRIPT}",
        f"k{SCRIPT}": SCRIPT,
    }
    for url in run_server({"bad": Index.build([record], tmp_path / "bad.index")}):
        page = open_page(base_url=url)
        page.goto("/indexes")
        page.click(".documents summary")
        page.on("dialog", lambda dialog: dialog.accept())
        page.click("[data-delete]")
        page.locator("#told", has_text="is deleted").wait_for()
        assert page.title() == "Index · aboutness"
        assert page.locator("main img, main svg").count() == 0


def test_the_names_of_layers_and_trainings_fit_a_phone(open_page, changing):
    changing.add_layer("letters", "english[stem=none,words=1,letters=4]")
    for url in run_server({"sky": changing}):
        phone = open_page(base_url=url, viewport={"width": 360, "height": 740})
        phone.goto("/indexes")
        panel = phone.locator(".vocabulary").bounding_box()
        for head in phone.locator(".vocabulary h3 span").all():
            box = head.bounding_box()
            assert box["x"] + box["width"] <= panel["x"] + panel["width"]
        name = phone.locator(".artefacts td strong").first
        assert name.bounding_box()["height"] < 30  # in one line
        phone.goto("about:blank")


def test_a_job_that_takes_long_to_begin_says_so(own):
    waiting = []
    own.route("**/v1/jobs", lambda route: waiting.append(route.continue_))
    own.click("#check")
    own.locator("#told[data-kind=loading]").wait_for()
    waiting[0]()
    own.unroute("**/v1/jobs")
    own.locator("#jobs [data-state=done]").wait_for()
    assert not own.locator("#told").is_visible()


def test_marks_stacked_on_letters_and_many_keys_stay_in_their_place(open_page, tmp_path):
    records = [{"id": "a", "title": "moon"}, {"id": "b", "title": "sun a" + 60 * "\u0301", "label": "b" * 400}]
    records[0] |= {f"key {number}": number for number in range(300)}
    for url in run_server({"odd": Index.build(records, tmp_path / "odd.index")}):
        page = open_page(base_url=url, viewport=PHONE)
        page.goto("/indexes")
        assert page.locator("[aria-label=Metadata]").bounding_box()["height"] < 600
        first, second = page.locator(".documents li").all()
        pictures = [first.screenshot()]
        second.locator(".title").evaluate("title => { title.textContent = 'sun a'; }")
        assert [first.screenshot()] == pictures
        second.locator("summary").click()
        assert second.locator("dt").bounding_box()["width"] > 25  # not letter by letter
        page.goto("about:blank")
