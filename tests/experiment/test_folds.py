from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.experiment.folds import split_queries

ids = st.lists(st.text(max_size=5), min_size=2, max_size=40, unique=True)


@given(ids, st.data())
def test_each_query_is_in_one_fold_and_folds_are_of_a_size(queries, data):
    count = data.draw(st.integers(2, len(queries)))
    seed = data.draw(st.integers(0, 2**63 - 1))
    found = split_queries(queries, count, seed)
    assert len(found) == count
    assert sorted(query for fold in found for query in fold) == sorted(queries)
    sizes = [len(fold) for fold in found]
    assert max(sizes) - min(sizes) <= 1
    assert found == split_queries(data.draw(st.permutations(queries)), count, seed)


def test_which_fold_is_for_good():
    """The same with every version: whoever says folds and seed says which queries."""
    assert split_queries([str(n) for n in range(1, 12)], 3, 1) == (
        ("1", "10", "3", "4"), ("11", "2", "5", "9"), ("6", "7", "8"),
    )  # fmt: skip


def test_five_folds_and_seed_1_unless_said():
    queries = [f"q{n}" for n in range(23)]
    assert split_queries(queries) == split_queries(iter(queries), 5, 1) == split_queries(set(queries), folds=5.0)


def test_the_seed_draws_anew():
    queries = [str(n) for n in range(100)]
    drawn = [split_queries(queries, 5, seed) for seed in range(50)]
    assert len(set(drawn)) == 50
    together = sum(any({"1", "2"} <= set(fold) for fold in folds) for folds in drawn)
    assert 2 <= together <= 20  # about a fifth: neighbours are not kept together, nor apart


def test_ids_of_any_kind():
    odd = ["", " ", "\ud800", "é", "1", "01", "\0"]
    assert sorted(query for fold in split_queries(odd, 7) for query in fold) == sorted(odd)


@pytest.mark.parametrize("folds", [1, 0, -1, 6, 2.5, True, "3", None])
def test_how_many_folds_there_can_be(folds):
    with pytest.raises(UsageError, match="number of folds of 5 queries must be a whole number from 2 to 5, got"):
        split_queries(["a", "b", "c", "d", "e"], folds)


@pytest.mark.parametrize(
    ("queries", "seed", "told"),
    [
        ([], 1, "at least two queries to be split into folds, got 0"),
        (["a"], 1, "at least two queries to be split into folds, got 1"),
        (["a", "b", "a"], 1, "each query must stand there once, but 'a' does twice"),
        (["a", "b"], -1, "seed must be a whole number from 0"),
        (["a", "b"], "1", "seed must be a whole number from 0"),
    ],
)
def test_what_cannot_be_split(queries, seed, told):
    with pytest.raises(UsageError, match=told):
        split_queries(queries, 2, seed)
