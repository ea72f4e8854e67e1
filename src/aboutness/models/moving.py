"""How far the words of a question are from those of documents."""

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
BETWEEN = 256  # documents between two looks whether how far they are is still wanted


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
        self.forget()

    def forget(self) -> None:
        """Let go of all costs."""
        self._places = np.full(len(self.ground.vectors), -1, np.int64)  # of words among the costs
        self._costs = np.empty((0, len(self.shares)), np.float64)
        self._known = 0

    def distances(self, documents: Ints) -> Reals:
        """Return the distance of each of some documents that have words."""
        found = [np.zeros(0, np.float64)]
        for some in self.blocks(documents):
            self._learn_costs(some)
            found.extend(self._distances(some[part]) for part in pieces(some))
            self.forget()
        return np.concatenate(found)

    def blocks(self, documents: Ints) -> Iterator[Ints]:
        """Yield the documents in pieces whose costs there is room for."""
        rows = max(1, ROOM // len(self.shares))
        if len(documents) and len(self.ground.vectors) > rows:
            block = self.contents.sizes[documents].cumsum() // rows
            yield from np.split(documents, np.flatnonzero(np.diff(block)) + 1)
        elif len(documents):
            yield documents

    def distances_at_once(self, documents: Ints) -> Reals:
        """Return the same; costs are kept for the next documents."""
        still_wanted()
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

        found = np.empty(len(documents), np.float64)
        distances(*self.contents.arrays, documents, self._places, self._costs, self.shares, found)
        if np.isnan(found).any():
            raise ArithmeticError("a transport problem was not solved")
        return found

    def _write_costs(self, words: Ints, out: Reals) -> None:
        from aboutness.kernels.movers import costs_of

        costs_of(self.ground.vectors, words, self.columns, self.ground.euclidean, out)

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


def pieces(values: Ints | Reals | F32) -> Iterator[slice]:
    """Yield where pieces of some values lie; before each is a look whether they are still wanted."""
    for first in range(0, len(values), BETWEEN):
        still_wanted()
        yield slice(first, first + BETWEEN)
