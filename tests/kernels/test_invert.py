from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import invert

quick = settings(max_examples=60, deadline=None)
VOCABULARY = 9

# documents of `fields` cells each, of token numbers
matrices = st.integers(1, 3).flatmap(
    lambda fields: st.lists(
        st.lists(st.lists(st.integers(0, VOCABULARY - 1), max_size=6), min_size=fields, max_size=fields),
        max_size=6,
    ).map(lambda documents: (fields, documents))
)


def stream(documents: list[list[list[int]]]) -> tuple[np.ndarray, np.ndarray]:
    cells = [cell for document in documents for cell in document]
    tokens = np.array([token for cell in cells for token in cell], np.int32)
    return tokens, np.cumsum([len(cell) for cell in cells], dtype=np.int64)


def first_seen(document: list[list[int]]) -> list[int]:
    return list(dict.fromkeys(token for cell in document for token in cell))


def forward(fields: int, documents: list[list[list[int]]], kind: type) -> tuple[np.ndarray, ...]:
    """The matrix by document, made with lists."""
    rows = [first_seen(document) for document in documents]
    terms = np.array([term for row in rows for term in row], np.int32)
    counts = np.array(
        [
            [document[field].count(term) for document, row in zip(documents, rows, strict=True) for term in row]
            for field in range(fields)
        ],
        kind,
    ).reshape(fields, len(terms))
    return np.cumsum([len(row) for row in rows], dtype=np.int64), terms, counts


@quick
@given(matrices)
def test_count_pairs(run, matrix):
    fields, documents = matrix
    pairs, (*_, df) = run(invert.count_pairs, *stream(documents), fields, np.zeros(VOCABULARY, np.int64))
    assert df.tolist() == [sum(term in first_seen(one) for one in documents) for term in range(VOCABULARY)]
    assert pairs == df.sum()


@quick
@given(matrices, st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_fill_forward(run, matrix, kind):
    fields, documents = matrix
    ends, terms, counts = forward(fields, documents, kind)
    empty = (np.zeros_like(ends), np.zeros_like(terms), np.zeros_like(counts))
    _, after = run(invert.fill_forward, *stream(documents), VOCABULARY, *empty)
    np.testing.assert_array_equal(after[3], ends)
    np.testing.assert_array_equal(after[4], terms)
    np.testing.assert_array_equal(after[5], counts)


@quick
@given(matrices, st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_fill_postings(run, matrix, kind):
    fields, documents = matrix
    ends, terms, counts = forward(fields, documents, kind)
    df = np.bincount(terms, minlength=VOCABULARY)
    stops = df.cumsum().astype(np.int64)
    out = (np.zeros_like(terms), np.zeros_like(counts))
    _, after = run(invert.fill_postings, ends, terms, counts, stops - df, *out)
    owners = np.repeat(np.arange(len(documents)), np.diff(ends, prepend=0))
    order = np.argsort(terms, kind="stable")
    np.testing.assert_array_equal(after[3], stops)
    np.testing.assert_array_equal(after[4], owners[order])
    np.testing.assert_array_equal(after[5], counts[:, order])


@quick
@given(matrices, st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_sum_counts(run, matrix, kind):
    fields, documents = matrix
    ends, _, counts = forward(fields, documents, kind)
    _, (*_, totals) = run(invert.sum_counts, ends, counts, np.full((fields, len(ends)), -1, np.int64))
    assert totals.tolist() == [[len(document[field]) for document in documents] for field in range(fields)]


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
def test_sums_are_wider_than_counts(run, kind):
    most = np.iinfo(kind).max
    counts = np.full((1, 5), most, kind)
    _, (*_, totals) = run(invert.sum_counts, np.array([5], np.int64), counts, np.zeros((1, 1), np.int64))
    assert totals.tolist() == [[5 * int(most)]]
