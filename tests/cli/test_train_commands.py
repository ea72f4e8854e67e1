"""Training on the command line: on the documents of an index, or on any text."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.app.vectors import open_vectors
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.pv import PV
from aboutness.vectors.word2vec import Word2Vec
from cli.running import environment
from cli.vector_files import LINES, SMALL, TRAIN, bytes_in, make_folder, refused
from experiment.small import TRAINED

COMMANDS = {
    "train": TRAIN,
    "train, rows": ["train", "x.index", "pv", *SMALL],
    "vectors train": ["vectors", "train", "texts", "-o", "made.safetensors", *SMALL],
    "trainers": ["trainers"],
}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("original") / "original")


@pytest.fixture
def place(original, tmp_path):
    """A copy of that folder, the one in which `call` runs commands."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_data_alone_goes_to_standard_output(call, place, name):
    ran = call(*COMMANDS[name], "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json
    assert json.loads(ran.out, parse_constant=pytest.fail) == ran.json  # neither NaN nor Infinity
    ran = call(*COMMANDS[name])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("\n")
    assert all(character.isprintable() or character == "\n" for character in ran.out)


@pytest.mark.parametrize("name", ["train", "vectors train", "trainers"])
def test_every_command_has_help(call, name):
    for option in ("--help", "-h"):
        ran = call(*name.split(), option)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("Usage: ")
    family = call("--help" if " " not in name else "vectors", *(["--help"] if " " in name else []))
    assert f"\n  {name.split()[-1]} " in family.out


# --- train ---------------------------------------------------------------------------------------------


def test_train(call, place):
    before = Index.open(place / "x.index")
    ran = call(
        "train", "x.index", "word2vec", *SMALL, "--seed", "7", "--name", "mine", "--layer", "words", "--json"
    )
    made = Index.open(place / "x.index").vectors("mine")
    told = ran.json
    assert list(told) == ["words", "dim", "spaces", "seconds", "provenance"]
    assert (told["words"], told["dim"], told["spaces"]) == (len(made), 8, ["in", "out"])
    assert told["provenance"] == made.provenance
    assert (made.provenance["layer"], made.provenance["parameters"]["seed"]) == ("words", 7)
    wanted = Word2Vec(dim=8, min_count=1, epochs=2, seed=7).train(before.view("words"), threads=1)
    for space in ("in", "out"):
        np.testing.assert_array_equal(made.space(space), wanted.space(space))


def test_train_in_words(call, place):
    ran = call("train", "x.index", "word2vec", "--dim=8", "--min-count=1", "--epochs=1", "--field", "title")
    assert ran.out.startswith("1 words x 8 (IN and OUT) in x.index as word2vec, ")
    assert list(Index.open(place / "x.index").vectors().words) == ["sea"]
    ran = call("train", "x.index", "word2vec", *SMALL, "--field", "title", "--field", "text", "--name", "both")
    assert Index.open(place / "x.index").vectors("both").provenance["fields"] == ["title", "text"]


def test_train_rows_of_documents(call, place):
    before = Index.open(place / "x.index")
    ran = call("train", "x.index", "pv", *SMALL, "--seed", "7", "--power", "0", "--name", "mine", "--json")
    made, told = Index.open(place / "x.index").trained("mine"), ran.json
    assert list(told) == ["documents", "dim", "words", "seconds", "provenance"]
    assert (told["documents"], told["dim"], told["words"]) == (12, 8, len(made.words))
    assert told["provenance"] == made.provenance
    wanted = PV(dim=8, min_count=1, epochs=2, seed=7, power=0).train(before.view(), threads=1)
    np.testing.assert_array_equal(made.rows, wanted.rows)


def test_train_rows_in_words(call, place):
    ran = call("train", "x.index", "pv", *SMALL, "--layer", "words")
    words = Index.open(place / "x.index").view("words").vocabulary_size
    assert ran.out.startswith(f"12 documents x 8, {words} words in x.index as pv, ")
    assert ran.out.endswith(" s\n")
    ran = call("train", "x.index", "epv", *SMALL, "--sample", "5", "--gamma=0", "--eta", "0.5", "--name", "epv-d")
    assert ran.out.startswith("12 documents x 8, ")
    made = Index.open(place / "x.index").trained("epv-d").provenance["parameters"]
    assert (made["sample"], made["gamma"], made["eta"]) == (5, 0, 0.5)


def test_the_command_that_a_ranker_asks_for_trains_what_it_needs(call, place):
    for name in TRAINED:
        ran = call("search", "x.index", "moon", "-r", name)
        if ran.code != 0:
            assert ran.code == 4
            command = ran.err.partition("run: aboutness ")[2].split()
            assert command[:2] == ["train", "x.index"]
            declared = {one.name for one in TRAINERS[command[2]].declared()}
            quick = [
                f"--{key}={value}"
                for key, value in {"dim": 4, "topics": 4, "iterations": 5}.items()
                if key in declared
            ]
            assert call(*command, *quick, "--min-count=1", "--threads=1").code == 0
        assert call("search", "x.index", "moon", "-r", name).code == 0


SOURCES = [
    [*SMALL, "texts"],
    ["texts", *SMALL],
    ["--dim", "8", "texts", *SMALL[2:]],
    ["--dim=8", "texts", "--min_count=1", "--epochs=2", "--threads=1"],
    ["--kind", "word2vec", *SMALL, "--analyzer", "plain", "texts"],
]


@pytest.mark.parametrize("arguments", SOURCES, ids=lambda arguments: " ".join(arguments)[:40])
def test_train_on_texts_with_options_anywhere(call, place, arguments):
    ran = call("vectors", "train", *arguments, "-o", "made.safetensors")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("12 words x 8 (IN and OUT) in made.safetensors, ")
    made = open_vectors(place / "made.safetensors")
    wanted = Word2Vec(dim=8, min_count=1, epochs=2).train(LINES, threads=1)
    assert list(made.words) == list(wanted.words)
    np.testing.assert_array_equal(made.space("out"), wanted.space("out"))


def test_train_on_several_sources(call, place):
    sources = ["texts/0.txt", "--dim", "4", "texts/1.txt", "--min-count=1", "q.jsonl"]
    ran = call("vectors", "train", *sources, "-o", "made.safetensors", "--json", "--threads", "1", "-a", "english")
    told = ran.json["provenance"]
    assert (told["sources"], told["analyzer"]["name"]) == (["0.txt", "1.txt", "q.jsonl"], "english")
    assert "comet" in open_vectors(place / "made.safetensors")


def test_a_short_training_shows_nothing_where_there_is_no_terminal(run, place):
    ran = run(*COMMANDS["train"], "--json")
    assert (ran.code, ran.err, ran.json["dim"]) == (0, "", 8)


def test_trainers(call):
    told = call("trainers", "--json").json
    assert call("trainers", "lsa", "--json").json == [one for one in told if one["name"] == "lsa"]
    blocks = call("trainers").out.split("\n\n")
    for one, block, (name, way) in zip(told, blocks, TRAINERS.items(), strict=True):
        assert list(one) == ["name", "summary", "source", "parameters"]
        declared = way.declared()
        assert [(known["name"], known["default"]) for known in one["parameters"]] == [
            (known.name, known.default) for known in declared
        ]
        head, _, *rest = block.splitlines()
        assert head.startswith(f"{name}: ")
        assert [line.split()[0] for line in rest] == ["--" + known.name.replace("_", "-") for known in declared]
    assert {"word2vec", "pv", "epv"} <= set(TRAINERS)


# --- what goes wrong -----------------------------------------------------------------------------------

WORDS, FILE = ["train", "x.index", "word2vec"], ["vectors", "train", "texts", "-o", "made.safetensors"]
WRONG_USES = [
    *(
        ([*command, *wrong], told)
        for command in (WORDS, FILE)
        for wrong, told in (
            (["--dimm", "8"], "word2vec has no parameter 'dimm'. It has: architecture, dim, window"),
            (["--dimm=8"], "word2vec has no parameter 'dimm'"),
            (["--dim"], "--dim needs a value. See: aboutness trainers"),
            (["--dim", "much"], "word2vec: dim must be a whole number from 1 to 10000, got 'much'"),
            (["--dim", ""], "word2vec: dim must be a whole number"),
            (["--dim", "0"], "word2vec: dim must be a whole number from 1 to 10000, got '0'"),
            (["--dim", "10001"], "word2vec: dim must be"),
            (["--rate", "nan"], "word2vec: rate must be"),
            (["--architecture", "glove"], "architecture must be one of skip-gram, cbow"),
            (["--threads", "0"], "threads must be a whole number from 1 to 1024, got 0"),
            (["--threads", "many"], "--threads"),
            (["--min-count", "1000"], "train on more text, or lower min_count"),
        )
    ),
    (["train", "x.index", "word2vek"], "unknown way of training 'word2vek'; did you mean 'word2vec'?"),
    (["train", "x.index"], "KIND"),
    (["train"], "DIR"),
    ([*WORDS, "further"], "say which index and what to train, DIR KIND; got x.index word2vec further"),
    ([*WORDS, "-q", "3"], "unexpected '-q'"),
    ([*WORDS, "--", "x"], "DIR KIND; got x.index word2vec x"),
    ([*WORDS, "--name", "a/b"], "the name of vectors has up to 64 ASCII letters"),
    ([*WORDS, "--name", "x" * 5000], "the name of vectors has up to 64 ASCII letters"),
    ([*WORDS, "--layer", "nope"], "the index has no layer 'nope'. It has: main, words"),
    ([*WORDS, "--field", "nope"], "the index has no field 'nope'. It has: title, text"),
    (["vectors", "train", "texts"], "-o"),
    (["vectors", "train", "-o", "made.safetensors"], "SOURCE"),
    (["vectors", "train", "texts", "-o", "made.bin"], "must end in .safetensors, got 'made.bin'"),
    ([*FILE, "--kind", "nope"], "unknown way of training 'nope'"),
    ([*FILE, "--kind", "pv"], "then run: aboutness train DIR pv"),
    (["train", "x.index", "pv", "--name", "word2vec"], "x.index has word vectors with the name word2vec, and"),
    (["train", "x.index", "pv", "--sample", "-1"], "pv: sample must be a whole number"),
    (["train", "x.index", "pv", "--joint", "on"], "pv has no parameter 'joint'"),
    ([*FILE, "-a", "nope"], "unknown analyzer 'nope'"),
    ([*FILE, "--checkpoint", "kept.bin"], "must end in .safetensors, got 'kept.bin'"),
]


def test_wrong_use_ends_with_2_and_changes_nothing(call, place):
    before = bytes_in(place)
    for arguments, told in WRONG_USES:
        assert refused(call(*arguments), 2, told), arguments
        assert bytes_in(place) == before, arguments


# --- at a terminal -------------------------------------------------------------------------------------

LONG = ["train", "x.index", "word2vec", "--dim", "8", "--min-count", "1", "--epochs", "100000", "--threads", "1"]


def at_a_terminal(folder, command, until=None):
    """Run a command with a terminal as its standard error, with Ctrl-C once that shows `until`."""
    ours, theirs = pty.openpty()
    shown = b""
    with subprocess.Popen(
        [sys.executable, "-m", "aboutness", *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, cwd=folder,
        env=environment(TERM="xterm", COLUMNS="120"),
    ) as process:  # fmt: skip
        os.close(theirs)
        try:
            while piece := _piece(ours):
                shown += piece
                if until is not None and until in shown:
                    process.send_signal(signal.SIGINT)
                    until = None
            out = process.stdout.read().decode()
        finally:
            process.kill()
            os.close(ours)
    return process.returncode, out, shown.decode()


def _piece(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that the other side is closed
        return b""


def test_a_terminal_shows_words_a_second_and_the_time_left_until_ctrl_c(place):
    before = bytes_in(place / "x.index")
    code, out, shown = at_a_terminal(place, LONG, until=b" left")
    assert (code, out) == (130, "")
    assert "training word2vec" in shown
    assert "words/s, 0:0" in shown
    assert "%" in shown
    rest = shown[shown.index("what has been trained") :].splitlines()
    assert rest[:2] == [
        "what has been trained is kept; run the command again to go on",
        "aboutness: interrupted; the index is unchanged",
    ]
    checkpoint = place / "x.index" / "training" / "word2vec" / "checkpoint.safetensors"
    assert {path: content for path, content in bytes_in(place / "x.index").items() if path != checkpoint} == before
    assert checkpoint.exists()


def test_a_terminal_is_left_as_it_was(place):
    code, out, shown = at_a_terminal(place, [*COMMANDS["vectors train"]])
    assert code == 0
    assert out.startswith("12 words x 8 (IN and OUT) in made.safetensors, ")
    assert "\x1b" not in out
    assert shown.endswith("\x1b[2K")
