from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from aboutness.evaluate.intervals import bootstrap
from aboutness.report import findings, illustrations, page
from aboutness.report.findings import sections
from aboutness.report.markup import without_unwanted
from report.made_results import HEBREW, HOSTILE, HOSTILE_NAMES, LONG, MADE, comparison, names_of, results
from report.pages import BROWSER, Page, opened

FIVE = ("nDCG@10", "AP", "RR", "P@10", "R@100")
CLEANED = without_unwanted(HOSTILE)


def made(given) -> str:
    return page.report_page(given, sections(given))


@pytest.fixture(scope="module")
def small() -> str:
    return made(results(comparison(measures=FIVE, texts={"q0": "what is <b>it</b>?"})))


@pytest.fixture(scope="module")
def hostile() -> str:
    one = comparison(
        HOSTILE_NAMES, ids=[*HOSTILE_NAMES, "q6"], collection=HOSTILE, setting=HEBREW, note=HOSTILE, analyzer=HOSTILE,
        left_out={HOSTILE: LONG}, texts={HOSTILE: HOSTILE}, unknown={"q": ["x"]},
    )  # fmt: skip
    about = {
        "command": HOSTILE,
        "versions": {HOSTILE: HOSTILE},
        "parameters": {HOSTILE: [HOSTILE]},
        "data": {HOSTILE: {HOSTILE: HOSTILE}},
    }
    return made(replace(results(one, made=replace(MADE, **about)), name=HOSTILE))


def test_a_strict_policy_that_allows_its_own_script_and_style(small):
    found = Page(small)
    (policy,) = [
        one["content"] for one, _ in found.all("meta") if one.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    assert "http" not in policy
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        (text,) = [text for one, text in found.all(tag) if "type" not in one]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"


def test_nothing_is_loaded_and_nothing_inline_runs(small, hostile):
    for text in (small, hostile):
        found = Page(text)
        attributes = {name for _, one, _ in found.elements for name in one}
        assert not {"src", "srcset", "action", "style"} & attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert {one["href"] for one, _ in found.all("link")} == {"data:,"}
        assert not re.search(r"url\((?!#)|@import|fetch\(|import\(|eval\(", text)
    assert not re.search(r"https?:", small)


def test_ids_are_unique_and_links_lead_somewhere(small):
    found = Page(small)
    ids = [one["id"] for _, one, _ in found.elements if "id" in one]
    assert len(set(ids)) == len(ids)
    assert {one["href"][1:] for one, _ in found.all("a")} <= set(ids)


def test_tables(small):
    found = Page(small)
    given = sections(results())[0]
    means, differences, pairs, queries = found.texts("tbody")
    assert [row.name in means for row in given.comparison.rows] == [True] * 3
    for of_ranker in given.findings.values():
        for one in of_ranker.values():
            assert f"{one.mean:.4f}{' '.join(one.beats)} ({one.deviation:.2f})" in means
    best = [text for one, text in found.all("td", _class="n best")]
    highest = [max(of[name].mean for of in given.findings.values()) for name in ("nDCG@10", "AP")]
    assert all(any(text.startswith(f"{value:.4f}") for text in best) for value in highest)
    assert "one" not in differences
    assert pairs.count("nDCG@10") == 3
    assert len(queries.strip().split("\n")) == 9


def test_everything_that_makes_it_again_is_told(small):
    text = " ".join(Page(small).texts("section", id="made")[0].split())
    for part in (
        MADE.command, "data/chance", "checksum abc123", "judgements 27", "12.5 s", "346 MB", "python 3.13", "depth", "seed",
        "Fisher's randomisation test", "paired", "Holm", "bootstrap", "bm25[k1=1.01]",
    ):  # fmt: skip
        assert part in text
    assert "All 9 have answers" in small


def test_figures_are_inside(small):
    found = Page(small)
    assert len(found.all("svg", role="img")) == len(found.all("figcaption")) == 6


def test_without_matplotlib_it_says_how_to_get_figures(monkeypatch):
    monkeypatch.setattr(illustrations, "is_there", lambda: False)
    found = Page(made(results()))
    assert not found.all("svg")
    assert any("pip install 'aboutness[figures]'" in text for text in found.texts("p"))
    assert len(found.texts("tbody")) == 4


def test_everything_is_escaped(hostile):
    hostile.encode()
    found = Page(hostile)
    assert len(found.all("script")) == 2
    assert found.texts("title")[0] == found.texts("h1")[0] == CLEANED
    assert found.texts("h2")[0] == f"{CLEANED}, {HEBREW}"
    assert CLEANED in found.texts("bdi")
    assert LONG in found.texts("bdi")
    assert found.texts("code")[-1] == CLEANED or CLEANED in found.texts("code")
    assert found.data[0]["queries"][:3] == [CLEANED, HEBREW, LONG]
    assert found.data[0]["texts"][0] == CLEANED
    assert "\0" not in hostile
    assert "\x07" not in hostile


@pytest.mark.parametrize(
    "given", [results(comparison([])), results(comparison(["only"], 1)), results(comparison(["a", "b"], 2))]
)
def test_little_to_show(given):
    found = Page(made(given))
    assert found.all("section", id="c0")


def test_several_comparisons():
    given = results(*(comparison(["one"], 3, setting=setting) for setting in ("title", "text")))
    found = Page(made(given))
    assert found.texts("h2") == ["All comparisons", "chance, title", "chance, text", "How it was made"]
    ids = [one["id"] for _, one, _ in found.elements if "id" in one]
    assert len(set(ids)) == len(ids)
    assert len(found.data) == 2


def test_more_rankers_than_a_figure_shows(monkeypatch):
    monkeypatch.setattr(illustrations, "MOST_RANKERS", 2)
    found = Page(made(results()))
    assert all(text.endswith("The 2 best of 3 rankers.") for text in found.texts("figcaption"))
    assert len(found.texts("tbody")[0].strip().split("\n")) == 3


def test_seven_rankers_and_a_thousand_queries_are_small(monkeypatch):
    monkeypatch.setattr(findings, "bootstrap", partial(bootstrap, samples=100))  # to be quick
    one = comparison(names_of(7), 1000, documents=200, measures=FIVE, depth=40)
    text = made(results(one, test="t"))
    assert len(text.encode()) <= 2_000_000
    found = Page(text)
    assert len(found.data[0]["queries"]) == 1000
    assert found.data[0]["first"]


# --- in a browser ---------------------------------------------------------------------------------------------

ACTIONS = """<script>
const told = {}, all = (what) => [...document.querySelectorAll(what)];
const column = (table, at) => [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[at].textContent);
addEventListener("error", (event) => { told.error = event.message; });
addEventListener("securitypolicyviolation", (event) => { told.violation = event.violatedDirective; });
const means = all("table.sortable")[0], head = () => all("table.sortable")[0].tHead.rows[0].cells[1];
head().firstChild.click(); told.down = [head().getAttribute("aria-sort"), column(means, 1)];
head().firstChild.click(); told.up = [head().getAttribute("aria-sort"), column(means, 1)];
means.tHead.rows[0].cells[0].firstChild.click(); told.names = column(means, 0);
const box = all("details.queries")[0], table = box.querySelector("table"); box.open = true;
told.buttons = all("details.queries tbody button").length;
const [choice, find] = box.querySelectorAll("select, input");
told.first = column(table, 1);
choice.value = 1; choice.dispatchEvent(new Event("change")); told.second = column(table, 1);
const button = table.querySelector("tbody button"); button.click();
told.expanded = [button.getAttribute("aria-expanded"), table.querySelector("tr.found").innerText];
button.click(); told.closed = [button.getAttribute("aria-expanded"), all("tr.found").length];
find.value = "IT</B>"; find.dispatchEvent(new Event("input")); told.found = column(table, 0);
told.wide = document.documentElement.scrollWidth <= innerWidth;
told.ink = getComputedStyle(all("svg")[0].querySelector("use")).fill;
setTimeout(() => { document.title = JSON.stringify(told); }, 50);
</script></body>"""


def told_by(text: str, folder: Path, *options: str):
    """Return what a page tells by its title."""
    (folder / "page.html").write_text(text, "utf-8")
    for _ in range(8):  # a busy machine may end before the browser has drawn anything: then nothing was told
        title = Page(opened(folder / "page.html", folder / "profile", *options)).texts("title")[0]
        if title.startswith("{"):
            break
    return json.loads(title)


@pytest.mark.skipif(not BROWSER, reason="needs Chromium")
def test_on_a_phone_nothing_is_wider_than_the_screen(small, hostile, tmp_path):
    for text in (small, hostile):
        phone = f"""<!DOCTYPE html><title>phone</title><iframe srcdoc="{escape(text)}" width="390" height="800"></iframe>
<script>document.querySelector("iframe").addEventListener("load", ({{ target }}) => {{
  const page = target.contentDocument, table = page.querySelector(".scroll");
  document.title = JSON.stringify({{
    page: [page.documentElement.scrollWidth <= target.clientWidth, target.clientWidth], table: table.scrollWidth > table.clientWidth,
  }});
}});</script>"""
        told = told_by(phone, tmp_path)
        assert told == {"page": [True, 390], "table": True}  # a wide table moves by itself


@pytest.mark.skipif(not BROWSER, reason="needs Chromium")
def test_in_a_browser(small, tmp_path):
    text = re.sub(r"script-src '[^']*'", "script-src 'unsafe-inline'", small).replace("</body>", ACTIONS)
    told = told_by(text, tmp_path, "--force-dark-mode")
    assert "error" not in told
    assert "violation" not in told
    given = sections(results())[0]
    values = sorted(of["nDCG@10"].mean for of in given.findings.values())
    assert [told["down"][0], [float(one[:6]) for one in told["down"][1]]] == [
        "descending",
        [round(one, 4) for one in values[::-1]],
    ]
    assert [told["up"][0], [float(one[:6]) for one in told["up"][1]]] == [
        "ascending",
        [round(one, 4) for one in values],
    ]
    assert [name[:4] for name in told["names"]] == ["aone", "cthr", "btwo"]
    evaluation = given.comparison.rows[0].evaluation.per_query
    assert told["buttons"] == 9
    assert told["first"] == [f"{one['nDCG@10']:.4f}" for one in evaluation.values()]
    assert told["second"] == [f"{one['AP']:.4f}" for one in evaluation.values()]
    expanded, inside = told["expanded"]
    assert expanded == "true"
    for part in (
        "what is <b>it</b>?",
        "2 relevant documents",
        "first documents",
        "three",
        given.comparison.rows[2].run["q0"][0][0],
    ):
        assert part in inside
    assert told["closed"] == ["false", 0]
    assert told["found"] == ["q0"]
    assert told["wide"]
    assert told["ink"] != "rgb(0, 0, 0)"


@pytest.mark.skipif(not BROWSER, reason="needs Chromium")
def test_hostile_names_in_a_browser_do_nothing(hostile, tmp_path):
    (tmp_path / "page.html").write_text(hostile, "utf-8")
    command = [
        str(BROWSER), "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
        f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={tmp_path / 'page.png'}", f"file://{tmp_path / 'page.html'}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "CONSOLE" not in done.stderr
    assert (tmp_path / "page.png").stat().st_size > 1000
