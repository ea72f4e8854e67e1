"""The posting lists of neighbouring segments as one, made by ranges of terms: memory does not grow with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.arrays import Blocks, let_go
from aboutness.index.layer import LayerSegment

Numbers = NDArray[np.int32]
Ends = NDArray[np.int64]

AT_ONCE = 1 << 22  # postings that are moved together, unless one list has more


class MergedPostings:
    """Lists of the living documents: of each term, those of one segment after the other.

    `numbers` has, for each segment, the new number of each document, or -1 where it is dead.
    """

    def __init__(
        self, layers: Sequence[LayerSegment], numbers: Sequence[Numbers], fields: int, vocabulary: int
    ) -> None:
        from aboutness.kernels.invert import count_living

        self.layers = layers
        self.numbers = numbers
        self.fields = fields
        df = np.zeros(vocabulary, np.int64)
        for layer, new in zip(layers, numbers, strict=True):
            living = np.empty(len(layer.terms), np.int64)
            count_living(_starts(layer.posting_ends), layer.posting_ends, layer.posting_documents, new, living)
            df[layer.terms] += living
        self.terms = np.flatnonzero(df).astype(np.int32)
        self.ends = df[self.terms].cumsum()
        self._starts = df.cumsum() - df  # of each term in the vocabulary

    def documents(self) -> Blocks:
        """Return the documents of all lists."""
        return Blocks((self._size,), np.dtype(np.int32), self._documents)

    def counts(self, dtype: np.dtype[Any]) -> Blocks:
        """Return the counts of all lists, one row for each field."""
        return Blocks((self.fields, self._size), dtype, lambda: self._counts(dtype))

    def totals(self) -> NDArray[np.int64]:
        """Return for each field the sum of counts of each list."""
        from aboutness.kernels.invert import sum_living

        totals = np.zeros((self.fields, len(self._starts)), np.int64)
        for layer, new in zip(self.layers, self.numbers, strict=True):
            for field, counts in enumerate(layer.posting_counts):
                sum_living(
                    _starts(layer.posting_ends), layer.posting_ends, layer.posting_documents, new, counts,
                    layer.terms, totals[field],
                )  # fmt: skip
        return totals[:, self.terms]

    @property
    def _size(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def _documents(self) -> Iterator[Numbers]:
        from aboutness.kernels.invert import move_documents

        for first, last in self._ranges():
            at, out = self._room(first, last, np.dtype(np.int32))
            for layer, new in zip(self.layers, self.numbers, strict=True):
                lists = _between(layer, first, last)
                move_documents(*lists, layer.posting_documents, new, first, at, out)
            yield out
            self._let_go()

    def _counts(self, dtype: np.dtype[Any]) -> Iterator[NDArray[Any]]:
        from aboutness.kernels.invert import move_counts

        for field in range(self.fields):
            for first, last in self._ranges():
                at, out = self._room(first, last, dtype)
                for layer, new in zip(self.layers, self.numbers, strict=True):
                    lists = _between(layer, first, last)
                    none = layer.posting_counts[0][:0]  # the field came later: nothing to read
                    counts = layer.posting_counts[field] if field < layer.fields else none
                    move_counts(*lists, layer.posting_documents, new, counts, first, at, out)
                yield out
                self._let_go()

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of terms that have about so many postings as are moved together."""
        cuts = np.flatnonzero(np.diff(self.ends // AT_ONCE)) + 1
        bounds = [0, *self.terms[cuts].tolist(), len(self._starts)]
        return ((first, last) for first, last in pairwise(bounds) if last > first)

    def _room(self, first: int, last: int, dtype: np.dtype[Any]) -> tuple[Ends, NDArray[Any]]:
        """Return where the lists of some terms begin, and an array for all of them."""
        begin = int(self._starts[first])
        end = int(self._starts[last]) if last < len(self._starts) else self._size
        return self._starts[first:last] - begin, np.empty(end - begin, dtype)

    def _let_go(self) -> None:
        for layer in self.layers:
            let_go(layer.posting_documents)
            let_go(layer.posting_counts)


def _starts(ends: Ends) -> Ends:
    return np.concatenate([np.zeros(1, np.int64), ends[:-1]])[: len(ends)]


def _between(layer: LayerSegment, first: int, last: int) -> tuple[Numbers, Ends, Ends]:
    """Return the terms of a range that a segment has, and where their lists begin and end."""
    low, high = np.searchsorted(layer.terms, np.array([first, last], np.int32))
    ends = layer.posting_ends[low:high]
    begin = layer.posting_ends[low - 1] if low else 0
    starts = np.concatenate([np.array([begin], np.int64), ends[:-1]])[: len(ends)]
    return layer.terms[low:high], starts, ends
