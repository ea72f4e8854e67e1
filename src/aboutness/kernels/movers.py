"""Word Mover's Distance of a query to many documents: bounds that cost little, and the distance itself.

Documents lie end to end: document d has the words from ends[d - 1] to ends[d] - 1, and the share of each in it.
Where words have rows in a matrix, that of word w is places[w]. `near` holds for each word what it costs at least
to bring it to each query word: float32, less what rounding may have added. `costs` holds the exact costs. A bound
may be too great by what adding float32 numbers in any order comes to; whoever uses it allows for that.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled, compiled_loosely
from aboutness.kernels.transport import AMOUNTS, LINKS, NONE, total, transport

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Ints = NDArray[np.int64]
Integer: TypeAlias = Any  # of the machine's
Real: TypeAlias = Any

NOTHING = 1e-12  # of the greatest cost: a distance that is rounding alone
ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
TINY, INFINITE = np.float32(1e-37), np.float32(np.inf)


@compiled
def shares_of(ends: Ints, counts: F64, shares: F64) -> None:
    """Write what share of its row each count is."""
    first = 0
    for row in range(len(ends)):
        summed = 0.0
        for x in range(first, ends[row]):
            summed += counts[x]
        for x in range(first, ends[row]):
            shares[x] = counts[x] / summed
        first = ends[row]


@compiled
def costs_of(vectors: F32, words: Ints, asked: F64, euclidean: bool, costs: F64) -> None:
    """Write what it costs to bring each of some words to each query word; `asked` has a column for each of these.

    That is the distance of their vectors, or half its square. The squares are summed in the order of the vectors'
    numbers, for each pair by itself.
    """
    size, columns = asked.shape
    for row in range(len(words)):
        vector, out = vectors[words[row]], costs[row]
        out[:] = 0.0
        for x in range(size):
            here, there = np.float64(vector[x]), asked[x]
            for i in range(columns):
                out[i] += (here - there[i]) * (here - there[i])
        for i in range(columns):
            out[i] = np.sqrt(out[i]) if euclidean else 0.5 * out[i]


@compiled
def distances(
    ends: Ints, words: Ints, shares: F64, documents: Ints, places: Ints, costs: F64, asked: F64, out: F64
) -> None:
    """Write the distance of each of some documents, which have words; NaN where the solver did not end.

    `asked` are the shares of the query words.
    """
    rows = len(asked)
    longest = 0
    for document in documents:
        longest = max(longest, ends[document] - (ends[document - 1] if document else 0))
    tree = np.empty((LINKS, rows + longest), np.int64)
    values = np.empty((AMOUNTS, rows + longest), np.float64)
    room = np.empty(rows * longest, np.float64)
    for d in range(len(documents)):
        first = ends[documents[d] - 1] if documents[d] else 0
        columns = ends[documents[d]] - first
        cost = room[: rows * columns].reshape(rows, columns)
        largest = 0.0
        for j in range(columns):
            row = costs[places[words[first + j]]]
            for i in range(rows):
                cost[i, j] = row[i]
                largest = max(largest, row[i])
        found = 0.0
        if columns == 1:
            for i in range(rows):
                found += asked[i] * cost[i, 0]
        elif rows == 1:
            for j in range(columns):
                found += shares[first + j] * cost[0, j]
        elif transport(cost, asked, shares[first : first + columns], tree, values) == NONE:
            found = np.nan
        else:
            found = total(cost, tree[0], values[0])
        out[d] = 0.0 if found <= NOTHING * largest else found


@compiled_loosely
def least_costs(
    products: F32, squares: F32, asked: F32, lengths: F32, asked_lengths: F32, error: Real, euclidean: bool
) -> None:
    """Turn products of vectors into what it costs at least to bring each word to each query word, in place.

    A squared distance is off by at most `error` x the square of both lengths together.
    """
    columns = products.shape[1]
    for w in range(len(products)):
        row = products[w]
        for i in range(columns):
            both = lengths[w] + asked_lengths[i]
            square = max(ZERO, squares[w] + asked[i] - TWO * row[i] - error * both * both)
            row[i] = np.sqrt(square) if euclidean else HALF * square


@compiled_loosely
def relaxed(
    ends: Ints,
    words: Ints,
    shares: F64,
    documents: Ints,
    places: Ints,
    near: F32,
    nearest: F32,
    asked: F32,
    out: F32,
) -> None:
    """Write how far each of some documents, which have words, is at least.

    If every query word went to the nearest word of the document, whatever is wanted there; or every word of the
    document to the nearest query word (at a cost of `nearest`): the greater of the two.
    """
    columns = near.shape[1]
    reached = np.empty(columns, np.float32)
    for d in range(len(documents)):
        first = ends[documents[d] - 1] if documents[d] else 0
        reached[:] = INFINITE
        brought = 0.0
        for x in range(first, ends[documents[d]]):
            place = places[words[x]]
            brought += shares[x] * nearest[place]
            row = near[place]
            for i in range(columns):
                reached[i] = min(reached[i], row[i])
        fetched = ZERO
        for i in range(columns):
            fetched += asked[i] * reached[i]
        out[d] = max(np.float32(brought), fetched)


@compiled
def capped(
    ends: Ints, words: Ints, shares: F64, documents: Ints, places: Ints, near: F32, room: F64, out: F64
) -> None:
    """Write how far each of some documents is at least, if every query word takes no more than its own share.

    Each row of `near` ascends, and `room` has the shares of the query words in the same order: a word of the
    document fills the nearest ones first (Atasu and Mittelholzer 2019).
    """
    for d in range(len(documents)):
        first = ends[documents[d] - 1] if documents[d] else 0
        found = 0.0
        for x in range(first, ends[documents[d]]):
            costs, takes, left = near[places[words[x]]], room[places[words[x]]], shares[x]
            for i in range(len(costs)):
                if left <= takes[i]:
                    found += left * costs[i]
                    break
                found += takes[i] * costs[i]
                left -= takes[i]
        out[d] = found


@compiled_loosely
def priced(
    ends: Ints,
    words: Ints,
    shares: F64,
    documents: Ints,
    places: Ints,
    near: F32,
    kernel: F32,
    softness: Real,
    rounds: Integer,
    asked: F32,
    out: F64,
) -> None:
    """Write how far each of some documents is at least, by prices of its words that nearly balance what is moved.

    Any prices of a document's words give a bound: each query word goes where cost - price is least, and the prices
    are paid back. Good ones come from a few rounds of scaling the rows and columns of `kernel`, which is
    exp(-near / softness), to the shares (Cuturi 2013). Where that overflows the bound is 0.
    """
    columns = near.shape[1]
    longest = 0
    for document in documents:
        longest = max(longest, ends[document] - (ends[document - 1] if document else 0))
    price = np.empty(longest, np.float32)
    factors, sums = np.empty(columns, np.float32), np.empty(columns, np.float32)
    for d in range(len(documents)):
        first = ends[documents[d] - 1] if documents[d] else 0
        size = ends[documents[d]] - first
        factors[:] = ONE
        for _ in range(rounds):
            sums[:] = TINY
            for j in range(size):
                row = kernel[places[words[first + j]]]
                product = TINY
                for i in range(columns):
                    product += row[i] * factors[i]
                factor = np.float32(shares[first + j]) / product
                price[j] = factor
                for i in range(columns):
                    sums[i] += factor * row[i]
            for i in range(columns):
                factors[i] = asked[i] / sums[i]
        middle = 0.0
        for j in range(size):
            price[j] = softness * np.log(price[j])
            middle += shares[first + j] * price[j]
        sums[:] = INFINITE
        for j in range(size):
            price[j] -= np.float32(middle)
            row = near[places[words[first + j]]]
            for i in range(columns):
                sums[i] = min(sums[i], row[i] - price[j])
        found = 0.0
        for i in range(columns):
            found += asked[i] * sums[i]
        for j in range(size):
            found += shares[first + j] * least_less(near[places[words[first + j]]], sums)
        out[d] = found if np.isfinite(found) else 0.0


@compiled
def least_less(row: F32, prices: F32) -> Real:
    """Return the least of row - prices."""
    a = b = c = d = INFINITE
    whole = len(prices) // 4 * 4
    for i in range(0, whole, 4):
        a = min(a, row[i] - prices[i])
        b = min(b, row[i + 1] - prices[i + 1])
        c = min(c, row[i + 2] - prices[i + 2])
        d = min(d, row[i + 3] - prices[i + 3])
    for i in range(whole, len(prices)):
        a = min(a, row[i] - prices[i])
    return min(a, b, c, d)
