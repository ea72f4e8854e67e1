"""Word Mover's Distance: how far the words of a query have to travel to become those of a document."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Choice
from aboutness.core.parameters import parameter
from aboutness.core.threads import checked_threads
from aboutness.index.view import LayerView
from aboutness.models.bags import matching
from aboutness.models.embedding import Embedding
from aboutness.models.lexicon import AskedWords, Lexicon
from aboutness.models.model import (
    NOTHING,
    Allowed,
    Match,
    Scorer,
    allowed_mask,
    check_match,
    check_numbers,
    checked_k,
    listed,
    register,
)
from aboutness.models.moving import Contents, Ground, Travels
from aboutness.models.nearby import nearest
from aboutness.models.question import Question
from aboutness.models.ranking import LARGEST, Explanation, Part, Ranking, best
from aboutness.vectors.postprocess import norms
from aboutness.vectors.words import IN

F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

EUCLIDEAN, COSINE = "euclidean", "cosine"
YES, NO = "yes", "no"


@register
@dataclass(frozen=True)
class WMD(Embedding):
    """Word Mover's Distance: how far the words of a query have to travel to become those of a document.

    Paper: galke2017 (§3); Kusner et al. (2015, eq. 1).

        score(q, d) = - min over F >= 0 of  sum over i, j of  F(i, j) c(i, j),
        where  sum over j of F(i, j) = q(i)  and  sum over i of F(i, j) = d(j)

    Symbols: q(i) and d(j) are the share of word i in the query's known words, of word j in the document's (counts,
    weighted by field); c(i, j) is what it costs to bring word i to word j, the distance of their IN vectors; with
    cost=cosine 1 - their cosine (1/2 from a vector of zeros to another, 0 between two such); with unit=yes vectors
    are made to length 1 first, as gensim does. F and c are as large as the query's words x the document's.

    Differs from the paper: a document without known words is not infinitely far away, so that mixtures and JSON
    can hold its score. Words are moved by the distance of vectors (§3); §2 of galke2017 speaks of cosines. It
    matches first and scores second, and keeps queries whose words lack vectors: that is unknown=matched.

    Empty documents: one without any word that has a vector is twice the length of the longest vector away (2 for
    unit vectors and cosines), which no other exceeds, and comes last.

    Cost: binding reads the matrix once. A query is compared with all words of the documents; then bounds tell of
    most documents that they are too far away, and the exact distance is worked out for the others, by the network
    simplex method. The ranking is that of all exact distances. See docs/decisions/0012-transport.md.
    """

    name: ClassVar[str] = "wmd"
    summary: ClassVar[str] = "Word Mover's Distance, exact"
    source: ClassVar[str] = "galke2017"

    cost: str = parameter(
        EUCLIDEAN, Choice((EUCLIDEAN, COSINE)), "what a word's way costs: distance, or 1 - cosine"
    )
    unit: str = parameter(NO, Choice((NO, YES)), "whether vectors are made to length 1 first")

    def scorer_with(self, view: LayerView, lexicon: Lexicon) -> MoverScorer:
        """Return a scorer for a view whose words have vectors."""
        return MoverScorer(view, lexicon, euclidean=self.cost == EUCLIDEAN, unit=self.unit == YES)


class MoverScorer(Scorer):
    """Ranks documents by how little it costs to bring the words of a question to them."""

    def __init__(self, view: LayerView, lexicon: Lexicon, *, euclidean: bool, unit: bool) -> None:
        super().__init__(view)
        self.lexicon = lexicon
        self.unit = unit or not euclidean
        vectors = lexicon.matrix(IN)
        if self.unit:
            vectors = view.once((lexicon, YES), lambda: _unit(vectors))
        lengths = view.once((lexicon, self.unit, "lengths"), lambda: norms(vectors))
        longest = 1.0 if self.unit else lexicon.longest(IN)
        self.ground = Ground(Contents.of(view, lexicon), vectors, lengths, euclidean, longest)
        self.sizes = self.ground.contents.sizes

    def knows(self, question: Question) -> bool:
        """Tell whether any word of a question has a vector."""
        return len(self.lexicon.asked(question)) > 0

    def floor(self, question: Question) -> float:
        """Return the score of documents without a known word: as far away as can be."""
        return -self.ground.farthest(self._asked_vectors(self.lexicon.asked(question)))

    def _asked_vectors(self, asked: AskedWords) -> F32:
        return _unit(asked.vectors(IN)) if self.unit else asked.vectors(IN)

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents by number: the lowest where nothing is known of one side."""
        check_numbers(self.view, documents)
        asked = self.lexicon.asked(question)
        vectors = self._asked_vectors(asked)
        found = np.full(len(documents), -self.ground.farthest(vectors), np.float32)
        if len(asked):
            there = self.sizes[documents] > 0
            found[there] = _scores(Travels(self.ground, asked.weights, vectors).distances(documents[there]))
        return found

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the ranking of each question."""
        k = checked_k(k)
        check_match(match)
        living = listed(self.view, match, allowed)
        mask = allowed_mask(self.view, allowed if living is None else None)
        threads = min(checked_threads(threads), len(questions))

        def work(question: Question) -> Ranking:
            asked = self.lexicon.asked(question)
            if not len(asked) and self.unknown == NOTHING:
                return best(np.zeros(0, np.int64), np.zeros(0, np.float32), k)
            documents = living
            if documents is None:
                documents = np.flatnonzero(matching(self.view, question, match) & mask)
            if not len(asked):
                return best(documents, self.scores(question, documents), k)
            return self._ranked(asked, documents, k)

        if threads <= 1:
            return [work(question) for question in questions]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, questions))

    def _ranked(self, asked: AskedWords, documents: Ints, k: int) -> Ranking:
        vectors = self._asked_vectors(asked)
        there = self.sizes[documents] > 0
        near, distances = nearest(Travels(self.ground, asked.weights, vectors), documents[there], k)
        far = documents[~there][: max(0, k - len(near))]
        chosen = np.concatenate([near, far])
        scores = np.concatenate(
            [_scores(distances), np.full(len(far), -self.ground.farthest(vectors), np.float32)]
        )
        order = np.argsort(chosen)
        return best(chosen[order], scores[order], k)

    def explain(self, question: Question, document: int) -> Explanation:
        """Return which word went to which, how much of it, and how far."""
        score = float(self.scores(question, np.array([document], np.int64))[0])
        asked = self.lexicon.asked(question)
        if not len(asked) or not self.sizes[document]:
            return Explanation(score, (), f"{score:g}: nothing is known to compare")
        terms, counts = self.view.forward(document)
        terms = terms[(self.lexicon.rows[terms] >= 0) & (self.view.weigh(counts) > 0)]
        names = [self.view.term(term) for term in terms.tolist()]
        parts = tuple(
            Part(f"{asked.words[i]} → {names[j]}", 0.0 - flow * cost, {"flow": flow, "distance": cost}, names[j])
            for i, j, flow, cost in Travels(self.ground, asked.weights, self._asked_vectors(asked)).flows(document)
        )
        return Explanation(score, parts, "minus the sum of flow * distance")


def _unit(vectors: F32) -> F32:
    """Return vectors made to length 1; those of length 0 stay."""
    lengths = norms(vectors)[:, None]
    made = np.divide(vectors, lengths, out=np.zeros(vectors.shape, np.float64), where=lengths > 0)
    return made.astype(np.float32)


def _scores(distances: Reals) -> F32:
    return np.maximum(-distances, -LARGEST).astype(np.float32) + np.float32(0)  # and not -0
