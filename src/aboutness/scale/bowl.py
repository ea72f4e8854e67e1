"""One word matrix of those that several shards have trained, each from the same start on its own text.

A shard moves a word's row from w to w + d_s. To add all moves, w + sum of d_s, is what one process does that reads
one shard after the other, as long as a move is small beside the way that is to go: so for rare words, and in
directions in which little pulls. But frequent words go nearly all their way in every shard, above all in the one
direction that all vectors have in common, and the sum would go it several times. To take the mean is right then,
and too slow for all else. Between the two lies what is exact where each update goes the same share of the way that
is left, as in a bowl: in a direction with bend b, n_s updates at a rate do 1 - exp(-x_s) of it,
x_s = n_s * rate * b, and those of all shards 1 - exp(-X), X = sum of x_s. So in each direction (the eigenvectors
of the bend) w becomes

    w + (1 - exp(-X)) * sum over s of x_s / X * d_s / (1 - exp(-x_s))

which is the sum where X is small, and the mean, weighted by n_s, where all x_s are large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.scale.bending import Bend

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

SLOPE = 0.07  # s(1 - s) on the average, with s the predicted probability; at most 0.25
LEAST = 0.03  # X below which moves are just added: they are at most X / 2 too long
TOGETHER = 1 << 10  # rows that are merged at a time


@dataclass(frozen=True)
class Bowl:
    """What pulls the rows of a matrix: how much the directions bend, in the mean of all shards."""

    bends: F32  # by direction, times rate, falling
    directions: F32  # in rows, and rows of zeros behind them, as many as the kernel wants

    @classmethod
    def of(cls, shards: Sequence[Bend], rate: float) -> Bowl:
        """Take the mean of what all shards found."""
        from aboutness.kernels.rows import TOGETHER as AT_ONCE

        moments = np.sum([of.moments for of in shards], axis=0) / len(shards)
        bends, columns = np.linalg.eigh(moments)
        columns[~moments.any(axis=0)] = 0  # where rows are filled up with zeros
        directions = np.zeros((-(-len(bends) // AT_ONCE) * AT_ONCE, len(bends)), np.float32)
        directions[: len(bends)] = columns.T[::-1]
        return cls((np.maximum(bends[::-1], 0) * (SLOPE * rate)).astype(np.float32), directions)

    def merged(self, before: F32, after: Sequence[F32], updates: Sequence[F64]) -> F32:
        """Return rows after the moves of all shards, each of which updated each so often.

        What a single shard made is taken as it is. A row does not depend on those that are merged with it.
        """
        from aboutness.kernels.bowl import merge_rows

        if len(after) == 1:
            return np.asarray(after[0])
        made = np.empty_like(before)
        for first in range(0, len(before), TOGETHER):
            some = slice(first, first + TOGETHER)
            moved = np.stack([of[some] for of in after])
            times = np.stack([of[some] for of in updates]).astype(np.float32)
            merge_rows(before[some], moved, times, self.bends, self.directions, np.float32(LEAST), made[some])
        return made
