"""Chance that can be repeated: random numbers from a seed, and draws from any distribution by an alias table.

A state is an array with one 64-bit number. The generator is SplitMix64, which needs nothing else, so that any
piece of work can have a stream of its own, seeded by its place.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled

State = NDArray[np.uint64]
Table = NDArray[np.uint64]
Int: TypeAlias = int | np.signedinteger[Any]

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT_1, SHIFT_2, SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
ROUND = np.float64(1 << 32)
MANTISSA = np.uint64(40)  # bits left out, so that 24 are left: what a 32-bit float holds
UNIT = np.float32(1 / (1 << 24))


@compiled
def scramble(value: np.uint64) -> np.uint64:
    """Return a number of which every bit depends on all bits of `value`."""
    value = (value ^ (value >> SHIFT_1)) * FIRST
    value = (value ^ (value >> SHIFT_2)) * SECOND
    return value ^ (value >> SHIFT_3)


@compiled
def next_random(state: State) -> np.uint64:
    """Return 64 random bits and move on."""
    state[0] += STEP
    return scramble(state[0])


@compiled
def below(bits: np.uint64, limit: np.uint64) -> np.uint64:
    """Return a number below `limit` (at most 2^32), made from the upper half of some random bits."""
    return ((bits >> HALF) * limit) >> HALF


@compiled
def fill_evenly(state: State, reach: np.float32, width: Int, out: NDArray[np.float32]) -> None:
    """Fill the first `width` columns with random numbers, evenly between -reach and reach."""
    for row in range(len(out)):
        for column in range(width):
            share = np.float32(next_random(state) >> MANTISSA) * UNIT
            out[row, column] = (share + share - np.float32(1)) * reach


@compiled
def fill_alias(
    weights: NDArray[np.float64], waiting: NDArray[np.int64], left: NDArray[np.float64], out: Table
) -> None:
    """Fill the alias table of a distribution: `draw` gives each number with probability in proportion to weight.

    Each number has a place of the same size, which it shares with at most one other (Vose's method): the upper
    half of an entry is the number's own part of it, the lower half the other. `waiting` and `left` are working
    space, as long as `weights`.
    """
    count = len(weights)
    total = np.float64(0)
    for i in range(count):
        total += weights[i]
    small, large = 0, count  # numbers with too little are at the beginning of `waiting`, the others at its end
    for i in range(count):
        left[i] = weights[i] / total * count
        if left[i] < 1:
            waiting[small] = i
            small += 1
        else:
            large -= 1
            waiting[large] = i
    while small > 0 and large < count:
        small -= 1
        poor, rich = waiting[small], waiting[large]
        own = min(np.uint64(left[poor] * ROUND), LOW)
        out[poor] = (own << HALF) | np.uint64(rich)
        left[rich] -= 1 - left[poor]
        if left[rich] < 1:
            large += 1
            waiting[small] = rich
            small += 1
    while small > 0:  # by rounding only
        small -= 1
        out[waiting[small]] = (LOW << HALF) | np.uint64(waiting[small])
    while large < count:
        out[waiting[large]] = (LOW << HALF) | np.uint64(waiting[large])
        large += 1


@compiled
def draw(table: Table, bits: np.uint64) -> Int:
    """Return the number that some random bits choose from an alias table."""
    place = below(bits, np.uint64(len(table)))
    entry = table[place]
    return np.int64(place) if (bits & LOW) < (entry >> HALF) else np.int64(entry & LOW)
