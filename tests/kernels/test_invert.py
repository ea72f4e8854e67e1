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


@st.composite
def lists(draw):
    """Posting lists of some terms of one segment: their terms, documents, counts, and new numbers (-1: none)."""
    size = draw(st.integers(1, 6))
    found = draw(st.dictionaries(st.integers(0, VOCABULARY - 1), st.sets(st.integers(0, size - 1), min_size=1)))
    terms = np.array(sorted(found), np.int32)
    rows = [sorted(found[term]) for term in terms.tolist()]
    alive = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    numbers = np.where(alive, 10 + alive.cumsum() - 1, -1).astype(np.int32)
    documents = np.array([document for row in rows for document in row], np.int32)
    counts = np.arange(1, len(documents) + 1, dtype=np.uint16)
    return terms, np.cumsum([len(row) for row in rows], dtype=np.int64), documents, counts, numbers


def living(posting_lists):
    """The same with plain lists: (new number, count) of each living document of each term."""
    terms, ends, documents, counts, numbers = posting_lists
    pairs = list(zip(numbers[documents].tolist(), counts.tolist(), strict=True))
    starts = [0, *ends.tolist()]
    return {
        term: [pair for pair in pairs[starts[i] : starts[i + 1]] if pair[0] >= 0]
        for i, term in enumerate(terms.tolist())
    }


@quick
@given(lists())
def test_living_postings_are_counted(run, posting_lists):
    terms, ends, documents, counts, numbers = posting_lists
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)[: len(ends)]
    expected = living(posting_lists)
    _, changed = run(invert.count_living, starts, ends, documents, numbers, np.zeros(len(ends), np.int64))
    assert changed[-1].tolist() == [len(one) for one in expected.values()]
    totals = np.full(VOCABULARY, 100, np.int64)
    _, changed = run(invert.sum_living, starts, ends, documents, numbers, counts, terms, totals)
    sums = {term: sum(count for _, count in one) for term, one in expected.items()}
    assert changed[-1].tolist() == [100 + sums.get(term, 0) for term in range(VOCABULARY)]


@quick
@given(lists(), st.booleans())
def test_living_postings_are_appended_to_the_lists_of_their_terms(run, posting_lists, has_counts):
    terms, ends, documents, counts, numbers = posting_lists
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)[: len(ends)]
    expected, first, room = living(posting_lists), 0, 7  # for each term: one item that is there, and six more
    at = np.arange(VOCABULARY, dtype=np.int64) * room + 1
    out = np.full(VOCABULARY * room, -5, np.int32)
    _, changed = run(invert.move_documents, terms, starts, ends, documents, numbers, first, at, out)
    given_counts = counts if has_counts else counts[:0]
    _, counted = run(invert.move_counts, terms, starts, ends, documents, numbers, given_counts, first, at, out)
    for term in range(VOCABULARY):
        pairs = expected.get(term, [])
        for moved, values in (
            (changed, [number for number, _ in pairs]),
            (counted, [count if has_counts else 0 for _, count in pairs]),
        ):
            assert moved[-2][term] == term * room + 1 + len(pairs)
            row = moved[-1][term * room : (term + 1) * room].tolist()
            assert row == [-5, *values, *[-5] * (room - 1 - len(values))]
