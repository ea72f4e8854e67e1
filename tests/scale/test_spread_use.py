"""Experiments and commands over shards; and what shards are cut into, and add up to."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from aboutness.app.index import Index
from aboutness.app.over_shards import IndexOverShards, shards_note
from aboutness.cli.main import app
from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.index.shard import Shard, cut
from aboutness.index.statistics import Counts
from aboutness.scale.engine import Here
from aboutness.scale.spread import Spread
from aboutness.scale.work import ShardFiles, ShardWork
from experiment.small import write_collection
from models.drawing import index_of, named


def segments(*sizes, dead=()):
    """An index with segments of so many documents."""
    bodies = iter([{"title": f"aa w{number}", "text": "bb aa" * (number % 3)} for number in range(sum(sizes))])
    documents = named(bodies)
    ends = np.cumsum(sizes).tolist()
    parts = [documents[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    return index_of(*parts, dead=dead)


@pytest.mark.parametrize(
    ("sizes", "count", "groups"),
    [
        ([5, 5, 5, 5], None, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        ([5, 5, 5, 5], 9, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        ([5, 5, 5, 5], 2, [(0, 2), (2, 4)]),
        ([5, 5, 5, 5], 1, [(0, 4)]),
        ([20, 1, 1, 1], 2, [(0, 1), (1, 4)]),
        ([1, 1, 1, 20], 2, [(0, 3), (3, 4)]),
        ([1, 1, 20], 3, [(0, 1), (1, 2), (2, 3)]),
        ([3, 3, 3, 3, 3, 3, 3], 3, [(0, 2), (2, 5), (5, 7)]),
        ([3], 4, [(0, 1)]),
    ],
)
def test_neighbouring_segments_are_cut_into_shards_of_about_equal_size(sizes, count, groups):
    index = segments(*sizes)
    assert [(group.start, group.stop) for group in cut(index.snapshot, count)] == groups
    assert len(Spread(index.snapshot, Here(), count).shards) == len(groups)


def test_there_must_be_a_shard():
    with pytest.raises(UsageError, match="at least 1, got 0"):
        cut(segments(2, 2).snapshot, 0)


def test_counts_of_shards_add_up():
    snapshot = segments(4, 3, 5, dead=["d1", "d5"]).snapshot
    for layer in snapshot.manifest.layers:
        for fields in (None, ["title"], {"title": 3.0, "text": 0.1}):
            whole = snapshot.view(layer, fields)
            parts = [Shard(snapshot, group).view(layer, fields) for group in cut(snapshot)]
            assert [part.vocabulary_size for part in parts] == [whole.vocabulary_size] * 3
            total = sum(map(Counts.of, parts), Counts.none(len(whole.weights))).statistics(whole.weights)
            assert (total.documents, total.total_length) == (10, whole.total_length)
            assert total.df.tolist() == whole.df.tolist()
            assert total.cf.tobytes() == whole.cf.tobytes()
            assert parts[0].statistics.df.tolist() == whole.df.tolist()
            assert parts[0].df.sum() < whole.df.sum()


def test_documents_are_counted_also_where_none_has_a_word(monkeypatch):
    monkeypatch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
    index = Index.build([{"id": "a", "text": ""}])
    index.add([{"id": "b", "text": ""}, {"id": "c", "text": ""}])
    over = IndexOverShards(index.snapshot, Here())
    assert len(over.snapshot.segments) == 2
    assert over.snapshot.view().statistics.documents == 3


def test_an_empty_index_has_no_shards_and_finds_nothing():
    index = Index.build([])
    over = IndexOverShards(index.snapshot, Here())
    assert [len(over.search("anything", ranker=ranker)) for ranker in ("bm25", "default", "bm25 + ql")] == [
        0,
        0,
        0,
    ]


def test_a_folder_that_a_node_does_not_see_is_told(tmp_path):
    index = Index.build([{"id": "a", "text": "sun"}], tmp_path / "here.index")
    files = ShardFiles(str(index.path), index.snapshot.manifest, range(1))
    shutil.rmtree(index.path / "arrays")
    with pytest.raises(DamagedIndex, match="every node must see it under the same path"):
        ShardWork(files)


def test_an_index_of_one_segment_says_how_to_have_more():
    assert "--shards N" in shards_note(segments(4))
    assert shards_note(segments(4, 4)) is None


@pytest.fixture
def collection(tmp_path):
    return write_collection(tmp_path / "small")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shards", "2"], "give --ray, too"),
        (["--ray", "local", "--shards", "0"], "at least 1, got 0"),
        (["--ray", "no address"], "HOST:PORT"),
    ],
)
@pytest.mark.parametrize("command", ["run", "experiment"])
def test_options_that_mean_nothing_are_refused(collection, tmp_path, command, options, message):
    index = Index.build([{"id": "a", "text": "sun"}], tmp_path / "one.index")
    arguments = {
        "run": ["run", str(index.path), str(collection / "queries.jsonl"), "-o", str(tmp_path / "r")],
        "experiment": ["experiment", str(collection), "-r", "bm25", "--index", str(index.path)],
    }
    found = CliRunner().invoke(app, [*arguments[command], *options])
    assert found.exit_code == 2
    assert message in " ".join(found.stderr.split())
