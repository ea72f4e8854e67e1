"""Work that may take long says how far it is: from nothing to all, and never back."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.app.comparing import run_queries
from aboutness.app.index import Index, check_folder
from aboutness.app.vectors import import_into
from aboutness.core.advance import listening
from aboutness.report.projection import neighbour_map
from aboutness.vectors.load import load_vectors

TEXTS = ["the sun and the sea", "a moon above the sea", "harbour and sun", "a city in the desert", "moon and city"]


@pytest.fixture
def folder(tmp_path):
    """A folder with an index that has word vectors, queries, and vectors from elsewhere."""
    index = Index.build([{"id": str(i), "text": text} for i, text in enumerate(TEXTS)], tmp_path / "x.index")
    index.train("word2vec", dim=4, min_count=1, epochs=1, threads=1)
    (tmp_path / "q.tsv").write_text("1\tsun\n2\tsea\n3\tmoon\n", "utf-8")
    (tmp_path / "glove.txt").write_text("sun 1 0\nsea 0 1\nmoon 1 1\n", "utf-8")
    return tmp_path


def opened(folder):
    return Index.open(folder / "x.index")


WORK = {
    "check": ("bytes", lambda folder: check_folder(folder / "x.index", deep=True)),
    "copy": ("bytes", lambda folder: opened(folder).copy_to(folder / "copy.index")),
    "open": ("bytes", lambda folder: Index.open(folder / "x.index", verify=True)),
    "layer": ("texts", lambda folder: opened(folder).add_layer("words", "plain")),
    "prepare": ("documents", lambda folder: opened(folder).prepare("wcs")),
    "train pv": (
        "probabilities",
        lambda folder: opened(folder).train("pv", dim=4, min_count=1, epochs=1, threads=1),
    ),
    "train default": ("texts", lambda folder: opened(folder).train("default")),
    "run": ("queries", lambda folder: run_queries(opened(folder), folder / "q.tsv", folder / "run.trec", "bm25")),
    "import": ("bytes", lambda folder: import_into(opened(folder), folder / "glove.txt", name="glove")),
    "export": ("vectors", lambda folder: load_vectors(folder / "glove.txt").export(folder / "words.vec")),
}


@pytest.mark.parametrize(("unit", "work"), WORK.values(), ids=WORK)
def test_work_says_how_far_it_is(folder, unit, work):
    told = []
    with listening(lambda *one: told.append(one)):
        work(folder)
    stages = _stages(told)
    assert unit in [stage[0][0] for stage in stages]
    for stage in stages:
        done = [one for _, one, _ in stage]
        assert done == sorted(done)
        assert done[-1] == stage[-1][2] > 0, stage[-1]


def test_a_merge_says_how_far_it_is(folder):
    index = opened(folder)
    index.add([{"id": "new", "text": "a new text"}])
    index.delete(["1"])
    told = []
    with listening(lambda *one: told.append(one)):
        index.merge()
    assert len(index.snapshot.segments) == 1
    assert {unit for unit, _, _ in told} == {"bytes"}
    done = [one for _, one, _ in told]
    assert done == sorted(done)
    assert done[-1] > told[-1][2] / 2  # all is read, and what is written is smaller


def test_a_map_says_how_far_it_is():
    pytest.importorskip("openTSNE")
    told = []
    points = np.random.default_rng(1).normal(size=(20, 3))
    with listening(lambda *one: told.append(one)):
        listened = neighbour_map(points)
    assert told[0][:2] == ("rounds", 0)
    assert told[-1][1] == told[-1][2] == len(told[1:]) * 10
    assert np.array_equal(listened, neighbour_map(points))


def _stages(told):
    stages = []
    for one in told:
        if one[1] == 0:
            stages.append([])
        stages[-1].append(one)
    return stages
