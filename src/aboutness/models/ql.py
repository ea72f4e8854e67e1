"""Query likelihood: how probable the query is as a sample of a document's words, smoothed by the collection's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Choice, Number
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.bags import Bags
from aboutness.models.model import Model, register
from aboutness.models.terms import QueryWeights, TermScorer

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@register
@dataclass(frozen=True)
class QL(Model):
    """Query likelihood: how probable the query is as a sample of a document's words, smoothed by the collection's.

    Paper: Ponte and Croft (1998), smoothed as in Zhai and Lafferty (TOIS 2004); the baseline of ai2016 (§1).

        score(q, d) = ln P(q | d) = sum over t of q:  c(t, q) * ln P(t | d),   P(t | C) = cf(t) / |C|

        smoothing   P(t | d)                                                    left to the collection, alpha
        dirichlet   (tf + mu P(t | C)) / (|d| + mu)                             mu / (|d| + mu)
        jm          (1 - lam) tf / |d| + lam P(t | C)                           lam
        absolute    max(tf - delta, 0) / |d| + alpha P(t | C)                   sum of min(tf, delta) / |d|

    Symbols: c(t, q) how often the query has t; tf an entry of X (documents x terms); cf(t) its sum over documents
    (terms,); |d| is `view.lengths` (documents,), |C| their sum. All are weighted over fields. `mu`, `lam`, `delta`
    are Zhai and Lafferty's symbols; with whole counts the last alpha is delta times the document's distinct words
    over |d|. Scores are logarithms of probabilities: negative, and comparable for one query only.

    Differs from the paper: nothing. ai2016 leaves mu open; 300 suits texts of about a hundred words (tried on
    seven collections of titles and abstracts), long ones want more.

    Unknown words: words of a query that no document has change nothing.

    Empty documents: an empty document is its collection: alpha 1 (jm: lam).

    Cost: no fitting; a query reads the posting lists of its words, as far as they can still change the answer.
    """

    name: ClassVar[str] = "ql"
    summary: ClassVar[str] = "query likelihood, with three smoothings"
    source: ClassVar[str] = "ai2016 §1"

    smoothing: str = parameter("dirichlet", Choice(("dirichlet", "jm", "absolute")), "how the collection joins in")
    mu: float = parameter(
        300.0,
        Number(1e-9, 1e9),
        "words of the collection added to each document; long texts want more",
        symbol="μ",
    )
    lam: float = parameter(0.5, Number(1e-9, 1), "share of the collection, in jm", symbol="λ")
    delta: float = parameter(0.7, Number(1e-9, 1), "taken from each count, in absolute", symbol="δ")

    def scorer(self, view: LayerView) -> TermScorer:
        """Return a scorer for a view."""
        return TermScorer(view, QLWeighting(self, view))


class QLWeighting:
    """ln P(t | d) as ln P(t | C) + ln alpha(d) + impact, where the impact of a word that d lacks is 0."""

    formula = "sum of in query * ln P(word | document)"

    def __init__(self, model: QL, view: LayerView) -> None:
        statistics = view.statistics
        self.model = model
        self.df = statistics.df
        # A term of dead documents only has no probability; no bag holds it.
        self.collection = np.maximum(statistics.cf, np.finfo(float).tiny) / max(statistics.total_length, 1e-300)
        self.lengths = view.lengths
        self.alpha = self._alpha(view)
        # What jm leaves to the collection is the same for all documents.
        self.priors: Reals | None = None if model.smoothing == "jm" else np.log(self.alpha)

    def _alpha(self, view: LayerView) -> Reals:
        model, lengths = self.model, self.lengths
        if model.smoothing == "dirichlet":
            return model.mu / (lengths + model.mu)
        if model.smoothing == "jm":
            return np.full(len(lengths), model.lam)
        from aboutness.kernels.impacts import sum_rows

        taken = []
        for ends, _, counts in view.rows():
            sums = np.empty(len(ends), np.float64)
            sum_rows(ends, np.minimum(counts, model.delta), sums)
            taken.append(sums)
        taken_all = np.concatenate([np.zeros(0), *taken])
        alpha: Reals = np.divide(taken_all, lengths, out=np.ones_like(lengths), where=lengths > 0)
        return alpha

    def impacts(self, terms: Ints, documents: Ints, counts: Reals) -> Reals:
        """Return ln P(t | d) - ln(alpha P(t | C)) of postings."""
        model, lengths = self.model, self.lengths[documents]
        left = self.alpha[documents] * self.collection[terms]
        if model.smoothing == "dirichlet":
            return np.log1p(counts / (model.mu * self.collection[terms]))
        seen = (1 - model.lam) * counts if model.smoothing == "jm" else np.maximum(counts - model.delta, 0)
        lengths = np.where(lengths > 0, lengths, 1.0)  # of dead documents
        return np.log1p(seen / (lengths * np.where(left > 0, left, 1.0)))

    def query(self, bags: Bags) -> QueryWeights:
        """Return the counts of the words, with the logarithms of their probabilities in the collection."""
        log_collection = np.log(self.collection[bags.terms])
        if self.priors is None:
            return QueryWeights(bags.weights, bags.weights * (log_collection + math.log(self.model.lam)))
        return QueryWeights(bags.weights, bags.weights * log_collection, bags.weights)

    def details(self, term: int, document: int, count: float) -> dict[str, float]:
        """Return the numbers that a word's part comes from."""
        alpha, background = float(self.alpha[document]), float(self.collection[term])
        at = np.array([term]), np.array([document]), np.array([count])
        lift = float(np.exp(self.impacts(*at)[0])) if count else 1.0
        return {"p_in_document": lift * alpha * background, "p_in_collection": background}
