"""Scores on a scale: what is found, what is not, and the cases in which there is little to normalise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.models.bm25 import BM25
from aboutness.models.question import Question
from aboutness.models.ranking import LARGEST
from aboutness.rank.bound import bind, explain
from aboutness.rank.fusion import CombSUM
from aboutness.rank.grammar import ranker
from aboutness.rank.normalised import (
    MinMax,
    OfBest,
    Rank,
    Softmax,
    ZScore,
    by_rank,
    minmax,
    of_best,
    ranks,
    softmax,
    zscore,
)
from rank.by_hand import expressions, pairs, questions, sixty

NAMES = ["minmax", "best", "zscore", "softmax", "rank"]
COUNTS_UNFOUND = {"minmax": 0.0, "best": 0.0, "softmax": 0.0, "rank": 0.0}  # z-score: the lowest found


@pytest.fixture(scope="module")
def index() -> Index:
    return sixty()


def found(index: Index, text: str, query: str, **how: object) -> dict[int, float]:
    return dict(pairs(bind(ranker(text), index.snapshot).top_many([Question(query)], 1000, **how)[0]))


# --- scales -----------------------------------------------------------------------------------------------------


def test_scales():
    scores = np.array([3.0, 1.0, 2.0, 3.0])
    assert minmax(scores).tolist() == [1, 0, 0.5, 1]
    assert of_best(scores - 0.5).tolist() == pytest.approx([1, 0.2, 0.6, 1])
    assert of_best(scores - 4).tolist() == of_best(scores - 1).tolist() == minmax(scores).tolist()
    assert of_best(np.zeros(2)).tolist() == of_best(np.full(2, -3.0)).tolist() == [1, 1]
    assert zscore(scores).tolist() == pytest.approx([0.9045, -1.5076, -0.3015, 0.9045], abs=1e-4)
    assert ranks(scores).tolist() == [1, 4, 3, 2]
    assert by_rank(scores).tolist() == [1, 0.25, 0.5, 0.75]
    shares = [math.exp(score / 2) for score in (3, 1, 2, 3)]
    assert softmax(scores, 2.0).tolist() == pytest.approx([share / sum(shares) for share in shares])


floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(floats | st.sampled_from([0.0, -0.0, 1.0, -LARGEST, LARGEST]), min_size=1))
def test_any_scores(scores):
    array = np.array(scores, np.float64)
    by_hand = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    assert ranks(array).tolist() == [1.0 + by_hand.index(place) for place in range(len(scores))]
    assert sorted(by_rank(array)) == pytest.approx([(n + 1) / len(scores) for n in range(len(scores))])
    between, deviations, shares, of_first = minmax(array), zscore(array), softmax(array), of_best(array)
    assert between.max() == 1
    assert between.min() == (0 if array.min() < array.max() else 1)
    assert abs(deviations.mean()) < 1e-7 * max(1, np.abs(deviations).max())
    assert np.isclose(deviations.std(), float(array.min() < array.max()))
    assert np.isclose(shares.sum(), 1)
    assert of_first.max() == 1
    assert of_first.min() >= 0
    for made in (between, deviations, shares, of_first):
        assert np.isfinite(made).all()
        assert (np.diff(made[np.argsort(array, kind="stable")]) >= 0).all()


def test_many_ranks_are_those_of_a_stable_sort():
    scores = np.random.default_rng(5).integers(-300, 300, 5000).astype(np.float64) / 7
    scores = scores.astype(np.float32).astype(np.float64)
    expected = np.empty(5000)
    expected[np.argsort(-scores, kind="stable")] = np.arange(1, 5001)
    assert (ranks(scores) == expected).all()


# --- bound ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_order_stays_and_a_ranker_with_no_known_word_finds_nothing(index, name):
    plain = found(index, "bm25", "aa cc")
    assert list(found(index, f"{name}(bm25)", "aa cc")) == list(plain)
    for match in ("or", "and", "all"):
        assert found(index, f"{name}(bm25)", "unknown", match=match) == {}
    bound = bind(ranker(f"{name}(wcs)"), index.snapshot)
    assert not bound.knows(Question("gg"))
    assert bound.scores(Question("gg"), np.arange(3)).tolist() == [0, 0, 0]
    assert bound.floor(Question("gg")) == 0
    assert found(index, f"ql + {name}(wcs)", "gg") == found(index, "ql", "gg")
    assert explain(bound, Question("gg"), 3).parts == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_document_that_is_not_found_counts(index, name):
    """0, but with z-scores as the lowest that is found; so in a mixture, in `scores` and as the floor."""
    for inner, query in (("bm25", "dd"), ("bm25 % 3", "aa"), ("ql % 3", "aa"), ("ql % 9 >> bm25", "aa bb")):
        text, question = f"{name}({inner})", Question(query)
        alone, bound = found(index, text, query), bind(ranker(text), index.snapshot)
        counts = COUNTS_UNFOUND.get(name, min(alone.values()))
        assert (counts < 0) == (name == "zscore")
        assert bound.floor(question) == counts
        numbers = index.snapshot.live_numbers()
        assert bound.scores(question, numbers).tolist() == [
            alone.get(number, counts) for number in numbers.tolist()
        ]
        every = found(index, f"{text} + 0*bm25", query, match="or")
        assert every == {number: alone.get(number, counts) for number in every}
        wider = found(index, f"{text} % 2 + 0*tfidf", query)
        first = dict(list(alone.items())[:2])
        assert wider == {number: first.get(number, counts) for number in wider}
        assert len(wider) > 2


@pytest.mark.parametrize(
    ("name", "alone"), [("minmax", 1), ("best", 1), ("zscore", 0), ("softmax", 1), ("rank", 1)]
)
def test_one_document(index, name, alone):
    assert list(found(index, f"{name}(bm25 % 1)", "aa").values()) == [alone]
    number = index.snapshot.number("d1")
    assert found(index, f"{name}(ql)", "aa", match="all", allowed=np.array([number])) == {number: alone}
    why = explain(bind(ranker(f"{name}(bm25 % 1)"), index.snapshot), Question("aa"), 5)
    assert why.total == why.score


@pytest.mark.parametrize("name", NAMES)
def test_equal_scores(index, name):
    """All are the best with min-max, none stands out by z-score; ranks are by arrival."""
    numbers = sorted(found(index, "bm25", "aa"))
    n = len(numbers)
    values = {
        "minmax": [1.0] * n,
        "best": [1.0] * n,
        "zscore": [0.0] * n,
        "softmax": [1 / n] * n,
        "rank": [(n - rank) / n for rank in range(n)],
    }[name]
    assert list(found(index, f"{name}(0*bm25)", "aa").items()) == [
        (number, float(np.float32(value))) for number, value in zip(numbers, values, strict=True)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_found(index, name):
    nobody = np.zeros(0, np.int64)
    assert found(index, f"{name}(bm25)", "aa", allowed=nobody) == {}
    assert found(index, f"{name}(bm25)", "aa ff bb cc dd ee", match="and") == {}
    bound = bind(ranker(f"{name}(bm25)"), index.snapshot)
    why = explain(bound, Question("aa"), 5, "or", nobody)
    assert (why.score, [(part.name, part.value) for part in why.parts]) == (
        0,
        [("not among the documents that it finds", 0)],
    )
    empty = bind(ranker(f"{name}(bm25)"), Index.build([]).snapshot)
    assert [len(ranking) for ranking in empty.top_many([Question("aa"), Question("")], 5)] == [0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_huge_scores(index, name):
    huge = "1e9*(1e9*(1e9*(1e9*ql + ql) + ql) + ql)"
    assert max(found(index, huge, "aa").values()) < -1e36
    made = found(index, f"{name}({huge})", "aa")
    assert all(map(math.isfinite, made.values()))
    assert len(set(made.values())) > 1


@settings(max_examples=60)
@given(expressions(2, forms=["normalised", "fused"]), questions, st.sampled_from([0.3, 2]))
def test_scores_are_those_of_a_search_among_all(index, expression, text, weight):
    assume(not (isinstance(expression, CombSUM) and expression.norm == "none"))  # a mixture of raw scores
    question, numbers = Question(text), index.snapshot.live_numbers()
    for one in (expression, weight * expression):
        bound = bind(one, index.snapshot)
        ranking = dict(pairs(bound.top_many([question], 1000)[0]))
        scores = dict(zip(numbers.tolist(), bound.scores(question, numbers).tolist(), strict=True))
        assert {number: scores[number] for number in ranking} == ranking
        assert {scores[number] for number in scores.keys() - ranking} <= {bound.floor(question)}


def test_behind_another_ranker_what_it_found_is_normalised(index):
    for first in ("bm25 % 6", "minmax(bm25) % 6", "(minmax(bm25) + zscore(tfidf)) % 6"):
        ranked = found(index, f"{first} >> ql", "aa bb")
        low, high = min(ranked.values()), max(ranked.values())
        assert len(ranked) == 6
        assert found(index, f"{first} >> minmax(ql)", "aa bb") == {
            number: float(np.float32((score - low) / (high - low))) for number, score in ranked.items()
        }


def test_what_is_filtered_out_is_not_normalised_over(index):
    allowed = index.snapshot.where("even=true")
    some = found(index, "ql", "aa", allowed=allowed)
    made = found(index, "minmax(ql)", "aa", allowed=allowed)
    assert list(made) == list(some)
    assert (max(made.values()), min(made.values())) == (1, 0)
    assert made != {number: found(index, "minmax(ql)", "aa")[number] for number in made}


@pytest.mark.parametrize("inner", ["zscore(ql)", "bm25 % 6 >> zscore(ql)", "zscore(ql) % 9", "2*zscore(ql)"])
def test_what_a_cut_leaves_out_counts_as_the_lowest_of_the_same_search(index, inner):
    for how in ({"allowed": index.snapshot.where("even=true")}, {"match": "and"}, {"match": "all"}):
        whole = found(index, inner, "aa bb", **how)
        first, lowest = dict(list(whole.items())[:3]), min(whole.values())
        if inner == "zscore(ql) % 9":
            lowest = min(found(index, "zscore(ql)", "aa bb", **how).values())
        assert lowest != bind(ranker(inner), index.snapshot).floor(Question("aa bb"))
        mixed = found(index, f"({inner}) % 3 + 0*bm25", "aa bb", **how)
        assert len(mixed) > 3
        assert mixed == {number: first.get(number, lowest) for number in mixed}


def test_a_higher_temperature_makes_shares_alike(index):
    spread = []
    for temperature in (0.01, 0.5, 1, 5, 1e9):
        shares = found(index, f"softmax[temperature={temperature}](bm25)", "aa dd").values()
        assert math.isclose(sum(shares), 1, rel_tol=1e-5)
        spread.append(max(shares) - min(shares))
    assert spread == sorted(spread, reverse=True)
    assert spread[0] > 0.9
    assert spread[-1] < 1e-6


# --- explanations -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["minmax", "best", "zscore"])
@pytest.mark.parametrize("inner", ["bm25", "ql", "bm25 + .5*ql", "wcs", "zscore(ql)"])
def test_parts_are_scaled_and_shifted(index, name, inner):
    question = Question("aa bb")
    raw, made = found(index, inner, "aa bb"), found(index, f"{name}({inner})", "aa bb")
    bound, own = (bind(ranker(text), index.snapshot) for text in (f"{name}({inner})", inner))
    (first, second), (low, high) = list(made)[:2], (min(raw.values()), max(raw.values()))
    low = min(low, 0) if name == "best" else low
    scale = 1 / np.std(list(raw.values())) if name == "zscore" else 1 / (high - low)
    for number in (first, second):
        why, before = explain(bound, question, number), explain(own, question, number)
        parts, shifts = ([one for one in why.parts if (one.name == "shift") == which] for which in (False, True))
        words = [part for part in before.parts if part.name != "shift"]
        assert [(part.name, part.by) for part in parts] == [(part.name, part.by) for part in words]
        assert [part.value for part in parts] == pytest.approx([scale * part.value for part in words], rel=1e-4)
        middle = np.mean(list(raw.values())) if name == "zscore" else low
        first_shift = sum(part.value for part in before.parts if part.name == "shift")
        expected = scale * (first_shift - middle)
        assert [(one.value, one.by) for one in shifts] == (
            [(pytest.approx(expected, rel=1e-3, abs=1e-4), "")] if expected else []
        )
        assert why.total == pytest.approx(why.score, rel=1e-5)
        assert why.formula == f"{name}({ranker(inner)!s})"


@pytest.mark.parametrize(("name", "shown"), [("softmax", "softmax"), ("rank", "(n - rank + 1)/n")])
def test_one_part_with_rank_and_score(index, name, shown):
    raw, made = found(index, "bm25", "aa bb"), found(index, f"{name}(bm25)", "aa bb")
    bound = bind(ranker(f"{name}(bm25)"), index.snapshot)
    for rank, (number, score) in enumerate(raw.items(), 1):
        (part,) = explain(bound, Question("aa bb"), number).parts
        assert (part.name, part.value, part.by, part.word) == (shown, made[number], "", None)
        assert part.details == {"rank": rank, "score": score}


def test_shares_of_a_mixture_are_told_apart(index):
    bound = bind(ranker("minmax(bm25) + .3*minmax(ql)"), index.snapshot)
    values = [found(index, text, "aa bb") for text in ("minmax(bm25)", "minmax(ql)")]
    for number in list(values[0])[:5]:
        why = explain(bound, Question("aa bb"), number)
        shares = {by: sum(part.value for part in why.parts if part.by == by) for by in {p.by for p in why.parts}}
        assert shares == pytest.approx(
            {"minmax(bm25)": values[0][number], "minmax(ql)": 0.3 * values[1][number]}, abs=1e-6
        )


# --- records ----------------------------------------------------------------------------------------------------


def test_made_in_python_as_in_text():
    bm25 = BM25()
    assert MinMax.of(bm25) == ranker("minmax(bm25)")
    assert OfBest.of(bm25) == ranker("best(bm25)")
    assert ZScore.of(bm25 % 5) == ranker("zscore(bm25 % 5)")
    assert Softmax.of(bm25, temperature=2) == ranker("softmax[temperature=2](bm25)")
    assert Rank.of(MinMax.of(bm25)) == ranker("rank(minmax(bm25))")
    assert str(0.5 * Rank.of(bm25) + MinMax.of(bm25) % 3) == "0.5*rank(bm25) + minmax(bm25) % 3"
    for temperature in (0, -1, math.inf, "2", None):
        with pytest.raises(UsageError, match="softmax: temperature must be a number at least 1e-09"):
            Softmax.of(bm25, temperature=temperature)


@pytest.mark.parametrize("name", ["best", "minmax"])
def test_where_one_is_found_its_words_are_all_of_its_score(name):
    alone = Index.build([{"id": "a", "text": "aa bb"}, {"id": "b", "text": "cc"}], analyzer="plain")
    why = alone.search("aa bb", ranker=f"{name}(bm25)")[0].explain()
    assert [part.name for part in why.parts] == ["aa", "bb"]
    assert why.total == pytest.approx(1.0) == pytest.approx(why.score)
