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
    """The angle between a query and a document, both as vectors of words weighted by BM25.

    Paper: malina2016 (second formula for the weights, and its scoring function): it compares every representation
    by cosine, BM25 too.

        score(q, d) = sum over t of  w(t, q) * w(t, d) / (‖q‖ ‖d‖)
        w(t, d) = idf(t) * tf / (tf + k1 (1 - b + b |d| / avgdl)),   idf(t) = ln(1 + (n - df + .5) / (df + .5))

    Symbols: w a matrix like X (documents x terms), of which a row has the length ‖d‖; n documents; tf an entry of
    X; df and idf (terms,); |d| is `view.lengths` (documents,), avgdl their mean. The query is weighted as a
    document of its own length is (in the paper, queries are documents). The paper's k is `k1`.

    Differs from the paper: its factor k1 + 1 cancels out and is left out. idf is lucene's, since the paper leaves
    it open and the older one can be negative; otherwise nothing.

    Unknown words: words of a query that no document has change nothing, nor do they count for its length.

    Empty documents: they score 0.

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

        idf = IDF["lucene"](statistics.documents, statistics.df.astype(np.float64))
        return TermScorer(view, CosineWeighting(view, idf, frequency))
