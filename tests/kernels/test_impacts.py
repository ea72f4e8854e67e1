from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import impacts
from aboutness.kernels.search import BLOCK

quick = settings(max_examples=60, deadline=None)

amounts = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, 3.0]) | st.floats(0, 2**99, width=32)
signed = st.sampled_from([-1.0, 0.0, 1.0, 1.0]) | st.floats(-(2**99), 2**99, width=32)


def check_summaries(run, sizes, values, chosen, levels):
    """Summarise some of the lists that lie end to end, and compare with what sorting gives."""
    ends = np.cumsum(sizes, dtype=np.int64)
    starts = ends - np.array(sizes, np.int64)
    chance = np.random.default_rng(len(values))
    documents = chance.permutation(len(values)).astype(np.int32)
    for priors in (np.zeros(0), chance.integers(-3, 3, len(values)).astype(np.float64)):
        check_with_priors(run, (starts, ends), (documents, values, priors), chosen, levels)


def check_with_priors(run, spans, postings, chosen, levels):
    starts, ends = spans
    documents, values, priors = postings
    untouched = np.float32(-7)
    block_most = np.full(len(values) // BLOCK + 1, untouched)
    reached = np.full((len(starts), len(levels)), untouched)
    _, after = run(
        impacts.summarise, np.array(chosen, np.int64), starts, ends, np.array(levels, np.int64), documents, values,
        priors, block_most, np.full(len(starts), untouched), reached, reached.astype(np.float64),
    )  # fmt: skip
    np.testing.assert_array_equal(after[5], values)
    blocks, most, reached, lowest = after[7:]
    expected_blocks = block_most.copy()
    for which in range(len(starts)):
        if which not in chosen:
            assert most[which] == untouched
            assert (reached[which] == untouched).all()
            assert (lowest[which] == untouched).all()
            continue
        here, there = (array[starts[which] : ends[which]] for array in (values, documents))
        descending = sorted(here.tolist(), reverse=True)
        assert most[which] == max(descending, default=0.0)
        for level, so_many, low in zip(levels, reached[which], lowest[which], strict=True):
            enough = level <= len(descending)
            assert so_many == (descending[level - 1] if enough else -1.0)
            assert low == (min(priors[there[here >= so_many]]) if enough and len(priors) else 0.0)
        for block in range(len(values) // BLOCK):
            if starts[which] <= block * BLOCK and (block + 1) * BLOCK <= ends[which]:
                expected_blocks[block] = max(values[block * BLOCK : (block + 1) * BLOCK])
    np.testing.assert_array_equal(blocks, expected_blocks)


@quick
@given(st.lists(st.lists(amounts, max_size=9), max_size=5), st.data())
def test_summarise(run, lists, data):
    chosen = data.draw(st.permutations(range(len(lists))).map(lambda order: order[: data.draw(st.integers(0, 5))]))
    levels = sorted(data.draw(st.sets(st.integers(1, 11), max_size=3)))
    values = np.array([value for one in lists for value in one], np.float32)
    check_summaries(run, [len(one) for one in lists], values, chosen, levels)


@pytest.mark.parametrize(
    "sizes",
    [
        [BLOCK],
        [BLOCK - 1, 1, BLOCK],
        [1, 2 * BLOCK, BLOCK - 1, 1],
        [BLOCK // 2, BLOCK // 2, 3 * BLOCK - 1],
        [0, 5 * BLOCK + 3, 0, 2, BLOCK],
        [7, 4 * BLOCK, 300],
    ],
    ids=str,
)
@pytest.mark.parametrize("ties", [True, False])
def test_blocks_wholly_inside_a_list_are_summarised(run, sizes, ties):
    chance = np.random.default_rng(len(sizes))
    total = sum(sizes)
    values = chance.integers(0, 3, total) if ties else chance.permutation(total)
    for chosen in (range(len(sizes)), range(1, len(sizes))):
        check_summaries(run, sizes, values.astype(np.float32), list(chosen), [1, 10, 100, 200])


def test_no_lists(run):
    check_summaries(run, [], np.zeros(0, np.float32), [], [10])
    check_summaries(run, [3], np.ones(3, np.float32), [0], [])


@quick
@given(st.lists(signed, max_size=9))
def test_largest(run, values):
    result, _ = run(impacts.largest, np.array(values, np.float32))
    assert result == max(np.array(values, np.float32).tolist(), default=0.0)


@quick
@given(st.lists(st.lists(st.floats(-1e6, 1e6), max_size=6), max_size=6))
def test_sum_rows(run, rows):
    ends = np.cumsum([len(row) for row in rows], dtype=np.int64)
    values = np.array([value for row in rows for value in row], np.float64)
    _, (*_, sums) = run(impacts.sum_rows, ends, values, np.full(len(rows), -1.0))
    assert sums.tolist() == [reduce(add, row, 0.0) for row in rows]  # to the bit: one after the other
