"""How likely a question is in documents to which those nearest to them lend words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.bags import bags_of
from aboutness.models.counts import counts_in
from aboutness.models.question import Question
from aboutness.models.ranking import Part

F64 = NDArray[np.float64]
Ints = NDArray[np.int64]

CLOSER = 4  # the power of a product by which nearer documents lend more
LEAST = 1e-300  # a probability that is not 0


@dataclass(frozen=True)
class Likelihood:
    """How often each word of a question (row) stands in each of some documents (column), and what it adds to the
    logarithm of the question's likelihood in it.
    """

    view: LayerView
    terms: list[int]
    counts: F64
    logs: F64

    @property
    def words(self) -> list[str]:
        """Return the words of the question."""
        return [self.view.term(term) for term in self.terms]

    @cached_property
    def totals(self) -> F64:
        """Return the logarithm of the likelihood in each document, up to words that are not known."""
        total = np.zeros(self.logs.shape[1])
        for row in self.logs:  # one after the other, whatever the number of documents
            total += row
        return total

    @cached_property
    def shares(self) -> F64:
        """Return the same from 0, the least likely, to 1; 0 where all are as likely."""
        return (self.totals - self.totals.min()) / self._range if self._range else np.zeros(len(self.totals))

    def parts(self, document: int, weight: float, by: str) -> list[Part]:
        """Return what each word adds to a weight times the share of a document, beyond what the least one has."""
        if not self._range:
            return []
        above = (self.logs[:, document] - self.logs[:, int(self.totals.argmin())]) * (weight / self._range)
        inside = self.counts[:, document].tolist()
        return [
            Part(word, value, {"in_document": count}, word if count else None, by)
            for word, value, count in zip(self.words, above.tolist(), inside, strict=True)
        ]

    @cached_property
    def _range(self) -> float:
        return float(np.ptp(self.totals)) if self.totals.size else 0.0


@dataclass(frozen=True)
class Lending:
    """Documents smoothed by their nearest and by the collection, as in document expansion (Tao et al. 2006).

    P(t | d) = (1 - lent) (tf + mu P(t | C)) / (|d| + mu)  +  lent * mean of tf' / |d'| over the nearest d'

    In the mean a document counts by the fourth power of its product with d, or nothing where that is below 0.
    """

    view: LayerView
    lent: float
    mu: float

    def likelihood(self, question: Question, documents: Ints, places: Ints, products: F64) -> Likelihood:
        """Return how likely a question is in documents, which ascend.

        `places` has for each of them (row) the places of those that lend to it, `products` how near these are.
        """
        view, lent, bag = self.view, self.lent, bags_of(self.view, [question])
        counts, lengths = counts_in(view, bag.terms, documents), view.lengths[documents]
        chances = view.statistics.cf[bag.terms] / max(view.statistics.total_length, LEAST)
        shares = counts / np.maximum(lengths, LEAST)
        weights = np.maximum(products / max(float(products.max(initial=0.0)), LEAST), 0.0) ** CLOSER
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), LEAST)
        logs = np.empty(counts.shape)
        for t, weight in enumerate(bag.weights.tolist()):
            own = (counts[t] + self.mu * chances[t]) / (lengths + self.mu)
            others = (shares[t][places] * weights).sum(axis=1)
            logs[t] = weight * np.log(np.maximum((1 - lent) * own + lent * others, LEAST))
        return Likelihood(view, bag.terms.tolist(), counts, logs)
