from __future__ import annotations

import re
import socket

import pytest
from typer.testing import CliRunner

from aboutness.app.demo import MEASURES, SEARCHES
from aboutness.app.index import Index
from aboutness.cli.demo_command import next_steps
from aboutness.cli.main import app
from aboutness.cli.search_commands import MOST_PARTS
from aboutness.rank.known import known_rankers
from cli.running import Ran


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The folder of the demonstration's index, and what was printed."""
    folder = tmp_path_factory.mktemp("demo") / "demo.index"
    result = CliRunner().invoke(app, ["demo", "--no-serve", "-o", str(folder)], catch_exceptions=False)
    return folder, Ran(result.exit_code, result.stdout, result.stderr)


def test_it_ends_well_and_keeps_its_index(shown):
    folder, ran = shown
    assert ran.code == 0
    first, *rest = ran.err.splitlines()
    assert first == "Indexing the documentation of Python's standard library …"
    assert all(line.startswith("training ") for line in rest)  # where the machine is slow
    documents = int(ran.out.split(" modules")[0].replace(",", ""))
    assert documents == len(Index.open(folder)) > 1000
    assert [path.name for path in folder.parent.iterdir()] == ["demo.index"]


def test_it_counts_words(shown):
    folder, ran = shown
    words, different = re.search(r"functions; ([\d,]+) words, ([\d,]+) of them different", ran.out).groups()
    view = Index.open(folder).view()
    assert (int(words.replace(",", "")), int(different.replace(",", ""))) == (
        view.total_length,
        view.vocabulary_size,
    )


def test_it_trains_and_keeps_what_it_trained(shown):
    folder, ran = shown
    index = Index.open(folder)
    words, own, latent, rows = index.vectors(), *(index.trained(name) for name in ("default", "lsa", "epv"))
    assert len(words) > 1000
    told = re.findall(r"^Trained on it: (.*); [\d.]+ s$", ran.out, re.MULTILINE)
    assert told == [
        f"default, {len(index):,} documents x 150, {len(own.words):,} words",
        f"word2vec, {len(words):,} words x 100 (IN and OUT)",
        f"lsa, {len(index):,} documents x 100, {len(latent.words):,} words",
        f"epv, {len(index):,} documents x 100, {len(rows.words):,} words",
    ]


def test_it_compares_all_rankers(shown):
    table, left_out = shown[1].out.split("\n\n")[2:4]
    rows = [line.split() for line in table.splitlines()]
    assert rows[0] == ["ranker", *MEASURES]
    values = [float(value) for row in rows[1:] for value in row[1:]]
    assert all(0.05 < value < 1 for value in values)
    without = left_out.removeprefix("Left out, not trained here: ").split(", ")
    assert sorted([*(row[0] for row in rows[1:]), *without]) == list(known_rankers())
    assert {"doc2vec", "pv-lm"} <= set(without)


def test_it_searches_and_says_why(shown):
    folder, ran = shown
    index = Index.open(folder)
    for text in SEARCHES:
        block = next(
            block for block in ran.out.split("\n\n") if block.splitlines()[0].endswith(f" ms for {text!r}")
        )
        for hit in index.search(text, 3):
            assert f"({hit.id})" in block
    best = index.search(SEARCHES[0], 1)[0]
    assert f"Why {best.id} comes first for {SEARCHES[0]!r}:" in ran.out
    for line in best.explain().lines(MOST_PARTS):
        assert f"  {line}\n" in ran.out


def test_it_says_how_to_go_on(shown):
    assert "aboutness index FOLDER -o my.index" in shown[1].out
    assert "aboutness train my.index default" in shown[1].out
    assert 'aboutness search my.index "what you look for" --explain' in shown[1].out


def test_the_program_is_named_as_it_can_be_started(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert next_steps(str(tmp_path / ".venv/bin/aboutness")).startswith("  .venv/bin/aboutness index FOLDER")
    assert next_steps("pytest").startswith("  aboutness index FOLDER")
    (tmp_path / "aboutness").touch(mode=0o755)
    assert next_steps(str(tmp_path / ".venv/bin/aboutness")).startswith("  aboutness index FOLDER")


def test_its_index_can_be_searched(shown, call):
    found = call("search", shown[0], SEARCHES[0], "-k", "3", "--json").json
    assert len(found["hits"]) == 3
    assert all(f"({hit['id']})" in shown[1].out for hit in found["hits"])


def test_what_is_no_index_is_not_touched(call, write, tmp_path):
    write("file", "mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").write_text("mine")
    for target in ("file", "full"):
        ran = call("demo", "-o", target)
        assert (ran.code, ran.out) == (2, "")
        assert "is there already and is not an index" in ran.err
    assert call("demo", "-o", "file/x").code == 6
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "file",
        "full",
        "full/precious",
    ]


def test_a_port_that_is_taken_is_told_before_the_work(call, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = call("demo", "--serve", "--port", str(taken.getsockname()[1]), "-o", "demo.index")
    assert (ran.code, ran.out) == (2, "")
    assert "choose another one with --port" in ran.err
    assert list(tmp_path.iterdir()) == []
