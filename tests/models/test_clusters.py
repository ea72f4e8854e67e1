"""Clusters of like directions."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.models.clusters import centres_of, directions, nearest_centres

F32 = np.float32


def around(count, each, dim=20, spread=0.02, seed=0):
    """Rows around some directions, and which of these each is near to."""
    chance = np.random.default_rng(seed)
    middles = np.repeat(np.linalg.qr(chance.normal(size=(dim, dim)))[0][:count], each, axis=0)
    order = chance.permutation(count * each)
    rows = middles + spread * chance.normal(size=middles.shape)
    return rows[order].astype(F32), order // each


def test_rows_that_are_alike_are_together():
    rows, groups = around(12, 150)
    centres = centres_of(rows, np.arange(len(rows)), 30, seed=1)
    found, _ = nearest_centres(rows, centres)
    assert len(set(found[:, 0].tolist())) > 12
    for cluster in range(30):
        assert len(set(groups[found[:, 0] == cluster].tolist())) <= 1


def test_only_the_rows_that_are_named():
    rows, groups = around(4, 50)
    named = np.flatnonzero(groups != 2)
    centres = centres_of(rows, named, 12, seed=1)
    far = rows[groups == 2].mean(axis=0)
    assert (centres @ far < 0.5).all()


def test_centres_have_length_one_and_products_tell_the_nearest():
    rows = np.random.default_rng(3).normal(size=(9000, 7)).astype(F32)
    centres = centres_of(rows, np.arange(9000), 40, seed=5)
    np.testing.assert_allclose(np.linalg.norm(centres, axis=1), 1, rtol=1e-6)
    found, products = nearest_centres(rows, centres)
    every = rows.astype(np.float64) @ centres.T.astype(np.float64)
    np.testing.assert_allclose(products, every.max(axis=1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(every[np.arange(9000), found[:, 0]], every.max(axis=1), rtol=1e-5, atol=1e-6)
    some = np.array([8999, 0, 17])
    assert nearest_centres(rows, centres, some)[0].tolist() == found[some].tolist()
    three = nearest_centres(rows, centres, some, 3)[0]
    np.testing.assert_array_equal(three, np.argsort(-every[some], axis=1, kind="stable")[:, :3])


def test_the_length_of_a_row_does_not_count():
    rows, _ = around(6, 80)
    longer = rows * F32(2) ** np.random.default_rng(1).integers(-9, 9, (len(rows), 1)).astype(F32)
    one, other = (centres_of(some, np.arange(len(rows)), 9, seed=1) for some in (rows, longer))
    np.testing.assert_array_equal(one, other)


def test_the_same_seed_gives_the_same():
    rows = np.random.default_rng(3).normal(size=(900, 7)).astype(F32)
    one, same, other = (centres_of(rows, np.arange(900), 10, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("different", [1, 3])
def test_more_centres_than_different_rows(different):
    rows = np.eye(5, dtype=F32)[np.arange(200) % different]
    centres = centres_of(rows, np.arange(200), 8, seed=1)
    assert np.isfinite(centres).all()
    found, products = nearest_centres(rows, centres)
    assert (products == 1).all()
    assert len(set(found[:, 0].tolist())) == different


def test_a_row_of_zeros_has_no_direction():
    assert directions(np.array([[0, 0], [3, 4]], F32)).tolist() == [[0, 0], [F32(0.6), F32(0.8)]]
