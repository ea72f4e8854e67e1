"""How far the words of a question are from those of documents: bounds first, distances where they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aboutness.core.deadline import still_wanted
from aboutness.index.view import LayerView
from aboutness.models.lexicon import Lexicon
from aboutness.models.ranking import rounded
from aboutness.vectors.postprocess import norms

F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

ROOM = 1 << 25  # costs that are held at a time
FEW = 64  # documents for which bounds are not worth their while
BETWEEN = 256  # documents between two looks whether how far they are is still wanted
AT_ONCE = 16  # documents whose distances are worked out before the limit is looked at again
SHORT = 8  # query words up to which distances cost less than better bounds
POOL = 8  # times k: documents among which the first k are sought
MANY = 4  # times the words there are: documents with so many have nearly all of them
QUICKLY, CLOSELY = (0.07, 8), (0.04, 16)  # for prices: softness, of the mean cost, and rounds
PLAIN = (1e-12, 1e12)  # lengths whose squares are at home in float32


@dataclass(frozen=True)
class Contents:
    """The known words of all documents by number, end to end, and the share that each has in its document."""

    ends: Ints
    words: Ints  # rows of the lexicon's matrix
    shares: Reals

    @classmethod
    def of(cls, view: LayerView, lexicon: Lexicon) -> Contents:
        """Return the contents of a view's documents; they are made once."""
        return view.once((cls, lexicon), lambda: cls._made(view, lexicon))

    @classmethod
    def _made(cls, view: LayerView, lexicon: Lexicon) -> Contents:
        from aboutness.kernels.movers import shares_of

        ends, words, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float64)]
        total = 0
        for here, terms, weighted in view.rows():
            rows = lexicon.rows[terms]
            known = (rows >= 0) & (weighted > 0)
            ends.append(np.concatenate([[0], known.cumsum()])[here] + total)
            words.append(rows[known])
            counts.append(weighted[known])
            total += len(words[-1])
        shares = np.empty(total, np.float64)
        shares_of(np.concatenate(ends), np.concatenate(counts), shares)
        return cls(np.concatenate(ends), np.concatenate(words), shares)

    @property
    def arrays(self) -> tuple[Ints, Ints, Reals]:
        """Return ends, words and shares, as kernels take them."""
        return self.ends, self.words, self.shares

    @cached_property
    def sizes(self) -> Ints:
        """Return how many words each document has."""
        return np.diff(self.ends, prepend=0)

    def words_of(self, documents: Ints) -> Ints:
        """Return the words of some documents, end to end."""
        sizes = self.sizes[documents]
        starts = self.ends[documents] - sizes
        places = np.arange(sizes.sum()) + np.repeat(starts - sizes.cumsum() + sizes, sizes)
        found: Ints = self.words[places]
        return found


@dataclass(frozen=True)
class Ground:
    """Where the words of documents lie, and how a way is measured."""

    contents: Contents
    vectors: F32
    lengths: Reals  # of the vectors
    euclidean: bool  # distances; else half their squares, which for vectors of length 1 is 1 - cosine
    longest: float  # vector, of all that there are

    def farthest(self, vectors: F32) -> float:
        """Return more than any distance of a question with some vectors."""
        longest = max(self.longest, float(norms(vectors).max(initial=0.0)))
        return rounded(2 * longest * (1 + 1e-6))


class Travels:
    """What it takes to bring the words of one question to documents. Costs are worked out when they are needed."""

    def __init__(self, ground: Ground, weights: Reals, vectors: F32) -> None:
        from aboutness.kernels.movers import shares_of

        self.ground = ground
        self.contents = ground.contents
        self.vectors = vectors
        self.columns = np.ascontiguousarray(vectors.T, np.float64)
        self.shares = np.empty(len(weights), np.float64)
        shares_of(np.array([len(weights)]), weights, self.shares)
        self._forget()

    def _forget(self) -> None:
        self._places = np.full(len(self.ground.vectors), -1, np.int64)  # of words among the costs
        self._costs = np.empty((0, len(self.shares)), np.float64)
        self._known = 0

    def distances(self, documents: Ints) -> Reals:
        """Return the distance of each of some documents that have words."""
        found = [np.zeros(0, np.float64)]
        for some in self.blocks(documents):
            self._learn_costs(some)
            found.extend(self._distances(some[at : at + BETWEEN]) for at in range(0, len(some), BETWEEN))
            self._forget()
        return np.concatenate(found)

    def blocks(self, documents: Ints) -> Iterator[Ints]:
        """Yield the documents in pieces whose costs there is room for."""
        rows = max(1, ROOM // len(self.shares))
        if len(documents) and len(self.ground.vectors) > rows:
            pieces = self.contents.sizes[documents].cumsum() // rows
            yield from np.split(documents, np.flatnonzero(np.diff(pieces)) + 1)
        elif len(documents):
            yield documents

    def distances_at_once(self, documents: Ints) -> Reals:
        """Return the same; costs are kept for the next documents."""
        self._learn_costs(documents)
        return self._distances(documents)

    def _learn_costs(self, documents: Ints) -> None:
        """Work out the costs that some documents need, and are not known yet."""
        words = self.contents.words_of(documents)
        new = np.unique(words[self._places[words] < 0])
        if self._known + len(new) > len(self._costs):
            more = np.empty((max(len(new), len(self._costs)), len(self.shares)), np.float64)
            self._costs = np.concatenate([self._costs, more])
        self._places[new] = np.arange(self._known, self._known + len(new))
        self._write_costs(new, self._costs[self._known :][: len(new)])
        self._known += len(new)

    def _distances(self, documents: Ints) -> Reals:
        """Return the distances of some documents, whose costs are known."""
        from aboutness.kernels.movers import distances

        still_wanted()
        found = np.empty(len(documents), np.float64)
        distances(*self.contents.arrays, documents, self._places, self._costs, self.shares, found)
        if np.isnan(found).any():
            raise ArithmeticError("a transport problem was not solved")
        return found

    def _write_costs(self, words: Ints, out: Reals) -> None:
        from aboutness.kernels.movers import costs_of

        costs_of(self.ground.vectors, words, self.columns, self.ground.euclidean, out)

    def nearest(self, documents: Ints, k: int) -> tuple[Ints, Reals]:
        """Return the k nearest of some documents that have words, and perhaps others, with their distances."""
        if len(documents) <= max(FEW, 2 * k) or not PLAIN[0] < self.ground.longest < PLAIN[1]:
            return documents, self.distances(documents)
        found = Found(k)
        for some in self.blocks(documents):
            Nearby(self, some).add_to(found)
            self._forget()
        return found.documents, found.distances

    def flows(self, document: int) -> Iterator[tuple[int, int, float, float]]:
        """Yield which query word goes to which word of a document, how much of it, and at what cost."""
        from aboutness.kernels.transport import AMOUNTS, LINKS, NONE, transport

        words = self.contents.words_of(np.array([document]))
        shares = self.contents.shares[self.contents.ends[document] - len(words) :][: len(words)]
        rows = len(self.shares)
        costs = np.empty((len(words), rows), np.float64)
        self._write_costs(words, costs)
        costs = np.ascontiguousarray(costs.T)
        tree = np.empty((LINKS, rows + len(words)), np.int64)
        values = np.empty((AMOUNTS, rows + len(words)), np.float64)
        transport(costs, self.shares, shares, tree, values)
        for x in np.flatnonzero((tree[0] != NONE) & (values[0] > 0)).tolist():
            row, column = (x, int(tree[0, x])) if x < rows else (int(tree[0, x]), x)
            yield row, column - rows, float(values[0, x]), float(costs[row, column - rows])


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
        for some in _pieces(out):
            documents = self.documents[some]
            relaxed(*self.contents.arrays, documents, self.places, self.near, nearest, self.shares, out[some])
        return out.astype(np.float64)

    def _capped(self, documents: Ints) -> Reals:
        from aboutness.kernels.movers import capped

        near, places = self._some(documents)
        order = np.argsort(near, axis=1)
        out = np.empty(len(documents), np.float64)
        near, room = np.take_along_axis(near, order, axis=1), self.travels.shares[order]
        for some in _pieces(out):
            capped(*self.contents.arrays, documents[some], places, near, room, out[some])
        return out

    def _priced(self, documents: Ints, softness: float, rounds: int) -> Reals:
        from aboutness.kernels.movers import priced

        near, places = self._some(documents)
        soft = np.float32(max(softness * self.near.mean(), PLAIN[0] ** 2))
        kernel = np.exp(near / -soft)
        out = np.empty(len(documents), np.float64)
        for some in _pieces(out):
            contents = self.contents.arrays
            priced(*contents, documents[some], places, near, kernel, soft, rounds, self.shares, out[some])
        return out

    def _some(self, documents: Ints) -> tuple[F32, Ints]:
        """Return the costs of the words of some documents, and which row is which word's."""
        words = np.unique(self.contents.words_of(documents))
        places = np.zeros(len(self.places), np.int64)
        places[words] = np.arange(len(words))
        return self.near[self.places[words]], places


def _pieces(values: Reals | F32) -> Iterator[slice]:
    """Yield where pieces of some values lie; before each is a look whether they are still wanted."""
    for first in range(0, len(values), BETWEEN):
        still_wanted()
        yield slice(first, first + BETWEEN)


def _least(values: Reals, count: int) -> Ints:
    """Return where the least values are, in any order."""
    return np.argpartition(values, count)[:count] if count < len(values) else np.arange(len(values))
