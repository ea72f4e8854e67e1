"""Bound rankers are kept as long as there is room."""

from __future__ import annotations

import gc

import pytest

from aboutness.app.index import Index
from aboutness.models.bm25 import BM25
from aboutness.models.model import Scorer
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.bound_rankers import MOST_BOUND, BoundRankers
from aboutness.rank.grammar import ranker as named

RECORDS = [{"id": str(number), "text": f"songs of the city and word{number}"} for number in range(20)]


class Heavy(Scorer):
    """A scorer that holds 400 bytes."""

    held = 400
    scores = explain = floor = None


@pytest.fixture(scope="module")
def snapshot():
    return Index.build(RECORDS).snapshot


class Kept(BoundRankers):
    """Rankers that are bound to a snapshot, some of them as heavy ones."""

    def __init__(self, snapshot, most, heavy):
        super().__init__(most)
        self.snapshot, self.heavy = snapshot, heavy

    def get(self, ranker):
        return super().get(ranker, self.bind)

    def bind(self, ranker):
        return Heavy(self.snapshot.view()) if self.heavy(ranker) else bind(ranker, self.snapshot, self.get)


def kept(snapshot, most=1000, heavy=lambda one: isinstance(one, BM25)):
    return Kept(snapshot, most, heavy)


def rankers(*values):
    return [BM25(b=value) for value in values]


def test_a_ranker_is_bound_once(snapshot):
    made = kept(snapshot)
    assert made.there(BM25()) is None
    found = made.get(BM25())
    assert made.get(BM25()) is made.there(BM25()) is found
    assert made.in_use == [BM25()]


def test_what_was_not_used_for_long_is_let_go(snapshot):
    made = kept(snapshot, heavy=lambda _: False)
    several = [BM25(k1=float(k1)) for k1 in range(MOST_BOUND + 1)]
    found = [made.get(one) for one in several[:-1]]
    made.there(several[0])
    made.get(several[-1])
    assert made.in_use == [*several[2:-1], several[0], several[-1]]
    anew = made.get(several[1])
    assert anew is not found[1]
    (before,), (after,) = (one.top_many([Question("city")]) for one in (found[1], anew))
    assert (before.documents.tolist(), before.scores.tolist()) == (after.documents.tolist(), after.scores.tolist())


def test_those_that_hold_too_much_are_forgotten_the_oldest_first(snapshot):
    made = kept(snapshot)
    one, two, three = rankers(0.1, 0.2, 0.3)
    for ranker in (one, two, one, three):
        made.get(ranker)
    assert made.in_use == [one, three]
    assert made.held == 800


def test_the_last_one_may_hold_any(snapshot):
    made = kept(snapshot, most=100)
    for ranker in rankers(0.1, 0.2):
        made.get(ranker)
        assert made.in_use == [ranker]


def test_what_another_ranker_is_made_of_counts_until_that_one_goes(snapshot):
    made = kept(snapshot)
    one, two, three = rankers(0.1, 0.2, 0.3)
    both = one % 5 >> two
    made.get(both)
    assert made.held == 800
    made.get(three)
    gc.collect()
    assert both not in made.in_use
    assert made.held <= 1000


def test_one_that_is_made_of_others_is_kept_rather_than_these(snapshot):
    made = kept(snapshot, most=100)
    both = named("bm25 + bm25[b=.1]")
    found = made.get(both)
    assert made.there(both) is found
    assert made.in_use == [both]


def test_one_of_more_parts_than_are_kept_is_kept(snapshot):
    made = kept(snapshot, heavy=lambda _: False)
    many = named(" + ".join(f"bm25[k1={k1}]" for k1 in range(MOST_BOUND + 5)))
    assert made.get(many) is made.there(many)


def test_what_somebody_still_asks_counts(snapshot):
    made = kept(snapshot, most=100)
    asked = made.get(BM25(b=0.1))
    made.get(BM25(b=0.2))
    assert made.held == 800
    del asked
    assert made.held == 400


def test_what_cannot_be_bound_takes_nobodys_place(snapshot):
    made = kept(snapshot)
    for _ in range(2):
        with pytest.raises(Exception, match="nope"):
            made.get(named("ql[layer=nope]"))
    assert made.in_use == []


def test_impacts_count_as_they_are_worked_out(snapshot):
    made = kept(snapshot, heavy=lambda _: False)
    scorer = made.get(BM25())
    assert made.held == 0
    scorer.top_many([Question("city")])
    assert made.held == 4 * len(RECORDS)
    scorer.top_many([Question("city word3")])
    assert made.held == 4 * len(RECORDS) + 4
