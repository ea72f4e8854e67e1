from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import terms
from aboutness.kernels.strings import absorb

quick = settings(max_examples=60, deadline=None)
WORDS = ["ant", "", "bée", "c", "dove", "eel"]

cells_of = st.lists(st.lists(st.integers(0, len(WORDS) - 1), max_size=8), max_size=5)


def stream(cells: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    tokens = np.array([token for cell in cells for token in cell], np.int32)
    return tokens, np.cumsum([len(cell) for cell in cells], dtype=np.int64)


def split(tokens: np.ndarray, ends: np.ndarray) -> list[list[int]]:
    return [tokens[a:b].tolist() for a, b in zip([0, *ends], ends, strict=False)]


def packed(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    raw = [text.encode() for text in texts]
    return np.frombuffer(bytearray(b"".join(raw)), np.uint8), np.cumsum([len(one) for one in raw], dtype=np.int64)


@quick
@given(cells_of, st.lists(st.integers(-1, 3), min_size=len(WORDS), max_size=len(WORDS)))
def test_rename(run, cells, names):
    left, (tokens, ends, _) = run(terms.rename, *stream(cells), np.array(names, np.int32))
    expected = [[names[token] for token in cell if names[token] != -1] for cell in cells]
    assert split(tokens[:left], ends) == expected
    assert left == sum(map(len, expected))


@quick
@given(cells_of, st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=len(WORDS), max_size=len(WORDS)))
def test_expand(run, cells, pieces):
    expected = [[piece for token in cell for piece in pieces[token]] for cell in cells]
    out = np.full(sum(map(len, expected)), -9, np.int32)
    _, after = run(terms.expand, *stream(cells), *stream(pieces), out)
    assert split(after[4], after[1]) == expected


@quick
@given(st.lists(st.integers(1, (1 << 64) - 1), max_size=8, unique=True), st.integers(1, (1 << 64) - 1))
def test_child_place(run, entered, other):
    keys = np.zeros(16, np.uint64)
    for key in entered:
        place, _ = run(terms.child_place, keys, np.uint64(key))
        assert keys[place] == 0
        keys[place] = key
    for key in entered:
        place, _ = run(terms.child_place, keys, np.uint64(key))
        assert keys[place] == key
        home = int(absorb(np.uint64(0), np.uint64(key))) % 16
        assert all(keys[(home + step) % 16] for step in range((int(place) - home) % 16))
    place, _ = run(terms.child_place, keys, np.uint64(other))
    assert keys[place] == (other if other in entered else 0)


class Nodes:
    """The arrays that `word_ngrams` needs, with room for all that `cells` can bring."""

    def __init__(self, room: int) -> None:
        self.keys = np.zeros(1 << (2 * room + 1).bit_length(), np.uint64)
        self.nodes = np.zeros(len(self.keys), np.int32)
        self.parents = np.zeros(room, np.int32)
        self.lasts = np.zeros(room, np.int32)
        self.count = 0

    def path(self, ngram: int) -> tuple[int, ...]:
        """The tokens of an n-gram, as `word_ngrams` writes it."""
        return (ngram,) if ngram >= 0 else (*self.path(int(self.parents[-2 - ngram])), int(self.lasts[-2 - ngram]))

    def add(self, run, cells: list[list[int]], low: int, high: int) -> list[list[tuple[int, ...]]]:
        tokens, ends = stream(cells)
        out = np.full(len(tokens) * (high - low + 1), -1, np.int32)
        self.count, after = run(
            terms.word_ngrams, tokens, ends, low, high,
            self.keys, self.nodes, self.parents, self.lasts, self.count, out,
        )  # fmt: skip
        _, ends, _, _, self.keys, self.nodes, self.parents, self.lasts, _, out = after
        return [[self.path(ngram) for ngram in cell] for cell in split(out, ends)]


def naive_ngrams(cell: list[int], low: int, high: int) -> list[tuple[int, ...]]:
    return [
        tuple(cell[last - size : last])
        for last in range(1, len(cell) + 1)
        for size in range(low, high + 1)
        if size <= last
    ]


spans = st.tuples(st.integers(1, 5), st.integers(1, 5)).map(lambda pair: (min(pair), max(pair)))


@quick
@given(cells_of, cells_of, spans)
def test_word_ngrams(run, cells, more, span):
    nodes = Nodes(sum(map(len, cells + more)) * 5)
    for batch in (cells, more):
        assert nodes.add(run, batch, *span) == [naive_ngrams(cell, *span) for cell in batch]
    every = {
        tuple(cell[at : at + size])
        for cell in cells + more
        for size in range(2, span[1] + 1)
        for at in range(len(cell) - size + 1)
    }
    assert {nodes.path(-2 - node) for node in range(nodes.count)} == every
    assert nodes.count == len(every)  # each has one node only


@quick
@given(cells_of, spans)
def test_enter_keys(run, cells, span):
    nodes = Nodes(sum(map(len, cells)) * 5)
    nodes.add(run, cells, *span)
    places = 2 * len(nodes.keys)
    empty = (np.zeros(places, np.uint64), np.zeros(places, np.int32))
    _, after = run(terms.enter_keys, nodes.parents, nodes.lasts, nodes.count, *empty)
    keys, numbers = after[3:]
    entered = dict(zip(keys[keys > 0].tolist(), numbers[keys > 0].tolist(), strict=True))
    before = nodes.keys > 0
    assert entered == dict(zip(nodes.keys[before].tolist(), nodes.nodes[before].tolist(), strict=True))
    count, found = nodes.count, nodes.add(run, cells, *span)
    nodes.keys, nodes.nodes = keys, numbers
    assert nodes.add(run, cells, *span) == found
    assert nodes.count == count  # all were found again


@quick
@given(cells_of, spans, st.integers(0, 5))
def test_spell_nodes(run, cells, span, first):
    low, high = span
    nodes = Nodes(sum(map(len, cells)) * 5)
    nodes.add(run, cells, low, high)
    first = min(first, nodes.count)
    (out, ends, chosen), _ = run(
        terms.spell_nodes, nodes.parents, nodes.lasts, first, nodes.count, low, *packed(WORDS)
    )
    paths = {node: nodes.path(-2 - node) for node in range(first, nodes.count)}
    expected = {node: " ".join(WORDS[token] for token in path) for node, path in paths.items() if len(path) >= low}
    assert chosen.tolist() == list(expected)
    spelled = [out[a:b].tobytes().decode() for a, b in zip([0, *ends], ends, strict=False)]
    assert spelled == list(expected.values())


@quick
@given(st.lists(st.integers(-6, 3).filter(lambda ngram: ngram != -1)))
def test_name_ngrams(run, ngrams):
    token_names, node_names = np.array([10, 11, 12, 13], np.int32), np.array([20, 21, 22, 23, 24], np.int32)
    _, (named, _, _) = run(terms.name_ngrams, np.array(ngrams, np.int32), token_names, node_names)
    assert named.tolist() == [10 + ngram if ngram >= 0 else 20 - 2 - ngram for ngram in ngrams]


@pytest.mark.parametrize("size", [2, 12])
def test_the_longest_ngrams(run, size):
    cell = [i % 3 for i in range(30)]
    nodes = Nodes(30 * size)
    assert nodes.add(run, [cell], size, size) == [naive_ngrams(cell, size, size)]
    (out, ends, _), _ = run(
        terms.spell_nodes, nodes.parents, nodes.lasts, 0, nodes.count, size, *packed(["x", "yy", "zzz"])
    )
    first = out[: ends[0]].tobytes().decode()
    assert first == " ".join((["x", "yy", "zzz"] * 4)[:size])
