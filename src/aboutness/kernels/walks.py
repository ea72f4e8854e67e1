"""Random walks on a graph.

Node n has the neighbours `others[firsts[n]:firsts[n + 1]]`; one that stands there several times is gone to as many
times as often.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.chance import State, below, next_random
from aboutness.kernels.compiled import compiled

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Int: TypeAlias = int | np.signedinteger[Any]


@compiled
def walk(firsts: I64, others: I32, nodes: I64, length: Int, state: State, out: I32) -> None:
    """Write a walk of `length` nodes from each of some nodes, end to end; each of them has a neighbour.

    Every edge goes both ways, so that a walk never ends before its length.
    """
    for i in range(len(nodes)):
        node = nodes[i]
        for step in range(length):
            out[i * length + step] = node
            first = firsts[node]
            degree = np.uint64(firsts[node + 1] - first)
            node = np.int64(others[first + np.int64(below(next_random(state), degree))])
