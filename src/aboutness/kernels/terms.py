"""Token numbers to term numbers: dropping and renaming, word n-grams, letter n-grams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled
from aboutness.kernels.strings import FREE, ONE, Bytes, Ends, Slots, absorb

Numbers = NDArray[np.int32]

DROPPED = -1
BLANK = 32
PARENT = np.uint64(32)
IS_NODE = np.uint64(1 << 63)


@compiled
def rename(tokens: Numbers, ends: Ends, names: Numbers) -> int:
    """Replace each token by its name, in place, without those that are DROPPED; return how many are left."""
    written = 0
    start = np.int64(0)
    for cell in range(len(ends)):
        end = ends[cell]
        for i in range(start, end):
            name = names[tokens[i]]
            if name != DROPPED:
                tokens[written] = name
                written += 1
        start = end
        ends[cell] = written
    return written


@compiled
def expand(tokens: Numbers, ends: Ends, pieces: Numbers, piece_ends: Ends, out: Numbers) -> None:
    """Replace each token by all its pieces; `out` has room for exactly those, and `ends` is updated."""
    written = 0
    start = np.int64(0)
    for cell in range(len(ends)):
        end = ends[cell]
        for i in range(start, end):
            token = tokens[i]
            for j in range(piece_ends[token - 1] if token > 0 else 0, piece_ends[token]):
                out[written] = pieces[j]
                written += 1
        start = end
        ends[cell] = written


@compiled
def child_place(keys: Slots, key: np.uint64) -> np.uint64:
    """Return the place of `key` among `keys`, or the free place where it belongs."""
    mask = np.uint64(len(keys) - 1)
    place = absorb(np.uint64(0), key) & mask
    while keys[place] != FREE and keys[place] != key:
        place = (place + ONE) & mask
    return place


@compiled
def word_ngrams(
    tokens: Numbers,
    ends: Ends,
    low: int,
    high: int,
    keys: Slots,
    nodes: Numbers,
    parents: Numbers,
    lasts: Numbers,
    count: int,
    out: Numbers,
) -> int:
    """Write the n-grams of each cell to `out`, by the place of their last token; return the count of nodes.

    An n-gram longer than one token is a node: its parent (the n-gram without the last token) and that token,
    kept in `parents` and `lasts` and found through `keys` and `nodes`, which have room for all new ones.
    Single tokens are written as they are, node n as -2 - n. `ends` is updated.
    """
    before = np.empty(high + 1, np.int64)  # before[s]: the n-gram of s tokens that ended one place earlier
    written = 0
    start = np.int64(0)
    for cell in range(len(ends)):
        end = ends[cell]
        known = 0
        for i in range(start, end):
            token = np.int64(tokens[i])
            longest = min(known + 1, high)
            for size in range(longest, 1, -1):
                parent = before[size - 1]
                key = np.uint64(parent) << PARENT | np.uint64(token + 1)
                if size > 2:
                    key |= IS_NODE
                place = child_place(keys, key)
                if keys[place] == FREE:
                    keys[place] = key
                    nodes[place] = count
                    parents[count] = parent if size == 2 else -2 - parent
                    lasts[count] = token
                    count += 1
                before[size] = nodes[place]
            before[1] = token
            known = longest
            for size in range(low, longest + 1):
                out[written] = token if size == 1 else -2 - before[size]
                written += 1
        start = end
        ends[cell] = written
    return count


@compiled
def enter_keys(parents: Numbers, lasts: Numbers, count: int, keys: Slots, nodes: Numbers) -> None:
    """Enter the first `count` nodes into empty `keys` and `nodes`."""
    for n in range(count):
        parent = np.int64(parents[n])
        if parent >= 0:
            key = np.uint64(parent) << PARENT | np.uint64(lasts[n] + 1)
        else:
            key = np.uint64(-2 - parent) << PARENT | np.uint64(lasts[n] + 1) | IS_NODE
        place = child_place(keys, key)
        keys[place] = key
        nodes[place] = n


@compiled
def name_ngrams(ngrams: Numbers, token_names: Numbers, node_names: Numbers) -> None:
    """Replace tokens and nodes, as `word_ngrams` writes them, by their names."""
    for i in range(len(ngrams)):
        ngram = ngrams[i]
        ngrams[i] = token_names[ngram] if ngram >= 0 else node_names[-2 - ngram]


@compiled
def spell_nodes(
    parents: Numbers, lasts: Numbers, first: int, count: int, low: int, data: Bytes, ends: Ends
) -> tuple[Bytes, Ends, NDArray[np.int64]]:
    """Return, packed, the texts of the nodes from `first` that have at least `low` tokens, and which those are.

    `data, ends` are the packed texts of the tokens; a node's text has a blank between two of them.
    """
    path = np.empty(64, np.int64)
    chosen = np.empty(count - first, np.int64)
    out_ends = np.empty(count - first, np.int64)
    out = np.empty(0, np.uint8)
    for attempt in range(2):  # measure, then write
        kept, used = 0, np.int64(0)
        for node in range(first, count):
            size = 0
            at = np.int64(-2 - node)
            while at < 0:
                path[size] = lasts[-2 - at]
                size += 1
                at = np.int64(parents[-2 - at])
            path[size] = at
            size += 1
            if size < low:
                continue
            for i in range(size - 1, -1, -1):
                token = path[i]
                begin = ends[token - 1] if token > 0 else np.int64(0)
                if attempt == 1:
                    for j in range(begin, ends[token]):
                        out[used + j - begin] = data[j]
                used += ends[token] - begin
                if i > 0:
                    if attempt == 1:
                        out[used] = BLANK
                    used += 1
            chosen[kept] = node
            out_ends[kept] = used
            kept += 1
        if attempt == 0:
            out = np.empty(used, np.uint8)
    return out, out_ends[:kept], chosen[:kept]
