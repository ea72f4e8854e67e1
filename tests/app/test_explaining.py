from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from aboutness.app.explained import EVIDENCE, QUERY, ExplainedScore, Mentions, WordMark
from aboutness.app.explaining import explain_page, explained, readings, write_page
from aboutness.app.index import Index
from aboutness.core.errors import NotFound, UsageError
from aboutness.models.ranking import Explanation, Part
from aboutness.rank.grammar import ranker
from report.test_explained import Page

DOCUMENTS = [
    {"id": "a", "title": "Growers of coffee", "text": "The harvests of coffee growers; coffee & beans."},
    {"id": "b", "text": "The directors paused for coffee."},
    {"id": "c", "text": "beans and harvests"},
]


@pytest.fixture(scope="module")
def index():
    made = Index.build(DOCUMENTS, layers={"plain": "plain"}, weights={"title": 3})
    made.train("word2vec", dim=4, min_count=1, threads=1)
    return made


def pages(index: Index, query: str, identifiers: list[str], *rankers: str) -> Page:
    return Page(explain_page(index.generation, query, identifiers, rankers))


@pytest.mark.parametrize(
    "name",
    [
        "bm25",
        "ql",
        "tfidf",
        "desm-in-out",
        "bm25 % 5 >> ql",
        "bm25 + 30*desm-in-out",
        "bm25-desm",
        "2*wcs",
        "minmax(bm25)",
        "minmax(bm25) + .3*zscore(desm-in-out)",
        "combsum(bm25, .5*ql)",
        "bm25 + rrf(ql, tfidf)",
    ],
)
def test_a_page_says_what_explain_says(index, name):
    made = pages(index, "coffee harvest", ["b", "a"], name)
    why = [index.explain("coffee harvest", identifier, name) for identifier in ("b", "a")]
    assert [float(row.split("score ")[1].replace("\u2212", "-")) for row in made.texts("p", _class="sum")] == [
        pytest.approx(one.score, abs=1e-4) for one in why
    ]
    assert [len(rows.strip().split("\n")) for rows in made.texts("tbody")[1::2]] == [len(one.parts) for one in why]
    assert [word for word, looks, _ in made.words if "own" in looks] == [
        "coffee",
        "coffee",
        "harvests",
        "coffee",
        "coffee",
    ]
    marked = [{word for word, looks, _ in made.words if sign in looks} for sign in ("pos", "neg")]
    assert any(marked)


def test_words_are_those_of_the_rankers_layer_and_fields(index):
    made = pages(index, "harvests", ["a"], "bm25", "bm25[layer=plain]", "bm25[fields=title]")
    assert [word for word, *_ in made.words] == ["harvests"]
    assert [part[0] for why in made.data["documents"][0] for part in why["parts"]] == ["harvest", "harvests"]
    made = pages(index, "growers", ["a"], "bm25[fields=title]", "bm25")
    assert made.words == [
        ("Growers", "w pos own", "--s:1.000"),
        ("growers", "w", ""),
    ]  # in a field that the first does not read


def test_what_rankers_read(index):
    def read(text: str) -> dict[str, tuple[str, dict[str, float]]]:
        found = readings(ranker(text), index.snapshot)
        return {by: (one.analyzer.name, dict(one.fields)) for by, one in found.items()}

    main, plain = ("english", {"title": 3.0, "text": 1.0}), ("plain", {"text": 2.0})
    assert read("ql") == read("bm25[layer=plain] % 5 >> ql % 3") == {"": main}
    assert read("2*(ql % 3)") == {"ql % 3": main}
    mixed = read("ql + 30*bm25[layer=plain,fields=2*text]")
    assert mixed == {"ql": main, "bm25[layer=plain,fields=2*text]": plain}
    assert read("ql + 2*(bm25[layer=plain,fields=2*text] + tfidf)") == {**mixed, "tfidf": main}
    assert list(read("bm25-desm")) == ["desm-in-out", "bm25[k1=1.7,b=0.95]"]
    assert list(read("iwcs-wmd")) == [""]
    assert read("minmax(ql)") == read("bm25[layer=plain] % 9 >> zscore(softmax(ql % 3))") == {"": main}
    assert read("minmax(ql + 30*bm25[layer=plain,fields=2*text])") == mixed
    assert read("rrf(ql, .5*bm25[layer=plain,fields=2*text])") == mixed
    assert read("minmax(bm25[layer=plain,fields=2*text]) + .3*rank(ql)") == {
        "minmax(bm25[layer=plain,fields=2*text])": plain,
        "rank(ql)": main,
    }


def test_parts_come_from_the_rankers_that_are_read(index):
    for text in (
        "ql + 2*(bm25[layer=plain] + tfidf % 2)",
        "bm25-desm",
        "3*bm25",
        "(bm25 + ql) % 2 >> desm-in-in",
        "minmax(bm25)",
        "minmax(bm25) + .3*softmax(ql)",
        "rrf(bm25, .5*ql[layer=plain])",
        "combmnz(bm25, minmax(ql)) + combsum[norm=zscore](tfidf, 2*desm-in-in)",
        "bm25 % 2 >> rank(zscore(ql))",
    ):
        why = index.explain("coffee harvests", "a", text)
        assert {part.by for part in why.parts} == set(readings(ranker(text), index.snapshot))


def test_a_page_of_ranks_shows_where_they_come_from(index):
    made = pages(index, "coffee harvests", ["a", "b"], "rrf(bm25, .5*ql)", "rank(bm25)")
    rows = [row for table in made.texts("tbody") for row in table.strip().split("\n")]
    assert [sum(row.startswith(name) for row in rows) for name in ("1/(60 + rank)", "(n - rank + 1)/n")] == [4, 2]
    score = index.explain("coffee harvests", "a", "bm25").score
    assert f"1/(60 + rank)0.0164bm251{score:.4f}" in rows  # what it adds, by whom, rank and score
    assert not any({"pos", "neg"} & set(looks.split()) for _, looks, _ in made.words)
    assert {word for word, looks, _ in made.words if "own" in looks} == {"coffee", "harvests"}


# --- as a record ----------------------------------------------------------------------------------------------


def told(index: Index, ranker: str, query: str = "coffee harvest", identifier: str = "a", **how) -> ExplainedScore:
    return explained(index.generation, query, identifier, ranker, **how)


def words(made: ExplainedScore, kind: str) -> list[tuple[str, str]]:
    return [
        (mark.field, made.fields[mark.field][mark.start : mark.end]) for mark in made.marks if mark.kind == kind
    ]


ADDITIVE = [
    "bm25",
    "ql",
    "tfidf",
    "bm25-cosine",
    "desm-in-out",
    "wcs",
    "iwcs",
    "wmd",
    "iwcs-wmd",
    "ketos",
    "default",
    "bm25[layer=plain] + 30*desm-in-out",
    "bm25-desm",
    "minmax(bm25) + .3*zscore(desm-in-out)",
    "rrf(bm25, ql)",
    "combmnz(bm25, ql)",
    "eqe1(ql)",
    "rm3(ql)",
    "nearest(bm25)",
    "bm25 % 3 >> ql",
]


@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("identifier", ["a", "b", "c"])
def test_parts_sum_to_the_score_and_words_to_the_parts_about_words(index, name, identifier):
    made = told(index, name, identifier=identifier)
    why = index.explain("coffee harvest", identifier, name)
    assert (made.score, made.explanation) == (why.score, why)
    assert made.explanation.total + made.rest == pytest.approx(why.score, abs=1e-5)
    assert made.additive
    about = made.mentions
    assert about.from_query_words + about.from_evidence + about.from_elsewhere == pytest.approx(
        why.score, abs=1e-5
    )
    assert math.fsum(mark.contribution for mark in made.marks) == pytest.approx(
        math.fsum(part.value for part in why.parts if part.word), abs=1e-5
    )


def test_a_score_that_is_no_sum_says_so(index):
    made = told(index, "wcs", "unheard")
    assert (made.explanation.parts, made.additive) == ((), False)
    assert made.rest == made.score == -1
    assert made.marks == []


def test_marks_are_where_the_words_stand(index):
    made = told(index, "wcs")
    assert words(made, QUERY) == [
        ("title", "coffee"),
        ("text", "harvests"),
        ("text", "coffee"),
        ("text", "coffee"),
    ]
    assert words(made, EVIDENCE) == [("title", "Growers"), ("text", "growers"), ("text", "beans")]
    parts = {part.word: part for part in made.explanation.parts}
    for mark in made.marks:
        assert mark.similarity == parts[mark.term].details["similarity"]
        assert [made.explanation.parts[place] for place in mark.parts] == [parts[mark.term]]
    low, high = made.threshold[1:]
    assert low <= made.threshold[0] <= high
    assert told(index, "bm25").threshold is None


def test_marks_count_code_points():
    index = Index.build([{"id": "x", "text": "𝒳 😀 Café ﬁsh <b>coffee</b> &amp; İ coffee"}], analyzer="plain")
    made = told(index, "bm25", "coffee", "x")
    assert words(made, QUERY) == [("text", "coffee")] * 2
    assert [mark.start for mark in made.marks] == [16, 35]


def test_about_and_mentions(index):
    made = told(index, "bm25", "coffee harvest, coffee of Brazil").mentions
    assert (made.query_words, made.mentioned) == (["coffee", "harvest", "brazil"], ["coffee", "harvest"])
    assert (made.times, made.evidence, made.from_evidence) == (4, 0, 0)
    made = told(index, "wcs", "harvest", "a").mentions
    assert (made.times, made.evidence) == (1, 3)
    assert made.from_evidence
    assert told(index, "ql", identifier="b").mentions.from_elsewhere < 0  # a word of the query that is not there
    assert told(index, "wcs", "coffee", "c").mentions.mentioned == []


def test_a_mention_is_one_in_any_layer(index):
    assert told(index, "bm25[layer=plain]", "harvest").mentions.mentioned == []
    assert told(index, "bm25[layer=plain] + bm25", "harvest").mentions.mentioned == ["harvest"]


def test_the_flow_of_words(index):
    made = told(index, "wmd", "coffee directors")
    assert {flow.word for flow in made.flows} == {"coffe", "director"}  # stems
    assert math.fsum(flow.amount for flow in made.flows) == pytest.approx(1)
    assert -math.fsum(flow.cost for flow in made.flows) == pytest.approx(made.score, abs=1e-5)
    amounts = [flow.amount for flow in made.flows]
    assert amounts == sorted(amounts, reverse=True)
    assert told(index, "wcs").flows == []
    pairs = {(flow.word, flow.to) for flow in made.written_flows}
    assert ("coffee", "coffee") in pairs
    assert {word for word, _ in pairs} == {"coffee", "directors"}
    assert {to for _, to in pairs} <= {"growers", "coffee", "harvests", "beans"}


def test_ranks_are_those_of_a_search(index):
    order = [hit.id for hit in index.search("coffee harvest", ranker="bm25")]
    assert [told(index, "bm25", identifier=one, ranked=100).rank for one in order] == [1, 2, 3]
    assert told(index, "bm25", identifier=order[1], ranked=1).rank is None
    assert told(index, "bm25").rank is None


def test_a_record_in_plain_values_is_what_the_command_prints_and_more(index):
    for name in ("bm25", "bm25-desm", "wmd"):
        plain = told(index, name).to_json()
        why = index.explain("coffee harvest", "a", name).to_json()
        command = {"query": "coffee harvest", "id": "a", "ranker": name, **why}
        assert {key: plain[key] for key in command} == command
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert 'run: index.train("default")' in told(index, "default").to_json()["note"]


def test_what_is_not_finite_is_none():
    why = Explanation(1.0, (Part("x", math.inf, {"p": math.nan}),))
    about = Mentions([], [], 0, 0, math.inf, 0.0, -math.inf)
    mark = WordMark("text", 0, 1, "x", math.inf, QUERY, None, (0,))
    plain = ExplainedScore("x", "a", "", {"text": "x"}, "r", why, [mark], about, None).to_json()
    assert plain["parts"] == [{"name": "x", "value": None, "p": None}]
    assert (plain["rest"], plain["marks"][0]["contribution"]) == (None, None)
    json.dumps(plain, allow_nan=False)


# --- what cannot be explained ---------------------------------------------------------------------------------


def test_a_query_that_nobody_knows(index):
    made = pages(index, "unheard", ["a"], "bm25", "desm-in-out")
    assert made.words == []
    assert len(made.all("article")) == 1


def test_refusals(index):
    with pytest.raises(NotFound, match="there is no document 'z'"):
        pages(index, "coffee", ["a", "z"], "bm25")
    with pytest.raises(UsageError, match="Known: "):
        pages(index, "coffee", ["a"], "bm26")
    for identifiers, rankers in (([], ["bm25"]), (["a"], [])):
        with pytest.raises(UsageError, match="at least one document and one ranker"):
            pages(index, "coffee", identifiers, *rankers)


def test_write_page(tmp_path):
    write_page("é", tmp_path / "x.html")
    assert (tmp_path / "x.html").read_bytes() == "é".encode()
    with pytest.raises(UsageError, match="is a folder; name a file to write"):
        write_page("x", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["x.html"]


def test_the_passages_of_the_examples_mention_coffee_alike():
    passages = Path(__file__).parents[2] / "examples" / "passages"
    texts = [(passages / f"{name}_coffee.txt").read_text("utf-8") for name in ("about", "mentions")]
    assert [text.lower().count("coffee") for text in texts] == [1, 1]
    assert all(80 <= len(text.split()) <= 110 for text in texts)


def test_a_record_of_what_is_not_there(index):
    with pytest.raises(NotFound, match="there is no document 'z'"):
        told(index, "bm25", identifier="z")
    with pytest.raises(UsageError, match="Known: "):
        told(index, "bm26")
