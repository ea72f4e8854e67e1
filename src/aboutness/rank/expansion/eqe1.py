"""The first embedding-based query language model: a word has to be near all words of the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.rank.combination import register
from aboutness.rank.expansion.eqe import EmbeddingQueryModel
from aboutness.rank.expansion.spaces import WordSpace
from aboutness.rank.pipelines import like
from aboutness.vectors.products import products

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@register
@dataclass(frozen=True)
class EQE1(EmbeddingQueryModel):
    """EQE1, the first embedding-based query language model: a word has to be near all words of the query.

    Paper: Zamani and Croft (ICTIR 2016, "EQE1"): the words of a query are independent of each other, given any
    other word.

        P'(w) = (1 - weight) P(w | query) + weight P(w | model)
        P(w | model) ∝ P(w) * product over query words t:  P(t | w),   P(t | w) = delta(t, w) / S(w),   P(w) ∝ S(w)
        S(w) = sum over words x: delta(x, w),     delta(x, w) = 1 / (1 + exp(-a (cos(x, w) - c)))

    Symbols: P(w | query) is the share of w in the query; a word that stands twice in it counts twice in the
    product. cos(x, w) is that of words' vectors (vocabulary x dim), S (vocabulary,) is worked out once for an
    index. The `terms` most probable words are kept, and their probabilities scaled to sum to 1. All weights
    together are what the query's words count, so that the expanded query has its place in mixtures.

    Differs from the paper: the values of a and c are ours, where it learns them on queries; a is low, since
    products of steep similarities soon leave but one word. Words are those of the documents that have a vector,
    the most frequent ones (`vocabulary`). Our in-out space has t and x in IN, w in OUT.

    Cost: as `nearest`; and S(w), once for an index: the square of the vocabulary in cosines, some seconds for
    20,000 words.
    """

    name: ClassVar[str] = "eqe1"
    summary: ClassVar[str] = "the query expanded by words that are near all of its words"

    a: float = like(EmbeddingQueryModel, "a", 3.0)
    c: float = like(EmbeddingQueryModel, "c", 0.0)

    def chances(self, space: WordSpace, rows: Ints, weights: Reals, nearness: Reals) -> Reals:
        """Return for each word of the vocabulary what P(w | model) is proportional to."""
        key = (EQE1, space.lexicon, self.space, self.a, self.c, self.vocabulary)
        log_sums = space.view.once(key, lambda: self._log_sums(space, rows))
        found = (weights * nearness).sum(axis=0) - (weights.sum() - 1) * log_sums
        return np.asarray(np.exp(found - found.max()))

    def _log_sums(self, space: WordSpace, rows: Ints) -> Reals:
        """Return ln S of each word of the vocabulary."""
        asked, found = space.directions(rows)
        sums = np.zeros(len(rows), np.float64)
        for here, terms in products(found * np.float32(-self.a), asked):
            np.add(terms, np.float32(self.a * self.c), out=terms)
            np.exp(np.minimum(terms, 80, out=terms), out=terms)  # no float32 is beyond exp(88)
            np.add(terms, 1, out=terms)
            sums[here] += np.reciprocal(terms, out=terms).sum(axis=1)
        return np.log(sums)
