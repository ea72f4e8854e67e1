"""Fisher's test against counting: all ways of swapping one by one, or how often each sum of whole numbers comes."""

from __future__ import annotations

import itertools
import json
import math
import time
import tracemalloc
from collections import Counter
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from aboutness.core.errors import UsageError
from aboutness.evaluate import significance
from aboutness.evaluate.evaluation import evaluate
from aboutness.evaluate.significance import (
    MOST_EXACT,
    PERMUTATIONS,
    TESTS,
    Randomisation,
    compare_evaluations,
    fisher,
)

GRAIN = 7  # values are sevenths, which floats round

sevenths = st.integers(0, GRAIN)
paired_sevenths = st.lists(st.tuples(sevenths, sevenths), min_size=1, max_size=9)
values = st.integers(0, 1000).map(lambda whole: whole / 1000)
pairs = st.lists(st.tuples(values, values), min_size=1, max_size=60)


@pytest.fixture
def always_sampled(monkeypatch):
    monkeypatch.setattr(significance, "MOST_EXACT", 0)


def floats(wholes):
    return [whole / GRAIN for whole in wholes]


def by_trying_all(differences):
    """Return p for whole numbers: the share of all signs that give a sum as far from 0."""
    seen = abs(sum(differences))
    signs = itertools.product((-1, 1), repeat=len(differences))
    far = sum(abs(sum(s * d for s, d in zip(some, differences, strict=True))) >= seen for some in signs)
    return far / 2 ** len(differences)


def by_counting(differences):
    """Return the same for many, by how many signs give each sum."""
    ways = Counter({0: 1})
    for one in differences:
        more = Counter()
        for total, count in ways.items():
            more[total + one] += count
            more[total - one] += count
        ways = more
    seen = abs(sum(differences))
    return sum(count for total, count in ways.items() if abs(total) >= seen) / 2 ** len(differences)


def drawn(n, seed, shift=0.0):
    chance = np.random.default_rng(seed)
    a = chance.integers(0, 100, n)
    return a, np.clip(a + chance.normal(shift, 12, n).round().astype(int), 0, 100)


# --- exact ---------------------------------------------------------------------------------------------


@given(paired_sevenths)
def test_all_ways_of_swapping_one_by_one(wholes):
    a, b = zip(*wholes, strict=True)
    found = fisher(floats(a), floats(b))
    assert found.p_value == by_trying_all([x - y for x, y in wholes])
    assert found.difference == pytest.approx(sum(x - y for x, y in wholes) / GRAIN / len(wholes), abs=1e-15)
    assert (found.n, found.exact) == (len(wholes), True)
    assert found.permutations == 2 ** sum(x != y for x, y in wholes)


@pytest.mark.parametrize("n", [2, 3, 13, 20, 21, 31, MOST_EXACT])
def test_many_queries_are_exact_too(n):
    for shift in (0.0, 3.0, 9.0):
        a, b = drawn(n, n, shift)
        found = fisher(a / 100, b / 100)
        assert found.exact
        assert found.p_value == by_counting((a - b).tolist())


def test_only_queries_that_differ_count_for_what_can_be_tried():
    a, b = np.arange(1, MOST_EXACT + 1) / 64, np.zeros(MOST_EXACT)
    assert fisher(a, b) == Randomisation(a.mean(), 2 / 2**MOST_EXACT, MOST_EXACT, 2**MOST_EXACT, exact=True)
    alike = np.full(500, 0.3)
    more = fisher([*a, *alike], [*b, *alike])
    assert (more.p_value, more.permutations, more.exact) == (2 / 2**MOST_EXACT, 2**MOST_EXACT, True)
    assert (more.n, more.difference) == (MOST_EXACT + 500, pytest.approx(a.sum() / (MOST_EXACT + 500)))
    assert not fisher([*a, 1], [*b, 0]).exact


@pytest.mark.parametrize("n", [1, 5, 41, 300])
def test_no_difference_at_all(n):
    value = np.linspace(0, 1, n)
    assert fisher(value, value) == Randomisation(0.0, 1.0, n, 1, exact=True)


def test_a_difference_that_is_rounding_is_none():
    assert fisher([0.3] * 6, [0.1 + 0.2] * 6).p_value == 1
    assert fisher([0.3] * 60, [0.1 + 0.2] * 60).p_value == 1
    assert fisher([0.3] * 6, [0.3 - 1e-9] * 6).p_value == 2 / 2**6


def test_sums_that_are_the_same_but_for_rounding_are_as_extreme():
    assert 0.1 + 0.1 + 0.1 > 0.3
    assert fisher([0.1, 0.1, 0.1, 0.3], [0, 0, 0, 0]).p_value == 2 / 16
    assert fisher([0.1, 0.1, 0.1, 0], [0, 0, 0, 0.3]).p_value == 1
    found = fisher([1.1, 1.2, 1.3, 0.6], [1, 1, 1, 0.9])  # +1 +2 +3 -3: as +3 as any other sum of 3
    assert found.p_value == by_trying_all([1, 2, 3, -3])


# --- sampled -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 2.0, 5.0, 9.0])
def test_samples_come_near_all(always_sampled, shift):
    for n in (9, 16, 38):
        a, b = drawn(n, n + 1, shift)
        found, p = fisher(a / 100, b / 100), by_counting((a - b).tolist())
        assert (found.exact, found.permutations) == (False, PERMUTATIONS)
        assert abs(found.p_value - p) < 4 * math.sqrt(p * (1 - p) / PERMUTATIONS) + 1 / PERMUTATIONS


@pytest.mark.parametrize(("n", "shift"), [(45, 0.5), (60, 1.0), (300, 1.0), (300, 0.0)])
def test_samples_of_many_queries_come_near_all(n, shift):
    a, b = drawn(n, 3 * n, shift)
    p = by_counting((a - b).tolist())
    for seed in (1, 2, 3):
        found = fisher(a / 100, b / 100, seed=seed)
        assert not found.exact
        assert abs(found.p_value - p) < 4 * math.sqrt(p * (1 - p) / PERMUTATIONS) + 1 / PERMUTATIONS


def test_the_observed_values_count_as_one_permutation():
    a, b = np.linspace(0.5, 1, 90), np.zeros(90)
    assert fisher(a, b).p_value == 1 / (1 + PERMUTATIONS)
    assert fisher(a, b, permutations=1).p_value == 1 / 2
    assert fisher(a, b, permutations=99) == Randomisation(a.mean(), 1 / 100, 90, 99, exact=False)


@pytest.mark.parametrize("permutations", [1, 7, 1000, significance.AT_ONCE, significance.AT_ONCE + 1, 200_001])
def test_so_many_are_sampled(permutations):
    a, b = drawn(50, 9)
    found = fisher(a / 100, b / 100, permutations=permutations)
    count = found.p_value * (1 + permutations) - 1
    assert found.permutations == permutations
    assert count == pytest.approx(round(count), abs=1e-6)
    p = by_counting((a - b).tolist())
    assert abs(count / permutations - p) < 4 * math.sqrt(p * (1 - p) / permutations) + 1 / permutations


def test_the_seed_decides():
    a, b = (one / 100 for one in drawn(80, 5, 1.0))
    assert fisher(a, b) == fisher(a, b, seed=1) == fisher(a, b, seed=np.int64(1))
    assert len({fisher(a, b, seed=seed).p_value for seed in range(5)}) > 1


def test_p_is_as_small_by_chance_as_it_says():
    chance = np.random.default_rng(8)
    for n in (12, 60):
        found = [fisher(chance.random(n), chance.random(n), permutations=999).p_value for _ in range(600)]
        for level in (0.05, 0.2, 0.5):
            assert abs(np.mean(np.array(found) <= level) - level) < 4 * math.sqrt(level * (1 - level) / 600)


# --- what changes nothing ------------------------------------------------------------------------------


@settings(max_examples=60)
@given(pairs, st.randoms(use_true_random=False), st.sampled_from([0.25, 3, 1e-6, 1e6]))
def test_order_sides_and_scale_change_no_p(both, random, scale):
    a, b = map(list, zip(*both, strict=True))
    found = fisher(a, b, permutations=500)
    assert 0 < found.p_value <= 1
    other = fisher(b, a, permutations=500)
    assert (other.p_value, other.difference) == (found.p_value, -found.difference)
    assert (other.exact, other.permutations, other.n) == (found.exact, found.permutations, found.n)
    shuffled = random.sample(both, len(both))
    assert fisher(*zip(*shuffled, strict=True), permutations=500) == found
    scaled = fisher([scale * x for x in a], [scale * x for x in b], permutations=500)
    assert scaled.p_value == found.p_value
    assert scaled.difference == pytest.approx(scale * found.difference, abs=1e-12 * scale)
    alike = fisher([*a, 0.7], [*b, 0.7], permutations=500)
    assert (alike.p_value, alike.n) == (found.p_value, found.n + 1)


@pytest.mark.parametrize("n", [MOST_EXACT, 60, 1000])
def test_neither_order_nor_scale_changes_a_sample(n):
    a, b = drawn(n, n, 1.0)
    wanted = fisher(a, b)  # whole numbers: nothing is rounded
    other = np.random.default_rng(1).permutation(n)
    for scale in (0.1, 1 / 3, 1e-9):
        assert fisher(scale * a, scale * b).p_value == wanted.p_value
        assert fisher(scale * a[other], scale * b[other]) == fisher(scale * a, scale * b)


def test_swapping_the_values_of_one_query_changes_only_what_is_seen():
    a, b = [3 / 7, 1 / 7, 5 / 7], [1 / 7, 0, 0]
    swapped = fisher([1 / 7, *a[1:]], [3 / 7, *b[1:]])
    assert swapped.p_value == by_trying_all([-2, 1, 5])
    assert fisher(a, b).p_value == by_trying_all([2, 1, 5])


@settings(max_examples=15)
@given(st.integers(2, 10), st.integers(0, 10**6))
def test_as_scipy_finds_it(n, seed):
    a, b = (one / 100 for one in drawn(n, seed, 3.0))

    def mean(x, y, axis=0):
        return np.mean(x - y, axis=axis)

    wanted = stats.permutation_test((a, b), mean, permutation_type="samples", n_resamples=np.inf, vectorized=True)
    found = fisher(a, b)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-12)
    assert found.difference == pytest.approx(wanted.statistic, abs=1e-12)


def test_as_scipy_samples_it():
    a, b = (one / 100 for one in drawn(100, 4, 2.0))
    wanted = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=20_000,
        rng=np.random.default_rng(1), vectorized=True,
    )  # fmt: skip
    assert fisher(a, b).p_value == pytest.approx(wanted.pvalue, abs=0.01)


# --- what is given -------------------------------------------------------------------------------------


def test_values_by_query_or_in_one_order():
    a, b = {"q1": 0.5, "q2": 0.25, "q3": 1.0}, {"q3": 0.0, "q1": 0.25, "q2": 0.0}
    wanted = fisher([0.5, 0.25, 1.0], [0.25, 0.0, 0.0])
    assert wanted.p_value == 2 / 8
    assert fisher(a, b) == wanted
    assert fisher(tuple(a.values()), np.array([0.25, 0.0, 0.0])) == wanted
    assert fisher([1, 0, 1], [0, 0, 0]) == fisher([True, False, True], [0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ({"q1": 1}, {"q2": 1}, "the same queries, but only one has some for 1 of them, such as 'q1'"),
        ({"q1": 1}, {"q1": 1, "q2": 1, "q3": 0}, "only one has some for 2 of them, such as 'q2'"),
        ({"q1": 1}, [1], "both rankers' values by query, or both as lists"),
        ([1], {"q1": 1}, "both rankers' values by query, or both as lists"),
        ([1, 2], [1], "a value for each query, got 2 and 1"),
        ([], [], "at least one query"),
        ({}, {}, "at least one query"),
        ([1, math.nan], [1, 1], r"one number for each query, got \[1, nan\]"),
        ([1, 1], [1, math.inf], "one number for each query"),
        ([1, 1], [1, -1e200], "one number for each query"),
        ({"q1": {"AP": 1.0}}, {"q1": {"AP": 1.0}}, r"one number for each query, got \[\{'AP': 1.0\}\]"),
        (["x"], [1], r"one number for each query, got \['x'\]"),
        ([[1, 2]], [[1, 2]], "one number for each query"),
        (1.0, 2.0, "one number for each query, got 1.0"),
    ],
)
def test_what_are_no_pairs(a, b, told):
    with pytest.raises(UsageError, match=told):
        fisher(a, b)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"permutations": 0}, "permutations must be a whole number from 1"),
        ({"permutations": 2.5}, "permutations must be a whole number from 1"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": None}, "seed must be a whole number from 0"),
    ],
)
def test_options_out_of_range(named, told):
    with pytest.raises(UsageError, match=told):
        fisher([1.0], [0.0], **named)


# --- what is told --------------------------------------------------------------------------------------


def test_in_words():
    assert str(fisher([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.0, 0.5])) == (
        "+0.3750, p = 0.25 (Fisher's randomisation test, 4 queries, all 8 permutations)"
    )
    assert str(fisher(np.zeros(2500), np.ones(2500))) == (
        "-1.0000, p = 1e-05 (Fisher's randomisation test, 2,500 queries, 100,000 permutations)"
    )


def test_a_result_is_plain_and_stays_as_it_is():
    for found in (fisher([0.5, 1.0], [0.0, 0.0]), fisher(*(one / 100 for one in drawn(60, 1)))):
        plain = found.to_json()
        assert list(plain) == ["difference", "p_value", "n", "permutations", "exact"]
        assert Randomisation(**json.loads(json.dumps(plain))) == found
        assert [type(value) for value in plain.values()] == [float, float, int, int, bool]
        with pytest.raises(FrozenInstanceError):
            found.p_value = 0.0


def test_rankers_are_tested_by_each_measure():
    qrels = {f"q{n}": {"a": 1, "b": 1} for n in range(6)}
    good = evaluate(qrels, {query: [("a", 2.0), ("b", 1.0)] for query in qrels}, "AP,P@1,RR")
    bad = evaluate(qrels, {query: [("c", 2.0), ("a", 1.0)] for query in list(qrels)[1:]}, "RR,AP")
    found = compare_evaluations(good, bad)
    assert list(found) == ["AP", "RR"]
    assert found["AP"] == fisher([1.0] * 6, [0.0, *[0.25] * 5])
    assert found["RR"] == fisher([1.0] * 6, [0.0, *[0.5] * 5])
    assert compare_evaluations(bad, good)["RR"].difference == -found["RR"].difference
    assert TESTS["fisher"] is fisher
    with pytest.raises(UsageError, match="unknown test 'ficher'; did you mean 'fisher'"):
        compare_evaluations(good, bad, "ficher")
    with pytest.raises(UsageError, match="only one has some for 1 of them, such as 'q0'"):
        compare_evaluations(good, evaluate({query: qrels[query] for query in list(qrels)[1:]}, {}, "AP"))


# --- cost ----------------------------------------------------------------------------------------------


def test_a_hundred_thousand_permutations_are_quick():
    a, b = (one / 100 for one in drawn(300, 2))
    fisher(a, b, permutations=1)
    start = time.process_time()
    fisher(a, b)
    assert time.process_time() - start < 0.3


def test_memory_is_bounded():
    a, b = (one / 100 for one in drawn(300, 2))
    tracemalloc.start()
    try:
        fisher(a, b, permutations=500_000)
        sampled = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        fisher(a[:MOST_EXACT], b[:MOST_EXACT])
        exact = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sampled < 5e6
    assert exact < 60e6
