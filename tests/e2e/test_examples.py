"""Every example runs, and what it prints and writes is what it says."""

from __future__ import annotations

import ast
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import aboutness as ab
from cli.running import environment

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
KINDS = ["delta", "swept", "elliptic", "thin", "thick", "slotted"]
PLACES = ["tip", "root", "edge", "flap"]


@pytest.fixture(scope="module")
def wings(tmp_path_factory):
    """A small collection: each kind of wing at each place, and a question for each kind."""
    folder = tmp_path_factory.mktemp("wings")
    documents = [
        {"_id": f"{kind}-{place}", "title": f"{kind} wing", "text": f"flow of air over the {place} of wings, {place} {kind}"}
        for kind in KINDS
        for place in PLACES
    ]  # fmt: skip
    (folder / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    queries = [{"_id": f"q{n}", "text": f"air over a {kind} wing"} for n, kind in enumerate(KINDS)]
    (folder / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))
    judged = [f"q{n}\t{kind}-{place}\t1\n" for n, kind in enumerate(KINDS) for place in PLACES]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(judged))
    return folder


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run an example in a folder of its own; return what it prints, and note that it was run."""

    def _run(name, *arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [str(EXAMPLES / name), *map(str, arguments)])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return _run


def table(text):
    """The numbers of a printed table, by the names in its first column."""
    rows = [re.split(r" {2,}", line.strip()) for line in text.splitlines()]
    return {row[0]: [float(cell) for cell in row[1:]] for row in rows if len(row) > 1 and is_number(row[-1])}


def is_number(text):
    return re.fullmatch(r"-?\d*\.\d+", text) is not None


def test_every_example_is_run_here_and_says_how():
    source = Path(__file__).read_text("utf-8")
    examples = sorted(EXAMPLES.glob("*.py"))
    assert len(examples) >= 9
    for example in examples:
        assert f'"{example.name}"' in source, example.name
        head = example.read_text("utf-8").partition('"""\n\n')[0]
        assert f"python examples/{example.name}" in head, example.name


# --- notes ------------------------------------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in {
        "wings.md": "# Swept wings\n\nAir flows over a wing that is swept back.",
        "bread.md": "# Bread\n\nFlour, water and time.",
        "sea.md": "# At sea\n\nA sail is a wing that stands on its end.",
    }.items():
        (folder / name).write_text(text)
    return folder


def test_search_notes(run, notes, tmp_path):
    out = run("search_notes.py", notes, "air over a wing")
    lines = out.splitlines()
    assert re.fullmatch(r"1\. Swept wings \(wings\.md, \d+\.\d\d\)", lines[0])
    assert lines[1].startswith("2. At sea (sea.md, ")
    assert "Bread" not in out
    hits = ab.Index.open(tmp_path / "notes.index").search("air over a wing")
    assert f"score {hits[0].score:.4f} = " in out
    page = (tmp_path / "why.html").read_text("utf-8")
    assert '<span class="w pos"' in page
    assert "wings.md" in page


def test_search_notes_again_brings_in_what_has_changed(run, notes, tmp_path):
    run("search_notes.py", notes, "air over a wing")
    created = ab.Index.open(tmp_path / "notes.index").snapshot.manifest.created
    (notes / "bread.md").unlink()
    (notes / "hat.md").write_text("# Hats\n\nA hat in the wind.")
    assert run("search_notes.py", notes, "hats in the wind").startswith("1. Hats (hat.md, ")
    index = ab.Index.open(tmp_path / "notes.index")
    assert index.snapshot.manifest.created == created
    assert {document.id for document in index} == {"hat.md", "sea.md", "wings.md"}
    assert run("search_notes.py", notes, "quux").startswith("Nothing was found.\n")


@pytest.mark.parametrize("arguments", [[], ["notes"]])
def test_search_notes_says_what_it_needs(run, capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        run("search_notes.py", *arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: python examples/search_notes.py FOLDER ")


def test_search_notes_names_a_note_that_cannot_be_read(run, notes):
    (notes / "old.md").write_bytes(b"caf\xe9")
    with pytest.raises(SystemExit, match=r"search_notes: .*old\.md: not UTF-8.*save it as UTF-8"):
        run("search_notes.py", notes, "coffee")


def test_search_notes_in_the_browser(notes, tmp_path):
    command = [sys.executable, str(EXAMPLES / "search_notes.py"), str(notes), "air over a wing", "--serve"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=environment(PYTHONUNBUFFERED="1"),
        start_new_session=True,
    )  # fmt: skip
    try:
        address = next(line for line in process.stdout if line.startswith("Serving at ")).split()[-1]
        with urllib.request.urlopen(f"{address}v1/search?query=flour&rankers=bm25", timeout=30) as answer:
            assert [hit["id"] for hit in json.load(answer)[0]["hits"]] == ["bread.md"]
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)


# --- rankers ----------------------------------------------------------------------------------------------------


def test_compare_rankers(run, wings, tmp_path):
    out = run("compare_rankers.py", wings)
    found = table(out.partition("\n\n")[2].partition("\n\n")[0])
    assert list(found) == ["tfidf", "bm25", "ql", "iwcs", "bm25 % 100 >> desm-in-out", "lsa", "default"]
    expected = ab.compare(["tfidf", "bm25"], ab.collection(wings), ["nDCG@10", "AP"])
    for row in expected.rows:
        assert found[row.name] == [round(value, 4) for value in row.evaluation.mean.values()]
    told = re.search(r"(\d+) of 21 differences of nDCG@10 are more than chance", out)
    assert int(told[1]) == len(re.findall(r"is better than .* p = ", out))
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "Holm" in report
    assert "Fisher" in report
    assert all(name in report for name in ("tfidf", "default"))
    assert "tabular" in (tmp_path / "table.tex").read_text("utf-8")


def test_compare_rankers_on_a_real_collection(run, data_folder):
    out = run("compare_rankers.py", data_folder / "cranfield")
    found = table(out.partition("\n\n")[2].partition("\n\n")[0])
    assert found["default"][0] > found["bm25"][0] > found["tfidf"][0]
    assert "default is better than bm25 by" in out


def test_mixtures(run, wings):
    out = run("mixtures.py", wings)
    found = table(out.partition("\n\n")[2].partition("\n\n")[0])
    mixtures = [f"bm25[k1=1.7,b=0.95] + {weight}*desm-in-out" for weight in (1, 3, 10, 30, 100)]
    assert list(found)[3:] == mixtures
    assert "\nFirst for 'air over a delta wing': delta wing\n" in out


def test_the_new_model_is_as_short_as_it_says():
    """Its two classes, without their docstrings and blank lines."""
    source = (EXAMPLES / "new_model.py").read_text("utf-8")
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    for node in [one for each in classes for one in ast.walk(each)]:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body.pop(0)
    lines = "\n".join(ast.unparse(one) for one in classes).splitlines()
    assert 15 < len([line for line in lines if line.strip()]) < 30
    assert "under 30 lines of code" in source


def test_new_model(wings):
    """In a process of its own, so that nobody else has the model."""
    command = [sys.executable, str(EXAMPLES / "new_model.py"), str(wings)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment()).stdout
    assert "first for 'air over a delta wing': delta wing\n" in out
    score = float(re.search(r"^score ([\d.]+) = sum of in query \* rarity", out, re.MULTILINE)[1])
    parts = re.findall(r"^ +([\d.]+)  \S+ +(?:in query|not in)", out, re.MULTILINE)
    assert sum(map(float, parts)) == pytest.approx(score, abs=1e-3)
    found = table(out.partition("\nranker")[2])
    assert list(found) == ["f2exp", "f2exp[s=0.1]", "bm25", "f2exp % 100 >> ql"]
    assert all(0 < value <= 1 for row in found.values() for value in row)


# --- what is seen -----------------------------------------------------------------------------------------------


def test_desm_highlighting(run, tmp_path):
    out = run("desm_highlighting.py", "compress")
    about, mentions = re.findall(r"it: (\S+).*? \((-?\d\.\d+)\): (.*)", out)
    assert float(about[1]) > 0 > float(mentions[1])
    assert "compress" in about[0].lower()
    evidence = dict(part.rsplit(" ", 1) for part in about[2].split(", "))
    assert sum(float(value) > 0.01 for value in evidence.values()) >= 4
    page = (tmp_path / "why.html").read_text("utf-8")
    assert page.count("<article") == 2
    first, second = page.split("<article")[1:]
    assert first.count('class="w pos') > 5
    assert first.count('class="w pos') / first.count('class="w ') > second.count('class="w pos') / second.count(
        'class="w '
    )


def test_desm_highlighting_of_what_is_not_there(run, capsys, wings):
    with pytest.raises(SystemExit) as ended:
        run("desm_highlighting.py", "quux", wings)
    assert ended.value.code == 1
    assert capsys.readouterr().out == "no document mentions 'quux'\n"


def test_word_vectors(run):
    out = run("word_vectors.py")
    near = dict(re.findall(r"^ +(file in-in|file in-out|file out-out) +(\S+)", out, re.MULTILINE))
    assert set(near) == {"file in-in", "file in-out", "file out-out"}
    assert near["file in-in"] == "file" != near["file in-out"]
    assert re.search(r"questions: .*frobnicator", out)


def test_news_archive(run):
    out = run("news_archive.py")
    sections = dict(part.partition("\n")[::2] for part in out.strip().split("\n\n"))
    titles = {what: re.findall(r"^ +\d\.\d+  (.*?) \(", text, re.MULTILINE) for what, text in sections.items()}
    assert titles["oil prices, titles three times"] == ["Oil prices rise", "Wells reopened", "Harbour strike ends"]
    assert titles["in titles only"] == ["Oil prices rise"]
    assert titles["since March"] == ["Wells reopened", "Harbour strike ends", "Bank cuts its rate"]
    assert titles["from the USA, on crude oil"] == ["Oil prices rise", "Wells reopened"]
    assert titles["more like 'Oil prices rise'"][0] == "Wells reopened"
    assert out.endswith("stories by month: 198702: 1, 198703: 3, 198704: 1\n")


def test_news_archive_as_reuters_is_handed_out(run, data_folder):
    out = run("news_archive.py", data_folder / "reuters21578_sgml", "cocoa")
    sections = dict(part.partition("\n")[::2] for part in out.strip().split("\n\n"))
    months = re.findall(r"\((\d{6}), ", sections["since March"])
    assert len(months) == 3
    assert min(months) >= "198703"
    assert all("usa" in line for line in sections["from the USA, on crude oil"].splitlines())
    assert sum(int(count.replace(",", "")) for count in re.findall(r"\d{6}: ([\d,]+)", out)) == 21_578


# --- with other tools -------------------------------------------------------------------------------------------


def test_with_scikit_learn(run):
    out = run("with_scikit_learn.py")
    settings = re.findall(r"^(0\.\d+) by=", out, re.MULTILINE)
    assert len(settings) == 4
    best = float(re.search(r"^(0\.\d+) on \d+ others", out, re.MULTILINE)[1])
    assert best > 0.85
    assert best == pytest.approx(max(map(float, settings)), abs=0.05)
    assert float(re.search(r"^(0\.\d+) of the five nearest", out, re.MULTILINE)[1]) > 0.8
    assert "nearest to 'run several tasks at once' (asyncio)" in out


def test_with_data_frames(run, wings):
    out = run("with_data_frames.py", wings)
    head, runs, hardest = out.strip().split("\n\n")
    assert head.splitlines()[0].split() == ["qid", "query", "docno", "score", "rank"]
    assert [line.split()[-1] for line in head.splitlines()[1:]] == ["0", "1", "2"]
    bm25 = ab.compare("bm25", ab.collection(wings), "nDCG@10,AP", depth=100).rows[0].evaluation.mean
    line = next(line for line in runs.splitlines() if line.split()[0] == "bm25" and line.split()[1].isdigit())
    assert [float(cell) for cell in line.split()[2:4]] == [round(value, 4) for value in bm25.values()]
    assert len(runs.splitlines()) == 4
    assert re.fullmatch(r"hardest: 'air over a \w+ wing' \([\d.]+\)", hardest)
