from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from aboutness.core.errors import UsageError
from aboutness.evaluate import intervals
from aboutness.evaluate.intervals import bootstrap


def skewed(n=40, seed=3):
    return np.random.default_rng(seed).random(n) ** 3


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_as_scipy_has_it(method, level):
    values = skewed()
    found = bootstrap(values, method=method, level=level, samples=40_000)
    theirs = stats.bootstrap(
        (values,), np.mean, confidence_level=level, n_resamples=40_000, method=method.replace("bca", "BCa"),
        rng=np.random.default_rng(5), vectorized=True,
    ).confidence_interval  # fmt: skip
    assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=0.004)
    assert (found.mean, found.n, found.level, found.method) == (pytest.approx(values.mean()), 40, level, method)


def test_bca_by_its_definition():
    values = skewed(9, 4)
    means = intervals._means(values, 100, 10)
    normal = stats.norm
    bias = normal.ppf((np.mean(means < values.mean()) + np.mean(means <= values.mean())) / 2)
    assert abs(bias) > 0.05
    left_out = np.array([np.delete(values, i).mean() for i in range(9)])
    apart = left_out.mean() - left_out
    skew = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    shares = [normal.cdf(bias + (bias + z) / (1 - skew * (bias + z))) for z in normal.ppf([0.05, 0.95])]
    found = bootstrap(values, method="bca", level=0.9, samples=100, seed=10)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(means, shares)))


def test_bca_moves_the_way_the_skew_goes():
    plain, moved = (bootstrap(skewed(), method=method) for method in ("percentile", "bca"))
    assert moved.low > plain.low
    assert moved.high > plain.high


def test_a_difference_is_that_of_pairs():
    a, b = skewed(seed=1), skewed(seed=2)
    assert bootstrap(a, b) == bootstrap(a - b)
    by_query = ({f"q{n}": value for n, value in enumerate(row)} for row in (a, b))
    assert bootstrap(*by_query) == bootstrap(a, b)
    assert bootstrap({"x": 0.5, "y": 1.0}) == bootstrap([1.0, 0.5])


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.sampled_from(["percentile", "bca"]))
def test_the_mean_is_within(values, method):
    found = bootstrap(values, method=method, samples=200)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.low - 1e-9 <= found.mean + (max(values) - min(values))
    if len(set(values)) == 1:
        assert found.low == found.high == found.mean
    json.dumps(found.to_json(), allow_nan=False)


def test_it_covers_as_often_as_it_says():
    chance = np.random.default_rng(2)
    inside = 0
    for seed in range(300):
        found = bootstrap(chance.normal(1.0, 1.0, 60), level=0.9, samples=500, seed=seed)
        inside += found.low <= 1.0 <= found.high
    assert 0.83 < inside / 300 < 0.95


def test_seed_order_and_how_many_at_once(monkeypatch):
    values = skewed()
    wanted = bootstrap(values, samples=1000)
    assert bootstrap(values[::-1], samples=1000) == wanted
    assert bootstrap(values, samples=1000, seed=2) != wanted
    monkeypatch.setattr(intervals, "AT_ONCE", 100)
    assert bootstrap(values, samples=1000) == wanted
    assert str(wanted) == f"{wanted.mean:.4f} [{wanted.low:.4f}, {wanted.high:.4f}]"


@pytest.mark.parametrize(
    ("a", "named", "told"),
    [
        ([], {}, "at least one query"),
        (["x"], {}, "one number for each query"),
        ([1.0], {"level": 1.0}, "level must be a number at least 0.5 and at most 0.9999"),
        ([1.0], {"method": "basic"}, "method must be one of percentile, bca, got 'basic'"),
        ([1.0], {"samples": 5}, "samples must be a whole number from 100"),
        ([1.0], {"seed": -1}, "seed must be"),
        ([1.0], {"b": [1.0, 2.0]}, "a value for each query, got 1 and 2"),
    ],
)
def test_what_cannot_be_drawn(a, named, told):
    with pytest.raises(UsageError, match=told):
        bootstrap(a, **named)
