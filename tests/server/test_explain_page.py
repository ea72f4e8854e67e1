from __future__ import annotations

from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest

from aboutness.app.explained import ExplainedScore, Flow, Mentions, WordMark
from aboutness.app.explaining import explained
from aboutness.app.index import Index
from aboutness.models.ranking import Explanation, Part
from aboutness.server.app import make_app
from aboutness.server.pages.explain_bars import MOST_BARS, Row, about_bars, bars, part_bars, verdict
from aboutness.server.pages.explain_flow import GAP, MOST_RIBBONS, drawn
from aboutness.server.pages.explain_text import SHADES, marked_text
from report import pages
from server.served import client_of

QUERY = "songs of the moon comet"


class Page(pages.Page):
    """A page of the server, taken apart."""

    def handle_starttag(self, tag, attributes):
        (self.handle_startendtag if tag == "img" else super().handle_starttag)(tag, attributes)

    def words(self, look: str = "w") -> list[str]:
        found = [(one, text) for one, text in self.all("span") if "data-k" in one]
        return [text for one, text in found if look in one["class"].split()]


@pytest.fixture
def shown(site_client):
    def _shown(status: int = 200, **asked) -> Page:
        answer = site_client.get("/explain", params={"q": QUERY, "id": "d3-1"} | asked)
        assert answer.status_code == status
        return Page(answer.text)

    return _shown


def number(text: str) -> float:
    return float(text.replace("\u2212", "-").replace(",", ""))


def test_without_a_question_there_is_a_form_with_help(site_client):
    for address in ("/explain", "/explain?q=moon", "/explain?id=d3-1", "/explain?q=%20&id=d3-1"):
        made = Page(site_client.get(address).text)
        assert "Nothing to explain yet." in made.all("div", id="result")[0][1]
        assert made.all("form", id="ask")
        assert made.all("script", id="data") == []


@pytest.mark.parametrize("ranker", ["bm25", "ql", "iwcs", "wmd", "bm25 + 3*iwcs", "rrf(bm25, ql)", "default"])
def test_the_page_shows_the_score_and_parts_that_sum_to_it(shown, index, ranker):
    made, why = shown(r=ranker), index.explain(QUERY, "d3-1", ranker)
    score = why.score
    assert [number(text) for text in made.texts("span", _class="value")] == [pytest.approx(score, abs=1e-4)]
    assert number(made.texts("strong", id="sum")[0]) == pytest.approx(score, abs=1e-4)
    adds = [number(text) for text in made.texts("td", _class="number")[: len(why.parts)]]
    assert sum(adds) == pytest.approx(score, abs=1e-4 * (len(why.parts) + 1))


def test_words_are_marked_by_their_kind(shown):
    made = shown(r="iwcs")
    assert made.words("own") == ["Songs", "songs", "moon"]
    assert {"sun", "sea"} <= set(made.words("other"))
    assert any(made.words(f"s{SHADES}"))
    assert "".join(made.texts("p", _class="text")) == "songs of the moon and the sun and the sea in the year 1991"
    assert shown(r="bm25").words() == ["Songs", "songs", "moon"]


def test_the_threshold_can_be_chosen_without_a_script(shown):
    made = shown(r="iwcs", mark="evidence", t=-1)
    assert made.all("div", id="result")[0][0]["data-mark"] == "evidence"
    assert set(made.words("over")) | {"Songs", "songs", "moon"} >= set(made.words())
    assert shown(r="iwcs", mark="evidence", t=1).words("over") == []
    assert shown(r="iwcs", t="nan").texts("output") == shown(r="iwcs").texts("output")
    count = made.texts("p", id="count")[0]
    assert (
        count
        == f"{len(made.words('over'))} of {len(made.words('other'))} words are over this similarity, besides 3 of the query's own"
    )
    assert made.all("input", name="mark", value="evidence")[0][0].keys() >= {"checked", "form"}
    lexical = shown(r="bm25", mark="evidence")
    assert lexical.all("input", id="t") == []
    assert lexical.all("div", id="result")[0][0]["data-mark"] == "share"
    assert shown(422, t="much").texts("h1") == ["Bad request"]


def test_rankers_side_by_side(shown):
    made = shown(r=["bm25", "ql", "iwcs", "wmd", "tfidf"], show=2)
    cards = [one for one, _ in made.all("a") if "score" in one.get("class", "").split()]
    assert [one.get("aria-current") for one in cards] == [None, None, "true", None]
    asked = parse_qs(urlsplit(cards[3]["href"]).query)
    assert (asked["q"], asked["id"], asked["show"]) == ([QUERY], ["d3-1"], ["3"])
    assert made.texts("p", _class="muted formula")[0].startswith("sum over the document's words")
    assert [one["value"] for one, _ in made.all("input", name="r")] == ["bm25", "ql", "iwcs", "wmd"]
    assert shown(r=["", "bm25"], show=9).texts("span", _class="ranker text") == ["bm25"]


def test_the_way_back_keeps_the_question(shown):
    back = next(one["href"] for one, text in shown(r=["bm25", "iwcs"]).all("a") if "Back" in text)
    assert parse_qs(urlsplit(back).query) == {"q": [QUERY], "r": ["bm25", "iwcs"]}


def test_the_flow_is_drawn_and_told(shown, index):
    made = shown(r="wmd")
    flows = explained(index.generation, QUERY, "d3-1", "wmd").flows
    ribbons = made.all("path")
    assert len(ribbons) == len(flows) == len(made.texts("title")) - 1
    assert "to the document" in made.texts("th")
    assert shown(r="iwcs").all("path") == []


@pytest.mark.parametrize(
    ("asked", "status", "told", "by_id"),
    [
        ({"id": "z"}, 404, "there is no document 'z'", True),
        ({"r": "bm26"}, 400, "unknown", False),
        ({"r": "lsa"}, 404, "lsa needs", False),
    ],
)
def test_what_cannot_be_explained_is_said_beside_the_form(shown, asked, status, told, by_id):
    made = shown(status, **asked)
    assert ("The id must be" in made.texts("div", role="alert")[0]) == by_id
    assert told in made.texts("div", role="alert")[0]
    assert "Search for documents" in made.texts("div", role="alert")[0]
    assert made.all("input", id="q")[0][0]["value"] == QUERY


def test_hostile_text_is_text():
    evil = "</script><script>alert(1)</script><svg onload=alert(2)> \u202emoon\u202c &lt;b&gt; {{7*7}} \0"
    index = Index.build([{"id": evil[:60], "title": evil, "text": f"{evil} moon"}], analyzer="plain")
    index.train("word2vec", dim=4, min_count=1, threads=1)
    with client_of(make_app({"x": index})) as client:
        for ranker in ("bm25", "wmd"):
            answer = client.get("/explain", params={"q": evil, "id": evil[:60], "r": ranker})
            made = Page(answer.text)
            assert answer.status_code == 200
            assert {tag for tag, _, _ in made.elements if tag in ("b", "i")} == set()
            assert not any(name.startswith("on") or name == "style" for _, one, _ in made.elements for name in one)
            assert [one.get("type") for one, _ in made.all("script")] == ["application/json", "module", "module"]
            assert made.all("input", id="q")[0][0]["value"].startswith("</script><script>alert(1)")
            assert "{{7*7}}" in made.texts("h2")[0]


# --- what it is made of ---------------------------------------------------------------------------------------


def score(*values: float, total: float | None = None, text: str = "moon sun", own: int = 1) -> ExplainedScore:
    """A score whose parts are about the words of a text, of which the first ones are the query's."""
    words = text.split()
    parts = [
        Part(word, value, {"similarity": value}, word=word) for word, value in zip(words, values, strict=False)
    ]
    parts += [Part("prior", value) for value in values[len(words) :]]
    marks = [
        WordMark("text", text.index(word), text.index(word) + len(word), word, values[place],
                 "query" if place < own else "evidence", values[place], (place,))
        for place, word in enumerate(words)
    ]  # fmt: skip
    whole = sum(values) if total is None else total
    mine, others = sum(values[:own]), sum(values[own : len(words)])
    about = Mentions(words[:own], words[:own], own, len(words) - own, mine, others, whole - mine - others)
    return ExplainedScore(
        "moon", "d", "", {"text": text}, "r", Explanation(whole, tuple(parts)), marks, about, None
    )


def test_bars_have_one_axis():
    made = bars([Row("a", 3.0, "query"), Row("b", -1.0, "evidence"), Row("c", 0.0, "query")])
    assert [(one.start, one.width, one.axis) for one in made] == [(25, 75, 25), (0, 25, 25), (25, 0, 25)]
    assert [one.look for one in made] == ["query", "evidence negative", "query"]
    assert [one.value for one in made] == ["3", "\u22121", "0"]
    assert bars([]) == []
    assert [one.width for one in bars([Row("a", float("inf"), ""), Row("b", 2.0, "")])] == [100, 100]


def test_what_no_part_explains_has_a_bar():
    made = part_bars(score(1.0, 0.5, total=4.0))
    assert [(one.name, one.value) for one in made] == [
        ("moon", "1"),
        ("sun", "0.5000"),
        ("what no part explains", "2.5000"),
    ]


def test_many_parts_are_summed_in_the_last_bar():
    made = part_bars(score(*[1.0] * (MOST_BARS + 10)))
    assert (len(made), made[-1].name, made[-1].value) == (MOST_BARS + 1, "10 other parts", "10")


def test_the_querys_words_have_bars_however_little_they_add():
    made = part_bars(score(0.5, *[1.0] * (MOST_BARS + 10)))
    assert [(one.name, one.kind) for one in made[-2:]] == [("moon", "query"), ("10 other parts", "elsewhere")]


def test_shares_of_the_score_are_said_where_they_mean_something():
    assert [one.note for one in about_bars(score(1.0, 3.0))] == ["25 %", "75 %", "0 %"]
    assert [one.note for one in about_bars(score(-1.0, -3.0))] == ["25 %", "75 %", "0 %"]
    assert [one.note for one in about_bars(score(-1.0, 3.0))] == ["", "", ""]


@pytest.mark.parametrize(
    ("values", "own", "told"),
    [
        ((1.0, 3.0), 1, "is about it"),
        ((3.0, 1.0), 1, "mentions it"),
        ((-1.0, -3.0), 1, "does not say that the document is about the query"),
        ((3.0, -1.0), 1, "mentions it"),
        ((3.0, 1.0), 2, "query's own words only"),
        ((3.0, 1.0), 0, "None of the query's words is mentioned"),
        ((0.0, 0.0, 2.0), 2, "made of other numbers, such as ranks"),
    ],
)
def test_the_verdict(values, own, told):
    assert told in verdict(score(*values, own=own))


def test_shades_follow_the_contribution():
    made = marked_text(score(9.0, -1.0, text="moon sun"), 5.0)
    assert made.looks == ["w own s9", "w other s1 negative"]
    assert marked_text(score(9.0, 6.0), 5.0).looks[1] == "w other s6 over"
    assert marked_text(score(0.0, 0.0), None).looks == ["w own", "w other"]


def test_a_drawing_has_room_for_its_words():
    flows = [Flow(f"from{n % 3}", f"a-very-long-word-indeed-{n}", 1 / (n + 1), n / 10) for n in range(60)]
    made = drawn(flows)
    assert (len(made.ribbons), made.left_out) == (MOST_RIBBONS, 60 - MOST_RIBBONS)
    for column in (made.sources, made.targets):
        assert all(b.middle - a.middle >= GAP - 0.3 for a, b in pairwise(column))
        assert column[0].y >= 0
        assert column[-1].y + column[-1].height <= made.height
    assert made.targets[0].word.endswith("…")
    assert {one.shade for one in made.ribbons} == {1, 2, 3, 4, 5}
    assert drawn([Flow("a", "a", 1.0, 0.0)]).ribbons[0].shade == 1


def test_one_is_not_told_as_several(shown):
    text = " ".join(" ".join(shown(r="bm25", q="sea").texts("p")).split())
    assert "1 of 1 query words is mentioned, 1 time in all; 0 other words count." in text


def test_only_a_long_title_takes_the_keys(tmp_path):
    records = [
        {"id": "short", "title": "moon", "text": "moon"},
        {"id": "long", "title": "moon " * 200, "text": "moon"},
    ]
    with client_of(make_app({"sky": Index.build(records, tmp_path / "titles.index")})) as client:
        heads = [
            Page(client.get("/explain", params={"q": "moon", "id": one, "r": "bm25"}).text).all("h2")[0][0]
            for one in ("short", "long")
        ]
    assert [one.get("tabindex") for one in heads] == [None, "0"]
