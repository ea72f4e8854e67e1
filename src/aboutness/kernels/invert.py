"""Token stream to matrix: by document (forward) and by term (postings)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled
from aboutness.kernels.strings import Ends

Numbers = NDArray[np.int32]
Counts = NDArray[Any]  # unsigned integers: one row per field


@compiled
def count_pairs(tokens: Numbers, ends: Ends, fields: int, df: NDArray[np.int64]) -> int:
    """Count, for each term, the documents it stands in (into zeroed `df`); return the sum.

    Cell c is field c % fields of document c // fields and ends at `ends[c]`.
    """
    seen = np.zeros(len(df), np.int32)  # the last document + 1
    pairs = 0
    start = np.int64(0)
    for document in range(len(ends) // fields):
        end = ends[(document + 1) * fields - 1]
        for i in range(start, end):
            term = tokens[i]
            if seen[term] != document + 1:
                seen[term] = document + 1
                df[term] += 1
                pairs += 1
        start = end
    return pairs


@compiled
def fill_forward(
    tokens: Numbers, ends: Ends, vocabulary: int, forward_ends: Ends, terms: Numbers, counts: Counts
) -> None:
    """Write each document's distinct terms, in order of first appearance, with one zeroed count per field."""
    fields = len(counts)
    seen = np.zeros(vocabulary, np.int32)
    place = np.empty(vocabulary, np.int64)
    written = np.int64(0)
    start = np.int64(0)
    for document in range(len(forward_ends)):
        for field in range(fields):
            end = ends[document * fields + field]
            for i in range(start, end):
                term = tokens[i]
                if seen[term] != document + 1:
                    seen[term] = document + 1
                    place[term] = written
                    terms[written] = term
                    written += 1
                counts[field, place[term]] += 1
            start = end
        forward_ends[document] = written


@compiled
def fill_postings(
    forward_ends: Ends, terms: Numbers, counts: Counts, starts: Ends, documents: Numbers, by_term: Counts
) -> None:
    """Write the same matrix by term; `starts[t]` is where term t begins, and is moved to where it ends."""
    start = np.int64(0)
    for document in range(len(forward_ends)):
        for i in range(start, forward_ends[document]):
            term = terms[i]
            to = starts[term]
            starts[term] = to + 1
            documents[to] = document
            for field in range(len(counts)):
                by_term[field, to] = counts[field, i]
        start = forward_ends[document]


@compiled
def sum_counts(posting_ends: Ends, counts: Counts, totals: NDArray[np.int64]) -> None:
    """Write, for each field, the sum of counts of each posting list."""
    for field in range(len(counts)):
        start = np.int64(0)
        for term in range(len(posting_ends)):
            total = np.int64(0)
            for i in range(start, posting_ends[term]):
                total += counts[field, i]
            totals[field, term] = total
            start = posting_ends[term]


@compiled
def count_living(starts: Ends, ends: Ends, documents: Numbers, numbers: Numbers, out: Ends) -> None:
    """Write, for each list, how many of its documents have a new number; -1 is none."""
    for i in range(len(starts)):
        living = 0
        for j in range(starts[i], ends[i]):
            living += numbers[documents[j]] >= 0
        out[i] = living


@compiled
def sum_living(
    starts: Ends,
    ends: Ends,
    documents: Numbers,
    numbers: Numbers,
    counts: NDArray[Any],
    terms: Numbers,
    totals: Ends,
) -> None:
    """Add the counts of each list's documents that have a new number to the total of its term."""
    for i in range(len(starts)):
        total = np.int64(0)
        for j in range(starts[i], ends[i]):
            if numbers[documents[j]] >= 0:
                total += counts[j]
        totals[terms[i]] += total


@compiled
def move_documents(
    terms: Numbers,
    starts: Ends,
    ends: Ends,
    documents: Numbers,
    numbers: Numbers,
    first: int,
    at: Ends,
    out: Numbers,
) -> None:
    """Append the new numbers of each list's documents, where they have one, to the list of its term.

    The list of term t goes on at `at[t - first]`, which is moved behind what is written.
    """
    for i in range(len(terms)):
        to = at[terms[i] - first]
        for j in range(starts[i], ends[i]):
            number = numbers[documents[j]]
            if number >= 0:
                out[to] = number
                to += 1
        at[terms[i] - first] = to


@compiled
def move_counts(
    terms: Numbers,
    starts: Ends,
    ends: Ends,
    documents: Numbers,
    numbers: Numbers,
    counts: NDArray[Any],
    first: int,
    at: Ends,
    out: NDArray[Any],
) -> None:
    """Append the counts of the same documents in the same way; zeros where there are no counts."""
    for i in range(len(terms)):
        to = at[terms[i] - first]
        for j in range(starts[i], ends[i]):
            if numbers[documents[j]] >= 0:
                out[to] = counts[j] if len(counts) else 0
                to += 1
        at[terms[i] - first] = to
