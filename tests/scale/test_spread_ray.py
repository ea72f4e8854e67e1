"""Batches of queries over the shards of an index that three raylets hold."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.scale.engine import engine_of
from aboutness.scale.shards import AskedShards
from aboutness.scale.spread import Spread
from cli.running import environment
from scale.sharded import sharded, texts
from scale.test_spread import assert_same

RANKERS = [
    "bm25",
    "ql",
    "iwcs",
    "default",
    "bm25 % 40 >> wmd",
    "bm25 + 3*iwcs",
    "rrf(bm25 % 50, lsa[vectors=default])",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return sharded(tmp_path_factory.mktemp("sharded") / "six.index", 6, dead=["d7", "d60", "d61"])


@pytest.fixture(scope="module")
def questions():
    return [Question(" ".join(text.split()[:4])) for text in texts(70, seed=5)]


@pytest.fixture
def spread(index, cluster):
    with engine_of(cluster.address) as engine:
        yield Spread(index.snapshot, engine)


def assert_all_same(ones, others):
    for one, other in zip(ones, others, strict=True):
        assert_same(one, other)


def test_rankings_are_those_of_one_machine(index, spread, questions):
    assert len(spread.shards) == 6
    for text in RANKERS:
        expected = bind(named_ranker(text), index.snapshot).top_many(questions, 20)
        assert_all_same(spread.bind(named_ranker(text)).top_many(questions, 20), expected)


@pytest.fixture
def queries(tmp_path):
    file = tmp_path / "queries.tsv"
    file.write_text("".join(f"q{place}\t{text}\n" for place, text in enumerate(texts(70, seed=6))))
    return file


def command(*arguments):
    whole = [sys.executable, "-m", "aboutness", *arguments]
    return subprocess.run(whole, env=environment(), timeout=120, check=True, capture_output=True, text=True)


def test_the_command_writes_the_same_run(index, queries, cluster, tmp_path):
    arguments = ["run", str(index.path), str(queries), "-r", "default", "-k", "50"]
    command(*arguments, "-o", str(tmp_path / "embedded.trec"))
    command(*arguments, "-o", str(tmp_path / "spread.trec"), "--ray", cluster.address, "--shards", "3")
    assert (tmp_path / "spread.trec").read_bytes() == (tmp_path / "embedded.trec").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["embedded.trec", "queries.tsv", "spread.trec"]


# --- nodes that are lost: what is killed has to be started again for the next test, so these come last


def test_a_node_that_is_lost_in_a_batch_changes_nothing(index, spread, questions, cluster, monkeypatch):
    expected = bind(named_ranker("default"), index.snapshot).top_many(questions, 20)
    searcher = spread.bind(named_ranker("default"))
    searcher.top_many(questions[:1], 20)  # bound everywhere
    bound_again, original = [], AskedShards._bind

    def noted(shards, places):
        bound_again.extend(places)
        return original(shards, places)

    monkeypatch.setattr(AskedShards, "_bind", noted)
    for killed in (1, 2):  # it is Ray that says where shards are
        with ThreadPoolExecutor(1) as pool:
            batches = pool.submit(lambda: [searcher.top_many(questions, 20) for _ in range(3)])
            time.sleep(0.2)
            cluster.kill(killed)
            for found in batches.result(timeout=90):
                assert_all_same(found, expected)
        assert_all_same(searcher.top_many(questions, 20), expected)
        if bound_again:
            return
    pytest.fail("no shard was lost")
