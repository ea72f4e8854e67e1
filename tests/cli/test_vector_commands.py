"""Word vectors on the command line: import, process, test, and look into them."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest

from aboutness.app import vectors as app
from aboutness.app.index import Index
from aboutness.cli.vector_commands import oov_hint
from aboutness.index.writer import IndexWriter
from aboutness.vectors.load import FORMATS
from aboutness.vectors.postprocess import STEPS
from cli.vector_files import MATRIX, SMALL, TRAIN, WORDS, bytes_in, make_folder, refused
from vectors import writing
from vectors.writing import put


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("original") / "original")


@pytest.fixture
def place(original, tmp_path):
    """A copy of that folder, the one in which `call` runs commands."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    return tmp_path


def plain(neighbours):
    return {pair: [{"word": one.word, "score": one.score} for one in near] for pair, near in neighbours.items()}


COMMANDS = {
    "vectors import, index": ["vectors", "import", "glove.txt", "-o", "x.index"],
    "vectors import, file": ["vectors", "import", "glove.txt", "-o", "made.safetensors"],
    "vectors export, index": ["vectors", "export", "x.index", "-o", "made.vec", "--overwrite"],
    "vectors export, documents": [
        "vectors",
        "export",
        "x.index",
        "--documents",
        "-r",
        "iwcs",
        "-o",
        "made.npy",
        "--overwrite",
    ],
    "vectors export, file": ["vectors", "export", "v.safetensors", "-o", "made.bin", "--overwrite"],
    "vectors process, index": ["vectors", "process", "x.index", "unit"],
    "vectors process, file": ["vectors", "process", "v.safetensors", "unit"],
    "vectors test": ["vectors", "test", "v.safetensors", "pairs.tsv", "analogies.txt"],
    "vectors formats": ["vectors", "formats"],
    "neighbours, index": ["neighbours", "x.index", "moon", "sun - sea"],
    "neighbours, file": ["neighbours", "v.safetensors", "moon"],
    "oov": ["oov", "x.index", "--queries", "q.jsonl"],
}


def notes(ran):
    """What stands on standard error, but for the note that the index has other words than the vectors."""
    lines = ran.err.splitlines(keepends=True)
    return "".join(line for line in lines if "of the documents' words have no vector there" not in line)


@pytest.mark.parametrize("name", COMMANDS)
def test_data_alone_goes_to_standard_output(call, place, name):
    ran = call(*COMMANDS[name], "--json")
    assert (ran.code, notes(ran)) == (0, "")
    assert ran.json
    assert json.loads(ran.out, parse_constant=pytest.fail) == ran.json  # neither NaN nor Infinity
    ran = call(*COMMANDS[name])
    assert (ran.code, notes(ran)) == (0, "")
    assert ran.out.endswith("\n")
    assert all(character.isprintable() or character == "\n" for character in ran.out)


HELPED = sorted({"vectors", *(name.partition(",")[0] for name in COMMANDS)})


@pytest.mark.parametrize("name", HELPED)
def test_every_command_has_help(call, name):
    for option in ("--help", "-h"):
        ran = call(*name.split(), option)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("Usage: ")
    family = call("--help" if " " not in name else "vectors", *(["--help"] if " " in name else []))
    assert f"\n  {name.split()[-1]} " in family.out


# --- import, process, test -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "spaces"),
    [
        (["glove.txt"], ["in"]),
        (["glove.txt", "--format", "glove"], ["in"]),
        (["in.bin", "--out", "out.bin"], ["in", "out"]),
        (["m.npy", "--vocab", "words.txt"], ["in"]),
        (["v.safetensors"], ["in"]),
    ],
    ids=str,
)
def test_import(call, place, arguments, spaces):
    for target, where in (("x.index", "x.index as vectors"), ("made.safetensors", "made.safetensors")):
        ran = call("vectors", "import", *arguments, "-o", target)
        assert (ran.code, notes(ran)) == (0, "")
        assert ("54% of the documents' words have no vector there: the terms are stems" in ran.err) == (
            target == "x.index"
        )
        assert ran.out.startswith(
            f"4 words x 3 ({' and '.join(spaces).upper().replace('AND', 'and')}) in {where}, "
        )
        made = app.open_vectors(place / target, "vectors" if target == "x.index" else None)
        np.testing.assert_array_equal(made.space(), MATRIX)
        if "out" in spaces:
            np.testing.assert_array_equal(made.space("out"), -MATRIX)


def test_import_only_words_of_the_index(call, place):
    command = ["vectors", "import", "glove.txt", "-o", "x.index", "--only-index-words"]
    ran = call(*command)
    assert (ran.code, notes(ran)) == (0, "left out: 1 words\n")
    assert ran.out.startswith("3 words x 3 (IN) ")
    ran = call(*command, "--case", "any", "--layer", "words", "--name", "any", "--process", "unit", "--json")
    assert (notes(ran), ran.json["words"], ran.json["provenance"]["processing"]) == ("", 4, ["unit"])
    assert len(Index.open(place / "x.index").vectors("any")) == 4


def test_import_with_steps(call, place):
    steps = ["--process", "centred", "--process", "all-but-the-top=1", "--process", "unit"]
    wanted = app.open_vectors(place / "glove.txt").processed("centred", "all-but-the-top=1", "unit")
    for target, name in (("x.index", "vectors"), ("made.safetensors", None)):
        assert call("vectors", "import", "glove.txt", "-o", target, *steps).code == 0
        np.testing.assert_array_equal(app.open_vectors(place / target, name).space(), wanted.space())


def test_what_is_odd_in_a_file_is_told(call, place):
    rows = np.vstack([MATRIX, MATRIX[:2]])
    put(place, "odd.bin", writing.word2vec_binary([*WORDS, b"sun", b"\xff\xfe"], rows))
    ran = call("vectors", "import", "odd.bin", "-o", "made.safetensors")
    assert (ran.code, ran.err) == (0, "duplicates: 1 words\nundecodable: 1 words\n")
    assert ran.out.startswith("4 words x 3 ")


def test_process(call, place):
    trained, loaded = Index.open(place / "x.index").vectors(), app.open_vectors(place / "glove.txt")
    ran = call("vectors", "process", "x.index", "centred", "unit", "-o", "better")
    assert ran.out.startswith(f"{len(trained)} words x 8 (IN and OUT) in x.index as better, ")
    ran = call("vectors", "process", "x.index", "unit", "--vectors", "word2vec", "--json")
    assert ran.json["provenance"]["processing"] == ["unit"]
    index = Index.open(place / "x.index")
    for name, steps in (("better", ["centred", "unit"]), ("word2vec", ["unit"])):
        np.testing.assert_array_equal(index.vectors(name).space("out"), trained.processed(*steps).space("out"))
    assert call("vectors", "process", "glove.txt", "unit", "-o", "made.safetensors").code == 0
    assert call("vectors", "process", "v.safetensors", "unit").code == 0
    for name in ("made.safetensors", "v.safetensors"):
        np.testing.assert_array_equal(app.open_vectors(place / name).space(), loaded.processed("unit").space())
    np.testing.assert_array_equal(app.open_vectors(place / "glove.txt").space(), loaded.space())


def test_a_file_has_no_vectors_to_name(call, place):
    for command in (["neighbours", "v.safetensors", "moon"], ["vectors", "process", "v.safetensors", "unit"]):
        assert call(*command, "--vectors", "word2vec").code == 2


def test_word_tests(call, place):
    files = ["pairs.tsv", "analogies.txt"]
    told = call("vectors", "test", "v.safetensors", *files, "--json").json
    opened = app.open_vectors(place / "v.safetensors")
    assert told == [row for name in files for row in opened.test(place / name)]
    first, second = call("vectors", "test", "v.safetensors", *files).out.split("\n\n")
    assert [line.split() for line in first.splitlines()] == [
        ["test", "name", "pairs", "known", "spearman"],
        ["pairs.tsv", "pairs", "4", "3", "1.0000"],
    ]
    assert [line.split() for line in second.splitlines()] == [
        ["test", "section", "questions", "known", "accuracy", "mrr"],
        ["analogies.txt", "sky", "1", "1", "1.0000", "1.0000"],
        ["analogies.txt", "none", "1", "0", "-", "-"],
        ["analogies.txt", "total", "2", "1", "1.0000", "1.0000"],
    ]
    told = call("vectors", "test", "v.safetensors", *files, "--json", "--case", "exact", "--most", "2").json
    assert [row["known"] for row in told] == [2, 0, 0, 0]
    assert call("vectors", "test", "x.index", "pairs.tsv", "--vectors", "word2vec", "--json").json[0]["known"] == 3


# --- lists ---------------------------------------------------------------------------------------------


def test_export(call, place):
    told = call("vectors", "export", "x.index", "-o", "made.vec", "--space", "out").out
    count = len(Index.open(place / "x.index").vectors())
    assert told == f"{count} words x 8 (OUT) written to made.vec, as word2vec-text\n"
    made = app.load_vectors(place / "made.vec")
    np.testing.assert_array_equal(made.space(), Index.open(place / "x.index").vectors().space("out"))
    before = (place / "made.vec").read_bytes()
    refused(call("vectors", "export", "x.index", "-o", "made.vec"), 2, "made.vec is there already")
    assert (place / "made.vec").read_bytes() == before
    call("vectors", "export", "x.index", "-o", "made.vec", "--overwrite")
    assert (place / "made.vec").read_bytes() != before


def test_export_of_documents(call, place):
    ran = call("vectors", "export", "x.index", "-r", "wcs", "-o", "docs", "--format", "word2vec-binary")
    assert ran.out == "12 documents x 8 by wcs written to docs, as word2vec-binary\n"
    assert list(app.load_vectors(place / "docs")) == [str(number) for number in range(12)]
    told = call("vectors", "export", "x.index", "--documents", "-r", "iwcs", "-o", "d.npy", "--json").json
    assert told["files"] == ["d.npy", "d.vocab"]
    assert (told["of"], told["by"], told["vectors"], told["dim"]) == ("documents", "iwcs", 12, 8)


def test_export_to_where_it_cannot_be_written(call, place):
    refused(call("vectors", "export", "x.index", "-o", "no/made.vec"), 4, "there is no folder no")
    refused(call("vectors", "export", "x.index", "-o", "made"), 2, "does not say its format")
    refused(call("vectors", "export", "glove.txt", "--documents", "-o", "made.vec"), 2, "is not an index")
    refused(
        call("vectors", "export", "x.index", "--vectors", "none", "-o", "made.vec"),
        4,
        "has no word vectors 'none'",
    )


def test_formats(call):
    told = call("vectors", "formats", "--json").json
    assert [one["name"] for one in told["formats"]] == list(FORMATS)
    assert [one["name"] for one in told["steps"]] == list(STEPS)
    first, second = call("vectors", "formats").out.split("\n\n")
    assert [line.split()[0] for line in first.splitlines()[1:]] == list(FORMATS)
    assert [line.split()[0] for line in second.splitlines()[1:]] == list(STEPS)


def test_info_shows_vectors(call, place):
    call("vectors", "import", "glove.txt", "-o", "x.index", "--name", "glove")
    told = call("info", "x.index", "--json").json["artefacts"]
    assert [(one["name"], one["kind"], one["seed"], one["generation"]) for one in told] == [
        ("word2vec", "word-vectors", 1, 1),
        ("glove", "word-vectors", None, 2),
    ]
    lines = call("info", "x.index").out.partition("\nartefacts\n")[2].splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["word2vec", "word-vectors"], ["glove", "word-vectors"]]
    assert "  8 words x 8  " in lines[1]
    assert "  word2vec[dim=8,epochs=2,sample=0,min_count=1]  " in lines[1]
    assert "  4 words x 3  " in lines[2]
    assert "  glove.txt  " in lines[2]


# --- neighbours and oov --------------------------------------------------------------------------------


def test_neighbours_of_several_words(call, place):
    index, asked = Index.open(place / "x.index"), ["Cities", "moon - the sun", "the new harbour"]
    told = call("neighbours", "x.index", *asked, "-k", "3", "--json").json
    assert told == [{"words": words, "neighbours": plain(index.neighbours(words, 3))} for words in asked]
    blocks = call("neighbours", "x.index", *asked, "-k", "3").out.rstrip("\n").split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == asked
    for block, one in zip(blocks, told, strict=True):
        head, *rows = [line.split() for line in block.splitlines()[1:]]
        assert head == ["in-in", "out-out", "in-out"]
        assert rows == [
            [part for near in one["neighbours"].values() for part in (f"{near[n]['score']:.3f}", near[n]["word"])]
            for n in range(3)
        ]


def test_neighbours_of_sums(call, place):
    index = Index.open(place / "x.index")
    rows = index.vectors().space("in").astype(float)
    unit = dict(zip(index.vectors(), rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))
    for text, sign in (
        ("moon + sun", {"moon": 1, "sun": 1}),
        ("moon + sea - sun", {"moon": 1, "sea": 1, "sun": -1}),
    ):
        (told,) = call("neighbours", "x.index", text, "-k", "4", "--json").json
        assert told == {"words": text, "neighbours": plain(index.neighbours(text, 4))}
        total = sum(weight * unit[word] for word, weight in sign.items())
        others = sorted(set(unit) - set(sign), key=lambda word: -float(unit[word] @ total))
        assert [one["word"] for one in told["neighbours"]["in-in"]] == others[:4]
        assert call("neighbours", "x.index", text).out.splitlines()[0] == text


def test_neighbours_in_a_file(call, place):
    (told,) = call("neighbours", "glove.txt", "MOON", "--json").json
    assert [one["word"] for one in told["neighbours"]["in-in"]] == ["Moon", "sun", "sea", "harbour"]
    assert told["neighbours"]["in-in"][0]["score"] == 1.0
    ran = call("neighbours", "glove.txt", "sun - sun")
    assert (ran.code, ran.out.splitlines()[1]) == (
        0,
        "no neighbours: its vector is 0, or the words cancel each other out",
    )
    assert call("neighbours", "glove.txt", "sun - sun", "--json").json[0]["neighbours"] == {"in-in": []}


def test_oov(call, place):
    command = ["oov", "x.index", "--queries", "q.jsonl", "--queries", "topics.txt"]
    told = call(*command, "--json").json
    assert told == [row.to_json() for row in app.oov_report("x.index", queries=["q.jsonl", "topics.txt"])]
    rows = [line.split() for line in call(*command).out.splitlines()]
    assert rows[0][:2] == ["text", "tokens"]
    assert [row[0] for row in rows[1:]] == ["title", "text", "all", "q.jsonl", "topics.txt"]
    assert rows[4][1:] == rows[5][1:] == ["2", "50.0%", "2", "50.0%", "comet"]
    assert rows[3][2] == "0.0%"
    (title, everything) = call("oov", "x.index", "--layer", "words", "--field", "title", "--json").json
    assert (title["name"], everything["name"], title["examples"]) == ("title", "all", ["the"])


def test_what_to_do_about_stems(call, place):
    hint = "the terms of this layer are stems (english), which published vectors do not have; add a layer of words"
    ran = call("oov", "x.index", "--vectors", "glove.txt")
    assert ran.err.startswith(hint)
    assert ran.err.count("\n") == 1
    assert hint not in ran.out
    assert call("oov", "x.index", "--vectors", "glove.txt", "--json").err == ""
    assert call("oov", "x.index", "--vectors", "glove.txt", "--layer", "words").err == ""
    assert call("oov", "x.index", "--vectors", "word2vec", "--layer", "words").err == ""


def test_stems_that_are_known_need_no_advice():
    def row(unknown):
        return app.OovRow("text", 10, unknown, 10, unknown, (), stemmer="english")

    assert oov_hint([row(2)]) == oov_hint([]) == ""
    assert oov_hint([row(0), row(3)]).startswith("the terms of this layer are stems (english)")


# --- what goes wrong -----------------------------------------------------------------------------------

IMPORT = ["vectors", "import", "glove.txt", "-o"]
WRONG_USES = [
    (["vectors", "import", "glove.txt"], "-o"),
    ([*IMPORT, "made.bin"], "must end in .safetensors"),
    ([*IMPORT, "made.safetensors", "--name", "x"], "are for an index, not made.safetensors"),
    ([*IMPORT, "made.safetensors", "--only-index-words"], "are for an index"),
    ([*IMPORT, "made.safetensors", "--layer", "words"], "are for an index"),
    ([*IMPORT, "made.safetensors", "--nope"], "--nope"),
    ([*IMPORT, "x.index", "--name", "../x"], "the name of vectors has up to 64 ASCII letters"),
    ([*IMPORT, "x.index", "--format", "nope"], "format must be one of word2vec-binary, "),
    ([*IMPORT, "x.index", "--case", "nope"], "case must be one of exact, any, got 'nope'"),
    ([*IMPORT, "x.index", "--process", "nope"], "a step of processing must be one of unit, centred"),
    ([*IMPORT, "x.index", "--only-index-words", "--layer", "nope"], "the index has no layer 'nope'"),
    ([*IMPORT, "x.index", "--vocab", "words.txt"], "takes no vocabulary"),
    (["vectors", "process", "x.index"], "STEP"),
    (["vectors", "process", "x.index", "nope"], "a step of processing must be one of unit, centred"),
    (["vectors", "process", "x.index", "all-but-the-top=8"], "less than 8"),
    (["vectors", "process", "x.index", "unit", "-o", "a/b"], "the name of vectors has up to 64"),
    (["vectors", "process", "glove.txt", "unit"], "must end in .safetensors"),
    (["vectors", "test", "v.safetensors"], "TEST"),
    (["vectors", "test", "v.safetensors", "pairs.tsv", "--case", "nope"], "case must be one of exact, any"),
    (
        ["vectors", "test", "v.safetensors", "analogies.txt", "--most", "0"],
        "must be at least 1, got 0",
    ),
    (["vectors", "test", "v.safetensors", "analogies.txt", "--most", "x"], "--most"),
    (["vectors", "nope"], "nope"),
    (["neighbours", "x.index"], "WORDS"),
    (["neighbours", "x.index", "moon", "-k", "0"], "must be a whole number of at least 1, got 0"),
    (["neighbours", "x.index", "moon", "-k", "x"], "-k"),
    (["neighbours", "x.index", ""], "there must be at least one word"),
    (["neighbours", "x.index", "moon -"], "a word is missing beside a + or -"),
    (["neighbours", "v.safetensors", "moon", "--vectors", "word2vec"], "is not an index"),
    (["oov", "x.index", "--layer", "nope"], "the index has no layer 'nope'"),
    (["oov", "x.index", "--field", "nope"], "the index has no field 'nope'"),
    (["oov", "x.index", "--case", "nope"], "case must be one of exact, any"),
    (["oov"], "DIR"),
    (["trainers", "--nope"], "--nope"),
]


def test_wrong_use_ends_with_2_and_changes_nothing(call, place):
    before = bytes_in(place)
    for arguments, told in WRONG_USES:
        assert refused(call(*arguments), 2, told), arguments
        assert bytes_in(place) == before, arguments


def test_bad_files_end_with_3(call, place):
    broken = MATRIX.copy()
    broken[2, 1] = np.inf
    put(place, "bad.txt", writing.glove(WORDS, broken))
    put(place, "cut.bin", writing.word2vec_binary(WORDS, MATRIX)[:-3])
    put(place, "prose.txt", b"just some words\n" * 2)
    put(place, "bad.jsonl", b"{]\n")
    (place / "v.safetensors").write_bytes((place / "v.safetensors").read_bytes()[:-1])
    before = bytes_in(place)
    for arguments, told in (
        ([*IMPORT[:2], "bad.txt", "-o", "x.index"], "of the word 'sea', has inf"),
        ([*IMPORT[:2], "bad.txt", "-o", "made.safetensors"], "of the word 'sea', has inf"),
        ([*IMPORT[:2], "cut.bin", "-o", "x.index", "--process", "unit"], "cut.bin"),
        ([*IMPORT[:2], "prose.txt", "-o", "x.index"], "prose.txt is in no format that can be read"),
        ([*IMPORT[:2], "m.npy", "--vocab", "prose.txt", "-o", "x.index"], "prose.txt"),
        (["vectors", "process", "v.safetensors", "unit"], "v.safetensors"),
        (["vectors", "test", "glove.txt", "prose.txt", "pairs.tsv"], "prose.txt"),
        (["vectors", "train", "bad.jsonl", "-o", "made.safetensors"], "bad.jsonl:1: broken JSON"),
        (["neighbours", "cut.bin", "sun"], "cut.bin"),
        (["oov", "x.index", "--vectors", "cut.bin"], "cut.bin"),
        (["oov", "x.index", "--queries", "prose.txt"], "prose.txt: not a file of queries"),
        (["oov", "x.index", "--queries", "bad.jsonl"], "bad.jsonl:1: broken JSON"),
    ):
        assert refused(call(*arguments), 3, told), arguments
        assert bytes_in(place) == before, arguments


def test_what_is_not_there_ends_with_4(call, place):
    Index.build([{"id": "a", "text": "moon"}], place / "bare.index")
    before = bytes_in(place)
    for arguments, told in (
        (["train", "none.index", "word2vec"], "there is no index at none.index"),
        (["train", "texts", "word2vec"], "texts is not an aboutness index"),
        (["vectors", "train", "nope", "-o", "made.safetensors"], "nope: no such file or folder"),
        (["vectors", "import", "nope.bin", "-o", "x.index"], "nope.bin"),
        (["vectors", "import", "in.bin", "--out", "nope.bin", "-o", "x.index"], "nope.bin"),
        (["vectors", "import", "m.npy", "-o", "texts"], "texts is not an aboutness index"),
        (["vectors", "process", "nope.safetensors", "unit"], "nope.safetensors"),
        (
            ["vectors", "process", "x.index", "unit", "--vectors", "nope"],
            "no word vectors 'nope'. It has: word2vec",
        ),
        (["vectors", "test", "v.safetensors", "nope.txt"], "nope.txt"),
        (["vectors", "test", "nope.safetensors", "pairs.tsv"], "nope.safetensors"),
        (["neighbours", "nope.safetensors", "moon"], "nope.safetensors"),
        (["neighbours", "bare.index", "moon"], "train some (aboutness train bare.index word2vec), or import some"),
        (["neighbours", "x.index", "comet"], "there is no word 'comet' among these"),
        (["neighbours", "x.index", "moon", "the"], "'the' has no vector: the analyzer 'english' leaves it out"),
        (["neighbours", "x.index", "moon", "--vectors", "nope"], "no word vectors 'nope'. It has: word2vec"),
        (["neighbours", "v.safetensors", "comet"], "there is no word 'comet' among these 4"),
        (["oov", "none.index"], "there is no index at none.index"),
        (["oov", "bare.index"], "bare.index has no word vectors; train some"),
        (["oov", "x.index", "--vectors", "nope.bin"], "no vectors 'nope.bin', and there is no such file"),
        (["oov", "x.index", "--queries", "nope.tsv"], "nope.tsv"),
    ):
        assert refused(call(*arguments), 4, told), arguments
        assert bytes_in(place) == before, arguments


def test_damage_ends_with_5(call, place):
    next((place / "x.index" / "arrays").glob("artefact-*")).unlink()
    for command in (
        ["neighbours", "x.index", "moon"],
        ["oov", "x.index"],
        ["vectors", "process", "x.index", "unit"],
    ):
        assert refused(call(*command), 5, "train it anew")
    assert call(*TRAIN).code == 0
    assert call("neighbours", "x.index", "moon").code == 0


def test_an_index_that_is_being_written_ends_with_7(call, place):
    with IndexWriter(place / "x.index"):
        for command in (TRAIN, COMMANDS["vectors import, index"], COMMANDS["vectors process, index"]):
            assert refused(call(*command), 7, f"process {os.getpid()} is writing to x.index")
        assert call("neighbours", "x.index", "moon").code == 0
    ran = call(*TRAIN)
    assert (ran.code, ran.err) == (
        0,
        "there is a checkpoint of an interrupted training: going on from it (--restart starts anew)\n",
    )


def test_one_of_several_must_be_named(call, place):
    call("vectors", "import", "glove.txt", "-o", "x.index")
    for command in (
        ["neighbours", "x.index", "sun"],
        ["oov", "x.index"],
        ["vectors", "process", "x.index", "unit"],
        ["vectors", "test", "x.index", "pairs.tsv"],
    ):
        assert refused(call(*command), 2, "x.index has several word vectors; name one: word2vec, vectors")
        assert call(*command, "--vectors", "vectors").code == 0


# --- hostile words -------------------------------------------------------------------------------------

HOSTILE = [
    b"moon", b"moo\x1bn", b"\x1b[31mred", b"bell\x07", "\u202ekcab".encode(), "c1\u009b31m".encode(), b"nul\x00l",
    "\u6708\u6708".encode(), b"x" * 10_000, b"a\rb", b"\x1b]0;title\x07",
]  # fmt: skip


@pytest.fixture
def hostile(place):
    rows = np.random.default_rng(1).normal(size=(len(HOSTILE), 3)).astype(np.float32)
    return put(place, "hostile.bin", writing.word2vec_binary(HOSTILE, rows))


def is_clean(text):
    return all(character.isprintable() or character == "\n" for character in text)


def test_hostile_words_are_shown_harmless(call, place, hostile):
    ran = call("neighbours", "hostile.bin", "moon", "-k", "100")
    assert (ran.code, ran.err) == (0, "")
    assert is_clean(ran.out)
    assert "\u6708\u6708" in ran.out
    assert "�[31mred" in ran.out
    assert max(map(len, ran.out.splitlines())) < 100
    for word in HOSTILE:
        ran = call("neighbours", "--", "hostile.bin", word.decode())
        assert ran.code in {0, 2, 4}
        assert is_clean(ran.out)
    told = call("neighbours", "hostile.bin", "moon", "-k", "100", "--json")
    assert "\x1b" not in told.out
    assert {one["word"] for one in told.json[0]["neighbours"]["in-in"]} == {word.decode() for word in HOSTILE}


def test_hostile_words_of_documents_are_shown_harmless(call, place, hostile):
    text = "".join(chr(n) for n in range(32)) + " \x1b[31mred \u202ekcab " + "x" * 10_000
    put(place, "q\x1b[31m\u202e.tsv", f"1\t{text}\n".replace("\n", " ").encode() + b"\n")
    Index.build([{"id": "a", "text": text}], place / "y.index", analyzer="galke2017-glove")
    ran = call("oov", "y.index", "--vectors", "glove.txt", "--queries", "q\x1b[31m\u202e.tsv")
    assert ran.code == 0
    assert is_clean(ran.out)
    assert is_clean(ran.err)
    assert max(map(len, ran.out.splitlines())) < 150


def test_hostile_tests_are_shown_harmless(call, place):
    put(place, "a\x1b[31m.txt", b": sky\x1b[31m\nsun moon sea harbour\n")
    ran = call("vectors", "test", "v.safetensors", "a\x1b[31m.txt")
    assert (ran.code, ran.err) == (0, "")
    assert is_clean(ran.out)


def test_hostile_words_are_harmless_in_json(call, hostile):
    assert is_clean(call("neighbours", "hostile.bin", "moon", "-k", "100", "--json").out)


def test_hostile_words_are_harmless_in_errors(call, hostile):
    ran = call("neighbours", "hostile.bin", "moom")
    assert (ran.code, ran.out) == (4, "")
    assert is_clean(ran.err)


def test_a_long_unknown_word_is_told_in_short(call, hostile):
    for asked in ("a\u202e b", "long " * 2000):
        ran = call("neighbours", "hostile.bin", asked)
        assert refused(ran, 4, "there is no word")
        assert is_clean(ran.err)


def test_a_word_that_is_not_utf8(run, place):
    assert refused(run("neighbours", "v.safetensors", b"\xff"), 4, "there is no word")


def test_drop(call, place):
    assert call("vectors", "drop", "x.index", "nope").code == 4
    call("vectors", "import", "v.safetensors", "-o", "x.index", "--name", "gone")
    ran = call("vectors", "drop", "x.index", "gone")
    assert (ran.code, ran.out) == (0, "Removed gone from x.index\n")
    assert refused(call("vectors", "drop", "x.index", "gone"), 4, "with the name 'gone'. It has: word2vec")
    call("train", "x.index", "pv", *SMALL)
    assert call("vectors", "drop", "x.index", "pv").out == "Removed pv from x.index\n"
    assert list(Index.open(place / "x.index").snapshot.manifest.artefacts) == ["word2vec"]
