from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

import pytest
from hypothesis import given

from aboutness.models.ranking import Explanation, Part
from aboutness.report import explained, markup
from aboutness.report.explained import page, shown_number
from aboutness.report.marks import Explained, Reading, Reason
from aboutness.report.paragraphs import LONGEST
from aboutness.text.analyzers import analyzer
from report import pages
from report.pages import BROWSER, opened
from text.hard_texts import texts

HOSTILE = "</script><script>alert(1)</script>\u2028<!--\"'&amp;\0\x07\ufffe\udc80\U0001ffff{0}{query}"
CLEANED = "</script><script>alert(1)</script>\u2028<!--\"'&amp;" + "\ufffd" * 5 + "{0}{query}"


class Page(pages.Page):
    """A page with marked words."""

    @property
    def words(self) -> list[tuple[str, str, str]]:
        """The marked words of documents: text, class and style."""
        return [
            (text, attributes["class"], attributes.get("style", ""))
            for attributes, text in self.all("span")
            if "data-k" in attributes
        ]


def reason(values: Mapping[str, float], ranker: str = "a ranker", **details: Mapping[str, float]) -> Reason:
    parts = [
        Part(word, value, {name: of[word] for name, of in details.items() if word in of}, word=word)
        for word, value in values.items()
    ]
    read = Reading(analyzer("plain[shortest=1]"), (("title", 1.0), ("text", 1.0)))
    return Reason(ranker, Explanation(math.fsum(values.values()), tuple(parts), "a formula"), {"": read})


ABOUT = Explained(
    "about",
    {"title": "The crop", "text": "Brazil grows coffee,\nand more coffee.\n\nThe board\n  is late."},
    [
        reason({"coffee": 2.0, "crop": 0.5, "late": -0.25}, "first"),
        reason({"brazil": 0.2, "board": 0.1}, "second", similarity={"brazil": 0.55, "board": -0.2}),
    ],
)
MENTIONS = Explained(
    "mentions",
    {"text": "The board had coffee"},
    [
        reason({"coffee": 0.5}, "first"),
        reason({"board": 0.1, "had": 0.1}, "second", similarity={"board": -0.2, "had": 0.1}),
    ],
)


def test_words_are_marked_by_what_they_add():
    assert Page(page("coffee", [ABOUT, MENTIONS])).words == [
        ("crop", "w pos", "--s:0.500"),
        ("Brazil", "w", ""),
        ("coffee", "w pos own", "--s:1.000"),
        ("coffee", "w pos own", "--s:1.000"),
        ("board", "w", ""),
        ("late", "w neg", "--s:0.250"),
        ("board", "w", ""),
        ("had", "w", ""),
        ("coffee", "w pos own", "--s:0.500"),
    ]


def test_documents_side_by_side():
    made = Page(page("coffee", [ABOUT, MENTIONS]))
    assert made.texts("h2") == ["The crop", "mentions"]
    assert made.texts("p", _class="id") == ["about"]
    assert made.texts("option") == ["first", "second"]
    assert made.texts("q") == ["coffee"]
    about, mentions = made.texts("table", _class="scores")
    assert (about, mentions) == ("scorefirst2.2500second0.3000", "scorefirst0.5000second0.2000")
    paragraphs = [" ".join(text.split()) for text in made.texts("p") if "data" not in text]
    assert {"Brazil grows coffee, and more coffee.", "The board", "is late.", "The board had coffee"} <= set(
        paragraphs
    )


def test_parts_in_a_table():
    why = Explanation(
        1.25,
        (
            Part("small", 0.25, {"in_document": 1.0}, by="a"),
            Part("large", -2.0, {"idf": 0.5, "in_document": 1200.0}, by="b % 5"),
            Part("middle", 1.0, by="b % 5"),
        ),
    )
    made = Page(page("", [Explained("d", {}, [Reason("mixed", why, {})])]))
    (rows,) = made.texts("tbody")[1:]
    assert rows.split("\n")[1:-1] == [
        "large\u22122b0.50001,200",
        "middle1b",
        "small0.2500a1",
    ]
    assert made.texts("thead") == ["partaddsbyidfin document"]
    assert [attributes["style"] for attributes, _ in made.all("span", _class="bar pos")] == [
        "--s:0.500",
        "--s:0.125",
    ]
    assert [attributes["style"] for attributes, _ in made.all("span", _class="bar neg")] == ["--s:1.000"]
    assert made.texts("p", _class="sum") == ["sum of the parts \u22120.7500, score 1.2500"]


def test_a_long_table_is_cut(monkeypatch):
    monkeypatch.setattr(explained, "MOST_ROWS", 2)
    why = reason({"one": 1.0, "ten": 10.0, "five": 5.0, "two": 2.0})
    made = Page(page("", [Explained("d", {"text": "one two"}, [why])]))
    assert made.texts("tbody")[1].split("\n")[1:-1] == ["ten10", "five5", "2 more3"]
    assert made.texts("p", _class="sum") == ["sum of the parts 18, score 18"]
    assert [part[0] for part in made.data["documents"][0][0]["parts"]] == ["one", "two"]


def test_what_the_script_reads():
    data = Page(page("coffee", [ABOUT, MENTIONS])).data
    assert data["rankers"] == [{"threshold": None}, {"threshold": [0.415, -0.2, 0.55]}]
    first, second = data["documents"][0]
    assert first["parts"] == [["crop", "", "0.5000"], ["coffee", "", "2"], ["late", "", "\u22120.2500"]]
    assert [mark[0] for mark in first["marks"]] == [0.5, 0, 1, 0, -0.25]
    assert second["details"] == ["similarity"]
    assert second["parts"] == [["brazil", "", "0.2000", "0.5500"], ["board", "", "0.1000", "\u22120.2000"]]
    assert second["marks"][1:4] == [
        [1, 0.55, 0, "0.2000", [0]],
        [0, None, 1, "0", []],
        [0.5, -0.2, 0, "0.1000", [1]],
    ]


def test_nothing_is_loaded_from_elsewhere():
    text = page("coffee", [ABOUT, MENTIONS])
    made = Page(text)
    assert {attributes["href"] for attributes, _ in made.all("link")} == {"data:,"}
    assert not any({"src", "srcset", "action"} & attributes.keys() for _, attributes, _ in made.elements)
    assert not re.search(r"https?:|//[a-z]|url\(|@import|fetch\(|import\(", text)
    assert made.all("html", lang="en")
    assert not {"onclick", "onload"} & {name for _, attributes, _ in made.elements for name in attributes}


def test_everything_is_escaped():
    why = Explanation(1.0, (Part(HOSTILE, 1.0, {HOSTILE: 2.0}, word="alert", by=HOSTILE),), HOSTILE)
    read = Reading(analyzer("plain"), (("title", 1.0), (HOSTILE, 1.0), ("b", 1.0)))
    fields = {"title": HOSTILE, HOSTILE: HOSTILE, "b": HOSTILE}
    text = page(HOSTILE, [Explained(HOSTILE, fields, [Reason(HOSTILE, why, {HOSTILE: read})])])
    text.encode()
    made = Page(text)
    assert len(made.all("script")) == 2
    assert made.texts("q") == made.texts("h2") == made.texts("p", _class="id") == made.texts("option") == [CLEANED]
    assert made.texts("h3") == [CLEANED, "b", CLEANED]
    assert made.texts("p", _class="formula") == [f"score = {CLEANED}"]
    assert made.texts("bdi") == made.texts("td", _class="by") == [CLEANED]
    assert made.texts("th", scope="col")[2:] == ["by", CLEANED]
    assert [word for word, *_ in made.words] == ["script", "script", "alert", "script", "amp", "query"] * 3
    assert made.data["documents"][0][0]["parts"] == [[HOSTILE, HOSTILE, "1", "2"]]


@given(title=texts, text=texts, query=texts)
def test_texts_are_shown_as_they_are(title, text, query):
    why = reason(dict.fromkeys(analyzer("plain[shortest=1]").terms(text), 1.0))
    made = Page(page(query, [Explained("d", {"title": title, "text": text}, [why])]))

    def letters(one: str) -> str:
        return markup.UNWANTED.sub("\ufffd", "".join(one.split()))

    (shown,) = made.all("div", role="group", _class="text")
    assert letters(shown[1]) == letters(text)
    assert letters(made.texts("h2")[0]) == (letters(title) if title.strip() else "d")
    assert letters(made.texts("q")[0]) == letters(query)


def test_numbers_without_end():
    why = Explanation(
        -math.inf, (Part("crop", -math.inf, {"distance": math.inf}, word="crop"), Part("b", 1, word="b"))
    )
    made = Page(page("", [Explained("d", {"text": "crop b"}, [Reason("wmd", why, reason({}).readings)])]))
    assert made.words == [("crop", "w neg", "--s:1.000"), ("b", "w pos", "--s:1.000")]
    assert made.texts("tbody")[1].split("\n")[1:-1] == ["crop\u2212∞∞", "b1"]
    assert [shown_number(value) for value in (0.0, -3.0, 12345.0, 0.12345, -0.0000123, math.nan, -0.0)] == [
        "0", "\u22123", "12,345", "0.1235", "\u22121.2e\u221205", "nan", "0",
    ]  # fmt: skip


def test_nothing_to_show():
    assert Page(page("coffee", [])).texts("article") == []
    made = Page(page("", [Explained("d", {}, [reason({})])]))
    assert made.texts("h2") == ["d"]
    assert made.words == []


def test_a_long_text_is_cut_into_paragraphs():
    words = explained.LONG + 1000
    made = Page(page("", [Explained("d", {"text": "crop " * words}, [reason({"crop": 1.0})])]))
    assert made.all("div", _class="text long")
    sizes = [len(text.split()) for text in made.texts("p") if text.startswith("crop")]
    assert sum(sizes) == len(made.words) == words
    assert max(sizes) <= LONGEST + 1
    assert not Page(page("", [ABOUT])).all("div", _class="text long")


# --- in a browser ---------------------------------------------------------------------------------------------

ACTIONS = """<script>
const told = [], get = (id) => document.getElementById(id);
const tell = () => told.push([
  document.body.dataset.mode,
  [...document.querySelectorAll(".count")].map((one) => one.textContent),
  [...document.querySelectorAll("article .w:is(.pos, .neg, .over, .own)")].map((one) => one.textContent + one.className.slice(1)),
  get("limit").hidden ? "" : get("shown").textContent,
  [...document.querySelectorAll("section")].map((one) => one.hidden),
]);
const change = (one, value) => { one.value = value; one.dispatchEvent(new Event("change", { bubbles: true })); };
const over = (word) => word.dispatchEvent(new Event("mouseover", { bubbles: true }));
tell();
change(get("ranker"), 1); tell();
document.querySelector("[value=evidence]").click(); tell();
get("threshold").value = -0.1; get("threshold").dispatchEvent(new Event("input"));
requestAnimationFrame(() => {
  tell();
  over(document.querySelectorAll("article .w")[1]); told.push(get("tip").innerText);
  change(get("ranker"), 0); tell(); told.push(get("tip").hidden);
  const text = document.querySelector(".text"), key = (key) =>
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  text.focus(); key("ArrowRight"); key("ArrowRight");
  told.push(document.activeElement.textContent, get("tip").innerText); key("Escape"); told.push(get("tip").hidden);
  document.title = JSON.stringify(told);
});
addEventListener("error", (event) => { document.title = event.message; });
</script></body>"""


PLAIN_TITLE = Page(page("coffee", [ABOUT, MENTIONS])).texts("title")[0]


@pytest.mark.skipif(not BROWSER, reason="needs Chromium")
def test_in_a_browser(tmp_path):
    text = page("coffee", [ABOUT, MENTIONS])
    (tmp_path / "page.html").write_text(text.replace("</body>", ACTIONS), "utf-8")
    for _ in range(8):  # a busy machine may end before the browser has drawn anything: then nothing was told
        (title,) = Page(opened(tmp_path / "page.html", tmp_path / "profile")).texts("title")
        if title != PLAIN_TITLE:
            break
    start, second, evidence, moved, tip, first, hidden, word, tip_of_word, escaped = json.loads(title)
    by_first = ["crop pos", "coffee pos own", "coffee pos own", "late neg", "coffee pos own"]
    assert start == ["share", ["", ""], by_first, "", [False, True, False, True]]
    counts = [
        "1 of 2 words are over this similarity, besides 2 of the query’s own",
        "0 of 2 words are over this similarity, besides 1 of the query’s own",
    ]
    by_second = ["Brazil pos", "coffee own", "coffee own", "board pos", "board pos", "had pos", "coffee own"]
    assert second == ["share", counts, by_second, "", [True, False, True, False]]
    over = ["Brazil over", "coffee own", "coffee own", "coffee own"]
    assert evidence == ["evidence", counts, over, "0.415", [True, False, True, False]]
    counts[1] = "1 of 2 words are over this similarity, besides 1 of the query’s own"
    assert moved == [
        "evidence",
        counts,
        [*over[:3], "had over", "coffee own"],
        "-0.100",
        [True, False, True, False],
    ]
    assert " ".join(tip.split()) == "brazil adds 0.2000 similarity 0.5500 this occurrence adds 0.2000"
    assert first == start
    assert hidden is escaped is True
    assert word == "coffee"
    assert " ".join(tip_of_word.split()) == "coffee adds 2 a word of the query this occurrence adds 1"
