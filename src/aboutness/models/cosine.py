"""The cosine of weighted term vectors as a sum over terms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.bags import Bags
from aboutness.models.terms import QueryWeights

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


class CosineWeighting:
    """Impacts are the components of unit document vectors, query weights those of a unit query vector.

    A component is rarity[t] * frequency(tf, length), for documents and queries alike. Norms are summed in the
    order in which terms first appear in the document, so that they are the same however an index came about.
    """

    priors: Reals | None = None
    formula = "sum of query component * document component, both vectors of unit length"

    def __init__(self, view: LayerView, rarity: Reals, frequency: Callable[[Reals, Reals], Reals]) -> None:
        from aboutness.kernels.impacts import sum_rows

        self.df = view.statistics.df
        self.rarity = rarity
        self.frequency = frequency
        self.lengths = view.lengths
        squares = []
        first = 0
        for ends, terms, counts in view.rows():
            sizes = np.diff(ends, prepend=0)
            lengths = np.repeat(self.lengths[first : first + len(ends)], sizes)
            sums = np.empty(len(ends), np.float64)
            sum_rows(ends, (rarity[terms] * frequency(counts, lengths)) ** 2, sums)
            squares.append(sums)
            first += len(ends)
        self.norms = np.sqrt(np.concatenate([np.zeros(0), *squares]))

    def impacts(self, terms: Ints, documents: Ints, counts: Reals) -> Reals:
        """Return the components of unit document vectors."""
        components = self.rarity[terms] * self.frequency(counts, self.lengths[documents])
        return _ratio(components, self.norms[documents])

    def query(self, bags: Bags) -> QueryWeights:
        """Return the components of unit query vectors."""
        of, count = bags.questions, len(bags)
        lengths = np.bincount(of, bags.weights, minlength=count).astype(np.float64)
        components = self.rarity[bags.terms] * self.frequency(bags.weights, lengths[of])
        norms = np.sqrt(np.bincount(of, components**2, minlength=count))
        return QueryWeights(_ratio(components, norms[of]))

    def details(self, term: int, document: int, count: float) -> dict[str, float]:
        """Return the numbers that a word's part comes from."""
        component = self.impacts(np.array([term]), np.array([document]), np.array([count]))
        return {"df": int(self.df[term]), "idf": float(self.rarity[term]), "component": float(component[0])}


def _ratio(components: Reals, norms: Reals) -> Reals:
    return np.divide(components, norms, out=np.zeros_like(components), where=norms > 0)
