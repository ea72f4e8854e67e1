"""Experiments by shards: built, trained on and searched in parts, with the same rankings as by one process."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from aboutness.app.by_shards import ByShards
from aboutness.app.collection_index import index_of
from aboutness.app.comparing import compare
from aboutness.app.experimenting import run_experiment
from aboutness.cli.main import app
from aboutness.core.errors import BadInput
from aboutness.experiment.collection import collection as opened
from aboutness.scale.engine import Here
from experiment.small import write_collection

UNTRAINED = ["bm25", "rrf(bm25, ql)", "bm25 % 3 >> ql", "lsa", "default"]  # or not trained by shards


@pytest.fixture
def collection(tmp_path):
    return write_collection(tmp_path / "small")


@pytest.fixture
def here(monkeypatch):
    """Three shards on a cluster that is this process; yields what was asked of it."""
    asked = []

    class Noting(Here):
        def map(self, function, items, *shared):
            asked.append(function.__name__)
            return super().map(function, items, *shared)

        def actors(self, factory, items, **how):
            asked.append(factory.__name__)
            return super().actors(factory, items, **how)

    for room in ("over_shards", "sharded", "shard_training"):
        monkeypatch.setattr(f"aboutness.app.{room}.engine_of", lambda _: Noting())
    return ByShards(3, ray="here"), asked


def runs(found):
    return {str(row.ranker): {query: list(run) for query, run in row.run.items()} for row in found.rows}


def test_what_is_not_trained_by_shards_is_measured_the_same(collection, here):
    by, asked = here
    one, other = (compare(UNTRAINED, collection, ["AP", "nDCG@10"], by=how) for how in (None, by))
    assert runs(one) == runs(other)
    assert [row.evaluation.mean for row in one.rows] == [row.evaluation.mean for row in other.rows]
    assert list(dict.fromkeys(asked)) == ["draft", "finish", "ShardWork"]
    assert other.made.parameters["shards"] == 3
    assert "shards" not in one.made.parameters


def test_the_cluster_trains_what_can_be_trained_by_shards(collection, here):
    by, asked = here
    on_cluster = compare(["wcs", "pv-lm"], collection, ["AP"], by=by)
    assert asked.count("end") == 1  # of paragraph vectors
    assert asked.count("train_round") > 2
    assert runs(on_cluster) == runs(compare(["wcs", "pv-lm"], collection, ["AP"], by=ByShards(3)))
    index = index_of(opened(collection), by=by)
    assert len(index.snapshot.segments) == 3
    for name in ("word2vec", "pv"):
        assert index.train(name, by=by).provenance["shards"] == 3
    assert runs(on_cluster) == runs(compare(["wcs", "pv-lm"], collection, ["AP"], index=index))


def test_vectors_that_are_asked_for_by_name_are_trained_by_shards(collection):
    by_need, by_name = (
        compare(["wcs"], collection, ["AP"], by=ByShards(3), vectors=v) for v in (None, "word2vec")
    )
    assert runs(by_need) == runs(by_name)
    assert runs(by_need) != runs(compare(["wcs"], collection, ["AP"]))


def test_what_is_kept_of_a_training_by_shards_is_not_taken_for_another(collection, tmp_path):
    declared = {"collections": [str(collection)], "rankers": ["bm25", "wcs"], "measures": ["AP"]}

    def cached(by, **more):
        found = run_experiment(cache=tmp_path / "cache", by=by, **declared, **more)
        return [row.cached for row in found.comparisons[0].rows]

    assert cached(None) == [False, False]
    assert cached(ByShards(3)) == [True, False]  # words find the same by shards; vectors are others
    assert cached(ByShards(2)) == [True, False]
    assert cached(ByShards(3)) == cached(None) == [True, True]
    assert cached(None, vectors="word2vec") == [True, False]
    assert cached(ByShards(3), vectors="word2vec") == [True, False]
    assert cached(ByShards(3), vectors="word2vec") == [True, True]


def test_a_declared_experiment_is_the_same_on_a_cluster(collection, tmp_path, here):
    by, asked = here
    declared = {"collections": [str(collection)], "rankers": ["bm25", "wcs", "default"], "measures": ["AP"]}
    found = [run_experiment(cache=tmp_path / str(how), by=how, **declared) for how in (by, ByShards(3))]
    assert runs(found[0].comparisons[0]) == runs(found[1].comparisons[0])
    assert {"draft", "train_round", "ShardWork"} <= set(asked)
    assert not list((tmp_path / str(by) / "indexes").iterdir())


def test_a_part_of_a_source_is_indexed_by_this_process(collection, here):
    by, asked = here
    whole = opened(collection)
    some = frozenset(sorted(document.id for document in whole.documents())[:2])
    assert [one.id for one in index_of(replace(whole, only=some), by=by)] == sorted(some)
    assert not asked


def test_a_collection_without_documents_is_refused(collection):
    (collection / "corpus.jsonl").write_text("")
    with pytest.raises(BadInput, match="there are no documents, so nothing can be ranked"):
        compare(["bm25"], collection, by=ByShards(2))


@pytest.mark.parametrize("form", ["folder", "file"])
def test_by_the_command(collection, tmp_path, form):
    target, options = collection, ["-r", "bm25,iwcs", "--measures", "AP"]
    if form == "file":
        target, options = tmp_path / "x.toml", ["--no-cache"]
        target.write_text('collections = ["small"]\nrankers = ["bm25", "iwcs"]\nmeasures = ["AP"]\n')
    ran = CliRunner().invoke(app, ["experiment", str(target), *options, "--shards", "2", "--json"])
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    rows = (found["comparisons"][0] if form == "file" else found)["rows"]
    expected = compare(["bm25", "iwcs"], collection, ["AP"], by=ByShards(2)).to_json()["rows"]
    assert [row["AP"] for row in rows] == [row["AP"] for row in expected]
