"""Plug in a ranking model of your own, and it is searched, explained and compared like any other.

The model is the two classes below, under 30 lines of code. One is a frozen record of declared parameters. Where
the score is a sum over words, the other only says how much a word counts in a document; search, batches, threads
and explanations are there. It runs on Python's own documentation, or on a collection's folder.

    python examples/new_model.py
    python examples/new_model.py path/to/cranfield
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import aboutness as ab


@ab.register
@dataclass(frozen=True)
class F2EXP(ab.Model):
    """F2EXP (Fang and Zhai: An exploration of axiomatic approaches to information retrieval, SIGIR 2005).

    score(q, d) = sum over words t of q:  c(t, q) * ((n + 1) / df(t))^k * tf / (tf + s + s * |d| / avgdl)

    It is written as Lucene has it. Unknown words of a query change nothing; empty documents match nothing. Cost:
    no fitting; a query reads the posting lists of its words.
    """

    name: ClassVar[str] = "f2exp"
    summary: ClassVar[str] = "axiomatic retrieval, F2EXP"
    source: ClassVar[str] = "Fang and Zhai 2005"

    s: float = ab.parameter(0.5, ab.Number(0.01, 1), "how much long documents are held back", symbol="s")
    k: float = ab.parameter(0.35, ab.Number(0, 1), "how much more rare words count", symbol="k")

    def scorer(self, view: Any) -> ab.TermScorer:  # noqa: ANN401 - documents and statistics
        """Return the model bound to an index."""
        return ab.TermScorer(view, Weighting(self, view))


class Weighting:
    """How much each word counts in each document."""

    formula = "sum of in query * rarity * tf / (tf + length)"
    priors = None  # nothing that a document has whatever is asked

    def __init__(self, model: F2EXP, view: Any) -> None:  # noqa: ANN401
        known = view.statistics
        self.rarity = ((known.documents + 1) / np.maximum(known.df, 1)) ** model.k
        self.length = model.s + model.s * view.lengths / known.average_length

    def impacts(self, terms: Any, documents: Any, counts: Any) -> Any:  # noqa: ANN401 - arrays
        """Return how much words count in documents that have them so often."""
        return self.rarity[terms] * counts / (counts + self.length[documents])

    def query(self, bags: Any) -> ab.QueryWeights:  # noqa: ANN401
        """Return how much words count in queries: as often as they stand there."""
        return ab.QueryWeights(bags.weights)

    def details(self, term: int, document: int, count: float) -> dict[str, float]:  # noqa: ARG002
        """Return the numbers that explanations show."""
        return {"rarity": float(self.rarity[term]), "length": float(self.length[document])}


if __name__ == "__main__":
    collection = ab.collection(sys.argv[1] if len(sys.argv) > 1 else "stdlib")
    index = ab.Index.build(collection.documents())
    best = index.search(collection.queries[0], k=1, ranker="f2exp[s=0.3]")[0]
    print(f"first for {collection.queries[0].text!r}: {best.title}\n{best.explain()}\n")
    print(ab.compare([F2EXP(), F2EXP(s=0.1), "bm25", "f2exp % 100 >> ql"], collection, "nDCG@10,AP", index=index))
