"""The rows of documents that are in shards, here for as long as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from aboutness.models.dense import F32, Ints, Mask
from aboutness.models.dense_rows import DenseRows
from aboutness.scale.shards import AskedShards

KEPT_BYTES = 1 << 27  # of rows that were fetched


class SpreadRows(DenseRows):
    """The rows of documents that are in shards: fetched when they are asked for, and kept for a while."""

    def __init__(self, shards: AskedShards, dim: int) -> None:
        super().__init__(np.zeros((0, dim), np.float32))
        self._shards = shards
        self._lock = Lock()
        self._kept = Kept(max(shards.shards.ends, default=0), dim)

    def some(self, documents: Ints) -> F32:
        """Return the rows of some documents, in any order; 0 where a shard is passed over."""
        return self._with(documents).rows_of(documents)

    def has(self, documents: Ints) -> Mask:
        """Return for each of some documents whether its row is not 0."""
        return np.asarray(self.some(documents).any(axis=1))

    def at_hand(self, documents: Sequence[Ints]) -> None:
        """Fetch the rows of documents together."""
        self._with(np.concatenate([np.zeros(0, np.int64), *documents]))

    def has_all(self, documents: Ints) -> bool:
        """Tell whether the rows of some documents are here."""
        return bool(self._kept.there(documents).all())

    def _with(self, documents: Ints) -> Kept:
        """Return the rows that are kept, after those of some documents have been fetched."""
        kept = self._kept
        if (there := kept.there(documents)).all():
            return kept
        wanted = np.unique(documents[~there])
        answers = zip(*self._shards.about("rows", wanted), strict=True)
        found = [(wanted[place], rows) for place, rows in answers if rows is not None]
        with self._lock:
            if self._kept is not kept or not kept.takes(found):  # others may still read what is dropped
                here = np.unique(documents[there])
                found.append((here, kept.rows_of(here)))
                if not self._kept.takes(found):
                    self._kept = self._kept.emptied(sum(len(numbers) for numbers, _ in found))
            self._kept.take(found)
            return self._kept


class Kept:
    """Rows of documents, where each has a place once its row is there."""

    def __init__(self, documents: int, dim: int, most: int | None = None) -> None:
        room = max(1, KEPT_BYTES // (4 * max(dim, 1))) if most is None else most
        self._places = np.zeros(documents, np.int32)
        self._rows = np.zeros((1 + min(documents, room), dim), np.float32)  # the first stands for those that lack
        self._taken = 1

    def there(self, documents: Ints) -> Mask:
        """Tell of each of some documents whether its row is here."""
        return np.asarray(self._places[documents] > 0)

    def rows_of(self, documents: Ints) -> F32:
        """Return the rows of documents; 0 of those that are not here."""
        return np.asarray(self._rows[self._places[documents]])

    def takes(self, found: Sequence[tuple[Ints, F32]]) -> bool:
        """Tell whether there is room for so many more."""
        return self._taken + sum(len(numbers) for numbers, _ in found) <= len(self._rows)

    def take(self, found: Sequence[tuple[Ints, F32]]) -> None:
        """Keep rows of documents, by number."""
        for numbers, rows in found:
            end = self._taken + len(numbers)
            self._rows[self._taken : end] = rows
            self._places[numbers] = np.arange(self._taken, end, dtype=np.int32)  # now others see them
            self._taken = end

    def emptied(self, least: int) -> Kept:
        """Return as much room, or for so many rows, with nothing in it."""
        return Kept(len(self._places), self._rows.shape[1], max(least, len(self._rows) - 1))
