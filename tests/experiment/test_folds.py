from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import NotFound, UsageError
from aboutness.experiment.folds import split_queries, training_split

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


# --- queries to choose by, and the others ----------------------------------------------------------------


@given(ids, st.floats(0, 1), st.integers(0, 2**63 - 1), st.data())
def test_a_share_of_the_queries(queries, share, seed, data):
    if not 0 < round(share * len(queries)) < len(queries):
        with pytest.raises(UsageError, match="must be queries to choose by and others to report on"):
            training_split(queries, share, seed)
        return
    train, test = training_split(queries, share, seed)
    assert len(train) == round(share * len(queries))
    assert sorted((*train, *test)) == sorted(queries)
    assert (train, test) == training_split(data.draw(st.permutations(queries)), share, seed)


def test_which_share_is_for_good():
    queries = [str(n) for n in range(1, 12)]
    assert training_split(queries) == (("1", "11", "3", "5", "6", "7"), ("10", "2", "4", "8", "9"))
    assert training_split(queries, 0.5, 1) == training_split(iter(queries), np.float32(0.5))
    assert len({training_split(queries, 0.5, seed) for seed in range(20)}) == 20


def test_queries_by_id(tmp_path):
    queries = ["a", "b", "c", "\xe9 x"]
    wanted = (("a", "\xe9 x"), ("b", "c"))
    (tmp_path / "ids.txt").write_bytes("\ufeff\xe9 x\r\n\n  a\n".encode())
    for split in (
        ["\xe9 x", "a"],
        ("a", "\xe9 x"),
        iter(["a", "\xe9 x"]),
        tmp_path / "ids.txt",
        str(tmp_path / "ids.txt"),
    ):
        assert training_split(queries, split) == wanted


@pytest.mark.parametrize(
    ("split", "told"),
    [
        (0, "others to report on, got 0 and 3 of 3: choose another share, or other ids"),
        (1, "others to report on, got 3 and 0 of 3"),
        (0.1, "got 0 and 3 of 3"),
        ([], "got 0 and 3 of 3"),
        (["a", "b", "c"], "got 3 and 0 of 3"),
        (1.5, "share of queries to choose by must be a number at least 0 and at most 1, got 1.5"),
        (-0.1, "share of queries"),
        (math.nan, "share of queries"),
        (True, "share of queries"),
        (None, "queries to choose by are a share, a file of ids, or ids, got None"),
        (["a", "d"], "there is no judged query 'd' to choose parameters by"),
        ([1], "there is no judged query 1 to choose"),
        (["a", "a"], "each query must stand there once, but 'a' does twice"),
    ],
)  # fmt: skip
def test_what_is_no_split(split, told):
    with pytest.raises(UsageError, match=told):
        training_split(["a", "b", "c"], split)


def test_a_file_that_is_none(tmp_path):
    with pytest.raises(NotFound, match="no such file"):
        training_split(["a", "b"], tmp_path / "nope")
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(UsageError, match="got 0 and 2 of 2"):
        training_split(["a", "b"], tmp_path / "empty")
