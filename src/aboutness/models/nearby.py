"""Which documents are nearest to a question: bounds first, and distances where they are needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.models.moving import Travels, pieces
from aboutness.vectors.postprocess import norms

F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

FEW = 64  # documents for which bounds are not worth their while
AT_ONCE = 16  # documents whose distances are worked out before the limit is looked at again
SHORT = 8  # query words up to which distances cost less than better bounds
POOL = 8  # times k: documents among which the first k are sought
MANY = 4  # times the words there are: documents with so many have nearly all of them
QUICKLY, CLOSELY = (0.07, 8), (0.04, 16)  # for prices: softness, of the mean cost, and rounds
PLAIN = (1e-12, 1e12)  # lengths whose squares are at home in float32


def nearest(travels: Travels, documents: Ints, k: int) -> tuple[Ints, Reals]:
    """Return the k nearest of some documents that have words, and perhaps others, with their distances."""
    if len(documents) <= max(FEW, 2 * k) or not PLAIN[0] < travels.ground.longest < PLAIN[1]:
        return documents, travels.distances(documents)
    found = Found(k)
    for some in travels.blocks(documents):
        Nearby(travels, some).add_to(found)
        travels.forget()
    return found.documents, found.distances


class Found:
    """Documents whose distances are known, and how far away one may be that can still be among the k nearest."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.documents = np.zeros(0, np.int64)
        self.distances = np.zeros(0, np.float64)
        self.limit = np.inf

    def add(self, documents: Ints, distances: Reals) -> None:
        """Add documents that have not been added before."""
        self.documents = np.append(self.documents, documents)
        self.distances = np.append(self.distances, distances)
        if len(self.distances) >= self.k:
            self.limit = float(np.float32(np.partition(self.distances, self.k - 1)[self.k - 1]))


class Nearby:
    """Finds which of some documents can be among the nearest, by bounds, and then the distances of these."""

    def __init__(self, travels: Travels, documents: Ints) -> None:
        self.travels = travels
        self.contents = travels.contents
        self.documents = documents
        ground = travels.ground
        words = self._words(len(ground.vectors))
        self.places = np.zeros(len(ground.vectors), np.int64)
        self.places[words] = np.arange(len(words))
        self.near = self._near(words)
        self.shares = travels.shares.astype(np.float32)
        # What adding in float32 can make too much of a bound, which is no more than the farthest document's.
        self.margin = (len(self.shares) + 16) * 2.0**-23 * ground.farthest(travels.vectors)

    def _words(self, known: int) -> Ints:
        """Return the words that the documents have, or where they have many, all."""
        if self._have_many_words(self.documents):
            return np.arange(known)
        there = np.zeros(known, np.bool_)
        there[self.contents.words_of(self.documents)] = True
        return np.flatnonzero(there)

    def _have_many_words(self, documents: Ints) -> bool:
        """Tell whether there are several words in documents for each that there is."""
        words = len(self.travels.ground.vectors)
        return int(self.contents.sizes[documents].sum()) > MANY * words

    def _near(self, words: Ints) -> F32:
        """Return what it costs at least to bring each of some words to each query word.

        A product of vectors of float32 is off by less than the product of their lengths x (dim + 2) x 2^-24.
        """
        from aboutness.kernels.movers import least_costs

        ground, asked = self.travels.ground, self.travels.vectors
        vectors, lengths = ground.vectors, ground.lengths
        if len(words) < len(vectors):
            vectors, lengths = vectors[words], lengths[words]
        near = vectors @ asked.T
        here, there = lengths.astype(np.float32), norms(asked).astype(np.float32)
        error = np.float32((vectors.shape[1] + 8) * 2.0**-24)
        least_costs(near, here * here, there * there, here, there, error, ground.euclidean)
        return near

    def add_to(self, found: Found) -> None:
        """Add the nearest documents."""
        rest, lower = self.documents, self._relaxed()
        if found.limit == np.inf:
            first = self._promising(lower, found.k)
            found.add(rest[first], self.travels.distances_at_once(rest[first]))
            rest, lower = np.delete(rest, first), np.delete(lower, first)
        rest, lower = self._cut(rest, lower, found)
        if len(self.shares) > SHORT:
            if self._have_many_words(rest):
                rest, lower = self._cut(rest, np.maximum(lower, self._capped(rest)), found)
            rest, lower = self._cut(rest, np.maximum(lower, self._priced(rest, *CLOSELY)), found)
        order = np.argsort(lower, kind="stable")
        rest, lower = rest[order], lower[order]
        while len(rest):
            found.add(rest[:AT_ONCE], self.travels.distances_at_once(rest[:AT_ONCE]))
            rest, lower = self._cut(rest[AT_ONCE:], lower[AT_ONCE:], found)

    def _promising(self, lower: Reals, count: int) -> Ints:
        """Return where the documents stand that are probably the nearest."""
        if len(self.shares) <= SHORT:
            return _least(lower, count)
        pool = _least(lower, POOL * count)
        return pool[_least(self._priced(self.documents[pool], *QUICKLY), count)]

    def _cut(self, documents: Ints, lower: Reals, found: Found) -> tuple[Ints, Reals]:
        """Return the documents that can still be among the nearest, and how far they are at least."""
        stay = lower - self.margin <= found.limit
        return documents[stay], lower[stay]

    def _relaxed(self) -> Reals:
        from aboutness.kernels.movers import relaxed

        out = np.empty(len(self.documents), np.float32)
        nearest = self.near.min(axis=1)
        for some in pieces(out):
            documents = self.documents[some]
            relaxed(*self.contents.arrays, documents, self.places, self.near, nearest, self.shares, out[some])
        return out.astype(np.float64)

    def _capped(self, documents: Ints) -> Reals:
        from aboutness.kernels.movers import capped

        near, places = self._some(documents)
        order = np.argsort(near, axis=1)
        out = np.empty(len(documents), np.float64)
        near, room = np.take_along_axis(near, order, axis=1), self.travels.shares[order]
        for some in pieces(out):
            capped(*self.contents.arrays, documents[some], places, near, room, out[some])
        return out

    def _priced(self, documents: Ints, softness: float, rounds: int) -> Reals:
        from aboutness.kernels.movers import priced

        near, places = self._some(documents)
        soft = np.float32(max(softness * self.near.mean(), PLAIN[0] ** 2))
        kernel = np.exp(near / -soft)
        out = np.empty(len(documents), np.float64)
        for some in pieces(out):
            contents = self.contents.arrays
            priced(*contents, documents[some], places, near, kernel, soft, rounds, self.shares, out[some])
        return out

    def _some(self, documents: Ints) -> tuple[F32, Ints]:
        """Return the costs of the words of some documents, and which row is which word's."""
        words = np.unique(self.contents.words_of(documents))
        places = np.zeros(len(self.places), np.int64)
        places[words] = np.arange(len(words))
        return self.near[self.places[words]], places


def _least(values: Reals, count: int) -> Ints:
    """Return where the least values are, in any order."""
    return np.argpartition(values, count)[:count] if count < len(values) else np.arange(len(values))
