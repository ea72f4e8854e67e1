"""Rocchio's feedback: the query moves towards the first documents, and away from the last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Number, Whole
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.bags import words_of
from aboutness.models.question import Moved, Question
from aboutness.models.ranking import Ranking
from aboutness.models.rarity import rarity, rarity_of_words
from aboutness.rank.combination import register
from aboutness.rank.expansion.expansion import Expand, Expansion, asked_for, known_in, strongest
from aboutness.rank.expansion.feedback import added_up, first_documents
from aboutness.rank.searching import Searcher

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

IDF = "sklearn"  # never 0


@register
@dataclass(frozen=True)
class Rocchio(Expansion):
    """Rocchio's feedback: the query moves towards the first documents, and away from the last.

    Paper: Rocchio (1971), with the first documents taken for relevant.

        q' = alpha q / |q| + beta mean of d / |d| over the first `docs` documents - gamma mean over the last ones

    `rocchio(r)` finds documents by r itself, `rocchio(first, r)` by another ranker: among all documents that have
    any word of the query, whatever the filter; a document that asks is left out. The last are those that come last
    there.

    Symbols: rankers that compare vectors (`wcs`, `iwcs`, `desm-in-out`, `ketos`, `lsa`, `doc2vec`, `deepwalk` and
    others) move the query's vector q (dim,): d is a document's vector there (documents x dim), and q' is made as
    long as q (where alpha is 0, to length 1). For all others q and d are vectors of words (terms,), weighted by tf
    * idf, idf = ln((1 + n) / (1 + df)) + 1; the query's words are kept, and besides them the `terms` with the
    largest weights above 0. As these rankers weigh words by their rarity themselves, they are given q'(w) |q| /
    idf(w): where beta and gamma are 0 and alpha is 1, the query as it was. `alpha`, `beta` and `gamma` are the
    usual symbols; the last ones are `bottom`.

    Differs from the paper: nobody says what is relevant.

    Unknown words: a query that finds nothing is passed on as it is; one without a vector finds nothing in models
    on vectors, unless alpha is 0.

    Cost: a second search; with gamma, a full first one.
    """

    name: ClassVar[str] = "rocchio"
    summary: ClassVar[str] = "the query moved towards the first documents, in words or in vectors"
    source: ClassVar[str] = "Rocchio 1971"
    most: ClassVar[int] = 2

    docs: int = parameter(10, Whole(1, 10_000), "how many documents, the first")
    terms: int = parameter(20, Whole(0, 10_000), "how many words are added, for rankers that take words")
    alpha: float = parameter(1.0, Number(0, 1000), "how much the query counts", symbol="alpha")
    beta: float = parameter(0.75, Number(0, 1000), "how much the first documents count", symbol="beta")
    gamma: float = parameter(0.0, Number(0, 1000), "how much the last documents count against it", symbol="gamma")
    bottom: int = parameter(0, Whole(0, 10_000), "how many documents, the last")

    def expander(self, view: LayerView, first: Searcher) -> Expand:
        """Return what expands questions."""
        depth = max(view.size, 1) if self.gamma and self.bottom else self.docs

        def expand(questions: Sequence[Question], threads: int | None) -> list[Question]:
            rankings = first_documents(first, questions, depth, threads)
            return [self._moved(view, *pair) for pair in zip(questions, rankings, strict=True)]

        return expand

    def _moved(self, view: LayerView, question: Question, ranking: Ranking) -> Question:
        if not len(ranking):
            return question
        moved = Moved(replace(question), self.alpha, self._documents(ranking))
        return replace(self._in_words(view, moved), moved=moved)

    def _documents(self, ranking: Ranking) -> dict[int, float]:
        """Return the documents that the query moves to, or away from, and how much each counts."""
        first = ranking.documents[: self.docs].tolist()
        last = ranking.documents[self.docs :][-self.bottom :].tolist() if self.gamma and self.bottom else []
        documents = {document: self.beta / len(first) for document in first}
        return documents | {document: -self.gamma / len(last) for document in last}

    def _in_words(self, view: LayerView, moved: Moved) -> Question:
        """Return the question for rankers that take words."""
        own = words_of(view, moved.question)
        known = known_in(view, own) or list(own)
        length = _length(np.array([own[word] for word in known]), rarity_of_words(view, known, IDF))
        idf = view.once((Rocchio, IDF), lambda: rarity(view, IDF))

        def weigh(document: int, terms: Ints, counts: Reals) -> Reals:
            return moved.documents[document] * length * counts / _length(counts, idf[terms])

        added = dict(zip(*(found.tolist() for found in added_up(view, moved.documents, weigh)), strict=True))
        words = {
            word: max(0.0, self.alpha * weight + added.pop(number, 0.0))
            for (word, weight), (number, _) in zip(own.items(), view.look_up(list(own)), strict=True)
        }
        others = np.array(list(added), np.int64)
        new = strongest(view, others, idf[others] * list(added.values()), self.terms)
        rarities = rarity_of_words(view, list(new), IDF).tolist()
        return asked_for(words | {word: new[word] / one for word, one in zip(new, rarities, strict=True)})


def _length(counts: Reals, idf: Reals) -> float:
    """Return the length of a vector of words, tf * idf."""
    return math.sqrt(float(np.square(counts * idf).sum()))
