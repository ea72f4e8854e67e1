from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import keys as kernel

UNUSED = np.iinfo(np.uint64).max

many = settings(max_examples=100, deadline=None)


def naive_key(score: float, document: int) -> int:
    """The bits of a float ascend with a number above 0 and descend with one below: turned round here."""
    bits = int.from_bytes(struct.pack(">f", score), "big")
    return (bits if bits >> 31 else 0x7FFFFFFF - bits) << 32 | document


def score_in(key: int) -> np.float32:
    high = key >> 32
    return np.float32(struct.unpack(">f", (high if high >> 31 else 0x7FFFFFFF - high).to_bytes(4, "big"))[0])


numbers = st.floats(width=32, allow_nan=False).map(lambda value: value + 0.0)  # there is no -0.0
documents_ = st.integers(0, 2**32 - 1)
EXTREMES = [0.0, 1.0, -1.0, 1e-45, -1e-45, 3.4028235e38, -3.4028235e38, np.inf, -np.inf, 1.1754944e-38]


@many
@given(numbers, documents_)
def test_key_of(run, score, document):
    key, _ = run(kernel.key_of, np.float32(score), np.int64(document))
    assert key == naive_key(score, document)


@many
@given(numbers, documents_)
def test_score_of(run, score, document):
    result, _ = run(kernel.score_of, np.uint64(naive_key(score, document)))
    assert np.float32(result).tobytes() == np.float32(score).tobytes()


@pytest.mark.parametrize("score", EXTREMES)
def test_extreme_scores_come_back(score):
    key = kernel.key_of(np.float32(score), 7)
    assert kernel.score_of(np.uint64(key)) == np.float32(score)
    assert int(key) & 0xFFFFFFFF == 7


def test_a_number_too_small_for_a_score_is_as_good_as_zero():
    nothing = kernel.key_of(0.0, 3)
    assert kernel.key_of(-0.0, 3) == kernel.key_of(-1e-60, 3) == kernel.key_of(1e-60, 3) == nothing


@many
@given(st.lists(st.tuples(numbers | st.sampled_from(EXTREMES), st.integers(0, 5) | documents_), max_size=9))
def test_keys_ascend_from_the_best_score_and_the_first_document(pairs):
    by_key = sorted(pairs, key=lambda pair: int(kernel.key_of(np.float32(pair[0]), pair[1])))
    assert by_key == sorted(pairs, key=lambda pair: (-np.float32(pair[0]), pair[1]))


def test_a_score_is_rounded_before_it_is_compared():
    assert kernel.key_of(0.1, 1) == kernel.key_of(np.float32(0.1), 1)
    assert kernel.key_of(1.0 + 1e-12, 1) < kernel.key_of(1.0, 2)


@many
@given(st.lists(st.integers(0, 2**64 - 2) | st.integers(0, 5), max_size=40), st.integers(1, 12), st.integers(1, 9))
def test_keep_and_finish(run, keys, k, spare):
    row, size = np.full(k + spare, UNUSED, np.uint64), 0
    for done, key in enumerate(keys, 1):
        size, (row, *_) = run(kernel.keep, row, np.int64(size), np.int64(k), np.uint64(key))
        assert min(done, k) <= size < k + spare
        assert sorted(row[:size].tolist())[:k] == sorted(keys[:done])[:k]
    size, (row, *_) = run(kernel.finish, row, np.int64(size), np.int64(k))
    assert sorted(row[:size].tolist()) == sorted(keys)[:k]
    assert (row[size:] == UNUSED).all()


@many
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5), min_size=1, max_size=40), st.data())
def test_the_best_keys_come_first(run, keys, data):
    count = data.draw(st.integers(1, len(keys)))
    _, (row, _) = run(kernel.best_first, np.array(keys, np.uint64), np.int64(count))
    assert sorted(row[:count].tolist()) == sorted(keys)[:count]
    assert sorted(row.tolist()) == sorted(keys)
    assert run(kernel.worst_of, row[:count])[0] == sorted(keys)[count - 1]
    score, _ = run(kernel.kth_score, np.array(keys, np.uint64), np.int64(count))
    expected = kernel.score_of(np.uint64(sorted(keys)[count - 1]))
    assert score == expected or (np.isnan(score) and np.isnan(expected))


@pytest.mark.parametrize(
    "values",
    [
        np.arange(400),
        np.arange(400)[::-1],
        np.zeros(400),
        np.arange(400) % 2,
        np.arange(400) % 7,
        np.arange(400) // 9,
    ],
)
@pytest.mark.parametrize("count", [1, 2, 199, 399, 400])
@pytest.mark.parametrize("kind", [np.uint64, np.float32])
def test_the_best_of_long_arrays(values, count, kind):
    after = values.astype(kind)
    kernel.best_first(after, count)
    assert sorted(after[:count].tolist()) == sorted(values.tolist())[:count]
    assert sorted(after.tolist()) == sorted(values.tolist())


@many
@given(st.integers(0, 3), st.integers(0, 4), st.data())
def test_split(run, rows, columns, data):
    pairs = st.lists(st.tuples(numbers, documents_), min_size=columns, max_size=columns)
    table = data.draw(st.lists(pairs, min_size=rows, max_size=rows))
    keys = np.array([[naive_key(*pair) for pair in row] for row in table], np.uint64).reshape(rows, columns)
    _, (_, documents, scores) = run(
        kernel.split, keys, np.zeros(keys.shape, np.int64), np.zeros(keys.shape, np.float32)
    )
    assert documents.tolist() == [[document for _, document in row] for row in table]
    assert scores.tolist() == [[float(np.float32(score)) for score, _ in row] for row in table]
