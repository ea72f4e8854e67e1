from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from aboutness.core.algebra import Cut, Ranker, Rerank
from aboutness.core.errors import UsageError


@dataclass(frozen=True)
class Named(Ranker):
    name: str

    def __str__(self) -> str:
        return self.name


a, b, c = Named("a"), Named("b"), Named("c")


@pytest.mark.parametrize(
    ("ranker", "text"),
    [
        (a % 100, "a % 100"),
        (a % 100 % 10, "a % 100 % 10"),
        (a % 100 >> b, "a % 100 >> b"),
        (a % 100 >> b % 10, "a % 100 >> b % 10"),
        ((a % 100 >> b) % 10, "(a % 100 >> b) % 10"),
        ((a % 100 >> b) % 10 % 5, "(a % 100 >> b) % 10 % 5"),
        (a % 100 >> b >> c, "a % 100 >> b >> c"),
        (a % 100 >> (b % 10 >> c), "a % 100 >> (b % 10 >> c)"),
        ((a % 100 >> b) % 10 >> c, "(a % 100 >> b) % 10 >> c"),
        (a % 100 >> (b % 50 >> c) % 10, "a % 100 >> (b % 50 >> c) % 10"),
    ],
)
def test_the_text_of_an_expression(ranker, text):
    assert str(ranker) == text


def test_cutting_binds_tighter_than_ranking_anew():
    assert a % 100 >> b % 10 == Rerank(Cut(a, 100), Cut(b, 10))
    assert a % 100 >> b >> c == Rerank(Rerank(Cut(a, 100), b), c)
    assert a % 100 % 10 == Cut(Cut(a, 100), 10)


def test_expressions_are_values():
    assert a % 10 == Named("a") % 10
    assert a % 10 != a % 11
    assert a % 10 != b % 10
    assert len({a % 10 >> b, Named("a") % 10 >> b, a % 10 >> c}) == 2


@pytest.mark.parametrize("depth", [0, -1, 1.0, 2.5, "10", None, True, np.float64(3)])
def test_a_depth_is_a_whole_number_of_at_least_1(depth):
    with pytest.raises(UsageError) as caught:
        a % depth
    assert str(caught.value) == f"a ranking must be cut to a whole number of at least 1, got {depth!r}"


@pytest.mark.parametrize("second", [b, b % 3, b % 3 >> c])
def test_what_is_ranked_anew_must_have_been_cut(second):
    with pytest.raises(UsageError) as caught:
        a >> second
    assert str(caught.value) == f"say how many documents are ranked anew, such as 'a % 100 >> {second}'"


@pytest.mark.parametrize("other", ["b", 3, None])
def test_only_rankers_rank(other):
    with pytest.raises(UsageError, match="must be a ranker such as"):
        a % 10 >> other
