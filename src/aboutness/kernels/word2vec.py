"""Training of word vectors: skip-gram and continuous bag of words (CBOW), with negative sampling.

A block is some pieces of text, piece p being `tokens[starts[p]:ends[p]]`; windows do not reach from one into
another. The rows of `inward` (IN) and `outward` (OUT) are words; rows may be longer than vectors, with zeros at
their end. Threads may work on different blocks at the same time without locks: they seldom meet in a row, and
what one then loses of another's small step does not matter (Hogwild).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.chance import LOW, State, Table, below, draw, next_random
from aboutness.kernels.compiled import compiled
from aboutness.kernels.rows import (
    ONE,
    TOGETHER,
    ZERO,
    add_left,
    add_right,
    add_row,
    mean,
    multiply,
    multiply_two,
    sigmoid,
    steps,
)

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
Int: TypeAlias = int | np.signedinteger[Any]
Float: TypeAlias = float | np.floating[Any]


@compiled
def collect(
    tokens: NDArray[np.int32],
    start: Int,
    end: Int,
    number_of: NDArray[np.int32],
    keep: NDArray[np.uint64],
    window: Int,
    state: State,
    words: I64,
    reach: I64,
) -> Int:
    """Write the words of a piece that have a vector and are not left out by chance; return how many.

    Word w stays where 32 random bits are below keep[w]; `reach` is how far it looks, 1 to `window` by chance.
    """
    count = 0
    for at in range(start, end):
        word = number_of[tokens[at]]
        if word < 0:
            continue
        bits = next_random(state)
        if (bits & LOW) < keep[word]:
            words[count] = word
            reach[count] = 1 + np.int64(below(bits, np.uint64(window)))
            count += 1
    return count


@compiled
def around(words: I64, count: Int, at: Int, reach: Int, out: I64) -> Int:
    """Write the words around a place, up to `reach` away; return how many."""
    found = 0
    for other in range(max(0, at - reach), min(count, at + reach + 1)):
        if other != at:
            out[found] = words[other]
            found += 1
    return found


@compiled
def take_rows(matrix: F32, places: I64, count: Int, out: F32) -> None:
    """Copy some rows."""
    for i in range(count):
        row, copy = matrix[places[i]], out[i]
        for x in range(len(copy)):
            copy[x] = row[x]


@compiled
def longest(starts: I64, ends: I64) -> Int:
    """Return how many tokens the longest piece has."""
    most = 0
    for piece in range(len(starts)):
        most = max(most, ends[piece] - starts[piece])
    return most


@compiled
def skip_gram(
    tokens: NDArray[np.int32],
    starts: I64,
    ends: I64,
    number_of: NDArray[np.int32],
    keep: NDArray[np.uint64],
    table: Table,
    state: State,
    window: Int,
    negatives: Int,
    shared: Int,
    rate: Float,
    slope: Float,
    inward: F32,
    outward: F32,
) -> tuple[Int, Float]:
    """Train a block by skip-gram; return how many words were trained and the sum of all products.

    For each word, `negatives` others are drawn; each group of up to `shared` of its neighbours learns to tell the
    word from them: IN of the neighbour, OUT of the word and of the negatives. All steps of a group are worked out
    before any is made. The rate falls by `slope` for each token.
    """
    width = (1 + negatives + TOGETHER - 1) // TOGETHER * TOGETHER
    size = inward.shape[1]
    near = np.zeros((width, size), np.float32)
    products = np.zeros((2 * window, width), np.float32)
    outs, neighbours = np.zeros(width, np.int64), np.zeros(2 * window, np.int64)
    most = longest(starts, ends)
    words, reach = np.zeros(most, np.int64), np.zeros(most, np.int64)
    trained: Int = 0
    total, rate = np.float64(0), np.float64(rate)
    for piece in range(len(starts)):
        step = np.float32(rate)
        count = collect(tokens, starts[piece], ends[piece], number_of, keep, window, state, words, reach)
        for at in range(count):
            found = around(words, count, at, reach[at], neighbours)
            for first in range(0, found, shared):
                some = min(shared, found - first)
                group = neighbours[first:]
                outs[0], drawn = words[at], 1
                for _ in range(negatives):
                    other = draw(table, next_random(state))
                    if other != words[at]:
                        outs[drawn] = other
                        drawn += 1
                take_rows(outward, outs, drawn, near)
                multiply(inward, group, some, near, width, products)
                total += np.float64(steps(products, some, width, step))
                for i in range(some):
                    products[i, 0] += step
                    for j in range(drawn, width):
                        products[i, j] = ZERO
                add_left(outward, outs, drawn, inward, group, some, products)
                add_right(inward, group, some, near, width, products)
        trained += count
        rate -= slope * (ends[piece] - starts[piece])
    return trained, total


@compiled
def cbow(
    tokens: NDArray[np.int32],
    starts: I64,
    ends: I64,
    number_of: NDArray[np.int32],
    keep: NDArray[np.uint64],
    table: Table,
    state: State,
    window: Int,
    negatives: Int,
    shared: Int,
    rate: Float,
    slope: Float,
    inward: F32,
    outward: F32,
) -> tuple[Int, Float]:
    """Train a block by CBOW; return how many words were trained and the sum of all products.

    The mean of the IN vectors of a word's neighbours learns to tell the word from negatives, by their OUT vectors.
    The same `negatives` are drawn for `shared` successive words, whose means are all taken before any step is
    made. Each neighbour makes the whole step of the mean, as in the original program: the gradient times their
    number.
    """
    width = (negatives + TOGETHER - 1) // TOGETHER * TOGETHER
    size = inward.shape[1]
    near = np.zeros((width, size), np.float32)
    means, moves = np.zeros((shared, size), np.float32), np.zeros((shared, size), np.float32)
    products = np.zeros((shared, width), np.float32)
    outs, targets = np.zeros(width, np.int64), np.zeros(shared, np.int64)
    neighbours, found = np.zeros((shared, 2 * window), np.int64), np.zeros(shared, np.int64)
    most = longest(starts, ends)
    words, reach = np.zeros(most, np.int64), np.zeros(most, np.int64)
    trained: Int = 0
    total, rate, waiting = np.float64(0), np.float64(rate), 0
    for piece in range(len(starts)):
        step = np.float32(rate)
        count = collect(tokens, starts[piece], ends[piece], number_of, keep, window, state, words, reach)
        for at in range(count):
            found[waiting] = around(words, count, at, reach[at], neighbours[waiting])
            if found[waiting] == 0:
                continue
            mean(inward, neighbours[waiting], found[waiting], means[waiting])
            targets[waiting] = words[at]
            waiting += 1
            if waiting == shared:
                for j in range(negatives):
                    outs[j] = draw(table, next_random(state))
                total += cbow_step(
                    waiting, targets, neighbours, found, outs, negatives, step, inward, outward, means, moves,
                    near, products,
                )  # fmt: skip
                waiting = 0
        trained += count
        rate -= slope * (ends[piece] - starts[piece])
    if waiting > 0:
        for j in range(negatives):
            outs[j] = draw(table, next_random(state))
        total += cbow_step(
            waiting, targets, neighbours, found, outs, negatives, np.float32(rate), inward, outward, means, moves,
            near, products,
        )  # fmt: skip
    return trained, total


@compiled
def cbow_step(
    count: Int,
    targets: I64,
    neighbours: I64,
    found: I64,
    outs: I64,
    negatives: Int,
    rate: np.float32,
    inward: F32,
    outward: F32,
    means: F32,
    moves: F32,
    near: F32,
    products: F32,
) -> Float:
    """Make the steps of some words with the same negatives; return the sum of the products."""
    width = len(near)
    every = np.arange(count)
    take_rows(outward, outs, negatives, near)
    multiply(means, every, count, near, width, products)
    total = np.float64(steps(products, count, width, rate))
    for i in range(count):
        moves[i] = ZERO
        for j in range(width):
            if j >= negatives or outs[j] == targets[i]:
                products[i, j] = ZERO
    add_right(moves, every, count, near, width, products)
    add_left(outward, outs, negatives, means, every, count, products)
    for i in range(count):
        target = outward[targets[i]]
        product = multiply_two(target, means[i])
        total += np.float64(product)
        factor = rate * (ONE - sigmoid(product))
        add_row(moves[i], factor, target)
        add_row(target, factor, means[i])
        for j in range(found[i]):
            add_row(inward[neighbours[i, j]], ONE, moves[i])
    return total
