"""Documents in lists of like vectors, so that a search reads only the lists nearest to a question (an "IVF").

Each document that has a row is in two lists, those of the nearest centres: one that lies between lists is not
missed so easily, and far fewer have to be read. The rows in whole numbers stand list by list, so that a list is
read in one piece, by the same kernel that reads all of them in an exact search: of the documents in the lists that
are read, none that is among the best is missed, and their scores are the exact ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.view import LayerView
from aboutness.models.clusters import centres_of, directions, nearest_centres
from aboutness.models.dense_rows import LONGEST, SHORTEST, Codes, DenseRows

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

KIND = "document-lists"
LEAST = 10_000  # documents: reading all of fewer is as fast
MOST = 1 << 14  # lists
TWICE = 2  # lists that a document is in
SEED = 1
SAMPLE = 1000  # rows that are kept, to know whether the rows are still the same
SHARE = 8  # when one in so many documents has come or gone since lists were kept, they are made anew
ALIKE = 0.95  # the cosine of these with what they were, in the mean, for which the lists still serve


@dataclass(frozen=True, eq=False)
class Lists:
    """Centres, the documents of each list one after the other, and their rows in whole numbers in this order.

    `homes` are the lists of each document by number, -1 for those without a row.
    """

    centres: F32
    numbers: Ints
    ends: Ints
    homes: Ints
    codes: Codes

    def __len__(self) -> int:
        return len(self.centres)

    @classmethod
    def of(cls, rows: DenseRows) -> Lists:
        """Make lists of rows: about as many as a list has documents, with each document in two."""
        present = np.flatnonzero(rows.present)
        count = max(TWICE, min(MOST, TWICE * math.isqrt(len(present))))
        return cls.around(rows, centres_of(rows.rows, present, count, SEED), np.full((len(rows), TWICE), -1))

    @classmethod
    def around(cls, rows: DenseRows, centres: F32, homes: Ints) -> Lists:
        """Make lists around centres; documents stay in the lists of their homes where these are not -1."""
        new = np.flatnonzero(rows.present & (homes[:, 0] < 0))
        homes[~rows.present] = -1
        homes[new], _ = nearest_centres(rows.rows, centres, new, TWICE)
        present = np.flatnonzero(rows.present)
        places = homes[present].ravel()
        numbers = np.repeat(present, TWICE)[np.argsort(places, kind="stable")]
        ends = np.bincount(places, minlength=len(centres)).cumsum()
        return cls(centres, numbers, ends, homes, Codes.of(rows.rows, rows.longest, numbers))

    @property
    def documents(self) -> int:
        """Return how many documents are in lists."""
        return len(self.numbers) // TWICE

    @property
    def held(self) -> int:
        """Return how many bytes it holds."""
        return self.codes.codes.nbytes + self.codes.rests.nbytes + self.centres.nbytes + self.numbers.nbytes

    def nearest(self, vector: F64) -> Ints:
        """Return the lists, the nearest to a vector first."""
        return np.argsort(-self._products(vector), kind="stable")

    def _products(self, vector: F64) -> F32:
        unit = vector / math.sqrt(float(np.square(vector).sum()) or 1.0)
        return np.asarray(self.centres @ unit.astype(np.float32))

    def candidates(self, vector: F64, k: int, probes: int, allowed: Mask) -> Ints | None:
        """Return, ascending, the documents in the nearest lists that can be among their k best.

        Where fewer than k documents are found, more lists are read, up to all. None where they are too many.
        """
        products = -self._products(vector)
        while True:
            probes = min(probes, len(self))
            some = np.argpartition(products, probes - 1)[:probes] if probes < len(self) else np.arange(len(self))
            some = some[np.argsort(products[some], kind="stable")]
            ends = self.ends[some]
            starts = np.where(some > 0, self.ends[some - 1], 0)
            rows = self.codes.candidates(vector, TWICE * k, allowed, (starts, ends), self.numbers)
            found = None if rows is None else np.unique(self.numbers[rows])
            if found is None or len(found) >= k or probes == len(self):
                return found
            probes *= 2

    # --- kept in an index ---------------------------------------------------------------------------------------

    def arrays(self, rows: DenseRows, arrivals: Ints) -> dict[str, NDArray[Any]]:
        """Return everything as arrays, with some of the rows, to be kept in a file."""
        some = self.numbers[:: max(1, len(self.numbers) // SAMPLE)]
        return {
            "centres": self.centres,
            "documents": self.numbers,
            "ends": self.ends,
            "homes": self.homes,
            "arrivals": arrivals,
            "sample": some,
            "sample_rows": rows.rows[some],
            **self.codes.arrays(),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Lists:
        """Return what was kept, where it lies."""
        names = ("centres", "documents", "ends", "homes")
        centres, numbers, ends, homes = (np.asarray(arrays[name]) for name in names)
        return cls(centres, numbers, ends, homes, Codes.of_arrays(arrays))


@dataclass(frozen=True)
class Kept:
    """Lists for the rows of a view; and as what they were kept, if nothing has changed since."""

    lists: Lists
    entry: ArtefactEntry | None = None


def lists_for(view: LayerView, rows: DenseRows) -> Kept | None:
    """Return the lists of a view's rows: kept ones, or kept ones to which what came since is added, or new ones.

    None where the documents are too few, or their rows too long or too short. They are made once.
    """
    return rows.once(Lists, lambda: _lists_for(view, rows))


def _lists_for(view: LayerView, rows: DenseRows) -> Kept | None:
    if np.count_nonzero(rows.present) < LEAST or not SHORTEST < rows.longest < LONGEST:
        return None
    found = [] if view.lent else [_Then(view, rows, entry) for entry in view.trained.of_kind(KIND).values()]
    then = max(found, key=lambda one: one.likeness, default=None)
    if then is None or then.likeness < ALIKE:
        return Kept(Lists.of(rows))
    before = Lists.of_arrays(then.kept)
    if then.likeness == 1 and np.array_equal(then.kept["arrivals"], view.arrivals):
        return Kept(before, then.entry)
    if then.changed * SHARE >= view.size:
        return Kept(Lists.of(rows))
    homes = np.full((view.size, TWICE), -1)
    homes[then.places[then.there]] = before.homes[then.there]
    return Kept(Lists.around(rows, before.centres, homes))


class _Then:
    """Lists that are kept, which documents of then are still there, and how alike their rows are."""

    def __init__(self, view: LayerView, rows: DenseRows, entry: ArtefactEntry) -> None:
        self.entry = entry
        self.likeness = 0.0
        try:
            self.kept = view.trained.artefact(entry.name)
        except DamagedIndex:
            return
        self.places = np.searchsorted(view.arrivals, self.kept["arrivals"])  # now, of those that are still there
        self.there = self.places < view.size
        self.there[self.there] = view.arrivals[self.places[self.there]] == self.kept["arrivals"][self.there]
        then = self.kept["arrivals"]  # of a shard, those within it
        within = np.diff(np.searchsorted(then, view.arrivals[[0, -1]] + np.array([0, 1]))) if view.size else [0]
        self.changed = view.size + int(within[0]) - 2 * int(self.there.sum())
        if self.kept["centres"].shape[1] == rows.rows.shape[1]:
            self.likeness = self._likeness(rows)

    def _likeness(self, rows: DenseRows) -> float:
        """Return the mean cosine of some rows with what they were; 1 only where nothing changed."""
        sample = self.kept["sample"]
        alive = self.there[sample]
        then, now = np.asarray(self.kept["sample_rows"])[alive], rows.rows[self.places[sample[alive]]]
        if not len(then) or np.array_equal(then, now):
            return float(len(then) > 0)
        cosines = np.einsum("ij,ij->i", directions(then), directions(now))
        return min(float(cosines.mean()), 1 - 2.0**-24)


def outdated(view: LayerView, entry: ArtefactEntry) -> int:
    """Return how many documents have come or gone since lists were kept."""
    kept = view.trained.artefact(entry.name)["arrivals"]
    return len(np.setxor1d(kept, view.arrivals, assume_unique=True))
