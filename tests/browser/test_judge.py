"""Judging in a browser, by keyboard: what is graded is kept, exported as it is read, and loaded again."""

from __future__ import annotations

import json

import pytest

from aboutness.app.evaluating import evaluate_run
from aboutness.app.index import Index
from aboutness.app.pooling import pooled
from aboutness.corpus.topics import read_topics
from aboutness.evaluate.judgements import read_judgements
from browser.conftest import PHONE, run_server

SETTINGS = {"r": ["bm25", "ql"], "depth": 4}
ADDRESS = "/judge?r=bm25&r=ql&depth=4"
SCRIPT = "<script>document.title='no'</script><img src=x onerror=\"document.title='no'\">"
HOSTILE = [
    {
        "id": f"a{SCRIPT}",
        "title": f"sun {SCRIPT}",
        "text": f"sun <svg onload=alert(1)> &lt;b&gt; \u202etxet {SCRIPT}",
    },
    {"id": "with blank", "title": "sun \u202e\u2066", "text": "sun", "key\u202e": SCRIPT},
]


def judged(page, query="sun sea", address=ADDRESS):
    page.goto(address)
    page.fill("#q", query)
    page.keyboard.press("Enter")
    page.locator("#document .id").wait_for()
    return page


def exported(page, tmp_path):
    with page.expect_download() as download:
        page.click("#export")
    download.value.save_as(tmp_path / "qrels.txt")
    return tmp_path / "qrels.txt"


def expected(index, query="sun sea"):
    return [document.id for document in pooled(index, query, SETTINGS["r"], SETTINGS["depth"]).documents]


def test_words_of_the_query_are_marked_in_all_their_forms(open_page):
    for url in run_server(
        {"sky": Index.build([{"id": "a", "title": "Runs", "text": "😀 the RUNNING of the sea"}])}
    ):
        page = open_page(base_url=url)
        judged(page, "the running", "/judge?r=bm25")
        assert page.locator("#document mark").all_inner_texts() == ["Runs", "RUNNING"]
        page.goto("about:blank")


def test_grades_that_come_too_early_do_not_change_the_query(page):
    page.route("**/v1/pool", lambda route: (page.wait_for_timeout(600), route.continue_()))
    page.goto(ADDRESS)
    page.fill("#q", "sun sea")
    page.keyboard.press("Enter")
    page.locator("#desk-state[data-kind=loading]").wait_for()
    page.keyboard.press("2")
    page.locator("#document .id").wait_for()
    assert page.input_value("#q") == "sun sea"
    assert page.evaluate("document.activeElement.id") == "document"
    assert page.locator("#pool [data-grade]").count() == 0


def test_queries_of_two_tabs_have_ids_of_their_own(page, tmp_path):
    other = page.context.new_page()
    for one in (page, other):
        one.goto(ADDRESS)
    judged_here = [(page, "sun sea", "2"), (other, "moon song", "3")]
    for one, query, grade in judged_here:
        one.fill("#q", query)
        one.keyboard.press("Enter")
        one.locator("#document .id").wait_for()
        one.keyboard.press(grade)
    graded = read_judgements(exported(page, tmp_path))
    assert {query: list(grades.values()) for query, grades in graded.items()} == {"1": [2], "2": [3]}
    page.reload()
    page.locator("#document .id").wait_for()
    assert page.locator("#query-list li").count() == 2


def test_queries_of_a_file_do_not_take_over_the_grades_of_others(page, tmp_path):
    judged(page)
    page.keyboard.press("2")
    page.locator("#setup").evaluate("setup => { setup.open = true; }")
    (tmp_path / "queries.tsv").write_text("1\tmoon song\n")
    page.set_input_files("#queries", tmp_path / "queries.tsv")
    page.get_by_text('the id "1" has judgements of another query, "sun sea"').wait_for()
    assert page.locator("#query-list li").count() == 1
    (tmp_path / "queries.tsv").write_text("1\tsun sea\n7\tmoon song\n")
    page.set_input_files("#queries", tmp_path / "queries.tsv")
    page.locator("#query-list li").nth(1).wait_for()
    assert page.locator("#pool [data-grade]").count() == 1


def test_grades_by_keyboard_are_kept_and_exported(page, server, tmp_path):
    ids = expected(server.index)
    judged(page)
    for place, one in enumerate(ids):
        assert page.locator("#document .id").inner_text() == one
        page.keyboard.press(str(place % 4))
    assert "all are judged" in page.locator("#progress-text").inner_text()
    page.reload()
    page.locator("#document .id").wait_for()
    assert page.locator("#pool [data-grade]").count() == len(ids)
    grades = {one: place % 4 for place, one in enumerate(ids)}
    file = exported(page, tmp_path)
    assert read_judgements(file) == {"1": grades}
    assert file.read_text().splitlines()[0] == f"1 0 {ids[0]} 0"


def test_queries_are_exported_under_the_ids_of_their_judgements_and_the_back_button_returns_to_them(
    page, tmp_path
):
    judged(page)
    page.keyboard.press("2")
    page.locator("#setup summary").click()
    page.fill("#q", "moon")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=moon*")
    page.locator("#document .id").wait_for()
    with page.expect_download() as download:
        page.click("#export-queries")
    download.value.save_as(tmp_path / "queries.tsv")
    queries = {query.id: query.text for query in read_topics(tmp_path / "queries.tsv")}
    assert queries == {"1": "sun sea", "2": "moon"}
    assert queries.keys() >= read_judgements(exported(page, tmp_path)).keys()
    page.go_back()
    page.locator("#query-title", has_text="sun sea").wait_for()
    page.go_forward()
    page.locator("#query-title", has_text="moon").wait_for()


def test_one_can_walk_undo_and_find_what_is_left(page, server):
    ids = expected(server.index)
    shown = judged(page).locator("#document .id")
    for key, place in (("j", 1), ("ArrowRight", 2), ("k", 1), ("ArrowLeft", 0), ("k", 0)):
        page.keyboard.press(key)
        assert shown.inner_text() == ids[place]
    page.keyboard.press("j")
    page.keyboard.press("2")
    page.keyboard.press("k")
    assert page.locator("#grades [aria-pressed=true]").inner_text().split() == ["2", "relevant"]
    page.keyboard.press("u")
    assert shown.inner_text() == ids[1]
    assert page.locator("#pool [data-grade]").count() == 0
    page.keyboard.press("0")
    page.keyboard.press("k")
    page.keyboard.press("k")
    page.keyboard.press("n")
    assert shown.inner_text() == ids[2]
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("3")  # grades nothing now
    page.keyboard.press("Escape")
    assert page.locator("#pool [data-grade]").count() == 1


def test_queries_and_judgements_come_from_files(page, server, tmp_path):
    ids = expected(server.index, "moon")
    page.goto(ADDRESS)
    page.set_input_files(
        "#queries",
        {
            "name": "q.jsonl",
            "mimeType": "text/plain",
            "buffer": json.dumps({"_id": "x", "text": "sun sea"}).encode(),
        },
    )
    page.locator("#document .id").wait_for()
    assert page.locator("#query-list button").count() == 1
    page.click("#setup summary")
    page.set_input_files(
        "#queries", {"name": "q.tsv", "mimeType": "text/plain", "buffer": b"q 1\tmoon\nq2\tsun sea\n"}
    )
    page.locator("#query-list button").nth(1).wait_for()
    qrels = f"q 1\t0\t{ids[0]}\t3\nq2\t0\td0-0\t1\n"
    page.locator("#query-title", has_text="moon").wait_for()
    page.set_input_files("#qrels", {"name": "old.txt", "mimeType": "text/plain", "buffer": qrels.encode()})
    page.locator("#state", has_text="2 judgements of 2 queries loaded").wait_for()
    # The documents of the query that was chosen may come after the judgements.
    page.locator("#grades [aria-pressed=true], #pool [data-grade='3']").first.wait_for(state="attached")
    page.keyboard.press("Escape")
    page.locator("#document").focus()
    for _ in ids[1:]:
        page.keyboard.press("n")
        page.keyboard.press("1")
    page.keyboard.press("n")  # on to the next query
    page.locator("#query-title", has_text="sun sea").wait_for()
    found = read_judgements(exported(page, tmp_path))
    assert found == {"q 1": {one: 3 if one == ids[0] else 1 for one in ids}, "q2": {"d0-0": 1}}
    assert "separated by tabs" in page.locator("#export-note").inner_text()


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("queries", "no tab here", "line 1: a query's line must hold an id, a tab and the text"),
        ("queries", "1\ta\n1\tb", 'line 2: two queries have the id "1"'),
        ("queries", '{"_id": "1"}', "line 1: a query must have an id"),
        ("queries", "", "there is no query"),
        ("qrels", "q 0 d x", "line 1: the grade must be a whole number"),
        ("qrels", "q 0 d 1\nq d 1", "line 2: the judgements before have 4 columns"),
        ("qrels", "q 0 d 1\nq 0 d 2", "is judged twice"),
    ],
)
def test_files_that_cannot_be_used_are_told(page, kind, content, message):
    page.goto(ADDRESS)
    page.set_input_files(f"#{kind}", {"name": "x.txt", "mimeType": "text/plain", "buffer": content.encode()})
    page.locator("#state[data-kind=error]", has_text=message).wait_for()


def test_at_last_it_is_told_who_found_what(page, server):
    judged(page)
    ids = expected(server.index)
    assert page.locator("#reveal").is_hidden()
    assert "bm25" not in page.locator("#work").inner_text()
    for place in range(len(ids)):
        page.keyboard.press(str(place % 4))
    page.click("#reveal")
    table = page.locator("#revealed table")
    table.wait_for()
    grades = {one: place % 4 for place, one in enumerate(ids)}
    for place, ranker in enumerate(SETTINGS["r"]):
        hits = server.index.search("sun sea", 4, ranker)
        run = {"q": {hit.id: 1 / hit.rank for hit in hits}}
        ndcg = evaluate_run({"q": grades}, run, "nDCG@4").mean["nDCG@4"]
        assert float(table.locator("tr.measure").first.locator("td").nth(place).inner_text()) == pytest.approx(
            ndcg, abs=1e-3
        )
    page.keyboard.press("0")
    assert page.locator("#revealed").is_hidden()


def test_rankers_are_compared_over_all_judged_queries(page, server):
    means = []
    for query in ("sun sea", "moon"):
        page.goto(f"{ADDRESS}&q={query}")
        page.locator("#document .id").wait_for()
        ids = expected(server.index, query)
        for place in range(len(ids)):
            page.keyboard.press(str(place % 4))
        grades = {one: place % 4 for place, one in enumerate(ids)}
        run = {hit.id: 1 / hit.rank for hit in server.index.search(query, 4, "ql")}
        means.append(evaluate_run({"q": grades}, {"q": run}, "nDCG@4").mean["nDCG@4"])
    page.click("#reveal")
    page.click("#overall")
    row = page.locator("#revealed .means tbody tr").nth(1)
    row.wait_for()
    assert row.locator("th").inner_text() == "ql"
    assert float(row.locator("td").first.inner_text()) == pytest.approx(sum(means) / 2, abs=1e-3)


def test_what_goes_wrong_is_told_and_can_be_mended(page):
    page.allowed.append("status of 400")
    page.goto("/judge?r=nobody")
    page.click("#ask button.primary")
    page.locator("#state[data-kind=error]", has_text="Enter the query").wait_for()
    page.fill("#q", "sun")
    page.keyboard.press("Enter")
    page.locator("#desk-state[data-kind=error]", has_text="nobody").wait_for()
    page.fill("#r1", "bm25")
    page.keyboard.press("Tab")
    page.locator("#document .id").wait_for()
    page.fill("#q", "zebra")
    page.keyboard.press("Enter")
    page.locator("#desk-state[data-kind=empty]", has_text="No ranker finds anything").wait_for()


def test_the_query_has_its_place_before_its_documents_come(page):
    waiting = []
    page.route("**/v1/pool", lambda route: waiting.append(route.continue_))
    page.goto("/judge?q=moon")
    page.locator("#desk-state[data-kind=loading]").wait_for()
    before = page.locator("#query-title").bounding_box()
    waiting[0]()
    page.locator("#desk-state").wait_for(state="hidden")
    assert page.locator("#query-title").bounding_box() == before


def test_everything_can_be_forgotten(page):
    judged(page)
    page.keyboard.press("3")
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#forget")
    assert page.evaluate("localStorage.length") == 0
    page.goto("/judge")
    assert page.locator("#work").is_hidden()


@pytest.mark.parametrize("kind", ["page", "phone", "dark"])
def test_there_is_no_barrier_at_work(request, axe, kind):
    shown = judged(request.getfixturevalue(kind))
    for _ in range(8):
        shown.keyboard.press("2")
    shown.click("#reveal")
    shown.locator("#revealed table").wait_for()
    axe(shown)
    assert shown.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    shown.click("#help")
    axe(shown)


def test_texts_do_nothing(open_page, tmp_path):
    for url in run_server({"bad": Index.build(HOSTILE, tmp_path / "bad.index")}):
        page = judged(open_page(base_url=url), f"sun {SCRIPT}")
        texts = set()
        for key in "12":
            texts.add(page.locator("#document .id").text_content())
            page.keyboard.press(key)
        assert texts == {one["id"] for one in HOSTILE}
        page.click("#reveal")
        page.locator("#revealed table").wait_for()
        assert page.title() == "Judge · aboutness"
        assert page.locator("#work script, #work img, #work svg").count() == 0
        found = read_judgements(exported(page, tmp_path))
        assert set(found["1"]) == texts


def test_on_a_phone_the_page_stays_at_the_document(phone):
    phone.goto("/judge?q=songs+of+the+moon")
    phone.locator("#document h3, #document .field").first.wait_for()
    phone.wait_for_load_state("networkidle")
    assert phone.evaluate("scrollY") == 0  # the query is above the document, its list below
    for _ in range(3):
        phone.locator("#grades [data-grade='1']").click()
        top = phone.locator("#document").bounding_box()["y"]
        assert 0 <= top < 700


def test_marks_stacked_on_letters_and_long_metadata_stay_in_their_place(open_page, tmp_path):
    record = {"id": "a", "title": "sun a" + 60 * "\u0301", "text": "sun", "label": "b" * 400}
    for url in run_server({"odd": Index.build([record], tmp_path / "odd.index")}):
        page = judged(open_page(base_url=url, viewport=PHONE), "sun")
        assert page.locator("#document dt").bounding_box()["width"] > 25  # not letter by letter
        pictures = [page.locator(".pool").screenshot()]
        page.locator("#document h3").evaluate("title => { title.textContent = 'sun a'; }")
        assert [page.locator(".pool").screenshot()] == pictures
        page.goto("about:blank")
