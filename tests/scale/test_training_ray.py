"""Training by shards on three raylets: the same bytes as in this process, also where one is lost."""

from __future__ import annotations

import threading
from collections import defaultdict

import pytest

from aboutness import Index
from aboutness.app.shard_training import ByShards
from scale.test_training import WAYS, bytes_of, some_documents

SHARDS, ROUNDS, EPOCHS = 6, 2, 3
LOST_AFTER = 8  # shard-rounds


@pytest.fixture
def index(tmp_path):
    return Index.build(some_documents(), tmp_path / "x.index", analyzer="plain")


class Watch:
    """Looks at a folder, again and again: which files have had which name."""

    def __init__(self, folder):
        self.folder = folder
        self.files = defaultdict(set)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self):
        while not self._end.wait(0.002):
            for path in self.folder.glob("words-*-*"):
                try:
                    self.files[path.name].add(path.stat().st_mtime_ns)
                except FileNotFoundError:
                    continue

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *exc):
        self._end.set()
        self._thread.join()


@pytest.mark.parametrize("way", [WAYS["word2vec"], WAYS["epv"]], ids=["word2vec", "epv"])
def test_a_cluster_trains_what_this_process_does(index, cluster, way):
    expected = bytes_of(index.train(way, by=ByShards(SHARDS, ROUNDS)))
    assert bytes_of(index.train(way, by=ByShards(SHARDS, ROUNDS, cluster.address))) == expected


def test_a_node_that_is_lost_costs_nothing_that_was_done(index, cluster):
    way = type(WAYS["epv"])(dim=5, epochs=EPOCHS, min_count=1, window=3)
    expected = bytes_of(index.train(way, by=ByShards(SHARDS, ROUNDS)))
    told = []

    def tell(progress):
        told.append(progress.done)
        if len(told) == LOST_AFTER:
            cluster.kill(1)

    with Watch(index.path / "training/epv/shards") as watch:
        found = index.train(way, by=ByShards(SHARDS, ROUNDS, cluster.address), progress=tell)
    assert bytes_of(found) == expected
    assert len(told) == SHARDS * ROUNDS * EPOCHS
    assert len(watch.files) >= LOST_AFTER
    assert {len(times) for times in watch.files.values()} == {1}
