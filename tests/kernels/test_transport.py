"""The transport solver against linear programming and POT, and its tree after every step."""

from __future__ import annotations

import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import transport as module
from aboutness.kernels.transport import (
    AMOUNTS,
    LINKS,
    NONE,
    hang,
    insert,
    make_ring,
    pivot,
    set_prices,
    start,
    total,
    transport,
)
from kernels.conftest import both

KINDS = ["any", "zero", "whole", "points", "equal", "uneven"]


def problem(seed, kind, rows, columns):
    """Costs, supplies and demands: all sorts of ties among them."""
    chance = np.random.default_rng(seed)
    cost = chance.random((rows, columns))
    supplies, demands = (chance.integers(1, 4, size).astype(np.float64) for size in (rows, columns))
    if kind == "zero":
        cost[:] = 0
    elif kind == "whole":
        cost = chance.integers(0, 3, cost.shape).astype(np.float64)
    elif kind == "points":
        points = chance.random((max(rows, columns), 2)) @ np.diag([1, 0.1])
        cost = np.linalg.norm(points[:rows, None] - points[None, :columns], axis=2)
    elif kind == "equal":
        supplies[:], demands[:] = 1, 1
    elif kind == "uneven":
        supplies, demands = 10 ** chance.uniform(-9, 0, rows), 10 ** chance.uniform(-9, 0, columns)
    return cost, supplies / supplies.sum(), demands / demands.sum()


problems = st.builds(
    problem, st.integers(0, 10**6), st.sampled_from(KINDS), st.integers(1, 6), st.integers(1, 6)
)  # fmt: skip


def room(cost):
    nodes = sum(cost.shape)
    return np.zeros((LINKS, nodes), np.int64), np.zeros((AMOUNTS, nodes), np.float64)


def solved(cost, supplies, demands):
    tree, values = room(cost)
    root = transport(cost, supplies, demands, tree, values)
    assert root != NONE
    return total(cost, tree[0], values[0]), root, tree, values


def flows(cost, tree, values):
    """The flow from each row to each column."""
    found = np.zeros_like(cost)
    rows = len(cost)
    for x, up in enumerate(tree[0].tolist()):
        if up != NONE:
            found[(x, up - rows) if x < rows else (up, x - rows)] += values[0, x]
    return found


def branches(parent):
    """The nodes of each node's branch."""
    found = [{x} for x in range(len(parent))]
    for x in range(len(parent)):
        up = parent[x]
        while up != NONE:
            found[up].add(x)
            up = parent[up]
    return found


def assert_tree(cost, supplies, demands, root, tree, values):
    """Check that it is a tree with flows that balance, and that everything that is known of it is so."""
    parent, size, last, after, before = tree.tolist()
    nodes, rows = sum(cost.shape), len(cost)
    assert [x for x in range(nodes) if parent[x] == NONE] == [root]
    assert all((parent[x] < rows) != (x < rows) for x in range(nodes) if x != root)
    ring = [root]
    while after[ring[-1]] != root:
        ring.append(after[ring[-1]])
        assert len(ring) <= nodes
    assert sorted(ring) == list(range(nodes))
    assert [before[x] for x in ring] == [ring[-1], *ring[:-1]]
    under = branches(parent)
    for place, x in enumerate(ring):
        assert size[x] == len(under[x])
        assert set(ring[place : place + size[x]]) == under[x]
        assert last[x] == ring[place + size[x] - 1]
    assert (values[0] >= 0).all()
    assert all(values[0, x] > 0 for x in range(rows, nodes) if x != root)  # so a little more can go to the root
    moved = flows(cost, tree, values)
    np.testing.assert_allclose(moved.sum(axis=1), supplies, rtol=0, atol=1e-15)
    np.testing.assert_allclose(moved.sum(axis=0), demands, rtol=0, atol=1e-15)


def by_linear_programming(cost, supplies, demands):
    from scipy.optimize import linprog

    rows, columns = cost.shape
    sums = np.concatenate([np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))])
    found = linprog(cost.ravel(), A_eq=sums[:-1], b_eq=np.concatenate([supplies, demands])[:-1], method="highs")
    return found.fun


@settings(max_examples=60)
@given(problems)
def test_the_cost_is_the_least(drawn):
    cost, supplies, demands = drawn
    tree, values = room(cost)
    root, (*_, tree, values) = both(transport, cost, supplies, demands, tree, values)
    assert_tree(cost, supplies, demands, root, tree, values)
    found, _ = both(total, cost, tree[0], values[0])
    assert found == pytest.approx((flows(cost, tree, values) * cost).sum(), abs=1e-15)
    assert found == pytest.approx(by_linear_programming(cost, supplies, demands), abs=1e-6)


@settings(max_examples=200)
@given(problems)
def test_prices_prove_it(drawn):
    cost, supplies, demands = drawn
    found, _, _, values = solved(cost, supplies, demands)
    of_rows, of_columns = values[1, : len(cost)], values[1, len(cost) :]
    assert (of_rows[:, None] + of_columns[None] <= cost + 1e-12).all()
    assert supplies @ of_rows + demands @ of_columns == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_it_costs_what_pot_says(kind):
    ot = pytest.importorskip("ot")
    chance = np.random.default_rng(KINDS.index(kind))
    for seed in range(300):
        rows, columns = chance.integers(1, 40 if seed % 10 == 0 else 10, 2)
        drawn = problem(seed, kind, rows, columns)
        expected = ot.emd2(drawn[1], drawn[2], drawn[0])
        assert solved(*drawn)[0] == pytest.approx(expected, abs=1e-10), (seed, rows, columns)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rows", "columns"), [(200, 300), (300, 40), (2, 500), (500, 2), (1, 7), (7, 1)])
def test_large_and_narrow_problems(kind, rows, columns):
    cost, supplies, demands = problem(1, kind, rows, columns)
    found, root, tree, values = solved(cost, supplies, demands)
    if rows + columns < 400:
        assert_tree(cost, supplies, demands, root, tree, values)
    of_rows, of_columns = values[1, :rows], values[1, rows:]
    assert (of_rows[:, None] + of_columns[None] <= cost + 1e-12).all()
    assert supplies @ of_rows + demands @ of_columns == pytest.approx(found, abs=1e-12)


@settings(max_examples=60)
@given(problems)
def test_it_starts_with_a_tree_that_balances(drawn):
    cost, supplies, demands = drawn
    tree, values = room(cost)
    root, (_, _, _, tree, values[0], _) = both(start, cost, supplies, demands, tree, values[0], values[2])
    assert root >= len(cost)
    assert_tree(cost, supplies, demands, root, tree, values)


@settings(max_examples=60)
@given(problems, st.data())
def test_every_step_leaves_a_tree_that_costs_no_more(drawn, data):
    cost, supplies, demands = drawn
    tree, values = room(cost)
    root = start(cost, supplies, demands, tree, values[0], values[2])
    _, (_, _, _, values[1]) = both(set_prices, cost, root, tree, values[1])
    rows = len(cost)
    for _ in range(8):
        gains = cost - values[1, :rows, None] - values[1, None, rows:]
        ways = np.argwhere(gains < -1e-12)
        if not len(ways):
            break
        row, column = ways[data.draw(st.integers(0, len(ways) - 1))].tolist()
        before = total(cost, tree[0], values[0])
        _, (*_, tree, values[0], values[1]) = both(
            pivot, gains[row, column], row, rows + column, rows, tree, values[0], values[1]
        )
        assert_tree(cost, supplies, demands, root, tree, values)
        assert total(cost, tree[0], values[0]) <= before + 1e-15
        afresh = values[1].copy()
        set_prices(cost, root, tree, afresh)
        np.testing.assert_allclose(values[1], afresh, rtol=0, atol=1e-12)


def ring_of(parents, children_first):
    tree = np.zeros((LINKS, len(parents)), np.int64)
    tree[0] = parents
    tree[1, : len(children_first)] = children_first
    _, (_, _, tree) = both(make_ring, len(parents), parents.index(NONE), tree)
    return tree


def test_a_ring_is_made_from_parents():
    tree = ring_of([3, 3, 0, NONE, 0], [2, 4, 0, 1])
    parent, size, last, after, _ = tree.tolist()
    assert parent == [3, 3, 0, NONE, 0]
    assert size == [3, 1, 1, 5, 1]
    assert [after[3], after[0], after[2], after[4], after[1]] == [0, 2, 4, 1, 3]
    assert last == [4, 1, 2, 1, 4]


def test_a_branch_is_hung_elsewhere_by_another_node():
    tree = ring_of([3, 3, 0, NONE, 0], [2, 4, 0, 1])
    flow = np.array([0.1, 0.2, 0.3, 0.0, 0.4])
    _, (*_, tree, flow) = both(hang, 4, 1, 0, 0.9, tree, flow)  # the branch of 0 by 4, under 1
    assert tree[0].tolist() == [4, 3, 0, NONE, 1]
    assert flow.tolist() == [0.4, 0.2, 0.3, 0.0, 0.9]
    assert tree[2].tolist() == [2, 2, 2, 2, 2]
    after = tree[3].tolist()
    assert [after[3], after[1], after[4], after[0], after[2]] == [1, 4, 0, 2, 3]


def test_a_piece_is_put_into_a_ring():
    after, before = np.array([1, 0, 3, 2]), np.array([1, 0, 3, 2])
    _, (*_, after, before) = both(insert, 2, 3, 0, after, before)
    assert after.tolist() == [2, 0, 3, 1]
    assert before.tolist() == [1, 3, 0, 2]


def test_it_does_not_hang():
    source = types.FunctionType(transport.py_func.__code__, {**vars(module), "MOST": 0})
    cost, supplies, demands = problem(3, "any", 5, 5)
    assert source(cost, supplies, demands, *room(cost)) == NONE


def test_the_same_problem_has_the_same_answer_to_the_bit():
    drawn = problem(5, "any", 30, 50)
    one, other = solved(*drawn), solved(*drawn)
    assert one[0] == other[0]
    assert (one[2] == other[2]).all()
    assert (one[3][:2] == other[3][:2]).all()
