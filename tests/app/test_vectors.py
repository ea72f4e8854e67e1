"""Word vectors of an index, and in files: imported, processed, looked into."""

from __future__ import annotations

import json

import numpy as np
import pytest

from aboutness.app import vectors as app
from aboutness.app.describe import describe
from aboutness.app.index import Index
from aboutness.core.errors import AboutnessError, BadInput, IndexBusy, NotFound, UsageError
from aboutness.index.writer import IndexWriter
from aboutness.text.strings import StringTable
from aboutness.vectors.load import FORMATS, load_vectors
from aboutness.vectors.postprocess import STEPS
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors
from app.sky import MATRIX, RECORDS, SMALL, WORDS, entry, same, stored
from vectors import writing
from vectors.writing import put

# --- neighbours ----------------------------------------------------------------------------------------


@pytest.fixture
def trained(index):
    index.train(**SMALL)
    return index


ASKED = {
    "moon": {"moon": 1},
    "Cities": {"citi": 1},
    "CITY": {"citi": 1},
    "new york": {"new": 1, "york": 1},
    "the harbour of York": {"harbour": 1, "york": 1},
    "sun + moon": {"sun": 1, "moon": 1},
    "sun - the moon + York": {"sun": 1, "moon": -1, "york": 1},
    "city + cities": {"citi": 2},
    "- sun": {"sun": -1},
}


@pytest.mark.parametrize("asked", ASKED)
def test_words_go_through_the_analyzer_that_the_text_went_through(trained, asked):
    wanted = trained.vectors().side_by_side({word: float(weight) for word, weight in ASKED[asked].items()}, 3)
    assert trained.neighbours(asked, 3) == wanted
    assert app.neighbours(trained.path, asked, 3) == wanted
    assert all(len(near) == 3 for near in wanted.values())


def test_words_as_a_list_or_with_weights(trained):
    vectors = trained.vectors()
    assert trained.neighbours(["Cities", "moon"]) == vectors.side_by_side({"citi": 1.0, "moon": 1.0})
    assert trained.neighbours({"Cities": 0.5, "moon": -2}) == vectors.side_by_side({"citi": 0.5, "moon": -2.0})
    assert app.neighbours(trained.path, ["sun"], 2) == trained.neighbours("sun", 2)


def test_words_of_another_layer_go_through_its_analyzer(index):
    index.train(**SMALL, layer="words")
    assert index.neighbours("Cities")["in-in"][0].word == "cities"
    assert index.neighbours("THE")["in-in"][0].word == "the"


def test_words_without_a_vector(trained):
    for asked in ("the", "the - sun", "?", "\udcff"):
        with pytest.raises(NotFound, match="has no vector: the analyzer 'english' leaves it out") as caught:
            trained.neighbours(asked)
        assert repr(asked.split(" - ")[0]) in str(caught.value)
    with pytest.raises(NotFound, match="there is no word 'comet' among these"):
        trained.neighbours("sun + comets")
    with pytest.raises(NotFound, match="spelt nearly so: 'moon'"):
        trained.neighbours("moun")


def test_another_spelling_is_found_by_what_was_written():
    index = Index.build([{"id": str(n), "text": "honey of the bees, honey in jars"} for n in range(3)])
    index.train("word2vec", dim=4, epochs=1, min_count=1, threads=1)
    with pytest.raises(NotFound, match=r"there is no word 'honi' among these .*; spelt nearly so: 'honey'$"):
        index.neighbours("hony")


def test_rare_words_are_told_to_have_no_vector(index):
    index.train("word2vec", dim=4, epochs=1, min_count=2, threads=1)
    with pytest.raises(
        NotFound, match=r"there is no word 'comet' .*fewer than 2 times got no vector \(--min-count\)"
    ):
        index.neighbours("comets")


@pytest.mark.parametrize("asked", ["", "  ", [], {}, "sun +", "sun + - moon", {"sun": float("nan")}])
def test_what_is_no_word_or_sum(trained, asked):
    with pytest.raises(UsageError, match="word"):
        trained.neighbours(asked)


def test_how_many(trained):
    with pytest.raises(UsageError, match="must be a whole number of at least 1, got 0"):
        trained.neighbours("sun", 0)
    found = trained.neighbours("sun", 10**6)
    assert [len(near) for near in found.values()] == [len(trained.vectors())] * 3
    assert trained.neighbours("sun - sun") == {"in-in": [], "out-out": [], "in-out": []}


def test_imported_words_are_looked_up_in_any_case(index, glove):
    index.import_vectors(glove)
    for asked, found in {
        "moon": "Moon",
        "MOON": "Moon",
        "Moon": "Moon",
        "SUN": "sun",
        "Harbour": "harbour",
    }.items():
        near = index.neighbours(asked)
        assert list(near) == ["in-in"]
        assert near["in-in"][0].word == found
        assert app.neighbours(glove, asked) == near
    assert [one.word for one in index.neighbours("moon - sun", 9)["in-in"]] == ["sea", "harbour"]
    with pytest.raises(NotFound, match="there is no word 'cities' among these 4"):
        index.neighbours("cities")
    with pytest.raises(NotFound, match=r"for the sum of words, write: 'sun \+ sea'"):
        index.neighbours("sun sea")


def test_a_file_has_no_names(glove):
    with pytest.raises(UsageError, match="is not an index, so that it has no vectors with the name 'word2vec'"):
        app.open_vectors(glove, "word2vec")
    with pytest.raises(NotFound, match="nope"):
        app.open_vectors(glove.with_name("nope.txt"))
    with pytest.raises(NotFound, match="is not an aboutness index"):
        app.open_vectors(glove.parent)


def test_a_word_that_is_not_text(glove):
    with pytest.raises(NotFound, match="there is no word"):
        app.neighbours(glove, "\udcff")


@pytest.mark.parametrize("act", [app.open_vectors, lambda path: app.neighbours(path, "sun")])
def test_a_path_that_is_too_long(act):
    with pytest.raises(AboutnessError):
        act("x" * 5000)


# --- import --------------------------------------------------------------------------------------------


@pytest.fixture
def published(tmp_path):
    """The same vectors in several formats; some have OUT, the negative of IN, too."""
    put(tmp_path, "vocab.txt", b"\n".join(WORDS))
    return {
        "word2vec-text": {"path": put(tmp_path, "a.txt", writing.word2vec_text(WORDS, MATRIX))},
        "word2vec-binary": {"path": put(tmp_path, "a.bin", writing.word2vec_binary(WORDS, MATRIX))},
        "a pair": {
            "path": put(tmp_path, "in.bin", writing.word2vec_binary(WORDS, MATRIX)),
            "out": put(tmp_path, "out.txt", writing.word2vec_text(WORDS[::-1], -MATRIX[::-1])),
        },
        "npy": {"path": put(tmp_path, "m.npy", writing.npy(MATRIX)), "vocab": tmp_path / "vocab.txt"},
        "npy, vocabulary beside it": {"path": tmp_path / "m.npy", "format": "npy"},
    }


NAMES = ["word2vec-text", "word2vec-binary", "a pair", "npy", "npy, vocabulary beside it"]


def assert_published(vectors, name, rows=MATRIX, words=WORDS):
    assert list(vectors.words) == [word.decode() for word in words]
    np.testing.assert_array_equal(vectors.space(), rows)
    assert list(vectors.spaces) == (["in", "out"] if name == "a pair" else ["in"])
    if name == "a pair":
        np.testing.assert_array_equal(vectors.space("out"), -rows)


@pytest.mark.parametrize("name", NAMES)
def test_import_into_an_index(index, published, name):
    made = index.import_vectors(**published[name])
    assert_published(made, name)
    assert_published(Index.open(index.path, verify=True).vectors("vectors"), name)
    kept = entry(index, "vectors")
    assert (kept.kind, kept.seed, kept.generation) == ("word-vectors", None, 1)
    assert kept.parameters == made.provenance
    assert index.check(deep=True).ok
    assert json.dumps(describe(index))


@pytest.mark.parametrize("name", NAMES)
def test_import_to_a_file(published, tmp_path, name):
    target = tmp_path / "made.safetensors"
    made = app.import_to_file(target=target, **published[name])
    assert_published(made, name)
    assert_published(app.open_vectors(target), name)
    assert not list(tmp_path.glob(".made*"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("steps", [["unit"], ["centred", "unit"], ["all-but-the-top=1"]], ids=str)
def test_import_with_steps(index, published, tmp_path, name, steps):
    wanted = load_vectors(**published[name]).processed(*steps)
    into = index.import_vectors(**published[name], steps=steps)
    to_file = app.import_to_file(**published[name], target=tmp_path / "made.safetensors", steps=steps)
    for made in (into, to_file):
        assert same(made, wanted)
        assert made.provenance["processing"] == steps
    assert entry(index, "vectors").parameters["processing"] == steps


@pytest.mark.parametrize("steps", [[], ["unit"]], ids=str)
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, [0, 2, 3]),  # stems: sun, sea, harbour, but not Moon
        ({"case": "any"}, [0, 1, 2, 3]),
        ({"layer": "words", "case": "any"}, [0, 1, 2, 3]),
        ({"layer": "words"}, [0, 2, 3]),
    ],
    ids=str,
)
def test_only_words_of_the_index(index, published, options, kept, steps):
    put(index.path.parent, "a.bin", writing.word2vec_binary([*WORDS, b"comet"], np.vstack([MATRIX, MATRIX[:1]])))
    made = index.import_vectors(index.path.parent / "a.bin", only_index_words=True, steps=steps, **options)
    assert list(made.words) == [WORDS[i].decode() for i in kept]
    if not steps:
        np.testing.assert_array_equal(made.space(), MATRIX[kept])
    assert made.provenance["left_out"] == 5 - len(kept)


def test_what_was_left_out_is_told_by_the_index(index, glove):
    index.delete([record["id"] for record in RECORDS if "sun" in record["text"]])
    made = index.import_vectors(glove, only_index_words=True)
    assert entry(index, "vectors").parameters == made.provenance


def bad_files(folder):
    broken = MATRIX.copy()
    broken[3, 1] = np.nan
    yield {"path": put(folder, "nan.txt", writing.word2vec_text(WORDS, broken))}
    yield {"path": put(folder, "nan.bin", writing.word2vec_binary(WORDS, broken))}
    yield {"path": put(folder, "cut.bin", writing.word2vec_binary(WORDS, MATRIX)[:-3])}
    yield {"path": put(folder, "prose.txt", b"just some words\n")}
    yield {"path": put(folder, "empty.txt", b"")}
    yield {"path": put(folder, "p.txt", b"\x80\x04\x95danger")}
    put(folder, "few.vocab", b"one\ntwo\n")
    yield {"path": put(folder, "m.npy", writing.npy(MATRIX)), "vocab": folder / "few.vocab"}
    yield {
        "path": put(folder, "a.bin", writing.word2vec_binary(WORDS, MATRIX)),
        "out": put(folder, "o.txt", writing.word2vec_text(WORDS, MATRIX[:, :2])),
    }


@pytest.mark.parametrize("steps", [[], ["unit"]], ids=str)
def test_a_bad_file_changes_nothing(index, tmp_path, steps):
    index.import_vectors(put(tmp_path, "good.txt", writing.glove(WORDS, MATRIX)))
    before, folder = stored(index), tmp_path / "bad"
    folder.mkdir()
    target = put(tmp_path, "made.safetensors", b"as it was")
    for bad in bad_files(folder):
        with pytest.raises(BadInput) as caught:
            index.import_vectors(**bad, steps=steps)
        assert str(folder) in str(caught.value)
        with pytest.raises(BadInput):
            app.import_to_file(**bad, target=target, steps=steps)
        assert Index.open(index.path).snapshot.generation == index.snapshot.generation == 2
        IndexWriter(index.path).close()
        assert stored(index) == before
    assert target.read_bytes() == b"as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "good.txt", "made.safetensors", "x.index"]
    assert_published(index.vectors(), "word2vec-text")


def test_wrong_use_of_import(index, glove, tmp_path):
    for wrong, told in (
        ({"format": "nope"}, "format must be one of"),
        ({"steps": ["nope"]}, "a step of processing must be one of unit, centred, all-but-the-top; got 'nope'"),
        ({"steps": ["unit=3"]}, "unit takes no number"),
        ({"steps": ["all-but-the-top=3"]}, "less than 3"),
        ({"vocab": glove}, "takes no vocabulary"),
    ):
        with pytest.raises(UsageError, match=told):
            index.import_vectors(glove, **wrong)
        with pytest.raises(UsageError, match=told):
            app.import_to_file(glove, tmp_path / "x.safetensors", **wrong)
    with pytest.raises(UsageError, match="case must be one of exact, any, got 'some'"):
        index.import_vectors(glove, case="some")
    with pytest.raises(UsageError, match="has no layer 'nope'"):
        index.import_vectors(glove, only_index_words=True, layer="nope")
    with pytest.raises(UsageError, match=r"must end in \.safetensors, got 'x.bin'"):
        app.import_to_file(glove, tmp_path / "x.bin")
    with pytest.raises(NotFound, match="nope"):
        index.import_vectors(tmp_path / "nope.bin")
    assert index.snapshot.generation == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["glove.txt", "x.index"]


def test_an_index_that_is_being_written(index, glove):
    with IndexWriter(index.path):
        for act in (
            lambda: index.import_vectors(glove),
            lambda: index.train(**SMALL),
        ):
            with pytest.raises(IndexBusy, match=r"is writing to .*x\.index"):
                act()
    assert index.snapshot.generation == 1
    index.import_vectors(glove)
    with IndexWriter(index.path), pytest.raises(IndexBusy):
        app.process_in(index, ["unit"], None, None)
    assert_published(index.vectors(), "glove")


def test_vectors_that_were_trained_in_another_index_are_looked_up_as_they_are(index, tmp_path):
    index.train(**SMALL, layer="words").save(tmp_path / "w.safetensors")
    other = Index.build(RECORDS, layers={"words": "english"})
    other.import_vectors(tmp_path / "w.safetensors")
    assert other.neighbours("cities")["in-in"][0].word == "cities"


# --- process -------------------------------------------------------------------------------------------


def test_process_in_place_and_beside(index):
    made = index.train(**SMALL, seed=4)
    beside = app.process_in(index, ["centred", "unit"], None, "better")
    assert same(beside, made.processed("centred", "unit"))
    assert same(index.vectors("word2vec"), made)
    assert (entry(index, "better").seed, entry(index, "better").generation) == (4, 1)
    in_place = app.process_in(index, ["unit"], "word2vec", None)
    assert same(index.vectors("word2vec"), in_place)
    assert np.linalg.norm(in_place.space(), axis=1) == pytest.approx(1, abs=1e-6)
    assert in_place.provenance["processing"] == entry(index).parameters["processing"] == ["unit"]
    app.process_in(index, ["all-but-the-top=2"], "word2vec", None)
    assert index.vectors("word2vec").provenance["processing"] == ["unit", "all-but-the-top=2"]
    assert index.neighbours("Cities", vectors="better")["in-in"][0].word == "citi"
    assert len(stored(index)) == len(index.snapshot.manifest.files())


def test_process_a_file_in_place(glove, tmp_path):
    target = tmp_path / "v.safetensors"
    made = app.import_to_file(glove, target)
    again = app.import_to_file(target, target, steps=["unit"])
    assert same(app.open_vectors(target), again)
    assert same(again, made.processed("unit"))


# --- out of vocabulary ---------------------------------------------------------------------------------


def test_oov_of_fields_and_queries(index, glove):
    index.import_vectors(glove)
    rows = {
        row.name: row for row in index.oov(layer="words", queries={"mine": ["sun moon", "the sun"], "none": []})
    }
    assert list(rows) == ["title", "text", "all", "mine", "none"]
    title = rows["title"]  # the sun | the moon | cities | songs, five times each
    assert (title.tokens, title.unknown_tokens, title.types, title.unknown_types) == (30, 25, 5, 4)
    assert title.examples == ("the", "cities", "moon", "songs")
    assert (rows["all"].tokens, rows["all"].unknown_tokens) == tuple(
        getattr(rows["title"], key) + getattr(rows["text"], key) for key in ("tokens", "unknown_tokens")
    )
    assert (rows["mine"].tokens, rows["mine"].unknown_tokens, rows["mine"].examples) == (4, 2, ("moon", "the"))
    assert (rows["none"].tokens, rows["none"].token_ratio, rows["none"].type_ratio) == (0, 0.0, 0.0)
    any_case = index.oov(layer="words", fields=["title"], case="any")
    assert [(row.name, row.unknown_types) for row in any_case] == [("title", 3), ("all", 3)]
    assert index.oov(load_vectors(glove), layer="words") == index.oov("vectors", layer="words")


def test_what_was_trained_on_all_of_it_knows_all_of_it(index):
    for layer in ("main", "words"):
        index.train(**SMALL, layer=layer, name=layer)
        rows = index.oov(layer, queries={"q": ["The cities of the moon"]})
        assert [row.unknown_tokens for row in rows] == [0] * 4
        assert [(row.stemmer, row.unknown_types) for row in app.oov_report(index.path, layer)] == [("", 0)] * 3
    # in another layer than the one that they were trained on
    assert index.oov("main", layer="words")[0].examples == ("the", "cities", "songs")


QUERIES = {
    "q.jsonl": '{"_id": "1", "text": "sun comet"}\n{"_id": "2", "text": "sea"}\n',
    "q.tsv": "1\tsun comet\n2\tsea\n",
    "topics.txt": "<top>\n<num> Number: 1\n<title> sun comet\n</top>\n<top>\n<num> 2\n<title> sea\n</top>\n",
}


def test_report_with_files_of_queries(index, glove, tmp_path):
    index.import_vectors(glove)
    paths = [put(tmp_path, name, text.encode()) for name, text in QUERIES.items()]
    rows = app.oov_report(index.path, queries=paths)
    assert [row.name for row in rows] == ["title", "text", "all", *map(str, paths)]
    for row in rows[3:]:
        assert (row.tokens, row.unknown_tokens, row.types, row.unknown_types) == (3, 1, 3, 1)
        assert row.examples == ("comet",)
    assert app.oov_report(index.path, "vectors", queries=paths, fields=["title"])[2:] == rows[3:]
    assert app.oov_report(index.path, str(glove), queries=paths) == rows
    with pytest.raises(NotFound, match=r"none\.tsv"):
        app.oov_report(index.path, queries=[tmp_path / "none.tsv"])
    with pytest.raises(BadInput, match="not a file of queries"):
        app.oov_report(index.path, queries=[put(tmp_path, "prose.txt", b"just words\n")])


def test_a_report_is_plain_json(index, glove):
    index.import_vectors(glove)
    for row in app.oov_report(index.path):
        told = row.to_json()
        assert json.loads(json.dumps(told)) == told
        assert list(told) == [
            "name", "tokens", "unknown_tokens", "types", "unknown_types", "examples", "stemmer", "token_ratio",
            "type_ratio",
        ]  # fmt: skip
        assert told["token_ratio"] == told["unknown_tokens"] / told["tokens"]


def test_stems_are_told_only_where_words_are_compared_with_them(index, glove):
    index.import_vectors(glove)
    index.train(**SMALL)
    assert {row.stemmer for row in app.oov_report(index.path, "vectors")} == {"english"}
    assert {row.stemmer for row in app.oov_report(index.path, str(glove))} == {"english"}
    assert {row.stemmer for row in app.oov_report(index.path, "vectors", layer="words")} == {""}
    assert {row.stemmer for row in app.oov_report(index.path, "word2vec")} == {""}


def test_a_file_of_which_only_the_words_are_read(index, tmp_path):
    broken = np.full_like(MATRIX, np.nan)
    path = put(tmp_path, "nan.bin", writing.word2vec_binary(WORDS, broken))
    assert app.oov_report(index.path, str(path), layer="words")[0].unknown_types == 4


def test_wrong_uses_of_oov(index, glove):
    index.import_vectors(glove)
    for wrong, told in (
        ({"layer": "nope"}, "has no layer 'nope'"),
        ({"fields": ["nope"]}, "has no field 'nope'"),
        ({"case": "nope"}, "case must be one of exact, any"),
    ):
        for ask in (index.oov, lambda **how: app.oov_report(index.path, **how)):
            with pytest.raises(UsageError, match=told):
                ask(**wrong)
    with pytest.raises(NotFound, match=r"has no vectors 'nope\.bin'"):
        app.oov_report(index.path, "nope.bin")


def test_a_file_that_is_not_there_is_named(index):
    with pytest.raises(NotFound, match=r"nope\.bin"):
        app.oov_report(index.path, "nope.bin")


# --- word tests and lists ------------------------------------------------------------------------------


def test_word_differences_of_both_kinds(glove, tmp_path):
    vectors: WordVectors = app.open_vectors(glove)
    pairs = put(tmp_path, "pairs.tsv", b"sun\tmoon\t9\nsun\tsea\t2\nsea\tharbour\t3\nsun\tcomet\t5\n")
    assert vectors.test(pairs) == [{"test": "pairs.tsv", "name": "pairs", "pairs": 4, "known": 3, "spearman": 1.0}]
    (exact,) = vectors.test(pairs, case="exact")
    assert exact["known"] == 2
    analogies = put(
        tmp_path, "a.txt", b": sky\nsun moon sea harbour\nsun comet sea harbour\n: more\nsea sun sea sun\n"
    )
    rows = vectors.test(analogies)
    assert [(row["test"], row["section"], row["questions"], row["known"]) for row in rows] == [
        ("a.txt", "sky", 2, 1), ("a.txt", "more", 1, 1), ("a.txt", "total", 3, 2)
    ]  # fmt: skip
    assert rows[0]["accuracy"] == rows[0]["mrr"] == 1.0  # only one word is left to answer
    assert rows[1]["accuracy"] == 0.0
    assert json.loads(json.dumps(rows)) == rows
    assert [row["known"] for row in vectors.test(analogies, most=2)] == [0, 0, 0]
    assert vectors.test(analogies, most=2)[2]["accuracy"] is None
    with pytest.raises(UsageError, match="must be at least 1, got 0"):
        vectors.test(analogies, most=0)
    with pytest.raises(UsageError, match="case must be one of"):
        vectors.test(pairs, case="nope")
    with pytest.raises(BadInput, match=r"bad\.txt:2: a line must have two words and a number"):
        vectors.test(put(tmp_path, "bad.txt", b"sun moon 3\nsun moon\n"))
    with pytest.raises(NotFound, match=r"nope\.txt"):
        vectors.test(tmp_path / "nope.txt")


def test_lists_are_those_of_the_registries():
    assert [one["name"] for one in app.formats()] == list(FORMATS)
    assert [one["name"] for one in app.steps()] == list(STEPS)
    assert json.dumps([app.formats(), app.steps()])


# --- kept and dropped ----------------------------------------------------------------------------------


def test_vectors_from_anywhere_are_kept_and_dropped(index, glove):
    made = index.keep_vectors(load_vectors(glove).processed("unit"), "unit")
    assert same(made, index.vectors("unit"))
    assert made.provenance["processing"] == ["unit"]
    index.keep_vectors(index.train(**SMALL).processed("centred"), "centred")
    assert "layer" not in index.vectors("centred").provenance
    index.drop("unit")
    with pytest.raises(NotFound, match=r"has nothing trained with the name 'unit'\. It has: word2vec, centred"):
        index.drop("unit")
    for name in ("centred", "word2vec"):
        index.drop(name)
    with pytest.raises(NotFound, match="It has: nothing; see: aboutness trainers"):
        index.drop("word2vec")
    with pytest.raises(UsageError, match="the name of vectors"):
        index.keep_vectors(load_vectors(glove), "a b")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e39])
@pytest.mark.parametrize("space", ["in", "out"])
def test_vectors_that_are_not_finite_are_not_kept(index, number, space):
    spaces = {"in": np.eye(3), "out": np.eye(3)}
    spaces[space][2, 1] = number
    before = index.snapshot.generation
    with pytest.raises(BadInput, match=rf"vector of 'sea' \(space {space}\) .*finite"):
        index.keep_vectors(WordVectors(StringTable.of(["sun", "moon", "sea"]), spaces), "mine")
    assert index.snapshot.generation == before


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int64])
def test_vectors_of_other_numbers_are_kept_as_all_are(index, dtype):
    made = np.arange(6).reshape(-1, 2).astype(dtype)
    kept = index.keep_vectors(WordVectors(StringTable.of(["sun", "moon", "sea"]), {"in": made}), "mine")
    assert kept.space("in").dtype == np.float32
    np.testing.assert_array_equal(kept.space("in"), made)
    assert index.search("sun moon", ranker="wcs")


def test_vectors_for_unknown_words_are_not_lost_by_processing_in_place(index, tmp_path):
    rows = np.arange(60, dtype=np.float32).reshape(20, 3)
    subwords = Subwords(rows, 3, 6)
    made = WordVectors(StringTable.of(["sun", "sea"]), {"in": MATRIX[:2]}, subwords=subwords)
    index.keep_vectors(made, "ft")
    made.save(tmp_path / "ft.safetensors")
    for act in (
        lambda: app.process_in(index, ["unit"], "ft", None),
        lambda: app.import_to_file(tmp_path / "ft.safetensors", tmp_path / "ft.safetensors", steps=["unit"]),
    ):
        with pytest.raises(UsageError, match="would lose those for unknown words"):
            act()
    assert app.process_in(index, ["unit"], "ft", "other").subwords is None
    assert index.vectors("ft").subwords is not None


def test_oov_of_a_file(index, glove):
    assert index.oov(str(glove), layer="words") == index.oov(load_vectors(glove), layer="words")


@pytest.mark.parametrize("wrong", [5, "english", [], {"name": "x"}, {"token": 3}, None])
def test_an_analyzer_that_is_none(tmp_path, glove, wrong):
    load_vectors(glove).with_provenance(analyzer=wrong).save(tmp_path / "odd.safetensors")
    with pytest.raises(BadInput, match="an analyzer that is none"):
        app.neighbours(tmp_path / "odd.safetensors", "sun")


@pytest.mark.parametrize(
    ("analyzer", "known", "told"),
    [("english", 9, True), ("english", 10, False), ("plain", 8, False), ("plain", 6, True)],
)
def test_stems_without_vectors_are_told_sooner_than_words(tmp_path, analyzer, known, told):
    words = ["wolf", "bird", "fish", "tree", "moon", "star", "rain", "wind", "snow", "frog", "bear"]
    index = Index.build([{"id": "a", "text": " ".join(words)}], analyzer=analyzer)
    file = tmp_path / "glove.txt"
    file.write_text("".join(f"{word} 1 0\n" for word in words[:known]), "utf-8")
    note = app.misfit(index, app.import_into(index, file))
    assert (note is not None) == told
