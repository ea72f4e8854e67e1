"""Random walks: over edges only, to each neighbour as often as it should be."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import walks
from aboutness.kernels.chance import below, next_random

quick = settings(max_examples=40)
seeds = st.integers(0, (1 << 64) - 1)
pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(4, 8)), min_size=1, max_size=15)


def graph_of(edges, nodes=9):
    """The neighbours of each node, end to end, in the order of the edges."""
    lists = [[b for a, b in edges if a == n] + [a for a, b in edges if b == n] for n in range(nodes)]
    firsts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return firsts, np.array([other for one in lists for other in one], np.int32), lists


@quick
@given(seeds, pairs, st.integers(1, 9), st.data())
def test_walk(run, seed, edges, length, data):
    firsts, others, lists = graph_of(edges)
    nodes = data.draw(st.lists(st.sampled_from([node for edge in edges for node in edge]), max_size=5))
    state, room = np.array([seed], np.uint64), np.full(len(nodes) * length + 1, -7, np.int32)
    _, (*_, state, out) = run(walks.walk, firsts, others, np.array(nodes, np.int64), length, state, room)
    own, expected = np.array([seed], np.uint64), []
    for node in nodes:
        at = node
        for _ in range(length):
            expected.append(at)
            at = lists[at][int(below(np.uint64(next_random(own)), np.uint64(len(lists[at]))))]
    assert out.tolist() == [*expected, -7]
    assert state == own
    allowed = {*edges, *((b, a) for a, b in edges)}
    for walked in out[:-1].reshape(len(nodes), length).tolist():
        assert all(step in allowed for step in pairwise(walked))


def test_neighbours_are_gone_to_in_proportion():
    """From each node, each of its edges is taken as often as any other; one that is there three times, so often."""
    edges = [(0, 4), (0, 4), (0, 4), (0, 5), (1, 5), (1, 6), (1, 6), (2, 6)]
    firsts, others, _ = graph_of(edges)
    count, length = 4_000, 10
    out = np.zeros(count * length, np.int32)
    walks.walk(firsts, others, np.zeros(count, np.int64), length, np.array([5], np.uint64), out)
    steps = Counter(step for walked in out.reshape(count, -1).tolist() for step in pairwise(walked))
    often = Counter(edges) + Counter((b, a) for a, b in edges)
    assert set(steps) <= set(often)
    for (here, there), found in steps.items():
        left = sum(times for (a, _), times in steps.items() if a == here)
        share = often[here, there] / sum(times for (a, _), times in often.items() if a == here)
        assert abs(found - left * share) <= 4 * np.sqrt(left * share * (1 - share))


def test_visits_are_in_proportion_to_degrees():
    """The stationary distribution of a walk: where it starts so, it stays so, at every second step."""
    draw = np.random.default_rng(3)
    edges = [(int(a), 4 + int(b)) for a, b in zip(draw.integers(0, 4, 60), 5 * draw.random(60) ** 2, strict=True)]
    firsts, others, _ = graph_of(edges)
    degrees = np.diff(firsts)
    starts = np.repeat(np.array([a for a, _ in edges], np.int64), 500)
    length = 12
    out = np.zeros(len(starts) * length, np.int32)
    walks.walk(firsts, others, starts, length, np.array([5], np.uint64), out)
    for step, nodes in enumerate(out.reshape(-1, length).T):
        side = slice(4, 9) if step % 2 else slice(0, 4)
        share = degrees[side] / degrees[side].sum()
        found = np.bincount(nodes, minlength=9)[side]
        assert found.sum() == len(starts)
        assert (np.abs(found - len(starts) * share) <= 4 * np.sqrt(len(starts) * share * (1 - share))).all()


@pytest.mark.parametrize("length", [1, 40])
def test_no_nodes(run, length):
    firsts, others, _ = graph_of([(0, 4)])
    _, (*_, state, out) = run(
        walks.walk, firsts, others, np.zeros(0, np.int64), length, np.array([1], np.uint64), np.zeros(0, np.int32)
    )
    assert (int(state[0]), len(out)) == (1, 0)
