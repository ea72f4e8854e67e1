from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.algebra import MOST_SIGNS, Cut, Ranker, Rerank, Scaled, Sum
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
        (a + b, "a + b"),
        (a + 30 * b, "a + 30*b"),
        (a * 0.5 + b, "0.5*a + b"),
        (1e-9 * a, "1e-09*a"),
        (1e9 * a, "1000000000*a"),
        (1 * a, "1*a"),
        (0 * a, "0*a"),
        (2 * (3 * a), "6*a"),
        (2 * a * 3, "6*a"),
        (2 * (a + b), "2*(a + b)"),
        (2 * (a + b) + c, "2*(a + b) + c"),
        ((a + b) + c, "a + b + c"),
        (a + (b + c), "a + b + c"),
        (a % 100 + b, "a % 100 + b"),
        (a + b % 100, "a + b % 100"),
        ((a + b) % 100, "(a + b) % 100"),
        (2 * a % 100, "2*a % 100"),
        (2 * (a % 100), "2*(a % 100)"),
        (a % 100 * 2 % 10 * 3, "3*(2*(a % 100) % 10)"),
        ((a + b) % 100 >> c, "(a + b) % 100 >> c"),
        (a % 100 >> b + 2 * c, "a % 100 >> b + 2*c"),
        (a % 100 + b % 50 >> c, "a % 100 + b % 50 >> c"),
        (a + (b % 10 >> c), "a + (b % 10 >> c)"),
        ((a % 10 >> b) + c, "(a % 10 >> b) + c"),
        (2 * (b % 10 >> c), "2*(b % 10 >> c)"),
    ],
)
def test_the_text_of_an_expression(ranker, text):
    assert str(ranker) == text


def test_cutting_binds_tighter_than_ranking_anew():
    assert a % 100 >> b % 10 == Rerank(Cut(a, 100), Cut(b, 10))
    assert a % 100 >> b >> c == Rerank(Rerank(Cut(a, 100), b), c)
    assert a % 100 % 10 == Cut(Cut(a, 100), 10)


def test_a_cut_applies_to_its_own_term():
    assert a + b % 10 == Sum((a, Cut(b, 10)))
    assert 2 * a % 10 == Cut(Scaled(2, a), 10)
    assert a % 10 * 2 == Scaled(2, Cut(a, 10))
    assert a % 9 >> b + c == Rerank(Cut(a, 9), Sum((b, c)))


def test_sums_are_flat_and_weights_of_weights_are_multiplied():
    assert (a + b) + (c + a) == Sum((a, b, c, a)) == Sum((Sum((a, b)), Sum((c, a))))
    assert Sum((a, b)) != Sum((b, a))
    assert 2 * (0.25 * a) == Scaled(2, Scaled(0.25, a)) == Scaled(0.5, a)
    assert Scaled(0.5, a).weight == 0.5
    assert Scaled(0.5, a).ranker is a
    assert 2 * (a + b) != 2 * a + 2 * b
    assert 1 * a != a


@st.composite
def expressions(draw: st.DrawFn, steps: int = 4) -> Ranker:
    """Rankers made with the operators."""
    form = draw(st.sampled_from(["name", "cut", "scaled", "sum", "rerank"])) if steps else "name"
    if form == "name":
        return draw(st.sampled_from([a, b, c]))
    one = draw(expressions(steps - 1))
    if form == "cut":
        return one % draw(st.integers(1, 10**20))
    if form == "scaled":
        weight = draw(st.sampled_from([0, 1, 2, 30]) | st.floats(0, 30))
        return weight * one if draw(st.booleans()) else one * weight
    other = draw(expressions(steps - 1))
    if form == "sum":
        return one + other
    return (one if one.limited else one % draw(st.integers(1, 9))) >> other


@given(expressions())
def test_the_text_means_in_python_what_it_says(expression):
    assert eval(str(expression), {"a": a, "b": b, "c": c}) == expression
    assert str(eval(str(expression), {"a": a, "b": b, "c": c})) == str(expression)
    assert hash(eval(str(expression), {"a": a, "b": b, "c": c})) == hash(expression)
    text = str(expression)
    assert expression.signs == sum(text.count(sign) for sign in ("+", "*", "%", ">>")) - text.count("e+")


def test_expressions_are_values():
    assert a + b == Named("a") + Named("b")
    assert len({a + 2 * b, Named("a") + 2.0 * b, a + b * np.float32(2), a + 3 * b}) == 2
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
    example = Rerank(a % 100, second)
    assert str(caught.value) == f"say how many documents are ranked anew, such as '{example}'"


@pytest.mark.parametrize(
    ("first", "example"),
    [
        (a + b, "(a + b) % 100 >> c"),
        (2 * a, "2*a % 100 >> c"),
        (a % 10 + b, "(a % 10 + b) % 100 >> c"),
        (2 * (a % 10 + b), "2*(a % 10 + b) % 100 >> c"),
    ],
)
def test_all_of_a_mixture_that_is_ranked_anew_must_have_been_cut(first, example):
    with pytest.raises(UsageError, match="say how many") as caught:
        first >> c
    assert f"such as '{example}'" in str(caught.value)
    assert (first % 100 >> c).first == first % 100


@pytest.mark.parametrize("first", [a % 3, 2 * (a % 3), a % 3 + b % 2, a % 3 + 2 * ((b % 9 >> c) + a % 1)])
def test_a_mixture_of_what_is_cut_can_be_ranked_anew(first):
    assert (first >> c) == Rerank(first, c)
    assert (first >> c).limited


@pytest.mark.parametrize("other", ["b", 3, None])
def test_only_rankers_rank(other):
    for make in (lambda: a % 10 >> other, lambda: a + other, lambda: Cut(other, 3), lambda: Scaled(2, other)):
        with pytest.raises(UsageError, match=f"must be a ranker such as BM25\\(\\), got {other!r}"):
            make()


@pytest.mark.parametrize(
    "weight", [-1, -1e-300, 1.1e9, float("inf"), float("nan"), True, False, "2", None, b, [2]]
)
def test_a_weight_is_a_number_of_at_least_0(weight):
    for make in (lambda: weight * a, lambda: a * weight, lambda: Scaled(weight, a)):
        with pytest.raises(UsageError) as caught:
            make()
    assert str(caught.value).startswith(
        "the weight of a ranker must be a number at least 0 and at most 1e+09, got "
    )


def test_weights_multiply_only_as_far_as_weights_may_go():
    with pytest.raises(UsageError, match=r"at most 1e\+09, got 10000000000\.0"):
        1e5 * (1e5 * a)


@pytest.mark.parametrize("number", [np.float64(3), np.float32(3), np.int64(3), np.uint8(3), 3, 3.0])
def test_numbers_of_all_kinds_are_weights(number):
    assert number * a == a * number == Scaled(3.0, a)
    assert type((number * a).weight) is float


def test_there_is_no_minus():
    with pytest.raises(UsageError, match="rankers have no minus: a mixture adds"):
        a - b


def test_a_mixture_has_at_least_two_rankers():
    for parts in ((), (a,)):
        with pytest.raises(UsageError, match="at least two rankers"):
            Sum(parts)


GROWING = {
    "sum": lambda one: one + a,
    "sum before": lambda one: a + one,
    "cut": lambda one: one % 5,
    "rerank": lambda one: (one if one.limited else one % 2) >> a,
    "rerank before": lambda one: a % 5 >> one,
    "nested": lambda one: 2 * (one + a),
    "doubled": lambda one: one + one,
    "doubled ranks": lambda one: one % 3 >> one,
}


@pytest.mark.parametrize("grow", GROWING.values(), ids=GROWING)
def test_an_expression_cannot_grow_without_end(grow):
    """It stays so small that it can be hashed, compared and shown."""
    one = a
    with pytest.raises(UsageError, match=f"a ranker may have at most {MOST_SIGNS} of "):
        for _ in range(10**6):
            one = grow(one)
    assert MOST_SIGNS / 2 < one.signs <= MOST_SIGNS
    assert hash(one) == hash(eval(str(one), {"a": a}))


def test_weights_of_weights_do_not_grow():
    one = a
    for _ in range(10_000):
        one = 1.0001 * one
    assert one.signs == 1


def test_sums_begin_anywhere_and_nothing_is_divided():
    assert str(sum([a, b, a])) == "a + b + a"
    with pytest.raises(UsageError, match=r"only rankers can be added to a ranker, got 'a'; `ab.ranker` reads one"):
        "a" + b
    with pytest.raises(UsageError, match=r"not divided: write a weight before one, such as .5\*bm25"):
        a / 2
