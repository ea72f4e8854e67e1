from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier, Event
from typing import ClassVar

import pytest

from aboutness.app.generation import Generation
from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.models.bm25 import BM25
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers
from experiment.small import with_all

RECORDS = [{"id": "a", "text": "a city in New Mexico"}, {"id": "b", "text": "songs of the city"}]


@pytest.fixture(scope="module")
def snapshot():
    return Index.build(RECORDS).snapshot


def test_a_ranker_is_bound_once(snapshot):
    generation = Generation(snapshot)
    bound = generation.bound(ranker("bm25[k1=1]"))
    assert generation.bound(BM25(k1=1.0)) is bound
    assert generation.bound(ranker("bm25 % 5 >> ql")) is generation.bound(ranker("(bm25 % 5) >> (ql)"))
    for other in ("bm25", "bm25[k1=1] % 5", "bm25[k1=1,fields=text]", "bm25[k1=1,layer=main]"):
        assert generation.bound(ranker(other)) is not bound


def test_what_a_ranker_is_made_of_is_shared(snapshot):
    generation = Generation(snapshot)
    rerank = generation.bound(ranker("bm25 % 100 >> ql"))
    assert rerank.second is generation.bound(ranker("ql"))
    assert rerank.first is generation.bound(ranker("bm25 % 100"))
    assert rerank.first.inner is generation.bound(ranker("bm25"))
    later = generation.bound(ranker("ql % 7 >> bm25"))
    assert (later.first.inner, later.second) == (rerank.second, rerank.first.inner)
    assert generation.bound(ranker("bm25[k1=1] % 100 >> ql")).first is not rerank.first
    asked = [Question("city")]
    (shared,), (alone,) = rerank.top_many(asked), bind(ranker("bm25 % 100 >> ql"), snapshot).top_many(asked)
    assert (shared.documents.tolist(), shared.scores.tolist()) == (alone.documents.tolist(), alone.scores.tolist())


@dataclass(frozen=True)
class Slow(BM25):
    """A model that takes its time to be bound: as long as it is held."""

    started: ClassVar[Event] = Event()
    go_on: ClassVar[Event] = Event()
    bindings: ClassVar[list[int]] = []

    def bind(self, snapshot):
        self.bindings.append(1)
        self.started.set()
        assert self.go_on.wait(30)
        return super().bind(snapshot)


def test_a_ranker_does_not_wait_for_the_first_use_of_another(snapshot):
    generation = Generation(snapshot)
    warm = generation.bound(ranker("bm25"))
    with ThreadPoolExecutor(4) as pool:
        try:
            slow = [pool.submit(generation.bound, Slow()) for _ in range(2)]
            assert Slow.started.wait(30)
            assert pool.submit(generation.bound, ranker("bm25")).result(30) is warm
            assert pool.submit(generation.bound, ranker("ql")).result(30) is not warm
            assert not any(one.done() for one in slow)
        finally:
            Slow.go_on.set()
        assert slow[0].result(30) is slow[1].result(30) is generation.bound(Slow())
    assert len(Slow.bindings) == 1


def test_what_cannot_be_bound_is_refused_each_time_and_not_kept(snapshot):
    generation = Generation(snapshot)
    for _ in range(2):
        with pytest.raises(UsageError, match="no layer 'nope'"):
            generation.bound(ranker("bm25[layer=nope]"))
    assert len(generation.bound(ranker("bm25")).top_many([Question("city")])[0]) == 2


def test_threads_that_ask_at_once_get_the_same(snapshot):
    generation = Generation(snapshot)
    barrier = Barrier(8)
    rankers = [ranker(text) for text in ("bm25", "ql", "tfidf", "bm25 % 5 >> ql")]

    def ask(_):
        barrier.wait()
        return [generation.bound(one) for one in rankers]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert all(one is other for got in found for one, other in zip(got, found[0], strict=True))


@pytest.mark.parametrize(
    "records",
    [
        [],
        [{"id": "a", "text": ""}],
        [{"id": "a", "text": ""}, {"id": "b", "text": "songs of the city"}],
        [{"id": "a", "text": "largest"}, {"id": "b", "text": "songs of the city"}],
    ],
    ids=["none", "one empty", "the first empty", "the first of unknown words"],
)
@pytest.mark.parametrize("dead", [False, True])
def test_any_ranker_is_bound_whatever_the_first_document_is(records, dead):
    index = with_all(Index.build([{"id": "gone", "text": "city"}, *records]))
    index.delete("gone")
    if not dead:
        index.merge()
    for name in (*known_rankers(), "bm25 % 5 >> desm-in-out", "bm25 + 30*wmd"):
        found = Generation(index.snapshot).bound(ranker(name)).top_many([Question("city songs")])[0]
        assert len(found) == sum("city" in record["text"] for record in records)


def test_what_is_bound_has_scored_the_first_living_document_by_something_it_has(snapshot):
    scored = []

    @dataclass(frozen=True)
    class Noting(BM25):
        """A model that notes what its scorer scores."""

        def bind(self, snapshot):
            scorer = super().bind(snapshot)
            scores = scorer.scores

            def noted(question, documents):
                found = scores(question, documents)
                scored.append((documents.tolist(), (found > 0).tolist()))
                return found

            scorer.scores = noted
            return scorer

    Generation(snapshot).bound(Noting())
    assert scored == [([0], [True])]
    index = Index.build([{"id": "gone", "text": "x"}, *RECORDS])
    index.delete("gone")
    scored.clear()
    Generation(index.snapshot).bound(Noting())
    assert scored == [([int(index.snapshot.live_numbers()[0])], [True])]


def test_two_generations_share_nothing(snapshot):
    assert Generation(snapshot).bound(BM25()) is not Generation(snapshot).bound(BM25())


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_rankers_that_search_for_long_do_not_hold_up_a_new_generation(tmp_path, monkeypatch, seconds):
    monkeypatch.setattr("aboutness.app.index.READY_S", seconds)
    index = Index.build(RECORDS, tmp_path / "x.index")
    nested = ranker("rm3(rm3(bm25))")
    index.search("city", 1, nested)
    Index.open(index.path).add([{"id": "c", "text": "a new city"}])
    assert index.refresh(ready=True)
    assert ranker("bm25") in index.generation.in_use
    assert (nested in index.generation.in_use) == (seconds > 0)
    assert len(index.search("city", 9, nested)) == 3
