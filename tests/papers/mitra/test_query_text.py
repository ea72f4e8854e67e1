"""Queries to train on are read from any file of queries, and test queries are dropped."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from aboutness.core.errors import BadInput, UsageError
from aboutness.papers.mitra2016.query_text import published_pair, trained_on, training_queries
from aboutness.text.strings import StringTable
from aboutness.vectors.word2vec import Word2Vec
from aboutness.vectors.words import WordVectors

TEXTS = ["cheap flights", "Flights, cheap!", "new york hotels", "weather"]


@pytest.mark.parametrize("form", ["txt", "tsv", "jsonl"])
def test_files_of_queries_are_read(tmp_path: Path, form: str) -> None:
    lines = {
        "txt": [*TEXTS, ""],
        "tsv": [f"{number}\t{text}" for number, text in enumerate(TEXTS)],
        "jsonl": [json.dumps({"_id": str(number), "text": text}) for number, text in enumerate(TEXTS)],
    }
    path = tmp_path / f"log.{form}"
    path.write_text("\n".join(lines[form]) + "\n")
    found = training_queries(path, ["Cheap FLIGHTS"], "plain")
    assert found.texts == ("Flights, cheap!", "new york hotels", "weather")
    assert found.dropped == 1


def test_a_file_of_test_queries_alone_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("weather\nWEATHER\n")
    with pytest.raises(BadInput, match="no query to train on"):
        training_queries(path, ["weather"], "plain")


def test_a_dropped_query_leaves_no_trace_in_the_vectors(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("\n".join(["one two three", "two three four", "secret words"] * 5))
    found = training_queries(path, ["secret words"], "plain")
    vectors = trained_on(found, Word2Vec(dim=4, epochs=1, min_count=1), "plain")
    assert found.dropped == 5
    assert "two" in vectors
    assert "secret" not in vectors


def test_a_pair_is_two_files_or_one_text_with_a_comma(tmp_path: Path) -> None:
    for name, factor in (("in", 1), ("out", 2)):
        rows = np.full((2, 3), factor, np.float32)
        WordVectors(StringTable.of(["a", "b"]), {"in": rows}).save(tmp_path / f"{name}.safetensors")
    files = [str(tmp_path / f"{name}.safetensors") for name in ("in", "out")]
    for given in (files, [",".join(files)]):
        pair = published_pair(given)
        assert (pair.space("in")[0, 0], pair.space("out")[0, 0]) == (1, 2)
    with pytest.raises(UsageError, match="no OUT space"):
        published_pair(files[:1])
    with pytest.raises(UsageError, match="got 3 files"):
        published_pair([*files, files[0]])
