"""Every example runs."""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.fixture
def arguments(tmp_path):
    kinds = ["delta", "swept", "elliptic", "thin"]
    documents = [{"_id": kind, "title": f"{kind} wing", "text": "flow of air over wings"} for kind in kinds]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(one) + os.linesep for one in documents))
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "air over a swept wing"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tswept\t1\n")
    return {
        "compare_rankers.py": [str(tmp_path)],
        "mixtures.py": [str(tmp_path)],
        "search_notes.py": [str(tmp_path), "air over a swept wing"],
        "word_vectors.py": [],
    }


SHOWN = {"word_vectors.py": "file in-out"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example(example, arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(example), *arguments[example.name]])
    runpy.run_path(str(example), run_name="__main__")
    assert SHOWN.get(example.name, "swept wing") in capsys.readouterr().out
