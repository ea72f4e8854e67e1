"""BM25 weights as vectors, compared by their angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aboutness.core.kinds import Number
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.bm25 import IDF
from aboutness.models.cosine import CosineWeighting, Reals
from aboutness.models.model import Model, register
from aboutness.models.terms import TermScorer


@register
@dataclass(frozen=True)
class BM25Cosine(Model):
    """Cosine of BM25-weighted vectors: malina2016 compares every representation by cosine, BM25 too.

    score(q, d) = sum over t of  w(t, q) * w(t, d) / (‖q‖ ‖d‖)
    w(t, d) = idf(t) * tf / (tf + k1 (1 - b + b |d| / avgdl)),   idf(t) = ln(1 + (n - df + .5) / (df + .5))

    The query is weighted as a document of its own length is (in the paper, queries are documents). The factor
    k1 + 1 of the paper's formula cancels out. idf is lucene's, since the paper leaves it open and the older one
    can be negative; otherwise nothing differs.

    Unknown words of a query change nothing, nor do they count for its length. Empty documents score 0.
    Cost: binding reads the matrix once, for the norms; a query reads the posting lists of its words, as far as
    they can still change the answer.
    """

    name: ClassVar[str] = "bm25-cosine"
    summary: ClassVar[str] = "cosine of BM25-weighted vectors"
    source: ClassVar[str] = "malina2016"

    k1: float = parameter(1.2, Number(0, 1e9), "how slowly repeated words stop counting", symbol="k")
    b: float = parameter(0.75, Number(0, 1), "how much long documents are held back", symbol="b")

    def scorer(self, view: LayerView) -> TermScorer:
        """Return a scorer for a view."""
        statistics = view.statistics
        average = statistics.average_length

        def frequency(counts: Reals, lengths: Reals) -> Reals:
            held_back = self.k1 * (1 - self.b + self.b * lengths / average)
            return np.divide(counts, counts + held_back, out=np.zeros_like(counts), where=counts > 0)

        idf = IDF["lucene"](statistics.documents, np.maximum(statistics.df, 1).astype(np.float64))
        return TermScorer(view, CosineWeighting(view, idf, frequency))
