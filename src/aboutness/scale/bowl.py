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

SLOPE = 0.1  # s(1 - s) on the average, with s the predicted probability; at most 0.25
LEAST = 0.03  # X below which moves are just added: they are at most X / 2 too long


@dataclass(frozen=True)
class Bowl:
    """What pulls the rows of a matrix: how often each shard updated each, and how much the directions bend."""

    updates: F64  # shards x words
    bends: F64  # by direction, times rate
    directions: F64  # in columns

    @classmethod
    def of(cls, shards: Sequence[Bend], rate: float) -> Bowl:
        """Take the mean of what all shards found."""
        moments = np.sum([of.moments for of in shards], axis=0) / len(shards)
        bends, directions = np.linalg.eigh(moments)
        directions[~moments.any(axis=0)] = 0  # where rows are filled up with zeros
        return cls(np.stack([of.updates for of in shards]), np.maximum(bends, 0) * (SLOPE * rate), directions)

    def merged(self, before: F32, after: Sequence[F32], some: slice) -> F32:
        """Return some rows after the moves of all shards; a single shard's are taken as they are."""
        if len(after) == 1:
            return np.asarray(after[0])
        updates = self.updates[:, some]
        together = updates.sum(axis=0)
        bent = self.bends * together.max(initial=0.0) > LEAST
        directions, bends = self.directions[:, bent].astype(np.float32), self.bends[bent]
        rows, less = before.copy(), np.zeros((len(before), len(bends)), np.float32)
        whole = _per_share(together[:, None] * bends)
        for of_shard, times in zip(after, updates, strict=True):
            move = of_shard - before
            rows += move
            if len(bends):
                share = _per_share(times[:, None] * bends) / whole - 1
                less += share.astype(np.float32) * (move @ directions)
        return rows + less @ directions.T if len(bends) else rows


def _per_share(steps: F64) -> F64:
    """Return x / (1 - exp(-x)), which is 1 at 0."""
    safe = np.maximum(steps, 1e-9)
    return np.asarray(safe / -np.expm1(-safe))
