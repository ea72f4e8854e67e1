"""The cheapest way to bring goods from where they are to where they are wanted, exactly.

A transport problem has supplies (rows) and demands (columns) with equal totals, and what a unit costs from each
row to each column. It is solved by the network simplex method: the flow lives on a tree over all rows and columns,
and prices are such that along the tree a way costs what its two ends' prices sum to. As long as some other way
costs less than that, it enters the tree; flow is moved around the cycle that it closes, and what runs dry first
leaves. Ties are broken so that every node could always send a little more towards the root (Cunningham's strongly
feasible trees): no tree then comes twice, and the method ends.

Nodes are the rows, 0 to m - 1, and the columns, m to m + n - 1. The flow of a node is that between it and its
parent. All nodes stand in a ring, each followed by those under it; so a branch of the tree is a piece of the ring.
Of each node it is known how many nodes its branch has, itself included, and which is the last of them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled

F64 = NDArray[np.float64]
Ints = NDArray[np.int64]
Integer: TypeAlias = Any  # of the machine's
Real: TypeAlias = Any

LINKS = 5  # rows of `tree`: parent, size, last, next, previous
AMOUNTS = 3  # rows of `values`: flow, price, and what columns still want at the start
NOISE = 1e-13  # of the greatest cost: what does not count as a gain
MOST = 100_000  # pivots for each node; never seen, but a machine must not hang
NONE = -1


@compiled
def transport(cost: F64, supplies: F64, demands: F64, tree: Ints, values: F64) -> Integer:
    """Solve a transport problem; amounts are above 0. Return the root of the tree, or -1 where it did not end.

    `tree` and `values` have room for at least m + n nodes; afterwards they hold the tree, flows and prices.
    """
    rows, columns = cost.shape
    flow, price = values[0], values[1]
    root = start(cost, supplies, demands, tree, flow, values[2])
    set_prices(cost, root, tree, price)
    largest = 0.0
    for i in range(rows):
        for j in range(columns):
            largest = max(largest, cost[i, j])
    noise = NOISE * largest
    together = max(1, min(rows, int(np.sqrt(rows * columns)) // columns + 1))
    of_rows, of_columns = price[:rows], price[rows : rows + columns]
    row = seen = pivots = 0
    moved = False
    while seen < rows:
        best, enters, to = -noise, NONE, NONE
        for _ in range(together):
            ways = cost[row]
            limit = of_rows[row] + best
            gains = 0
            for j in range(columns):
                gains += 1 if ways[j] - of_columns[j] < limit else 0
            if gains:
                for j in range(columns):
                    if ways[j] - of_columns[j] < limit:
                        limit = ways[j] - of_columns[j]
                        to = j
                best, enters = limit - of_rows[row], row
            row = row + 1 if row + 1 < rows else 0
            seen += 1
        if enters != NONE:
            pivot(cost[enters, to] - of_rows[enters] - of_columns[to], enters, rows + to, rows, tree, flow, price)
            seen, moved = 0, True
            pivots += 1
            if pivots > MOST * (rows + columns):
                return NONE
        elif seen >= rows and moved:
            set_prices(cost, root, tree, price)  # free of what rounding has added up, and all is looked at again
            seen, moved = 0, False
    return root


@compiled
def start(cost: F64, supplies: F64, demands: F64, tree: Ints, flow: F64, wanted: F64) -> Integer:
    """Send each row's supply to the cheapest columns that still want something; return the root, a column.

    Whoever is done becomes the child of the other. Where both are, it is the column: the row goes on with nothing,
    so that only rows have a flow of 0 to their parent. The last row takes what is left.
    """
    rows, columns = cost.shape
    parent, done = tree[0], tree[1]
    for j in range(columns):
        wanted[j] = demands[j]
    row, supply = 0, supplies[0]
    for turn in range(rows + columns - 1):
        ways = cost[row]
        least, to = np.inf, NONE
        for j in range(columns):
            if wanted[j] > 0 and (to == NONE or ways[j] < least):
                least, to = ways[j], j
        rows_left, columns_left = rows - row, columns - (turn - row)
        if columns_left == 1 or (rows_left > 1 and supply < wanted[to]):
            x, parent[row] = row, rows + to
            flow[x] = supply if rows_left > 1 else wanted[to]
            if supply < wanted[to]:
                wanted[to] -= supply
            row += 1
            supply = supplies[row] if row < rows else 0.0
        else:
            x, parent[rows + to] = rows + to, row
            flow[x] = wanted[to]
            supply = max(0.0, supply - wanted[to])
            wanted[to] = 0.0
        done[turn] = x
    root = parent[rows - 1]
    parent[root], flow[root] = NONE, 0.0
    make_ring(rows + columns, root, tree)
    return root


@compiled
def make_ring(nodes: Integer, root: Integer, tree: Ints) -> None:
    """Make ring, sizes and lasts; in the place of sizes are the nodes but the root, children before parents."""
    parent, done, last, after, before = tree[0], tree[1], tree[2], tree[3], tree[4]
    after[root] = before[root] = last[root] = root
    for turn in range(nodes - 2, -1, -1):
        x = done[turn]
        insert(x, x, parent[x], after, before)
        last[x] = x
    for turn in range(nodes - 1):
        last[parent[done[turn]]] = last[done[turn]]
    size = tree[1]
    size[:nodes] = 1
    x = before[root]
    while x != root:  # backwards: children before parents
        size[parent[x]] += size[x]
        x = before[x]


@compiled
def insert(head: Integer, tail: Integer, place: Integer, after: Ints, before: Ints) -> None:
    """Put a piece of a ring, from head to tail, after a place."""
    behind = after[place]
    after[place], before[head] = head, place
    after[tail], before[behind] = behind, tail


@compiled
def set_prices(cost: F64, root: Integer, tree: Ints, price: F64) -> None:
    """Set prices from the root down: along the tree, a way costs what its two prices sum to."""
    rows = cost.shape[0]
    parent, after = tree[0], tree[3]
    price[root] = 0.0
    x = after[root]
    while x != root:
        up = parent[x]
        price[x] = (cost[x, up - rows] if x < rows else cost[up, x - rows]) - price[up]
        x = after[x]


@compiled
def pivot(gain: Real, row: Integer, column: Integer, rows: Integer, tree: Ints, flow: F64, price: F64) -> None:
    """Bring the way from a row to a column into the tree, move what can be moved, and take out what runs dry.

    Around the cycle, flow grows along the new way; on the row's side that of rows shrinks, on the column's that of
    columns. Of those that run dry, the last one on the way round from the topmost node leaves.
    """
    parent, size = tree[0], tree[1]
    x, y = row, column
    amount: Real = np.inf
    amount_there: Real = np.inf
    dry = dry_there = NONE
    while x != y:
        if size[x] <= size[y]:
            if x < rows and flow[x] < amount:
                amount, dry = flow[x], x
            x = parent[x]
        else:
            if y >= rows and flow[y] <= amount_there:
                amount_there, dry_there = flow[y], y
            y = parent[y]
    top, inner, outer = x, row, column
    if amount_there <= amount:
        amount, dry, inner, outer = amount_there, dry_there, column, row
    if amount > 0:
        x = row
        while x != top:
            flow[x] += -amount if x < rows else amount
            x = parent[x]
        x = column
        while x != top:
            flow[x] += amount if x < rows else -amount
            x = parent[x]
    moved = size[dry]
    x = parent[dry]
    while x != top:
        size[x] -= moved
        x = parent[x]
    x = outer
    while x != top:
        size[x] += moved
        x = parent[x]
    hang(inner, outer, dry, amount, tree, flow)
    after = tree[3]
    of_rows = gain if inner < rows else -gain
    x = inner
    for _ in range(moved):
        price[x] += of_rows if x < rows else -of_rows
        x = after[x]


@compiled
def hang(inner: Integer, outer: Integer, dry: Integer, amount: Real, tree: Ints, flow: F64) -> None:
    """Cut off the branch of `dry`, and hang it by its node `inner` under `outer`: parents turn children.

    In the ring, the branch of a node on the way comes first; then follows what its parent had besides, and so on.
    """
    parent, size, last, after, before = tree[0], tree[1], tree[2], tree[3], tree[4]
    end, ahead, behind = last[dry], before[dry], after[last[dry]]
    after[ahead], before[behind] = behind, ahead
    x = parent[dry]
    while x != NONE and last[x] == end:
        last[x] = ahead
        x = parent[x]
    whole = size[dry]
    x, up, new_flow = inner, outer, amount
    ahead, end, behind, branch = before[x], last[x], after[last[x]], size[x]
    tail = end
    size[x] = whole
    while True:
        node, old_flow = parent[x], flow[x]
        parent[x], flow[x] = up, new_flow
        if x == dry:
            break
        node_ahead, node_end, node_branch = before[node], last[node], size[node]
        node_behind = behind if node_end == end else after[node_end]
        after[tail], before[node] = node, tail
        if node_end == end:
            tail = ahead
        else:
            after[ahead], before[behind] = behind, ahead
            tail = node_end
        size[node] = whole - branch
        ahead, end, behind, branch = node_ahead, node_end, node_behind, node_branch
        x, up, new_flow = node, x, old_flow
    while x != outer:
        last[x] = tail
        x = parent[x]
    insert(inner, tail, outer, after, before)
    while x != NONE and last[x] == outer:
        last[x] = tail
        x = parent[x]


@compiled
def total(cost: F64, parent: Ints, flow: F64) -> Real:
    """Return what all flows of a tree cost together, node by node."""
    rows, columns = cost.shape
    summed = 0.0
    for x in range(rows + columns):
        if parent[x] != NONE:
            summed += flow[x] * (cost[x, parent[x] - rows] if x < rows else cost[parent[x], x - rows])
    return summed
