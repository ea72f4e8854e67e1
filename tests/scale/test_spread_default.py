"""`default`, and what else is made for many questions at once, over shards and embedded."""

from __future__ import annotations

import pytest

from aboutness.app.over_shards import IndexOverShards
from aboutness.models.model import MATCHES
from aboutness.models.question import Question
from aboutness.rank.bound import bind, explain
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.scale.engine import Here
from aboutness.scale.spread import Spread
from scale.sharded import sharded, texts
from scale.test_spread import assert_same

RANKERS = [
    "default",
    "bm25 % 40 >> wmd",
    "bm25 % 60 >> (ql + 3*iwcs)",
    "bm25 % 50 >> lsa[vectors=default]",
    "iwcs-wmd",
]


@pytest.fixture(scope="module")
def index():
    return sharded(None, 6, dead=["d7", "d8", *(f"d{number}" for number in range(50, 100))])


@pytest.fixture(scope="module")
def questions(index):
    some = [Question(" ".join(text.split()[:4])) for text in texts(70, seed=5)]
    return [*some, Question("nowhere"), Question(document=int(index.snapshot.live_numbers()[9]))]


@pytest.mark.parametrize("text", RANKERS)
@pytest.mark.parametrize("shards", [2, 6])
def test_batches_are_the_same_over_shards(index, questions, text, shards):
    whole, spread = bind(named_ranker(text), index.snapshot), Spread(index.snapshot, Here(), shards)
    parts = spread.bind(named_ranker(text))
    assert len(spread.shards) == shards
    for match in MATCHES:
        for allowed in (None, index.snapshot.where("even=true")):
            expected = whole.top_many(questions, 20, match=match, allowed=allowed)
            found = parts.top_many(questions, 20, match=match, allowed=allowed)
            assert match == "and" or max(map(len, found)) > 10
            for one, other in zip(found, expected, strict=True):
                assert_same(one, other)
    for question in questions[::40]:
        number = int(whole.top_many([question], 5)[0].documents[-1]) if whole.knows(question) else 0
        assert explain(parts, question, number) == explain(whole, question, number)


def test_an_index_over_shards_answers_as_any_index(index):
    over = IndexOverShards(index.snapshot, Here(), 4)
    for how in ({}, {"where": "even=true"}, {"match": "bm25 % 30", "ranker": "iwcs"}, {"fields": "title"}):
        one, other = over.search("cadan rivern", **how), index.search("cadan rivern", **how)
        assert [(hit.id, hit.score) for hit in one] == [(hit.id, hit.score) for hit in other]
        assert [hit.explain() for hit in one] == [hit.explain() for hit in other]
    assert [hit.id for hit in over.search(like="d3")] == [hit.id for hit in index.search(like="d3")]
    assert over.search("cadan")[0].document == index.search("cadan")[0].document
