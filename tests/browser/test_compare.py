from __future__ import annotations

import pytest

from aboutness.server.settings import Settings
from browser.conftest import PHONE, run_server
from report.made_results import HOSTILE_NAMES
from server.compared_results import HOSTILE_QUERY, write_results


@pytest.fixture(scope="module")
def compared_at(index, tmp_path_factory):
    """The address of a server that has results."""
    folder = write_results(tmp_path_factory.mktemp("results"))
    yield from run_server({"sky": index}, Settings(results=folder))


@pytest.fixture
def comparing(open_page, compared_at):
    """A page of that server."""
    return open_page(base_url=compared_at)


def column(page, number):
    cells = page.locator(f"table.means tbody tr > :nth-child({number})")
    return [float(text.split()[-1]) for text in cells.all_inner_texts()]


def test_without_results_it_says_what_to_do(page, axe):
    page.goto("/compare")
    assert "aboutness experiment cranfield" in page.locator(".state[data-kind=empty]").inner_text()
    axe(page)


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"viewport": PHONE, "has_touch": True}])
def test_no_barriers_and_it_fits(open_page, compared_at, axe, options):
    page = open_page(base_url=compared_at, **options)
    page.goto("/compare?name=first&query=q2")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_columns_are_sorted_by_their_heads(comparing):
    comparing.goto("/compare?name=first")
    head = comparing.locator("table.means th", has_text="AP")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    found = column(comparing, 3)
    assert found == sorted(found, reverse=True)
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(comparing, 3) == sorted(found)
    names = comparing.locator("table.means th", has_text="Ranker")
    names.get_by_role("button").click()
    assert comparing.locator("table.means tbody .letter").first.inner_text() == "a"


def test_a_measure_is_chosen(comparing):
    comparing.goto("/compare?name=first")
    comparing.get_by_label("Measure").select_option("P@5")
    comparing.wait_for_selector("#boxes-title:has-text('P@5, query by query')")
    assert "measure=P%405" in comparing.url
    assert comparing.locator("table.means th.chosen").inner_text() == "P@5"
    assert comparing.evaluate("document.activeElement.id") == "choose-measure"
    comparing.go_back()
    comparing.wait_for_selector("#boxes-title:has-text('nDCG@10, query by query')")


def test_other_results_and_parts_are_chosen(comparing):
    comparing.goto("/compare?name=first&query=q2")
    comparing.get_by_label("Collection and setting").select_option("chance, titles")
    comparing.wait_for_url("**on=chance%2C+titles**")
    assert "query=q2" in comparing.url
    comparing.get_by_label("Experiment").select_option("single")
    comparing.wait_for_url("**/compare?name=single")
    assert comparing.locator("#bars").count() == 0


def test_values_along_the_curves(comparing):
    comparing.goto("/compare?name=first")
    chart = comparing.locator("#curves")
    chart.focus()
    for _ in range(3):
        comparing.keyboard.press("ArrowRight")
    told = comparing.locator("#curves-readout").text_content()
    assert told.startswith("Precision at recall 0.3: a ")
    table = comparing.locator("#curves-table tbody tr").nth(3).locator("td").all_text_contents()
    assert comparing.locator("#curves-legend .value").all_inner_texts() == table
    box = chart.bounding_box()
    comparing.mouse.move(box["x"] + box["width"] * 0.97, box["y"] + box["height"] / 2)
    assert comparing.locator("#curves-readout").inner_text().startswith("Precision at recall 1.0")


def test_from_a_bar_to_both_rankings_by_pointer(comparing):
    comparing.goto("/compare?name=first")
    assert "Choose a query above" in comparing.locator("#rankings").inner_text()
    bar = comparing.locator("a.bar").nth(4)
    query = bar.get_attribute("aria-label").split(":")[0]
    bar.hover()
    assert comparing.locator("#bars-readout").inner_text().startswith(f"{query}: ")
    bar.click()
    comparing.wait_for_selector(f"#rankings-title:has-text('Query {query}')")
    assert f"query={query}" in comparing.url
    assert comparing.locator("#rankings ol li").count() == 40
    assert comparing.locator("svg.moves path").count() > 0
    assert comparing.locator("a.bar[aria-current]").count() == 1
    with_pair = comparing.locator(".ranking-a li[data-pair]").first
    with_pair.hover()
    assert comparing.locator(".ranking-b li.lit").count() == 1
    assert comparing.locator("svg.moves path.lit").count() == 1
    comparing.go_back()
    comparing.wait_for_selector("#rankings .state[data-kind=empty]")


def test_from_a_bar_to_both_rankings_by_keyboard(comparing):
    comparing.goto("/compare?name=first")
    comparing.locator("#bar-0").focus()
    comparing.keyboard.press("ArrowRight")
    comparing.keyboard.press("ArrowRight")
    assert comparing.evaluate("document.activeElement.id") == "bar-2"
    query = comparing.locator("#bar-2").get_attribute("aria-label").split(":")[0]
    comparing.keyboard.press("Enter")
    comparing.wait_for_selector(f"#rankings-title:has-text('Query {query}')")
    assert comparing.evaluate("document.activeElement.id") == "bar-2"
    comparing.keyboard.press("End")
    assert comparing.evaluate("document.activeElement.id") == "bar-11"


def test_from_the_matrix_to_the_queries_by_keyboard(comparing):
    comparing.goto("/compare?name=first")
    comparing.locator("#matrix td a").first.focus()
    comparing.keyboard.press("Enter")
    comparing.wait_for_url("**a=**")
    comparing.wait_for_function("() => document.activeElement.id === 'queries'")


def test_the_rows_of_both_rankings_meet_their_lines(comparing):
    comparing.goto("/compare?name=first&query=q2&a=wcs&b=bm25")
    apart = comparing.evaluate(
        """[...document.querySelectorAll('svg.moves path')].map(path => {
            const pair = path.dataset.pair, end = path.getTotalLength();
            return ['a', 'b'].map((side, i) => {
                const at = path.getPointAtLength(i ? end : 0).matrixTransform(path.getScreenCTM());
                const row = document.querySelector(`.ranking-${side} [data-pair="${pair}"]`).getBoundingClientRect();
                return Math.abs(at.y - (row.top + row.bottom) / 2);
            });
        }).flat()"""
    )
    assert apart
    assert max(apart) < 2


def test_two_rankers_are_chosen_from_the_matrix_and_by_name(comparing):
    comparing.goto("/compare?name=first&query=q2")
    comparing.locator("table.matrix tbody tr").nth(1).locator("a").first.click()
    comparing.wait_for_url("**a=ql&b=bm25**")
    assert comparing.get_by_label("compared with").input_value() == "bm25"
    comparing.get_by_label("compared with").select_option("wcs")
    comparing.wait_for_url("**b=wcs**")
    assert comparing.locator(".side-b .name").inner_text() == "wcs"
    assert "query=q2" in comparing.url


def test_the_table_of_queries(comparing):
    comparing.goto("/compare?name=first")
    comparing.get_by_text("All queries as a table").click()
    comparing.locator("#queries-listed th", has_text="Difference").get_by_role("button").click()
    told = comparing.locator("#queries-listed tbody tr td:last-child").all_inner_texts()
    numbers = [float(text.replace("−", "-").replace("+", "")) for text in told]
    assert numbers == sorted(numbers, reverse=True)
    comparing.locator("#queries-listed tbody a").first.click()
    comparing.wait_for_selector("#rankings-title:has-text('Query q')")
    assert comparing.locator("#queries-listed").get_attribute("open") is not None


def test_odd_names_do_nothing(comparing):
    from urllib.parse import urlencode

    said = []
    comparing.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    asked = {"name": "odd", "query": HOSTILE_QUERY, "a": HOSTILE_NAMES[0], "b": HOSTILE_NAMES[1]}
    comparing.goto(f"/compare?{urlencode(asked)}")
    assert comparing.locator("#rankings ol li").count() > 0
    comparing.locator("a.bar").nth(1).click()
    comparing.wait_for_selector("#compare:not([aria-busy])")
    assert comparing.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert not said


def test_a_server_that_is_gone_is_told(comparing):
    comparing.goto("/compare?name=first")
    comparing.allowed.append("ERR_")
    comparing.route("**/compare?**", lambda route: route.abort())
    comparing.get_by_label("Measure").select_option("AP")
    comparing.wait_for_selector("#compare-state[data-kind=error]")
    assert "does not answer" in comparing.locator("#compare-state").inner_text()


def test_waiting_is_told(comparing):
    comparing.goto("/compare?name=first")
    waiting = []

    def hold(route):
        waiting.append(route)

    comparing.route("**/compare?**", hold)
    comparing.get_by_label("Measure").select_option("AP")
    comparing.wait_for_selector("#compare-state[data-kind=loading]")
    waiting[0].continue_()
    comparing.wait_for_selector("#boxes-title:has-text('AP, query by query')")
    assert not comparing.locator("#compare-state").is_visible()


def test_a_jump_within_the_page_asks_for_nothing(comparing):
    comparing.goto("/compare?name=first")
    asked = []
    comparing.on("request", lambda request: asked.append(request.url))
    comparing.locator("body").press("Tab")
    comparing.keyboard.press("Enter")
    assert comparing.evaluate("document.activeElement.id") == "content"
    comparing.wait_for_timeout(200)
    assert [url for url in asked if "/compare" in url] == []


def test_it_works_without_scripts(open_page, compared_at):
    page = open_page(base_url=compared_at, java_script_enabled=False)
    page.goto("/compare?name=first")
    page.get_by_label("Measure").select_option("AP")
    page.locator("#controls").get_by_role("button", name="Show").click()
    assert page.locator("#boxes-title").inner_text().startswith("AP")
    page.locator("a.bar").nth(2).click()
    assert page.locator("#rankings ol li").count() == 40
