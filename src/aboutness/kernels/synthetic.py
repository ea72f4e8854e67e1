"""Text from chance: words whose frequencies fall as those of a language do, spelled in syllables.

Every document has a stream of chance of its own, seeded by its number, so that any range of documents can be made
without those before it. `corpus/synthetic.py` says what the text is like.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.chance import STEP, State, below, next_random, scramble
from aboutness.kernels.compiled import compiled

Bytes = NDArray[np.uint8]
Ends = NDArray[np.int64]
Int: TypeAlias = int | np.integer[Any]

HEAD = 8192.0  # ranks below have a frequency of 1 / rank, those above 1 / rank ** TAIL_FALL
TAIL_FALL = 1.8
TAIL_POWER = 1.0 / (1.0 - TAIL_FALL)
HEAD_LOG = math.log(HEAD)
HEAD_SHARE = HEAD_LOG / (HEAD_LOG + 1.0 / (TAIL_FALL - 1.0))
LARGEST_RANK = float(1 << 29)

TOPICS = np.uint64(500)
GROUP_BITS, GROUP_MASK = np.uint64(6), np.uint64(63)  # of 64 neighbouring ranks a topic prefers one
FIRST_TOPICAL = np.int64(64)  # words that are more frequent than this are those of all topics
TOPICAL = 0.4  # of a document's other words

LENGTH_LOG, LENGTH_SPREAD = math.log(50.0), 0.6  # of a document in words: median and sigma of a log-normal
LONGEST = 2000
LONGEST_QUERY = np.uint64(5)
QUERY_FIRST, QUERY_REACH = 100.0, math.log(1000.0)  # a query's words have ranks from 100 to 100,000

CONSONANTS = np.frombuffer(b"bdfghjklmnprstvz", np.uint8)
VOWELS = np.frombuffer(b"aiou", np.uint8)
SYLLABLES = np.int64(64)
SYLLABLE_BITS = np.int64(6)
MOST_BYTES = 11  # of a word, with the space after it
SPACE = np.uint8(32)

UNIT = 1.0 / (1 << 53)
UNIT_BITS = np.uint64(11)


@compiled
def even(state: State) -> float:
    """Return a number from 0 to 1, 1 excluded."""
    return np.float64(next_random(state) >> UNIT_BITS) * UNIT


@compiled
def begin(seed: np.uint64, number: Int, state: State) -> None:
    """Begin the chance of one document or query."""
    state[0] = scramble(scramble(seed) + np.uint64(number) * STEP)


@compiled
def draw_rank(chance: float) -> Int:
    """Return the rank of a word, from 0: Zipf's law with two slopes."""
    if chance < HEAD_SHARE:
        return np.int64(math.exp(chance / HEAD_SHARE * HEAD_LOG)) - 1
    left = (1.0 - chance) / (1.0 - HEAD_SHARE)  # above 0, as chance is below 1
    return np.int64(min(HEAD * left**TAIL_POWER, LARGEST_RANK)) - 1


@compiled
def of_topic(rank: Int, topic: np.uint64) -> Int:
    """Return the word that a topic prefers among the neighbours of a rank."""
    group = np.uint64(rank) >> GROUP_BITS
    return np.int64((group << GROUP_BITS) | (scramble(topic * STEP + group) & GROUP_MASK))


@compiled
def spell(rank: Int, out: Bytes, at: Int) -> Int:
    """Write a word and a space; return where the next one begins. Words have two syllables or more."""
    value = rank + SYLLABLES
    shift = SYLLABLE_BITS
    while value >> (shift + SYLLABLE_BITS):
        shift += SYLLABLE_BITS
    while shift >= 0:
        syllable = (value >> shift) & (SYLLABLES - 1)
        out[at] = CONSONANTS[syllable >> 2]
        out[at + 1] = VOWELS[syllable & 3]
        at += 2
        shift -= SYLLABLE_BITS
    out[at] = SPACE
    return at + 1


@compiled
def draw_topic(seed: np.uint64, number: Int) -> Int:
    """Return the topic of a document or query: the first that its chance decides."""
    state = np.empty(1, np.uint64)
    begin(seed, number, state)
    return np.int64(below(next_random(state), TOPICS))


@compiled
def write_documents(seed: np.uint64, first: Int, last: Int, out: Bytes, ends: Ends) -> Int:
    """Write documents `first` to `last` - 1, as far as there is room; return how many came out whole."""
    state = np.empty(1, np.uint64)
    at: Int = np.int64(0)
    for number in range(first, last):
        begin(seed, number, state)
        topic = below(next_random(state), TOPICS)
        normal = math.sqrt(-2.0 * math.log(1.0 - even(state))) * math.cos(2.0 * math.pi * even(state))
        length = min(max(int(math.exp(LENGTH_LOG + LENGTH_SPREAD * normal)), 1), LONGEST)
        if at + length * MOST_BYTES > len(out):
            return number - first
        for _ in range(length):
            rank = draw_rank(even(state))
            if rank >= FIRST_TOPICAL and even(state) < TOPICAL:
                rank = of_topic(rank, topic)
            at = spell(rank, out, at)
        ends[number - first] = at
    return last - first


@compiled
def write_queries(seed: np.uint64, first: Int, last: Int, out: Bytes, ends: Ends) -> None:
    """Write queries: a few words that a topic prefers, neither the most frequent nor the rarest."""
    state = np.empty(1, np.uint64)
    at: Int = np.int64(0)
    for number in range(first, last):
        begin(seed, number, state)
        topic = below(next_random(state), TOPICS)
        length = np.int64(below(next_random(state), LONGEST_QUERY)) + 1
        for _ in range(length):
            rank = np.int64(QUERY_FIRST * math.exp(even(state) * QUERY_REACH))
            at = spell(of_topic(rank, topic), out, at)
        ends[number - first] = at
