"""Training of paragraph vectors: the vector of a document learns to predict its words, alone or with others.

A block is some pieces of text, piece p being `tokens[starts[p]:ends[p]]` of document `documents[p]`. The rows of
`rows` are documents, those of `outward` words, those of `context` words as the context of others; rows may be
longer than vectors, with zeros at their end. Threads may work on different blocks at the same time without locks
(see `aboutness.kernels.word2vec`).

Negatives are drawn for a group of words at once, fewer than for the words one by one, and each counts for as many
as it stands for: the expected step is the same, with fewer rows read and written.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.chance import State, Table, draw, next_random, scramble
from aboutness.kernels.compiled import compiled
from aboutness.kernels.rows import ONE, ZERO, add_row, multiply_row, pull, push, sigmoid
from aboutness.kernels.word2vec import around, collect, longest

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Int: TypeAlias = int | np.signedinteger[Any]
Float: TypeAlias = float | np.floating[Any]

TOGETHER, DRAWN = 8, 2  # words of a group, negatives that are drawn for each of them
FOLDED = 16  # words of a group, and negatives drawn for it, where only the vectors of texts are trained


@compiled
def count_known(
    tokens: NDArray[np.int32],
    starts: I64,
    ends: I64,
    documents: I64,
    number_of: NDArray[np.int32],
    last: I64,
    lengths: I64,
    df: I64,
) -> None:
    """Add how many known words documents have, and to `df` the documents that have each.

    `last` is the last document that each word was seen in; documents ascend.
    """
    for piece in range(len(starts)):
        document = documents[piece]
        for at in range(starts[piece], ends[piece]):
            word = number_of[tokens[at]]
            if word >= 0:
                lengths[document] += 1
                if last[word] != document:
                    last[word] = document
                    df[word] += 1


@compiled
def tell_apart(
    chosen: I64,
    weights: F32,
    count: Int,
    drawn: Int,
    rate: np.float32,
    matrix: F32,
    trains: bool,
    vector: F32,
    factors: F32,
    move: F32,
) -> Float:
    """Let a vector learn to tell `count` chosen rows from the `drawn` next; each counts as its weight says.

    The vector's own step is written to `move`; the rows make theirs where `trains` is set. Return the sum of the
    products: it is not finite where one of them is not.
    """
    multiply_row(matrix, chosen, count + drawn, vector, factors)
    total = ZERO
    for i in range(count):
        total += factors[i]
        factors[i] = rate * weights[i] * (ONE - sigmoid(factors[i]))
    for i in range(count, count + drawn):
        total += factors[i]
        factors[i] = -rate * weights[i] * sigmoid(factors[i])
    move[:] = ZERO
    pull(matrix, chosen, count + drawn, factors, move)
    if trains:
        push(matrix, chosen, count + drawn, factors, vector)
    return np.float64(total)


@compiled
def dbow(
    tokens: NDArray[np.int32],
    starts: I64,
    ends: I64,
    documents: I64,
    number_of: NDArray[np.int32],
    keep: NDArray[np.uint64],
    table: Table,
    state: State,
    window: Int,
    negatives: Int,
    balance: Float,
    pulls: F64,
    rate: Float,
    slope: Float,
    rows: F32,
    outward: F32,
    context: F32,
) -> tuple[Int, Float]:
    """Train a block; return how many words were trained and the sum of all products.

    With a `window`, each word predicts its contexts as well, which counts `balance` times as much. For each word
    of document d, its vector is drawn towards 0 by pulls[d] times the rate (a proximal step). The rate falls by
    `slope` for each token.
    """
    size = rows.shape[1]
    room = max((1 + DRAWN) * TOGETHER, 4 * window)
    chosen, factors = np.zeros(room, np.int64), np.zeros(room, np.float32)
    weights, move = np.ones(room, np.float32), np.zeros(size, np.float32)
    most = longest(starts, ends)
    words, reach = np.zeros(most, np.int64), np.zeros(most, np.int64)
    trained: Int = 0
    total, rate = np.float64(0), np.float64(rate)
    for piece in range(len(starts)):
        step = np.float32(rate)
        count = collect(tokens, starts[piece], ends[piece], number_of, keep, 1, state, words, reach)
        row = rows[documents[piece]]
        for first in range(0, count, TOGETHER):
            some = min(TOGETHER, count - first)
            for i in range(some):
                chosen[i], weights[i] = words[first + i], ONE
            for i in range(some, (1 + DRAWN) * some):
                chosen[i], weights[i] = draw(table, next_random(state)), np.float32(negatives / DRAWN)
            total += tell_apart(chosen, weights, some, DRAWN * some, step, outward, True, row, factors, move)
            shrink = ONE / (ONE + np.float32(some * pulls[documents[piece]]) * step)
            for x in range(size):
                row[x] = (row[x] + move[x]) * shrink
            for at in range(first, first + some if window > 0 else first):
                found = around(words, count, at, window, chosen)
                for i in range(found):
                    chosen[found + i] = draw(table, next_random(state))
                    weights[i], weights[found + i] = ONE, np.float32(negatives)
                word, less = outward[words[at]], np.float32(balance) * step
                total += tell_apart(chosen, weights, found, found, less, context, True, word, factors, move)
                for x in range(size):
                    word[x] += move[x]
        trained += count
        rate -= slope * (ends[piece] - starts[piece])
    return trained, total


@compiled
def mix(words: NDArray[np.int32], texts: I64, out: NDArray[np.uint64]) -> None:
    """Write for each word of texts, in which equal words stand together, a number that looks like chance.

    It depends on the word and on how often it has stood in its text before.
    """
    before = np.uint64(0)
    for at in range(len(words)):
        again = at > 0 and words[at] == words[at - 1] and texts[at] == texts[at - 1]
        before = before + np.uint64(1) if again else np.uint64(0)
        out[at] = scramble(scramble(np.uint64(words[at])) ^ before)


@compiled
def fold(
    words: NDArray[np.int32],
    counts: F32,
    ends: I64,
    table: Table,
    seed: np.uint64,
    epochs: Int,
    negatives: Int,
    gamma: Float,
    rate: Float,
    last_rate: Float,
    outward: F32,
    rows: F32,
) -> None:
    """Train the rows of texts anew, from 0, with the words' vectors as they are.

    Text t has words[ends[t - 1]:ends[t]], each of which counts as `counts` says. Chance depends on the text alone,
    so that it always has the same row. `FOLDED` negatives are drawn for each group of words, however few.
    """
    size = rows.shape[1]
    chosen, factors = np.zeros(2 * FOLDED, np.int64), np.zeros(2 * FOLDED, np.float32)
    weights, move = np.zeros(2 * FOLDED, np.float32), np.zeros(size, np.float32)
    state = np.zeros(1, np.uint64)
    start = 0
    for text in range(len(ends)):
        end, row = ends[text], rows[text]
        row[:] = ZERO
        length, state[0] = np.float64(0), seed
        for at in range(start, end):
            length += counts[at]
            state[0] = scramble(state[0] ^ np.uint64(words[at]))
        slope = (rate - last_rate) / max(1, epochs * (end - start))
        falling = np.float64(rate)
        for _ in range(epochs if length > 0 else 0):
            for first in range(start, end, FOLDED):
                some = min(FOLDED, end - first)
                together = ZERO
                for i in range(some):
                    chosen[i], weights[i] = words[first + i], counts[first + i]
                    together += counts[first + i]
                for i in range(some, some + FOLDED):
                    chosen[i] = draw(table, next_random(state))
                    weights[i] = np.float32(negatives) * together / np.float32(FOLDED)
                step = np.float32(falling)
                tell_apart(chosen, weights, some, FOLDED, step, outward, False, row, factors, move)
                shrink = ONE / (ONE + np.float32(2 * gamma * together / length) * step)
                for x in range(size):
                    row[x] = (row[x] + move[x]) * shrink
                falling -= slope * some
        start = end


@compiled
def dm(
    tokens: NDArray[np.int32],
    starts: I64,
    ends: I64,
    documents: I64,
    number_of: NDArray[np.int32],
    keep: NDArray[np.uint64],
    table: Table,
    state: State,
    window: Int,
    negatives: Int,
    rate: Float,
    slope: Float,
    rows: F32,
    inward: F32,
    outward: F32,
) -> tuple[Int, Float]:
    """Train a block by PV-DM; return how many words were trained and the sum of all products.

    The mean of a document's row and of a word's neighbours (`inward`) learns to tell the word from negatives. Row
    and neighbours each make the whole step of the mean, as in `aboutness.kernels.word2vec.cbow`.
    """
    size = rows.shape[1]
    chosen, factors = np.zeros(1 + negatives, np.int64), np.zeros(1 + negatives, np.float32)
    weights = np.ones(1 + negatives, np.float32)
    together, move = np.zeros(size, np.float32), np.zeros(size, np.float32)
    neighbours = np.zeros(2 * window, np.int64)
    most = longest(starts, ends)
    words, reach = np.zeros(most, np.int64), np.zeros(most, np.int64)
    trained: Int = 0
    total, rate = np.float64(0), np.float64(rate)
    for piece in range(len(starts)):
        step = np.float32(rate)
        count = collect(tokens, starts[piece], ends[piece], number_of, keep, window, state, words, reach)
        row = rows[documents[piece]]
        for at in range(count):
            found = around(words, count, at, reach[at], neighbours)
            mean_with(row, inward, neighbours, found, together)
            chosen[0] = words[at]
            for j in range(negatives):
                chosen[1 + j] = draw(table, next_random(state))
            total += tell_apart(chosen, weights, 1, negatives, step, outward, True, together, factors, move)
            add_row(row, ONE, move)
            for j in range(found):
                add_row(inward[neighbours[j]], ONE, move)
        trained += count
        rate -= slope * (ends[piece] - starts[piece])
    return trained, total


@compiled
def mean_with(row: F32, inward: F32, neighbours: I64, count: Int, out: F32) -> None:
    """Write the mean of a row and of `count` rows of a matrix."""
    out[:] = row
    for j in range(count):
        add_row(out, ONE, inward[neighbours[j]])
    share = ONE / np.float32(count + 1)
    for x in range(len(out)):
        out[x] *= share


@compiled
def fold_in_context(
    words: NDArray[np.int32],
    counts: F32,
    ends: I64,
    table: Table,
    seed: np.uint64,
    epochs: Int,
    negatives: Int,
    window: Int,
    rate: Float,
    last_rate: Float,
    inward: F32,
    outward: F32,
    rows: F32,
) -> None:
    """Train the rows of texts anew by PV-DM, from 0, with the words' vectors as they are (see `fold`)."""
    size = rows.shape[1]
    chosen, factors = np.zeros(1 + negatives, np.int64), np.zeros(1 + negatives, np.float32)
    weights = np.ones(1 + negatives, np.float32)
    together, move = np.zeros(size, np.float32), np.zeros(size, np.float32)
    neighbours, state = np.zeros(2 * window, np.int64), np.zeros(1, np.uint64)
    start = 0
    for text in range(len(ends)):
        end, row = ends[text], rows[text]
        row[:] = ZERO
        state[0] = seed
        here = words[start:end].astype(np.int64)
        for at in range(len(here)):
            state[0] = scramble(state[0] ^ np.uint64(here[at]))
        slope = (rate - last_rate) / max(1, epochs * len(here))
        falling = np.float64(rate)
        for _ in range(epochs):
            for at in range(len(here)):
                found = around(here, len(here), at, window, neighbours)
                mean_with(row, inward, neighbours, found, together)
                chosen[0] = here[at]
                for j in range(negatives):
                    chosen[1 + j] = draw(table, next_random(state))
                weights[:] = counts[start + at]
                step = np.float32(falling)
                tell_apart(chosen, weights, 1, negatives, step, outward, False, together, factors, move)
                add_row(row, ONE, move)
                falling -= slope
        start = end
