from __future__ import annotations

import gzip
import io
import json
import time

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.app.perturbing import COUNT, RANKERS, every_ranker, perturb, read_passages, replaced
from aboutness.core.deadline import wanted_until
from aboutness.core.errors import BadInput, BadRecord, NotFound, UsageError
from aboutness.models.bm25 import BM25
from aboutness.models.known import MODELS
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors

RECORDS = [
    {"id": "a", "title": "Giraffes", "text": "The giraffe is a tall animal. Giraffes eat leaves."},
    {"id": "b", "title": "Cambridge", "text": "Cambridge is a city with a university on the river Cam."},
    {"id": "c", "title": "Oxford", "text": "Oxford is a city with a university on the river Thames."},
    {"id": "d", "title": "", "text": "A river runs through the city; the river is tall."},
]
PASSAGES = {
    "cambridge": "Cambridge: a university city. The river at Cambridge is slow.",
    "oxford": "Oxford, a city with an older university.",
    "giraffe": "The giraffe is tall; a giraffe eats leaves, and the giraffe drinks.",
}
PAIRS = [("giraffe", "cambridge"), ("cambridge", "giraffe")]


def vectors():
    """A word is near to others of its subject: the first axis is cities, the second animals."""
    words = {"cambridge": (5, 1), "oxford": (4, 0), "city": (3, 1), "university": (3, 0), "river": (2, 1),
             "giraffe": (0, 5), "tall": (1, 4), "leaves": (0, 3), "eats": (0, 2), "drinks": (1, 2)}  # fmt: skip
    matrix = np.array(list(words.values()), np.float32)
    return WordVectors(StringTable.of(words), {"in": matrix, "out": matrix[:, ::1] + np.float32(0.25)})


@pytest.fixture(scope="module")
def index():
    made = Index.build(RECORDS, analyzer="plain", weights={"title": 2.0, "text": 1.0})
    made.keep_vectors(vectors(), "words")
    return made


# --- replacing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "old", "new", "wanted"),
    [
        ("A giraffe, the Giraffe. GIRAFFE!", "giraffe", "oxford", "A oxford, the Oxford. Oxford!"),
        ("giraffes giraffe's ungiraffe giraffe_x", "giraffe", "ox", "giraffes ox's ungiraffe giraffe_x"),
        ("giraffe-like giraffe2 2giraffe", "Giraffe", "ox", "ox-like giraffe2 2giraffe"),
        ("Über die ÜBER überall", "über", "unter", "Unter die Unter überall"),
        ("cafe\u0301 cafe cafés café", "cafe", "bar", "cafe\u0301 bar cafés café"),
        ("e\u0301cole cole", "cole", "x", "e\u0301cole x"),
        ("the North\n  Sea, north sea", "north sea", "atlantic", "the Atlantic, atlantic"),
        ("C++ and c, C++11", "c++", "rust", "Rust and c, C++11"),
        ("Москва, москва", "москва", "лондон", "Лондон, лондон"),
        ("a.b a+b", "a.b", r"\1\g<0>", r"\1\g<0> a+b"),
        ("a b c", "b", "", "a  c"),
        ("nothing here", "giraffe", "x", "nothing here"),
        ("giraffe", "giraffe", "McX", "McX"),
        ("Giraffe", "giraffe", "ǆ", "ǅ"),
        ("Giraffe giraffe", "giraffe", "new york", "New york new york"),
    ],
)
def test_whole_words_in_any_case(text, old, new, wanted):
    assert replaced(text, old, new) == wanted


# --- perturbing ----------------------------------------------------------------------------------------------


def test_it_ends_when_nobody_waits_any_more(index):
    with wanted_until(time.monotonic() - 1), pytest.raises(TimeoutError):
        perturb(index, "cambridge", PASSAGES)


def test_each_passage_and_what_becomes_of_it(index):
    found = perturb(index, "cambridge", PASSAGES, PAIRS)
    stuffed, emptied = "giraffe, with giraffe → cambridge", "cambridge, with cambridge → giraffe"
    assert [row.name for row in found.rows] == ["cambridge", emptied, "oxford", "giraffe", stuffed]
    assert [row.passage for row in found.rows] == ["cambridge", "cambridge", "oxford", "giraffe", "giraffe"]
    assert [row.replaced for row in found.rows] == [None, PAIRS[1], None, None, PAIRS[0]]
    assert found[stuffed].text == "The cambridge is tall; a cambridge eats leaves, and the cambridge drinks."
    assert found[emptied].text == "Giraffe: a university city. The river at Giraffe is slow."
    assert [row.scores[COUNT] for row in found.rows] == [2, 0, 0, 0, 3]
    assert [row.ranks[COUNT] for row in found.rows] == [2, 3, 3, 3, 1]
    assert found.columns == (COUNT, *RANKERS)
    assert found.left_out == {}
    assert found[stuffed].ranks["bm25"] == 1
    for model in ("desm-in-in", "desm-in-out"):
        ranks = {row.name: row.ranks[model] for row in found.rows}
        assert ranks["cambridge"] < ranks[stuffed] < ranks["giraffe"]
        assert ranks["oxford"] < ranks[stuffed]


def test_a_passage_scores_as_the_same_document_would(index):
    texts = {record["id"]: {"title": record["title"], "text": record["text"]} for record in RECORDS}
    for query in ("cambridge river", "tall Cam city", "leaves of the river"):
        found = perturb(index, query, texts)
        assert set(found.columns) == {COUNT, *RANKERS}
        for ranker in RANKERS:
            hits = {hit.id: hit.score for hit in index.search(query, ranker=ranker, match="all")}
            assert {row.name: row.scores[ranker] for row in found.rows} == hits
            order = [hit.id for hit in index.search(query, ranker=ranker, match="all")]
            best = next(row.name for row in found.rows if row.ranks[ranker] == 1)
            assert hits[best] == hits[order[0]]


def test_the_rankers_taken_unless_said_are_known():
    assert set(RANKERS) <= set(MODELS)


def test_rankers_can_be_named_and_composed(index):
    for rankers in ("bm25", BM25(), ["bm25"], iter(["bm25", BM25()])):
        assert perturb(index, "cambridge", PASSAGES, rankers=rankers).columns == (COUNT, "bm25")
    found = perturb(index, "cambridge", PASSAGES, rankers=["bm25 % 1 >> ql", "ql", "bm25[k1=1.7,fields=text]"])
    assert found.columns == (COUNT, "bm25 % 1 >> ql", "ql", "bm25[fields=text,k1=1.7]")
    assert [row.scores["bm25 % 1 >> ql"] for row in found.rows] == [row.scores["ql"] for row in found.rows]


def test_without_word_vectors_terms_remain_and_it_is_said_why():
    plain = Index.build(RECORDS, analyzer="plain")
    found = perturb(plain, "cambridge", PASSAGES)
    assert found.columns == (COUNT, "tfidf", "bm25", "bm25-cosine", "ql")
    assert list(found.left_out) == ["desm-in-in", "desm-in-out"]
    assert all("no word vectors" in why for why in found.left_out.values())
    with pytest.raises(NotFound, match="no word vectors"):
        perturb(plain, "cambridge", PASSAGES, rankers="desm-in-in")


def test_vectors_without_the_out_space_leave_in_in():
    one = Index.build(RECORDS, analyzer="plain")
    one.keep_vectors(WordVectors(vectors().words, {"in": vectors().space("in")}), "words")
    found = perturb(one, "cambridge", PASSAGES)
    assert "desm-in-in" in found.columns
    assert list(found.left_out) == ["desm-in-out"]


def test_a_query_that_a_ranker_does_not_know_has_no_scores(index):
    found = perturb(index, "zeppelin", PASSAGES)
    for row in found.rows:
        assert row.scores[COUNT] == 0
        assert {row.scores[name] for name in RANKERS} == {row.ranks[name] for name in RANKERS} == {None}
    assert str(found).splitlines()[1].split()[:4] == ["cambridge", "0", "(1)", "-"]


def test_words_that_only_passages_have_are_counted_but_not_known(index):
    found = perturb(index, "slow river", PASSAGES, rankers=["bm25", "ql"])
    alone = perturb(index, "river", PASSAGES, rankers=["bm25", "ql"])
    assert [row.scores[COUNT] for row in found.rows] == [2, 0, 0]
    for row, other in zip(found.rows, alone.rows, strict=True):
        assert {**row.scores, COUNT: 0} == {**other.scores, COUNT: 0}


def test_counts_are_those_of_analysed_words():
    english = Index.build(RECORDS)
    found = perturb(english, "the cities", {"p": "Two cities, a city; the CITY"}, rankers="bm25")
    assert found["p"].scores == {COUNT: 3, "bm25": pytest.approx(found["p"].scores["bm25"])}
    assert found["p"].scores["bm25"] > 0


def test_equal_scores_share_a_rank(index):
    found = perturb(index, "city", {"x": "a city", "y": "a city", "z": "no", "w": "city city"}, rankers="bm25")
    assert [row.ranks["bm25"] for row in found.rows] == [2, 2, 4, 1]


def test_nothing_is_written_to_the_index(tmp_path):
    index = Index.build(RECORDS, tmp_path / "x.index", analyzer="plain")
    before = {path: path.read_bytes() for path in index.path.rglob("*") if path.is_file()}
    perturb(index, "cambridge", PASSAGES, PAIRS)
    assert {path: path.read_bytes() for path in index.path.rglob("*") if path.is_file()} == before
    assert len(index) == 4


def test_a_text_is_the_field_text_or_else_the_first():
    by_title = Index.build([{"id": "a", "title": "sea", "abstract": "the moon"}], analyzer="plain")
    first = by_title.snapshot.fields[0]
    found = perturb(by_title, "sea", {"p": "the sea"}, rankers="bm25")
    assert found["p"].fields == {first: "the sea"}
    both = Index.build([{"id": "a", "title": "sea", "text": "moon"}], analyzer="plain")
    assert perturb(both, "sea", {"p": "the sea"}, rankers="bm25")["p"].fields == {"text": "the sea"}


def test_fields_count_as_they_do_in_the_index(index):
    texts = {"title": {"title": "river"}, "text": {"text": "river"}}
    found = perturb(index, "river", texts, rankers="bm25[b=0]")
    assert found["title"].scores["bm25[b=0]"] > found["text"].scores["bm25[b=0]"]
    changed = perturb(index, "river", {"p": {"title": "sea", "text": "Sea"}}, [("sea", "river")], "bm25")
    assert changed.rows[1].fields == {"title": "river", "text": "River"}
    assert changed.rows[1].text == "river\nRiver"


def test_other_layers_are_there_too():
    layered = Index.build(RECORDS, analyzer="plain", layers={"stems": "english"})
    found = perturb(layered, "universities", PASSAGES, rankers=["bm25[layer=stems]", "bm25"])
    assert found["oxford"].scores["bm25[layer=stems]"] > 0
    assert found["oxford"].scores["bm25"] is None


def test_plain_values_and_a_table(index):
    found = perturb(index, "cambridge", PASSAGES, PAIRS, ["bm25", "desm-in-in"])
    plain = json.loads(json.dumps(found.to_json()))
    assert (plain["query"], plain["columns"]) == ("cambridge", ["count", "bm25", "desm-in-in"])
    assert plain["rows"][1]["replaced"] == ["cambridge", "giraffe"]
    assert plain["rows"][0]["text"] == PASSAGES["cambridge"]
    assert plain["rows"][0]["scores"] == dict(found.rows[0].scores)
    assert plain["rows"][0]["ranks"] == dict(found.rows[0].ranks)
    head, *lines = str(found).splitlines()
    assert head.split() == ["count", "bm25", "desm-in-in"]
    assert len(lines) == 5
    assert len({len(line) for line in (head, *lines)}) == 1
    assert lines[0].startswith("cambridge  ")
    assert f"{found.rows[0].scores['bm25']:.4f} (2)" in lines[0]
    odd = perturb(index, "city", {"a\x1b[2Jb": "a city"}, rankers="bm25")
    assert "\x1b" not in str(odd)


@pytest.mark.parametrize(
    ("passages", "pairs", "error", "message"),
    [
        ({}, [], UsageError, "no passage"),
        ({"p": " \n"}, [], BadInput, "the passage 'p' is empty"),
        ({"p": {"title": "", "text": " "}}, [], BadInput, "the passage 'p' is empty"),
        ({"p": {"place": "x"}}, [], UsageError, "has the field 'place', which the index has not. It has: title, text"),
        ({"p": 3}, [], UsageError, "must be a text or the texts of fields, got 3"),
        ({"p": {"text": 3}}, [], UsageError, "must be a text or the texts of fields"),
        ({"p": "a city"}, [("zebra", "x")], UsageError, "no passage has the word 'zebra', so that 'x' replaces nothing"),
        ({"p": "a city"}, [("city", "x"), ("zebra", "x")], UsageError, "no passage has the word 'zebra'"),
        ({"p": "a city"}, [("city", "city")], UsageError, "no passage has the word 'city'"),
        ({"p": "a city"}, [(" ", "x")], UsageError, "the word to be replaced is missing in ' =x'"),
        ({"p": "a city"}, ["city=x"], UsageError, "a replacement is a pair"),
        ({"p": "a city"}, [("city", "x", "y")], UsageError, "a replacement is a pair"),
        ({"p": "a city \ud800"}, [], BadRecord, "lone surrogate"),
    ],
)  # fmt: skip
def test_what_cannot_be_perturbed(index, passages, pairs, error, message):
    with pytest.raises(error) as raised:
        perturb(index, "city", passages, pairs)
    assert message in str(raised.value)


def test_an_index_without_fields_has_no_place_for_a_passage():
    with pytest.raises(UsageError, match="no text fields yet"):
        perturb(Index.build([]), "city", {"p": "a city"})


# --- reading -------------------------------------------------------------------------------------------------


def test_passages_come_from_files(tmp_path, monkeypatch):
    (tmp_path / "about.x.txt").write_bytes(b"\xef\xbb\xbfa city\n")
    (tmp_path / "bare").write_text("a river")
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(b"a song"))
    lines = [{"id": "one", "text": "x"}, {"_id": 2, "title": "t", "text": "y"}]
    (tmp_path / "more.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("ü".encode())))
    names = [tmp_path / name for name in ("about.x.txt", "bare", "packed.txt.gz", "more.jsonl")]
    assert read_passages([*names, "-"]) == {
        "about.x": "a city\n",
        "bare": "a river",
        "packed": "a song",
        "one": "x",
        "2": {"title": "t", "text": "y"},
        "stdin": "ü",
    }


def test_files_that_cannot_be_read(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("a city")
    with pytest.raises(BadInput, match="two passages have the name 'a'"):
        read_passages([tmp_path / "x" / "a.txt", tmp_path / "y" / "a.txt"])
    with pytest.raises(NotFound, match="no such file"):
        read_passages([tmp_path / "z.txt"])
    with pytest.raises(BadInput, match="is a folder"):
        read_passages([tmp_path / "x"])
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(BadInput, match=r"latin\.txt: not UTF-8"):
        read_passages([tmp_path / "latin.txt"])
    (tmp_path / "bad.jsonl").write_text("{")
    with pytest.raises(BadRecord, match="broken JSON"):
        read_passages([tmp_path / "bad.jsonl"])


def test_rankers_that_the_index_has_nothing_for_are_left_out_where_that_is_wanted(index):
    named = ["bm25", "lsa"]
    with pytest.raises(NotFound, match="lsa"):
        perturb(index, "city", PASSAGES, (), named)
    found = perturb(index, "city", PASSAGES, (), named, leave_out=True)
    assert found.columns == (COUNT, "bm25")
    assert list(found.left_out) == ["lsa"]
    assert 'run: index.train("lsa")' in found.left_out["lsa"]
    assert found["oxford"] == perturb(index, "city", PASSAGES, (), "bm25")["oxford"]
    with pytest.raises(UsageError, match="nope"):
        perturb(index, "city", PASSAGES, (), ["nope"], leave_out=True)


def test_every_ranker_comes_with_those_first_that_are_shown_unless_others_are_named(index):
    every = every_ranker()
    assert tuple(every[: len(RANKERS)]) == RANKERS
    assert sorted(every) == sorted({*every, *MODELS})
    found = perturb(index, "city", PASSAGES, (), every, leave_out=True)
    assert {*found.columns, *found.left_out} == {COUNT, *every}
