"""BM25: a word counts the more, the rarer it is and the oftener it stands in a document, but ever less so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Choice, Number, OptionalNumber
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.bags import Bags
from aboutness.models.model import Model, register
from aboutness.models.terms import QueryWeights, TermScorer

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

TINY = 1e-100  # to divide by where there is nothing: dead documents have words, but no length

IDF: dict[str, Callable[[float, Reals], Reals]] = {
    "lucene": lambda n, df: np.log(1 + (n - df + 0.5) / (df + 0.5)),
    "robertson": lambda n, df: np.log(np.maximum((n - df + 0.5) / (df + 0.5), 1)),
    "atire": lambda n, df: np.log(max(n, 1) / np.maximum(df, 1)),
    "bm25l": lambda n, df: np.log((n + 1) / (df + 0.5)),
    "bm25+": lambda n, df: np.log((n + 1) / np.maximum(df, 1)),
}
FORMULAS = {
    "lucene": "sum of in query * idf * tf / (tf + k1 * length factor)",
    "robertson": "sum of in query * idf * tf / (tf + k1 * length factor)",
    "atire": "sum of in query * idf * (k1 + 1) * tf / (tf + k1 * length factor)",
    "bm25l": "sum of in query * idf * (k1 + 1) * (tf / length factor + delta) / (k1 + tf / length factor + delta)",
    "bm25+": "sum of in query * idf * (delta + (k1 + 1) * tf / (tf + k1 * length factor))",
}


@register
@dataclass(frozen=True)
class BM25(Model):
    """Okapi BM25: a word counts the more, the rarer it is and the oftener a document has it, but ever less so.

    Paper: Robertson et al. (TREC-3, 1994), in the five forms that Kamphuis et al. (ECIR 2020) set apart; a
    baseline of mitra2016 (§3.3) and malina2016 (second formula).

        score(q, d) = sum over t of q:  c(t, q) * idf(t) * g(tf, L),   L = 1 - b + b * |d| / avgdl

        variant     idf                                   g
        lucene      ln(1 + (n - df + .5) / (df + .5))     tf / (tf + k1 L)
        robertson   ln((n - df + .5) / (df + .5))         tf / (tf + k1 L)
        atire       ln(n / df)                            (k1 + 1) tf / (tf + k1 L)
        bm25l       ln((n + 1) / (df + .5))               (k1 + 1) (tf/L + delta) / (k1 + tf/L + delta)
        bm25+       ln((n + 1) / df)                      delta + (k1 + 1) tf / (tf + k1 L)

    Symbols: n documents; c(t, q) how often the query has t; tf how often the document has it, an entry of X
    (documents x terms); df and idf (terms,); |d| is `view.lengths` (documents,), avgdl their mean. tf and |d| are
    weighted over fields. `k1`, `b`, `delta` are the papers' symbols; mitra2016 uses k1 1.7, b .95.

    Differs from the paper: robertson's idf of words in more than half of the documents is 0, not negative. A word
    that a document lacks has tf 0, which in bm25l and bm25+ still gives something: Kamphuis et al. print a sum
    over all words of the query, and bm25s does so (as does BM25Plus of rank_bm25). In bm25+ delta then changes no
    ranking (but where it is so large that 32 bits hold little besides it). Lv and Zhai, who proposed the two, sum
    over the words the document has: `absent=nothing`.

    Unknown words: words of a query that no document has change nothing.

    Empty documents: they have no words, and match nothing.

    Cost: no fitting; a query reads the posting lists of its words, as far as they can still change the answer.
    """

    name: ClassVar[str] = "bm25"
    summary: ClassVar[str] = "BM25 in five variants"
    source: ClassVar[str] = "Robertson et al. 1994; mitra2016 §3.3"

    k1: float = parameter(1.2, Number(0, 1e9), "how slowly repeated words stop counting", symbol="k1")
    b: float = parameter(0.75, Number(0, 1), "how much long documents are held back", symbol="b")
    variant: str = parameter("lucene", Choice(tuple(IDF)), "which form of idf and saturation")
    delta: float | None = parameter(
        None, OptionalNumber(0, 1e9), "least worth of a word, in bm25l (0.5) and bm25+ (1)", symbol="δ"
    )
    absent: str = parameter("floor", Choice(("floor", "nothing")), "what an absent word earns, in bm25l and bm25+")

    def scorer(self, view: LayerView) -> TermScorer:
        """Return a scorer for a view."""
        return TermScorer(view, BM25Weighting(self, view))

    def saturation(self, tf: Reals, length: Reals) -> Reals:
        """Return g for counts and relative lengths."""
        if self.variant == "bm25l":
            normal = tf / np.maximum(length, TINY) + (0.5 if self.delta is None else self.delta)
            return (self.k1 + 1) * normal / np.maximum(self.k1 + normal, TINY)
        ratio = np.divide(tf, tf + self.k1 * length, out=np.zeros_like(tf), where=tf > 0)
        if self.variant in ("lucene", "robertson"):
            return ratio
        if self.variant == "bm25+":
            return (self.k1 + 1) * ratio + (1.0 if self.delta is None else self.delta)
        return (self.k1 + 1) * ratio


class BM25Weighting:
    """BM25 as a sum over terms: where an absent word earns a floor, the impact is what a word earns above it."""

    priors: Reals | None = None

    def __init__(self, model: BM25, view: LayerView) -> None:
        statistics = view.statistics
        self.model = model
        self.formula = FORMULAS[model.variant]
        self.df = statistics.df
        self.idf = IDF[model.variant](statistics.documents, self.df.astype(np.float64))
        self.length = 1 - model.b + model.b * view.lengths / statistics.average_length
        absent = model.saturation(np.zeros(1), np.ones(1)) if model.absent == "floor" else np.zeros(1)
        self.floor = float(absent[0])

    def impacts(self, terms: Ints, documents: Ints, counts: Reals) -> Reals:
        """Return the impact of postings."""
        return self.idf[terms] * (self.model.saturation(counts, self.length[documents]) - self.floor)

    def query(self, bags: Bags) -> QueryWeights:
        """Return the weights of the words of queries: their counts."""
        if not self.floor:
            return QueryWeights(bags.weights)
        return QueryWeights(bags.weights, bags.weights * self.idf[bags.terms] * self.floor)

    def details(self, term: int, document: int, count: float) -> dict[str, float]:  # noqa: ARG002
        """Return the numbers that a word's part comes from."""
        return {
            "df": int(self.df[term]),
            "idf": float(self.idf[term]),
            "length_factor": float(self.length[document]),
        }
