"""Distances of documents as word movers have them, and bounds that must never be above them."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels.movers import (
    capped,
    costs_of,
    distances,
    least_costs,
    least_less,
    priced,
    relaxed,
    shares_of,
)
from kernels.conftest import both, near
from kernels.test_transport import by_linear_programming, solved

SLACK = 1e-5


@dataclass
class Drawn:
    """A few documents over a few words, and a query."""

    vectors: np.ndarray
    ends: np.ndarray
    words: np.ndarray
    shares: np.ndarray
    documents: np.ndarray  # those that have words
    query: np.ndarray
    asked: np.ndarray

    @property
    def arrays(self):
        return self.ends, self.words, self.shares, self.documents

    def some(self, document):
        first = self.ends[document - 1] if document else 0
        return self.words[first : self.ends[document]], self.shares[first : self.ends[document]]


def drawn(seed, words=12, asked=4, dim=5, documents=7):
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(words, dim)).astype(np.float32)
    vectors[1] = vectors[0]
    sizes = np.minimum(chance.integers(0, 6, documents), words)
    sizes[chance.integers(documents)] = chance.integers(1, words + 1)
    chosen = [chance.permutation(words)[:size] for size in sizes]
    ends = np.cumsum(sizes)
    shares = np.zeros(ends[-1])
    shares_of(ends, chance.integers(1, 4, ends[-1]).astype(np.float64), shares)
    query = np.concatenate([vectors[:2], chance.normal(size=(asked, dim)).astype(np.float32)])[:asked]
    weights = chance.random(asked) + 0.1
    return Drawn(
        vectors, ends, np.concatenate(chosen), shares, np.flatnonzero(sizes), query, weights / weights.sum()
    )


cases = st.builds(drawn, st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 11))


def exact_costs(case, euclidean=True):
    apart = case.vectors[:, None].astype(np.float64) - case.query[None]
    return np.sqrt((apart**2).sum(axis=2)) if euclidean else (apart**2).sum(axis=2) / 2


def bounds_of(case):
    """What bounds are made of: costs that are a little too low, and the exact distances."""
    costs = exact_costs(case)
    places = np.arange(len(costs))
    found = np.zeros(len(case.documents))
    distances(*case.arrays, places, costs, case.asked, found)
    low = (costs * (1 - 1e-6)).astype(np.float32)
    return SimpleNamespace(near=low, places=places, exact=found, asked=case.asked.astype(np.float32))


def test_shares_sum_to_one():
    ends, counts = np.array([0, 3, 3, 4]), np.array([1.0, 2.0, 1.0, 0.7])
    _, (_, _, shares) = both(shares_of, ends, counts, np.zeros(4))
    assert shares.tolist() == [0.25, 0.5, 0.25, 1.0]


@settings(max_examples=25)
@given(cases, st.booleans())
def test_costs_are_distances_of_vectors(case, euclidean):
    words = np.arange(len(case.vectors))[::-1].copy()
    columns = np.ascontiguousarray(case.query.T, np.float64)
    out = np.full((len(words), len(case.query)), 7.0)
    _, (*_, costs) = both(costs_of, case.vectors, words, columns, euclidean, out)
    np.testing.assert_allclose(costs, exact_costs(case, euclidean)[words], rtol=1e-12, atol=0)
    assert costs[-1, 0] == 0  # word 0 is in the query


@settings(max_examples=40)
@given(cases)
def test_distances_are_those_of_transport(case):
    costs = exact_costs(case)
    places = np.random.default_rng(1).permutation(len(costs))
    rows = np.empty_like(costs)
    rows[places] = costs
    _, (*_, found) = both(distances, *case.arrays, places, rows, case.asked, np.zeros(len(case.documents)))
    for document, distance in zip(case.documents, found, strict=True):
        words, shares = case.some(document)
        expected = by_linear_programming(costs[words].T, case.asked, shares)
        assert distance == pytest.approx(expected, abs=1e-6)
        exact = solved(np.ascontiguousarray(costs[words].T), case.asked, shares)[0]
        assert distance == pytest.approx(exact, rel=1e-13, abs=1e-13)


@settings(max_examples=40)
@given(cases)
def test_what_is_rounding_alone_is_no_distance(case):
    document = int(case.documents[0])
    words, shares = case.some(document)
    order = np.random.default_rng(2).permutation(len(words))
    costs = np.linalg.norm(case.vectors[:, None] - case.vectors[words][order][None], axis=2).astype(np.float64)
    noisy = shares[order] * (1 + 1e-15)
    one = np.array([document])
    out = np.ones(1)
    distances(case.ends, case.words, case.shares, one, np.arange(len(costs)), costs, noisy, out)
    assert out[0] == 0


@settings(max_examples=25)
@given(cases, st.booleans())
def test_least_costs_are_never_above_the_costs(case, euclidean):
    vectors, query = case.vectors * np.float32(30), case.query * np.float32(30)
    products = vectors @ query.T
    squares, asked = ((rows.astype(np.float64) ** 2).sum(axis=1).astype(np.float32) for rows in (vectors, query))
    error = np.float32((5 + 8) * 2.0**-24)
    _, (low, *_) = near(
        least_costs, products, squares, asked, np.sqrt(squares), np.sqrt(asked), error, euclidean, within=1e-2
    )
    case = Drawn(**{**vars(case), "vectors": vectors, "query": query})
    costs = exact_costs(case, euclidean)
    assert (low <= costs * (1 + 1e-6)).all()
    assert (low >= 0).all()
    away = costs > 1e-3
    assert (low[away] >= costs[away] - 0.05 * (1 if euclidean else 30)).all()


@settings(max_examples=40)
@given(cases)
def test_relaxed_bounds_are_never_above_the_distance(case):
    made = bounds_of(case)
    nearest = made.near.min(axis=1)
    out = np.zeros(len(case.documents), np.float32)
    _, (*_, found) = near(relaxed, *case.arrays, made.places, made.near, nearest, made.asked, out)
    assert (found <= made.exact + SLACK).all()
    for document, bound in zip(case.documents, found, strict=True):
        words, shares = case.some(document)
        costs = made.near[words].astype(np.float64)
        expected = max(shares @ costs.min(axis=1), case.asked @ costs.min(axis=0))
        assert bound == pytest.approx(expected, rel=1e-5, abs=1e-6)


@settings(max_examples=40)
@given(cases)
def test_capped_bounds_lie_between_one_side_of_the_relaxed_ones_and_the_distance(case):
    made = bounds_of(case)
    order = np.argsort(made.near, axis=1)
    ascending, room = np.take_along_axis(made.near, order, axis=1), case.asked[order]
    _, (*_, found) = both(
        capped, *case.arrays, made.places, ascending, room, np.zeros(len(case.documents))
    )  # fmt: skip
    assert (found <= made.exact + SLACK).all()
    for document, bound in zip(case.documents, found, strict=True):
        words, shares = case.some(document)
        assert bound >= shares @ made.near[words].min(axis=1) - SLACK
        expected = 0.0
        for word, share in zip(words, shares, strict=True):
            left = share
            for i in np.argsort(made.near[word]):
                expected += min(left, case.asked[i]) * made.near[word, i]
                left = max(0.0, left - case.asked[i])
        assert bound == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(cases, st.sampled_from([0.05, 0.3, 2.0]), st.integers(1, 12))
def test_priced_bounds_are_never_above_the_distance(case, softness, rounds):
    made = bounds_of(case)
    soft = np.float32(softness)
    kernel = np.exp(made.near / -soft)
    out = np.zeros(len(case.documents))
    _, (*_, found) = near(
        priced, *case.arrays, made.places, made.near, kernel, soft, rounds, made.asked, out, within=1e-3
    )
    assert (found <= made.exact + SLACK).all()


def test_priced_bounds_come_near_the_distance():
    case = drawn(8, words=40, asked=30, documents=9)
    made = bounds_of(case)
    gaps = []
    for rounds in (1, 4, 40):
        found = np.zeros(len(case.documents))
        soft = np.float32(0.05)
        priced(*case.arrays, made.places, made.near, np.exp(made.near / -soft), soft, rounds, made.asked, found)
        gaps.append(float((made.exact - found).sum()))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.03 * made.exact.sum()


@pytest.mark.parametrize("softness", [1e-30, 1e-3, 1e-2])
def test_prices_that_vanish_make_no_bound_that_is_too_high(softness):
    case = drawn(9)
    made = bounds_of(case)
    soft = np.float32(softness)
    with np.errstate(all="ignore"):
        kernel = np.exp(made.near / -soft)
    found = np.zeros(len(case.documents))
    priced(*case.arrays, made.places, made.near, kernel, soft, 3, made.asked, found)
    assert (found <= made.exact + SLACK).all()


@pytest.mark.parametrize("kernel", [np.inf, np.nan])
def test_prices_that_cannot_be_worked_out_make_the_bound_0(kernel):
    case = drawn(9)
    made = bounds_of(case)
    found = np.ones(len(case.documents))
    odd = np.full_like(made.near, kernel)
    priced(*case.arrays, made.places, made.near, odd, np.float32(0.1), 3, made.asked, found)
    assert (found == 0).all()


@given(st.lists(st.tuples(st.floats(-9, 9, width=32), st.floats(-9, 9, width=32)), min_size=1, max_size=11))
def test_the_least_difference(pairs):
    row, prices = (np.array(side, np.float32) for side in zip(*pairs, strict=True))
    found, _ = both(least_less, row, prices)
    assert found == (row - prices).min()
