"""The second embedding-based query language model: each word of the query brings words of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.rank.combination import register
from aboutness.rank.expansion.eqe import EmbeddingQueryModel
from aboutness.rank.expansion.spaces import WordSpace

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@register
@dataclass(frozen=True)
class EQE2(EmbeddingQueryModel):
    """EQE2, the second embedding-based query language model: each word of the query brings words of its own.

    Paper: Zamani and Croft (ICTIR 2016, "EQE2"): how near words are to each other does not depend on the query.

        P'(w) = (1 - weight) P(w | query) + weight P(w | model)
        P(w | model) = sum over query words t:  P(t | query) delta(w, t) / (sum over words x: delta(x, t))
        delta(x, t) = 1 / (1 + exp(-a (cos(x, t) - c)))

    Symbols: P(w | query) is the share of w in the query, P(t | query) that of t in the query's words that have a
    vector; cos(x, t) is that of words' vectors (vocabulary x dim). The `terms` most probable words are kept, and
    their probabilities scaled to sum to 1. All weights together are what the query's words count.

    Differs from the paper: the values of a and c are ours, where it learns them on queries. Words are those of the
    documents that have a vector, the most frequent ones (`vocabulary`). Our in-out space has t in IN, w and x in
    OUT.

    Cost: as `nearest`: a product with each word of the vocabulary, for each word of the query; then a search for
    some more words.
    """

    name: ClassVar[str] = "eqe2"
    summary: ClassVar[str] = "the query expanded by words that are near any of its words"

    def chances(self, space: WordSpace, rows: Ints, weights: Reals, nearness: Reals) -> Reals:  # noqa: ARG002 - as eqe1
        """Return for each word of the vocabulary what P(w | model) is proportional to."""
        delta = np.exp(nearness)
        shares = weights / weights.sum() / delta.sum(axis=1, keepdims=True)
        return np.asarray((shares * delta).sum(axis=0))
