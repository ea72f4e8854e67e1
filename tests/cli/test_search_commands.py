from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import aboutness as ab
from aboutness.app.index import Index
from aboutness.cli.search_commands import MOST_PARTS
from aboutness.rank.grammar import ranker as named
from aboutness.rank.known import known_rankers
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors
from cli.running import environment
from experiment.small import QUERIES, documents, lines, vectors_for, with_all, with_vectors, write_collection

KNOWN = ", ".join(known_rankers())
EVERY = ", ".join(known_rankers(combinations=True))
RANKERS = [
    *known_rankers(),
    "bm25[k1=1.7,b=.95]",
    "bm25 % 3 >> ql",
    "bm25[variant=bm25+,fields=3*title+text] % 2",
    "bm25 % 3 >> desm-in-out",
    "bm25 + 30*desm-in-out",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a collection and an index of it."""
    place = write_collection(tmp_path_factory.mktemp("cli") / "small")
    with_all(Index.build(documents(), place / "small.index"))
    return place


@pytest.fixture(scope="module")
def folder(place):
    return place / "small.index"


@pytest.fixture(scope="module")
def index(folder):
    return Index.open(folder)


def plain(hits, **options):
    """What the command line prints, but for the time it took."""
    told = hits.to_json(**options)
    del told["took_ms"]
    return told


def printed(ran):
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    for told in found if isinstance(found, list) else [found]:
        assert told.pop("took_ms") > 0
    return found


# --- search --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["old city songs", "Rivers of MEXICO", "unheard", "the", ""])
def test_the_same_answer_as_in_python(call, folder, index, query):
    found = printed(call("search", folder, query, "-r", ",".join(RANKERS), "--json"))
    assert found == [plain(index.search(query, ranker=ranker)) for ranker in RANKERS]


OPTIONS = {
    "k": (["-k", "2"], {"k": 2}),
    "k of one": (["-k", "1"], {"k": 1}),
    "a large k": (["-k", "1000000000"], {"k": 10**9}),
    "or": (["--match", "or"], {"match": "or"}),
    "and": (["--match", "and"], {"match": "and"}),
    "all": (["--match", "all"], {"match": "all"}),
    "a cut": (["--match", "bm25 % 100"], {"match": "bm25 % 100"}),
    "a small cut": (["--match", "tfidf%1"], {"match": "tfidf % 1"}),
    "where": (["--where", "year>1950"], {"where": ["year>1950"]}),
    "where twice": (
        ["--where", "year>=1950", "--where", "topics=music"],
        {"where": ["year>=1950", "topics=music"]},
    ),
    "nowhere": (["--where", "year<1"], {"where": ["year<1"]}),
    "a field": (["--fields", "title"], {"fields": "title"}),
    "fields": (["--fields", "3*title + text"], {"fields": {"title": 3, "text": None}}),
    "fields with weights": (["--fields", "3*title + 1*text"], {"fields": {"title": 3, "text": 1}}),
    "all of it": (
        ["-k", "3", "--match", "bm25 % 4", "--where", "year>1900", "--fields", "text"],
        {"k": 3, "match": "bm25 % 4", "where": "year>1900", "fields": ["text"]},
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_that_of_python(call, folder, index, name):
    options, named_options = OPTIONS[name]
    rankers = ["bm25", "ql"]
    for query in ("old songs", "city rivers"):
        found = printed(call("search", folder, query, "-r", "bm25,ql", "--json", *options))
        assert found == [plain(index.search(query, ranker=ranker, **named_options)) for ranker in rankers]
    found = printed(call("search", folder, "--like", "d3", "-r", "bm25,ql", "--json", *options))
    assert found == [plain(index.search(like="d3", ranker=ranker, **named_options)) for ranker in rankers]


def test_the_shape_of_json(call, folder):
    ran = call("search", folder, "old", "songs", "-k", "1", "--json")
    found = ran.json
    assert list(found) == ["query", "ranker", "took_ms", "note", "hits"]
    assert (found["query"], found["ranker"]) == ("old songs", "default")
    assert found["note"] == f"default is not trained here, so bm25 answers; run: aboutness train {folder} default"
    assert found["took_ms"] > 0
    (hit,) = found["hits"]
    assert list(hit) == ["rank", "id", "score", "title", "text"]
    assert (hit["rank"], hit["id"], hit["text"]) == (1, "d3", "an old song about an old river")
    assert hit["score"] > 0
    ran = call("search", folder, "old songs", "-k", "1", "--json", "--explain")
    (hit,) = ran.json["hits"]
    assert list(hit) == ["rank", "id", "score", "title", "text", "explanation"]
    explanation = hit["explanation"]
    assert list(explanation) == ["score", "formula", "parts"]
    assert (
        explanation["score"] == hit["score"] == pytest.approx(sum(part["value"] for part in explanation["parts"]))
    )
    assert [part["name"] for part in explanation["parts"]] == ["old", "song"]
    keys = ["name", "value", "in_query", "in_document", "df", "idf", "length_factor"]
    assert [list(part) for part in explanation["parts"]] == [keys] * 2
    words = call("search", folder, "old songs", "-k", "1", "--explain").out
    assert "in query 1, in document 2, df 2, idf " in words
    assert ", length factor " in words


def test_explanations_are_those_of_python(call, folder, index):
    found = printed(call("search", folder, "old city songs", "-r", ",".join(RANKERS), "--json", "--explain"))
    assert found == [plain(index.search("old city songs", ranker=ranker), explain=True) for ranker in RANKERS]


@pytest.mark.parametrize(
    ("given", "rankers"),
    [
        (["-r", "bm25"], ["bm25"]),
        (["-r", "bm25,ql"], ["bm25", "ql"]),
        (["-r", "bm25", "-r", "ql"], ["bm25", "ql"]),
        (["-r", "bm25, ql", "--ranker", "tfidf"], ["bm25", "ql", "tfidf"]),
        (["-r", "bm25[k1=1,b=0]"], ["bm25[k1=1,b=0]"]),
        (["-r", "bm25[k1=1,b=0],ql[mu=5, smoothing=dirichlet]"], ["bm25[k1=1,b=0]", "ql[mu=5]"]),
        (["-r", "bm25[k1=1,b=0] % 5 >> ql,tfidf"], ["bm25[k1=1,b=0] % 5 >> ql", "tfidf"]),
        (["-r", "bm25,bm25"], ["bm25", "bm25"]),
    ],
)
def test_one_ranker_gives_an_object_and_several_a_list(call, folder, index, given, rankers):
    found = printed(call("search", folder, "old songs", *given, "--json"))
    wanted = [plain(index.search("old songs", ranker=one)) for one in rankers]
    assert found == (wanted[0] if len(rankers) == 1 else wanted)


def note(folder):
    return f"note: default is not trained here, so bm25 answers; run: aboutness train {folder} default\n"


def test_in_words(call, folder, index):
    ran = call("search", folder, "cities", "of", "Mexico", "-k", "2")
    hits = index.search("cities of Mexico", 2)
    head, *rest = ran.out.splitlines()
    assert head.startswith("default: 2 hits in ")
    assert head.endswith(" ms for 'cities of Mexico'")
    assert rest == [
        f"  1  {hits[0].score:8.4f}  Albuquerque  (d1)",
        "     a city in New Mexico, the largest of its cities",
        f"  2  {hits[1].score:8.4f}  City songs  (d2)",
        "     songs of the city",
    ]
    assert ran.err == note(folder)


def test_a_text_that_is_the_title_or_empty_is_not_shown_again(call, tmp_path):
    Index.build([{"id": "a", "text": "city"}, {"id": "b", "title": "City"}], tmp_path / "x")
    rows = call("search", "x", "city").out.splitlines()[1:]
    assert [row.split()[2:] for row in rows] == [["city", "(a)"], ["City", "(b)"]]


def test_a_long_title_is_cut(call, tmp_path):
    Index.build([{"id": "a", "title": "city " * 50, "text": "x"}], tmp_path / "x")
    row = call("search", "x", "city").out.splitlines()[1]
    assert row.endswith("…  (a)")
    assert len(row) < 130


def test_several_in_words(call, folder):
    blocks = call("search", folder, "old songs", "-r", "bm25,ql", "--where", "year=1950").out.split("\n\n")
    assert [block.partition(":")[0] for block in blocks] == ["bm25", "ql"]
    assert all("(d3)" in block for block in blocks)


def test_explained_in_words(call, folder, index):
    ran = call("search", folder, "cats songs", "-k", "1", "--explain")
    (hit,) = index.search("cats songs", 1)
    assert ran.out.splitlines()[2:] == [f"    {line}" for line in str(hit.explain()).splitlines()[1:]]
    assert "not in the document" in ran.out


def test_a_long_explanation_is_cut_below_a_hit_and_shown_whole_by_explain(call, tmp_path):
    words = [f"word{n}" for n in range(MOST_PARTS + 5)]
    index = Index.build([{"id": "a", "text": " ".join(words)}, {"id": "b", "text": "else"}], "x", analyzer="plain")
    with_vectors(index, vectors_for([*words, "else"]))
    for ranker in ("bm25", "wcs", "wmd", "bm25 + wcs"):
        (hit,) = index.search(" ".join(words), ranker=ranker)
        below = call("search", "x", *words, "-r", ranker, "--explain").out.splitlines()[2:]
        assert below == [f"    {line}" for line in hit.explain().lines(MOST_PARTS)[1:]]
        assert len(below) == MOST_PARTS + 1
        rest = len(hit.explain().parts) - MOST_PARTS
        assert below[-1].endswith(f"  {rest} more")
        assert math.fsum(float(line.split()[0]) for line in below) == pytest.approx(hit.score, abs=1e-3)
        whole = call("explain", "x", " ".join(words), "a", "-r", ranker).out.splitlines()
        assert len(whole) == 1 + len(hit.explain().parts)
    assert call("search", "x", *words[:3], "--explain").out.count("\n") == 2 + 3


def test_nothing_found_is_no_error(call, folder):
    for query in ("unheard", "", "un heard"):
        ran = call("search", folder, query, "-r", "bm25,ql")
        assert (ran.code, ran.err) == (0, "no word of the query stands in the index\n")
        assert ran.out.startswith("bm25: 0 hits in ")
        ran = call("search", folder, query, "--json")
        assert (ran.code, ran.err, ran.json["hits"]) == (0, "", [])


def test_nothing_found_of_words_that_are_there_is_told_by_the_count_alone(call, folder):
    for arguments in (
        ["city", "--where", "year<1"],
        ["Mexico", "--fields", "title"],
        ["city cats", "--match", "and"],
        ["unheard city", "--match", "and"],
        ["--like", "d6"],
    ):
        ran = call("search", folder, *arguments)
        assert (ran.code, ran.err) == (0, note(folder))
        assert ran.out.startswith("default")
        assert ": 0 hits in " in ran.out


def test_another_spelling_is_told_where_pieces_of_words_are_known(call, write):
    write("notes.jsonl", [{"id": str(n), "text": f"a puncture of tyre {n}"} for n in range(4)])
    call("index", "notes.jsonl", "-o", "x.index", "--layer", "letters=letters")
    assert call("search", "x.index", "puncutre", "-r", "bm25").err == "did you mean 'puncture'?\n"
    assert call("search", "x.index", "puncutre", "-r", "bm25[layer=letters]", "-k", "1").err == ""


def test_an_index_that_is_not_there_names_its_neighbours(three, call):
    there = f"or name one that is there: {three}\n"
    assert call("search", three.parent / "treee.index", "city").err.endswith(there)


def test_a_key_that_no_document_has_is_told(call, folder):
    ran = call("search", folder, "city", "-r", "bm25", "--where", "yeer=1")
    assert (ran.code, ran.err) == (0, "note: no document has metadata 'yeer'; there are: topics, year\n")
    ran = call("search", folder, "city", "-r", "bm25", "--where", "yeer=1", "--json")
    assert (ran.json["hits"], ran.err) == ([], "note: no document has metadata 'yeer'; there are: topics, year\n")
    ran = call("search", folder, "city", "-r", "bm25", "--where", "year=1950", "--where", "topic=1")
    assert ran.err == "note: no document has metadata 'topic'; there are: topics, year\n"


def test_one_hit_is_one_hit(call, folder):
    assert call("search", folder, "city", "-r", "bm25", "-k", "1").out.startswith("bm25: 1 hit in ")


def test_a_document_is_not_like_itself(call, folder):
    assert [hit["id"] for hit in call("search", folder, "--like", "d3", "--json").json["hits"]] == [
        "d7",
        "d4",
        "d2",
    ]
    assert call("search", folder, "--like", "d6", "--match", "all", "--json").json["hits"] == []


ODD = [
    '"',
    "{",
    "?",
    "'",
    "\\",
    "[",
    "(",
    "*",
    "\0",
    "😀 city",
    "שלום",
    "-k",
    "--json",
    "%s",
    "\n\t",
    "x" * 1_000_000,
]


@pytest.mark.parametrize("query", ODD, ids=lambda text: ascii(text[:20]))
def test_odd_queries(call, folder, index, query):
    found = printed(call("search", "--json", "--", folder, query))
    assert found == plain(index.search(query))
    assert call("search", "--", folder, query).code == 0
    assert call("explain", "--json", "--", folder, query, "d1").code == 0


def test_a_query_that_is_not_utf8(run, folder):
    ran = run("search", folder, b"\xff city \xf0\x9f\x98", "--json", env={"PYTHONIOENCODING": "utf-8:strict"})
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["query"] == "\udcff city \udcf0\udc9f\udc98"
    assert [hit["id"] for hit in ran.json["hits"]] == ["d2", "d1"]


# --- explain -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranker", RANKERS)
def test_explain(call, folder, index, ranker):
    ran = call("explain", folder, "old city songs", "d2", "-r", ranker, "--json")
    found = ran.json
    assert list(found) == ["query", "id", "ranker", "score", "formula", "parts"]
    wanted = index.explain("old city songs", "d2", ranker)
    assert (found["query"], found["id"]) == ("old city songs", "d2")
    assert named(found["ranker"]) == named(ranker)
    assert {key: found[key] for key in ("score", "formula", "parts")} == wanted.to_json()
    assert found["score"] == pytest.approx(sum(part["value"] for part in found["parts"]))
    words = call("explain", folder, "old city songs", "d2", "-r", ranker).out
    assert words.endswith(f": {wanted}\n")


@pytest.mark.parametrize(
    "text", ["bm25 % 3 >> desm-in-out", "bm25 + 30*desm-in-out", "iwcs-wmd[k=2]", "bm25-desm"]
)
def test_telescoping_and_mixtures_score_alike_in_python_in_a_search_and_in_an_experiment(call, place, index, text):
    made = {
        "bm25 % 3 >> desm-in-out": ab.BM25() % 3 >> ab.ranker("desm-in-out"),
        "bm25 + 30*desm-in-out": ab.BM25() + 30 * ab.ranker("desm-in-out"),
        "iwcs-wmd[k=2]": ab.IWCS() % 2 >> ab.WMD(),
        "bm25-desm": 0.8 * ab.ranker("desm-in-out") + 0.2 * ab.BM25(k1=1.7, b=0.95),
    }[text]
    call("experiment", place, "-r", text, "--index", place / "small.index", "-o", "out")
    (run,) = Path("out/runs").iterdir()
    rows = [line.split() for line in run.read_text().splitlines()]
    for query in QUERIES[:4]:
        hits = [(hit.id, hit.score) for hit in index.search(query["text"], 1000, made)]
        printed_hits = call("search", place / "small.index", query["text"], "-r", text, "--json").json["hits"]
        assert [(hit["id"], hit["score"]) for hit in printed_hits] == hits
        in_run = [(row[2], np.float32(row[4])) for row in rows if row[0] == query["_id"]]
        assert in_run == hits
        assert hits or query["_id"] == "q4"


def test_explain_by_several(call, folder):
    found = call("explain", folder, "city", "d1", "-r", "bm25[k1=1,b=0],ql", "--json").json
    assert [one["ranker"] for one in found] == ["bm25[k1=1,b=0]", "ql"]
    assert call("explain", folder, "city", "d1", "-r", "bm25,ql").out.count("score ") == 2


def test_explain_what_was_not_found(call, folder):
    found = call("explain", folder, "city unheard", "d5", "--json").json
    assert (found["score"], [part["name"] for part in found["parts"]]) == (0.0, ["citi"])
    assert call("explain", folder, "unheard", "d5", "--json").json["parts"] == []
    assert "not in the document" in call("explain", folder, "city", "d5").out


# --- run -----------------------------------------------------------------------------------------------


def test_run(call, place, folder, index, tmp_path):
    ran = call("run", folder, place / "queries.jsonl", "-o", "x.trec", "-k", "2", "-r", "ql")
    assert (ran.code, ran.out, ran.err) == (0, "5 queries ranked by ql; the run is x.trec\n", "")
    rows = [line.split() for line in (tmp_path / "x.trec").read_text().splitlines()]
    wanted = [
        [query["_id"], "Q0", hit.id, str(hit.rank), "ql"]
        for query in QUERIES
        for hit in index.search(query["text"], 2, "ql")
    ]
    assert [row[:4] + row[5:] for row in rows] == wanted
    ran = call("run", folder, place / "queries.jsonl", "-o", "-", "-r", "bm25 % 100 >> ql")
    assert {line.split()[5] for line in ran.out.splitlines()} == {"bm25-100-ql"}


def test_a_run_is_printed_alone(call, run, place, folder, tmp_path):
    call(
        "run", folder, place / "queries.jsonl", "-o", "x.trec", "--match", "and", "--fields", "text", "--tag", "me"
    )
    written = (tmp_path / "x.trec").read_text()
    assert {line.split()[5] for line in written.splitlines()} == {"me"}
    options = ["-o", "-", "--match", "and", "--fields", "text", "--tag", "me"]
    for one in (call, run):
        ran = one("run", folder, place / "queries.jsonl", *options)
        assert (ran.code, ran.out, ran.err) == (0, written, note(folder))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.trec"]


QUERY_FILES = {
    "topics": "<top>\n<num> Number: 007\n<title> old songs\n</top>\n",
    "q.tsv": "7\told songs\n",
    "q.jsonl": '{"_id": "7", "text": "old songs"}\n',
    "smart": ".I 7\n.W\nold songs\n",
}


@pytest.mark.parametrize("name", QUERY_FILES)
def test_queries_of_every_kind(call, write, folder, name):
    write(name, QUERY_FILES[name])
    ran = call("run", folder, name, "-o", "-", "-k", "1")
    assert ran.out.startswith("7 Q0 d3 1 ")


def test_ids_with_blanks_are_searched_but_not_run(call, write, place, tmp_path):
    Index.build([{"id": "with blank", "text": "city of rivers"}], tmp_path / "x")
    assert call("search", "x", "city", "--json").json["hits"][0]["id"] == "with blank"
    assert call("search", "x", "city").out.splitlines()[1].endswith("(with blank)")
    assert call("explain", "x", "city", "with blank").code == 0
    ran = call("run", "x", place / "queries.jsonl", "-o", "x.trec")
    assert (ran.code, ran.out) == (2, "")
    assert (
        "the document id must be one word, without blanks, to stand in a run; got 'with blank'; "
        "give it one without blanks\n"
    ) in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


# --- models --------------------------------------------------------------------------------------------


def test_models_are_listed_as_they_are_written(call):
    found = {one["name"]: one["written"] for one in call("models", "--json").json}
    assert [found[name] for name in ("bm25", "minmax", "rm3", "feedback", "rrf")] == [
        "bm25", "minmax(a)", "rm3(a[, b])", "feedback(a, b)", "rrf(a, b, …)",
    ]  # fmt: skip
    assert "feedback(a, b): a ranker, and" in call("models").out
    assert [one["name"] for one in call("models", "bm25", "ql", "--json").json] == ["bm25", "ql"]
    assert call("models", "ql").out.startswith("ql: ")
    assert call("models", "bm52").code == 2


def test_models(call):
    found = call("models", "--json").json
    assert [one["name"] for one in found] == list(known_rankers(combinations=True))
    for one in found:
        assert list(one) == ["name", "written", "summary", "source", "parameters"]
        assert one["summary"]
        assert one["source"]
        declared = known_rankers(combinations=True)[one["name"]].declared()
        assert [parameter["name"] for parameter in one["parameters"]] == [known.name for known in declared]
        for parameter, known in zip(one["parameters"], declared, strict=True):
            assert list(parameter) == ["name", "default", "allowed", "symbol", "help"]
            assert parameter["default"] == known.default
            assert parameter["allowed"]
            assert parameter["help"]


def test_models_in_words(call):
    blocks = call("models").out.split("\n\n")
    assert [re.split(r"[(:]", block)[0] for block in blocks] == list(known_rankers(combinations=True))
    for block, model in zip(blocks, known_rankers(combinations=True).values(), strict=True):
        assert [line.split()[0] for line in block.strip().splitlines()[2:]] == [
            one.name for one in model.declared()
        ]


# --- what goes wrong -----------------------------------------------------------------------------------

WRONG_RANKERS = {
    "bm26": f"unknown ranker 'bm26'; did you mean 'bm25'? Known: {EVERY}",
    "nope": f"unknown ranker 'nope'. Known: {EVERY}",
    "": "a ranker is missing",
    "bm25[k1=-1]": "bm25: k1 must be a number at least 0 and at most 1e+09, got '-1'",
    "bm25[b=1.1]": "bm25: b must be a number at least 0 and at most 1, got '1.1'",
    "bm25[k1=nan]": "bm25: k1 must be",
    "bm25[k1=much]": "bm25: k1 must be",
    "bm25[variant=x]": "bm25: variant must be one of lucene",
    "bm25[nope=1]": "bm25 has no parameter 'nope'. It has: layer, fields, k1",
    "bm25[k1=1,k1=2]": "the parameter 'k1' stands twice",
    "bm25[k1": "cannot read the ranker",
    "ql[mu=0]": "ql: mu must be a number at least 1e-09",
    "bm25 % 0": "a ranking must be cut to a whole number of at least 1, got 0",
    "bm25 % x": "a whole number after %",
    "bm25 >> ql": "such as 'bm25 % 100 >> ql'",
    "bm25 - ql": "there is no minus, only + with weights of at least 0",
    "bm25[layer=nope]": "the index has no layer 'nope'. It has: main",
    "bm25[fields=body]": "the index has no field 'body'. It has: title, text",
}


@pytest.mark.parametrize("ranker", WRONG_RANKERS)
def test_a_wrong_ranker_ends_with_2(call, place, folder, ranker, tmp_path):
    for command in (
        ["search", folder, "city"],
        ["explain", folder, "city", "d1"],
        ["run", folder, place / "queries.jsonl", "-o", "x.trec"],
    ):
        ran = call(*command, "-r", ranker)
        assert (ran.code, ran.out) == (2, "")
        assert WRONG_RANKERS[ranker] in ran.err
        assert ran.err.startswith("aboutness: ")
        assert ran.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_one_wrong_ranker_of_several_leaves_nothing_printed(call, folder):
    for rankers in ("bm25,", "bm25,bm26", ",bm25", "bm25,,ql"):
        ran = call("search", folder, "city", "-r", rankers, "--json")
        assert (ran.code, ran.out) == (2, "")
        assert f"Known: {EVERY}" in ran.err


WRONG_USES = [
    (["search", "city", "-k", "0"], "k must be a whole number of at least 1, got 0"),
    (["search", "city", "-k", "-1"], "k must be a whole number of at least 1, got -1"),
    (["search", "city", "-k", "1.5"], "-k"),
    (["search", "city", "-k", "True"], "-k"),
    (["search"], "give a query, or the id of a document with --like (like= in Python)\n"),
    (
        ["search", "city", "--like", "d1"],
        "give a query, or the id of a document with --like (like= in Python), not both",
    ),
    (["search", "city", "--match", "xor"], "match must be one of or, and, all or a cut ranker"),
    (["search", "city", "--match", "bm25"], "such as 'bm25 % 100 >> default'"),
    (["search", "city", "--where", "year"], "a condition is written key=value"),
    (["search", "city", "--fields", "body"], "the index has no field 'body'"),
    (
        ["search", "city", "--fields", "0*title"],
        "fields must be fields, with weights from 1e-9 to 1e9 where they have some",
    ),
    (
        ["search", "city", "--fields", ""],
        "fields must be fields, with weights from 1e-9 to 1e9 where they have some",
    ),
    (["search", "city", "--nope"], "--nope"),
    (["explain", "city"], "ID"),
    (["run", "QUERIES"], "-o"),
    (["run", "QUERIES", "-o", "x.trec", "-k", "0"], "k must be a whole number of at least 1, got 0"),
    (["run", "QUERIES", "-o", "x.trec", "-r", "bm25,ql"], "a run is made by one ranker, got 2: bm25, ql"),
    (["run", "QUERIES", "-o", "x.trec", "--match", "xor"], "match must be one of"),
    (["run", "QUERIES", "-o", "x.trec", "--tag", " "], "the tag of a run must be one word"),
    (["run", "QUERIES", "-o", "."], "is a folder; name a file to write"),
]


@pytest.mark.parametrize(("arguments", "told"), WRONG_USES, ids=lambda value: str(value)[:50])
def test_wrong_use_ends_with_2(call, place, folder, arguments, told, tmp_path):
    name, *rest = [str(place / "queries.jsonl") if one == "QUERIES" else one for one in arguments]
    ran = call(name, folder, *rest)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert not list(tmp_path.iterdir())


def test_bad_queries_end_with_3_and_name_their_place(call, write, folder, nothing_left):
    write("bad.jsonl", lines(QUERIES[:1]) + "nonsense\n")
    write("bad.tsv", "1\tcity\n2 city\n")
    write("not.txt", "just words\n")
    for name, told in (
        ("bad.jsonl", "bad.jsonl:2: broken JSON"),
        ("bad.tsv", "bad.tsv:2: the line must hold a query id, a tab and the text"),
        ("not.txt", "not.txt: not a file of queries"),
    ):
        ran = call("run", folder, name, "-o", "x.trec")
        assert (ran.code, ran.out) == (3, "")
        assert ran.err.startswith(f"aboutness: {told}")
    assert nothing_left("bad.jsonl", "bad.tsv", "not.txt")


def test_what_is_not_there_ends_with_4(call, place, folder, tmp_path):
    for arguments, told in (
        (["search", "none.index", "city"], "there is no index at none.index; make one with"),
        (["explain", "none.index", "city", "d1"], "there is no index at none.index"),
        (["run", "none.index", place / "queries.jsonl", "-o", "x"], "there is no index at none.index"),
        (["search", ".", "city"], "is not an aboutness index"),
        (["search", place / "queries.jsonl", "city"], "is not an aboutness index"),
        (["search", folder, "--like", "d9"], "there is no document 'd9'"),
        (["search", folder, "--like", ""], "there is no document ''"),
        (["explain", folder, "city", "d9"], "there is no document 'd9'"),
        (["run", folder, "none.jsonl", "-o", "x"], "none.jsonl: no such file"),
        (["run", folder, place / "queries.jsonl", "-o", "no/x"], "there is no folder"),
    ):
        ran = call(*arguments)
        assert (ran.code, ran.out) == (4, ""), arguments
        assert told in ran.err
        assert ran.err.startswith("aboutness: ")
    assert not list(tmp_path.iterdir())


def test_damage_ends_with_5(call, three):
    next((three / "arrays").iterdir()).unlink()
    ran = call("search", three, "city")
    assert (ran.code, ran.out) == (5, "")
    assert ran.err.count("\n") == 1


def test_a_disk_that_takes_no_more_ends_with_6(call, place, folder):
    ran = call("run", folder, place / "queries.jsonl", "-o", "/dev/full")
    assert (ran.code, ran.out, ran.err) == (6, "", "aboutness: cannot write /dev/full: No space left on device\n")


@pytest.mark.parametrize("records", [[], [{"id": "a", "text": ""}, {"id": "b", "text": "the"}]])
def test_an_index_that_holds_nothing(call, write, place, records):
    write("few.jsonl", [{"id": "gone", "text": "harbour"}, *records])
    call("index", "few.jsonl", "-o", "few.index")
    with_all(Index.open("few.index"), vectors_for(["harbour"]))
    call("delete", "few.index", "gone")
    for match in ("or", "and", "all", "bm25 % 3"):
        ran = call("search", "few.index", "city", "-r", KNOWN, "--match", match, "--json")
        assert ran.code == 0
        assert [found["hits"] for found in ran.json] == [[]] * len(known_rankers())
    ran = call("run", "few.index", place / "queries.jsonl", "-o", "-")
    assert (ran.code, ran.out, ran.err) == (0, "", note("few.index"))


# --- pipes ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """An index whose answers do not fit into a pipe."""
    place = tmp_path_factory.mktemp("large")
    Index.build([{"id": f"d{n}", "text": f"city {'word ' * 30}"} for n in range(3000)], place / "large.index")
    (place / "q.tsv").write_text("".join(f"{n}\tcity\n" for n in range(5)))
    return place


@pytest.mark.parametrize(
    ("command", "first"),
    [
        ("search large.index city -k 3000", "default: 3,000 hits"),
        ("run large.index q.tsv -o -", "0 Q0 d0 1 "),
    ],
)
def test_a_closed_pipe_ends_quietly(large, command, first):
    line = f"{sys.executable} -m aboutness {command} | head -1"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, env=environment(), cwd=large, timeout=60
    )
    assert done.stdout.startswith(first)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_json_is_one_value_for_machines(large, call):
    found = call("search", large / "large.index", "city", "-k", "3000", "--json")
    assert [hit["rank"] for hit in json.loads(found.out)["hits"]] == list(range(1, 3001))


def test_a_query_whose_words_have_no_vector_is_told_so(call, tmp_path):
    records = [
        {"id": "a", "title": "old song", "text": "a desert city"},
        {"id": "b", "text": "a river by a river"},
    ]
    index = Index.build(records, tmp_path / "x.index", analyzer="plain")
    matrix = np.eye(2, 3, dtype=np.float32)
    index.keep_vectors(WordVectors(StringTable.of(["desert", "river"]), {"in": matrix}), "few")
    folder = str(tmp_path / "x.index")
    ran = call("search", folder, "city", "-r", "iwcs,bm25 % 5 >> wmd")
    assert (ran.code, ran.err.count("no word of the query has a vector; see: aboutness oov")) == (0, 2)
    index.train("pv", dim=4, min_count=2, threads=1)  # river has a vector, and nothing else
    ran = call("search", folder, "city", "-r", "doc2vec,pv-lm,pv-lm[lam=1]")
    assert [line.partition(":")[0] for line in ran.err.splitlines()] == ["doc2vec", "pv-lm[lam=1]"]
    assert call("search", folder, "desert", "-r", "iwcs").err == ""
    assert call("search", folder, "city", "-r", "bm25[fields=title]").err == ""
    assert call("search", folder, "city", "-r", "bm25 + iwcs").err == ""
    assert "stands in the index" in call("search", folder, "nothing", "-r", "iwcs").err


def test_a_text_compared_with_numbers_is_told(three, call):
    ran = call("search", three, "city", "--where", "year<abc", "-r", "bm25")
    assert (ran.code, ran.err) == (0, "note: year holds numbers, and 'abc' is none\n")


def test_a_query_of_stop_words_is_told_from_one_of_unknown_words(three, call):
    left_out = "the words of the query are too frequent to tell anything, and are left out: the, of\n"
    assert call("search", three, "the", "of", "The").err == left_out
    assert call("search", three, "of", "zzyzx").err == "no word of the query stands in the index\n"
    assert call("search", three, "citty").err == "no word of the query stands in the index; did you mean 'city'?\n"
    assert call("search", three, "!").err == "no word of the query stands in the index\n"


def test_a_document_that_may_be_meant_is_named(write, call):
    write("notes/sky/eclipse.md", "the moon before the sun")
    call("index", "notes", "-o", "x.index")
    for name in ("sky/eclipse", "eclipse", "notes/sky/eclipse.md", "sky/eclispe.md"):
        ran = call("search", "x.index", "--like", name)
        assert ran.err == f"aboutness: there is no document {name!r} in x.index; did you mean 'sky/eclipse.md'?\n"


def test_a_damaged_index_says_what_to_do(three, call):
    with next(Path(three, "arrays").iterdir()).open("ab") as file:
        file.write(b"x")
    ran = call("search", three, "city")
    assert ran.code == 5
    assert ran.err.endswith("; the index is damaged: restore a copy, or build it anew\n")
