from __future__ import annotations

from pathlib import Path

import pytest

from aboutness.app.index import Index
from aboutness.app.perturbing import perturb
from cli.running import THREE

EXAMPLES = Path(__file__).parents[2] / "examples" / "passages"


@pytest.fixture
def folder(tmp_path):
    Index.build(THREE, tmp_path / "x.index", analyzer="plain")
    (tmp_path / "town.txt").write_text("A city in Mexico. The City!")
    (tmp_path / "song.txt").write_text("Songs of the sea")
    return tmp_path / "x.index"


def test_a_table_of_passages_and_rankers(call, folder):
    ran = call(
        "perturb", folder, "city", "town.txt", "song.txt", "--replace", "city=song", "--replace", "sea=city"
    )
    assert ran.code == 0
    head, *rows = ran.out.splitlines()
    assert head.split() == ["count", "tfidf", "bm25", "bm25-cosine", "ql"]
    names = ["town", "town, with city → song", "song", "song, with sea → city"]
    assert [row.split("  ")[0] for row in rows] == names
    assert [row[len(max(names, key=len)) :].split()[0] for row in rows] == ["2", "0", "0", "1"]
    assert [line.split(":")[0] for line in ran.err.splitlines()] == [
        "desm-in-in is left out", "desm-in-out is left out",
    ]  # fmt: skip


def test_json_is_what_python_gives(call, folder):
    ran = call("perturb", folder, "city", "town.txt", "-r", "bm25,ql[mu=5]", "--replace", "city=song", "--json")
    texts = {"town": "A city in Mexico. The City!"}
    found = perturb(Index.open(folder), "city", texts, [("city", "song")], ["bm25", "ql[mu=5]"])
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == found.to_json()
    assert ran.json["columns"] == ["count", "bm25", "ql[mu=5]"]


def test_standard_input_and_json_lines(call, folder, write):
    write("more.jsonl", [{"id": "one", "text": "a city"}, {"id": "two", "title": "City", "text": "by the sea"}])
    ran = call("perturb", folder, "city", "more.jsonl", "-", "-r", "bm25", "--json", stdin="no city here")
    assert [row["name"] for row in ran.json["rows"]] == ["one", "two", "stdin"]
    assert [row["scores"]["count"] for row in ran.json["rows"]] == [1, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.txt"], 4, "nowhere.txt: no such file"),
        (["town.txt", "--replace", "zebra=x"], 2, "no passage has the word 'zebra', so that 'x' replaces nothing"),
        (["town.txt", "--replace", "city"], 2, "a replacement is written word=other, got 'city'"),
        (["town.txt", "--replace", "=city"], 2, "a replacement is written word=other, got '=city'"),
        (["town.txt", "town.txt"], 3, "two passages have the name 'town'"),
        (["empty.txt"], 3, "the passage 'empty' is empty"),
        (["town.txt", "-r", "desm-in-out"], 4, "has no word vectors"),
        (["town.txt", "-r", "bm52"], 2, "unknown ranker 'bm52'"),
        (["twice.jsonl"], 3, "two passages have the name 'a'"),
    ],
)
def test_what_goes_wrong_is_said_in_one_line(call, folder, write, arguments, code, message):
    write("empty.txt", " \n")
    write("twice.jsonl", [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}])
    ran = call("perturb", folder, "city", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("aboutness: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_an_index_that_is_not_there(call, folder):
    assert call("perturb", folder.parent / "y.index", "city", "town.txt").code == 4


def test_a_passage_is_needed(call, folder):
    assert call("perturb", folder, "city").code == 2


@pytest.mark.parametrize(
    ("query", "near", "own"),
    [
        ("coffee", "cocoa", "airline"),
        ("gold", "silver", "hotel"),
        ("wheat", "corn", "bank"),
        ("oil", "gas", "drug"),
    ],
)
def test_the_examples_have_the_words_they_say(call, folder, query, near, own):
    passages = [EXAMPLES / query / f"{name}.txt" for name in ("about", "near", "far")]
    counts = {}
    for word in (query, near, own):
        ran = call("perturb", folder, word, *passages, "--json")
        counts[word] = [row["scores"]["count"] for row in ran.json["rows"]]
        assert all(70 <= len(row["text"].split()) <= 110 for row in ran.json["rows"])
    assert counts[query][0] in (4, 5)
    assert counts[query][1:] == [0, 0]
    assert counts[near][1] >= 3
    assert counts[own][2] in (4, 5)
    assert counts[own][:2] == [0, 0]
    swapped = ["--replace", f"{query}={own}", "--replace", f"{own}={query}", "--json"]
    rows = call("perturb", folder, query, *passages, *swapped).json["rows"]
    assert [row["scores"]["count"] for row in rows] == [counts[query][0], 0, 0, 0, counts[own][2]]
