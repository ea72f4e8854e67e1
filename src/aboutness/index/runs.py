"""Runs of items of several segments, end to end, made some at a time: what a merge writes without holding it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.arrays import Blocks, let_go
from aboutness.text.strings import take

Ends = NDArray[np.int64]

AT_ONCE = 1 << 22  # items that are copied together: bounds the memory that this takes


@dataclass(frozen=True)
class Part:
    """The chosen runs of one segment (-1 is an empty one), in their order: run r ends at `ends[r]`."""

    ends: Ends
    chosen: NDArray[np.int64]

    @cached_property
    def lengths(self) -> Ends:
        """Return how many items each chosen run has."""
        lengths = np.diff(self.ends, prepend=0)
        return np.where(self.chosen >= 0, lengths[self.chosen], 0) if len(lengths) else np.zeros_like(self.chosen)

    def pieces(self) -> Iterator[NDArray[np.int64]]:
        """Yield the chosen runs, so many together as have about `AT_ONCE` items."""
        cuts = np.flatnonzero(np.diff(self.lengths.cumsum() // AT_ONCE)) + 1
        return (piece for piece in np.split(self.chosen, cuts) if len(piece))


@dataclass(frozen=True)
class Runs:
    """The chosen runs of all segments, one segment after the other."""

    parts: Sequence[Part]

    @property
    def size(self) -> int:
        """Return how many items all runs have."""
        return sum(int(part.lengths.sum()) for part in self.parts)

    @property
    def longest(self) -> int:
        """Return how many items the longest run has."""
        return max((int(part.lengths.max(initial=0)) for part in self.parts), default=0)

    @property
    def ends(self) -> Ends:
        """Return where each run ends."""
        return np.concatenate([np.zeros(0, np.int64), *(part.lengths for part in self.parts)]).cumsum()

    def items(self, sources: Sequence[NDArray[Any]], dtype: np.dtype[Any] | None = None) -> Blocks:
        """Return the items of all runs, taken from one array for each segment, as they are written."""
        kind = dtype or sources[0].dtype
        return Blocks((self.size,), kind, lambda: self._copied(sources, kind))

    def rows(self, sources: Sequence[NDArray[Any]], count: int, dtype: np.dtype[Any]) -> Blocks:
        """Return `count` rows of items, of sources that may have fewer: those have zeros instead."""

        def made() -> Iterator[NDArray[Any]]:
            for row in range(count):
                for part, source in zip(self.parts, sources, strict=True):
                    if row < len(source):
                        yield from Runs([part])._copied([source[row]], dtype)  # noqa: SLF001 - our own
                    else:
                        yield np.zeros(int(part.lengths.sum()), dtype)

        return Blocks((count, self.size), dtype, made)

    def _copied(self, sources: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> Iterator[NDArray[Any]]:
        for part, source in zip(self.parts, sources, strict=True):
            for piece in part.pieces():
                yield take(source, part.ends, piece)[0].astype(dtype, copy=False)
                let_go(source)
