"""Everything the README shows is run as it stands, in a folder that has the files it speaks of."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aboutness.cli.main import app
from cli.serving import Serving

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("readme")
    notes = place / "notes"
    notes.mkdir()
    for name, text in {
        "today.txt": "A city in the desert, and its budget: a desert city.",
        "song.md": "# A song\n\nof the city",
        "page.html": "<title>Mexico</title><p>cities of New Mexico</p>",
    }.items():
        (notes / name).write_text(text)
    with gzip.open(place / "more.jsonl.gz", "wt") as file:
        file.write(json.dumps({"id": "more", "title": "Budget", "text": "of the desert", "year": 1980}) + "\n")
    (place / "glove.txt").write_text(
        "".join(
            f"{word} {i}.5 1 {-i}\n"
            for i, word in enumerate(["man", "king", "woman", "queen", "citi", "desert", "city"])
        )
    )
    (place / "pairs.tsv").write_text("man\tking\t3\nwoman\tqueen\t4\nman\tcity\t1\n")
    (place / "topics.txt").write_text("<top>\n<num> 1\n<title> city budget\n</top>\n")
    (place / "qrels.txt").write_text("1 0 today.txt 1\n")
    (place / "theirs.trec").write_text("1 Q0 song.md 1 2.5 theirs\n1 Q0 today.txt 2 1.5 theirs\n")
    collection = place / "path" / "to" / "cranfield"
    collection.mkdir(parents=True)
    documents = [{"_id": str(i), "title": f"wing {i}", "text": "flow of air over wings " * i} for i in range(1, 9)]
    (collection / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    queries = [{"_id": f"q{i}", "text": f"air over wing {i}"} for i in range(1, 7)]
    (collection / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))
    judged = "".join(f"q{i}\t{i}\t1\n" for i in range(1, 7))
    (collection / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")
    return place


def test_the_readme_has_blocks_of_both_kinds():
    assert {kind for kind, _ in BLOCKS} == {"sh", "python", "toml"}


def test_its_python_and_its_commands_run(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    for kind, block in BLOCKS:
        if kind == "python":
            exec(compile(block, str(README), "exec"), names)
            continue
        if kind == "toml":
            (folder / "first-look.toml").write_text(block)
            continue
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] != ["aboutness"]:
                continue
            if words[1] == "serve":
                with Serving(*words[2:]) as serving:
                    assert serving.get("v1/live") == {"status": "ok"}
                continue
            ran = CliRunner().invoke(app, words[1:])
            assert ran.exit_code == 0, (line, ran.output)
    assert "ranker" in capsys.readouterr().out
