"""Relevance models: words of the first documents, as probable as these documents make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Number, Whole
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.bags import words_of
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.combination import register
from aboutness.rank.expansion.expansion import Expand, Expansion, interpolated, known_in, strongest
from aboutness.rank.expansion.feedback import added_up, first_documents
from aboutness.rank.searching import Searcher

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@register
@dataclass(frozen=True)
class RM3(Expansion):
    """RM3: words of the first documents, as probable as these documents make them, mixed into the query.

    Paper: Lavrenko and Croft (2001), relevance models; Abdul-Jaleel et al. (2004), the mixture.

        P'(w) = (1 - weight) P(w | query) + weight P(w | R)
        P(w | R) ∝ sum over the first documents d:  P(w | d) P(query | d)
        P(w | d) = (tf + mu P(w | C)) / (|d| + mu)

    `rm3(r)` finds the first documents by r itself, `rm3(first, r)` by another ranker. These are the first of all
    documents that have any word of the query, whatever the filter; a document that asks is not among them.

    Symbols: P(w | query) is the share of w in the query. P(query | d) is exp of the score of d by the first
    ranker, so that for `ql` it is the query's likelihood; with other rankers, too, it is a softmax of scores. tf
    is an entry of X (documents x terms), |d| a document's length. The `terms` most probable words of the documents
    are kept, and scaled to sum to 1. All weights together are what the query's words count, so that the expanded
    query has its place in mixtures.

    Differs from the paper: nothing in `rm3(ql)`.

    Unknown words: a query that finds nothing is passed on as it is.

    Cost: a second search, for some more words.
    """

    name: ClassVar[str] = "rm3"
    summary: ClassVar[str] = "the query expanded by a relevance model of the first documents"
    source: ClassVar[str] = "Lavrenko and Croft 2001; Abdul-Jaleel et al. 2004"
    most: ClassVar[int] = 2

    docs: int = parameter(10, Whole(1, 10_000), "how many documents")
    terms: int = parameter(30, Whole(1, 10_000), "how many words the model keeps")
    weight: float = parameter(0.5, Number(0, 1), "share of the model; the query's own words have the rest")
    mu: float = parameter(0.0, Number(0, 1e9), "words of the collection added to each document", symbol="μ")

    def expander(self, view: LayerView, first: Searcher) -> Expand:
        """Return what expands questions."""

        def expand(questions: Sequence[Question], threads: int | None) -> list[Question]:
            rankings = first_documents(first, questions, self.docs, threads)
            return [self._expanded(view, *pair) for pair in zip(questions, rankings, strict=True)]

        return expand

    def _expanded(self, view: LayerView, question: Question, ranking: Ranking) -> Question:
        if not len(ranking):
            return question
        own = words_of(view, question)
        model = strongest(view, *self._model(view, ranking), self.terms)
        return interpolated(own, model, self.weight, known_in(view, own) or own) if model else question

    def _model(self, view: LayerView, ranking: Ranking) -> tuple[Ints, Reals]:
        """Return the words of the first documents by number, and P(w | R) of each."""
        powers = np.exp(ranking.scores.astype(np.float64) - ranking.scores.max())
        shares = dict(zip(ranking.documents.tolist(), (powers / powers.sum()).tolist(), strict=True))
        sizes = {document: float(view.lengths[document]) + self.mu for document in shares}

        def weigh(document: int, _: Ints, counts: Reals) -> Reals:
            return np.asarray(shares[document] * counts / sizes[document])

        terms, seen = added_up(view, shares, weigh)
        smoothed = sum(shares[document] * self.mu / size for document, size in sizes.items() if size)
        collection = view.statistics.cf[terms] / max(view.statistics.total_length, 1e-300)
        return terms, np.asarray(seen + smoothed * collection)
