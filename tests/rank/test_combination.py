"""The form of rankers that are made of others by name; what each does is tested with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import aboutness
from aboutness.app.index import Index
from aboutness.core.algebra import inside
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Whole
from aboutness.core.parameters import parameter
from aboutness.index.snapshot import Snapshot
from aboutness.models.bm25 import BM25
from aboutness.models.model import MODELS
from aboutness.models.ql import QL
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking
from aboutness.rank.bound import Searcher, bind, explain
from aboutness.rank.combination import COMBINATIONS, Combination
from aboutness.rank.grammar import ranker
from aboutness.rank.inside import models_in
from aboutness.rank.known import known_rankers
from aboutness.rank.pipelines import PIPELINES
from rank.by_hand import pairs, sixty


class Worst:
    """The documents of a ranker, the worst first: a searcher of which nothing else is known."""

    def __init__(self, inner: Searcher) -> None:
        self.inner = inner

    def knows(self, question: Question) -> bool:
        return self.inner.knows(question)

    def floor(self, _: Question) -> float:
        return -50.0

    def scores(self, question: Question, documents: Any) -> Any:
        return -self.inner.scores(question, documents)

    def top_many(self, questions: Sequence[Question], k: int = 10, **how: Any) -> list[Ranking]:
        found = [ranking.documents for ranking in self.inner.top_many(questions, 1000, **how)]
        scores = [self.scores(question, np.sort(one)) for question, one in zip(questions, found, strict=True)]
        orders = [np.argsort(-one, kind="stable")[:k] for one in scores]
        return [
            Ranking(np.sort(one)[order], of[order]) for one, of, order in zip(found, scores, orders, strict=True)
        ]

    def explain(self, question: Question, document: int, *_: Any) -> Explanation:
        return Explanation(float(self.scores(question, np.array([document]))[0]), (), "the worst first")


@dataclass(frozen=True)
class Turned(Combination):
    """A ranker upside down."""

    name: ClassVar[str] = "turned"
    most: ClassVar[int] = 2

    times: int = parameter(1, Whole(1, 9), "how often")

    def bound(self, searchers: Sequence[Searcher], _: Snapshot) -> Searcher:
        return Worst(searchers[-1])


@pytest.fixture(scope="module")
def index() -> Index:
    return sixty()


def test_a_combination_is_a_value():
    one = Turned.of(BM25(), times=3)
    assert one == Turned((BM25(),), times=3) == Turned([BM25()], times=3.0)
    assert hash(one) == hash(Turned.of(BM25(), times=3))
    assert one != Turned.of(BM25())
    assert one.rankers == (BM25(),)
    assert one.made_of([QL()]) == Turned.of(QL(), times=3)
    assert str(one % 5 + 2 * Turned.of(QL())) == "turned[times=3](bm25) % 5 + 2*turned(ql)"
    assert [str(part) for part in inside(one + QL())] == ["turned[times=3](bm25) + ql", str(one), "bm25", "ql"]
    assert list(models_in(Turned.of(ranker("bm25-desm"), one % 3))) == [
        *models_in(ranker("bm25-desm")),
        BM25(),
    ]
    assert (one.signs, Turned.of(one % 3, one).signs) == (1, 5)
    assert not one.limited
    assert Turned.of(BM25() % 3).limited
    assert not Turned.of(BM25() % 3, QL()).limited


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Turned, r"turned is made of one ranker or two, such as turned\(bm25\), got 0"),
        (lambda: Turned.of(BM25(), QL(), QL()), "turned is made of one ranker or two, .* got 3"),
        (lambda: Turned(BM25()), r"rankers are combined by `of`: write Turned.of\(BM25\(\)\)"),
        (lambda: aboutness.RRF(BM25(), QL()), r"write RRF.of\(BM25\(\), QL\(\)\)"),
        (lambda: Turned.of("bm25"), r"must be a ranker such as BM25\(\), got 'bm25'"),
        (lambda: Turned.of(BM25(), times=0), "turned: times must be a whole number from 1 to 9, got 0"),
    ],
)
def test_what_cannot_be_combined(make, message):
    with pytest.raises(UsageError, match=message):
        make()


def test_what_is_registered():
    assert {"minmax", "zscore", "softmax", "rank", "rrf", "combsum", "combmnz"} <= set(COMBINATIONS)
    everything = known_rankers(combinations=True)
    assert list(everything) == sorted([*MODELS, *PIPELINES, *COMBINATIONS])
    assert list(known_rankers()) == sorted([*MODELS, *PIPELINES])
    assert everything.kind == "ranker"
    for name, kind in COMBINATIONS.items():
        assert kind.name == name
        assert kind.summary
        assert kind.source
        example = ranker(f"{name}({', '.join(['bm25', 'ql'][: kind.least])})")
        assert type(example) is kind
        assert ranker(str(example)) == example


def test_the_deepest_combinations_can_be_used(index):
    question = Question("aa bb")
    for text in ("minmax(" * 100 + "bm25" + ")" * 100, "rrf(ql, " * 50 + "ql" + ")" * 50):
        bound = bind(ranker(text), index.snapshot)
        (found,) = bound.top_many([question], 3)
        why = explain(bound, question, int(found.documents[0]))
        assert why.score == found.scores[0]
        assert why.total == pytest.approx(why.score)


@pytest.mark.parametrize("text", ["{} + 2*ql", "minmax({})", "rrf({}, ql % 9)", "({}) % 3 + ql", "bm25 % 9 >> {}"])
def test_any_searcher_takes_part(index, text):
    """What is only known by what it finds counts as its floor where it does not find a document."""
    expression, question = ranker(text.format("rank(bm25[fields=text])")), Question("aa ff")
    turned = Turned.of(ranker("bm25[fields=text]"))

    def put(one: Any) -> Any:
        return (
            turned if str(one) == "rank(bm25[fields=text])" else one.made_of([put(part) for part in one.rankers])
        )

    bound = bind(put(expression), index.snapshot)
    found = dict(pairs(bound.top_many([Question("bb"), question], 100)[1]))
    own = dict(pairs(bind(turned, index.snapshot).top_many([question], 100)[0]))
    assert found
    for number, score in found.items():
        why = explain(bound, question, number)
        assert why.score == score
        assert why.total == pytest.approx(score) or not why.parts
    if text == "{} + 2*ql":
        ql = bind(QL(), index.snapshot)
        assert found == {
            number: float(np.float32(own.get(number, -50.0) + 2 * ql.explain(question, number).score))
            for number in found
        }
        assert set(found) - set(own)
