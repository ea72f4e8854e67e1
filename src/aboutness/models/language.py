"""Query likelihood mixed with the word probabilities of documents that were trained on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Number
from aboutness.core.parameters import parameter
from aboutness.core.threads import checked_threads
from aboutness.index.view import LayerView
from aboutness.models.bags import Bags, bags_of, matching
from aboutness.models.counts import counts_in
from aboutness.models.model import (
    Allowed,
    Match,
    Scorer,
    allowed_mask,
    check_match,
    check_numbers,
    checked_k,
    listed,
)
from aboutness.models.question import Question
from aboutness.models.ranking import LARGEST, Explanation, Part, Ranking, best, rounded
from aboutness.models.trained import TrainedModel, on_all
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.postprocess import norms
from aboutness.vectors.words import OUT

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

LEAST = 1e-300  # a probability that is not 0
AT_ONCE = 1 << 14  # documents whose probabilities are worked out together: bounds the memory


@dataclass(frozen=True)
class LanguageModel(TrainedModel):
    """Query likelihood in which a document's own language is smoothed by what was trained (ai2016 eq. 4).

        score(q, d) = sum over t of q:  c(t, q) * ln( (1 - lam) P_QL(t | d) + lam P_T(t | d) )

    P_QL is that of `ql` with Dirichlet smoothing, P_T that of a subclass: by paragraph vectors exp(w . d) over its
    sum for all words (eq. 1), by topics their sum of P(t | topic) P(topic | d). With lam=0 it is `ql`, with lam=1
    the pure model.

    Unknown words: words of a query that no document has change nothing. One that was not trained has P_T = 0; with
    lam=1 it is left out.

    Empty documents: in a document without a known word, all words are equally probable by paragraph vectors, and
    all topics by topics; `ql`'s part is the collection's.

    Cost: training; a query takes a product with each document that matches, for each of its words.
    """

    lam: float = parameter(0.3, Number(0, 1), "share of what was trained", symbol="λ")
    mu: float = parameter(
        300.0,
        Number(1e-9, 1e9),
        "words of the collection added to each document; long texts want more",
        symbol="μ",
    )

    def scorer_with(self, view: LayerView, space: DocumentSpace) -> Scorer:
        """Return a scorer for a view and what was trained."""
        return LanguageScorer(self, view, on_all(view, space))


@dataclass(frozen=True)
class _Asked:
    """The terms of a question that can be scored, their weights, vectors, and chance in the collection."""

    terms: Ints
    weights: Reals
    known: NDArray[np.bool_]
    vectors: Reals
    collection: Reals


class LanguageScorer(Scorer):
    """Ranks documents by the likelihood of a question."""

    def __init__(self, model: LanguageModel, view: LayerView, space: DocumentSpace) -> None:
        super().__init__(view)
        self.model = model
        self.space = space
        self.lengths = view.lengths
        self.normalisers = space.normalisers if isinstance(space, ParagraphSpace) else np.zeros(0)

    @property
    def held(self) -> int:
        """Return how many bytes the rows of documents take, unless they lie in the index."""
        return 0 if self.space.rows.base is not None else self.space.rows.nbytes

    def _ask(self, question: Question) -> _Asked:
        bags: Bags = bags_of(self.view, [question])
        statistics = self.view.statistics
        words = [self.view.term(term) for term in bags.terms.tolist()]
        vectors, known = self.space.words.look_up(words, OUT)
        used = known if self.model.lam == 1 else np.ones(len(words), np.bool_)
        collection = statistics.cf[bags.terms] / max(statistics.total_length, LEAST)
        return _Asked(
            bags.terms[used], bags.weights[used], known[used], vectors[used].astype(np.float64), collection[used]
        )

    def knows(self, question: Question) -> bool:
        """Tell whether any word of a question can be scored."""
        return len(self._ask(question).terms) > 0

    def scores(self, question: Question, documents: Ints) -> NDArray[np.float32]:
        """Return the score of each of some documents by number, which ascend."""
        check_numbers(self.view, documents)
        return self._scores(self._ask(question), documents)

    def _scores(self, asked: _Asked, documents: Ints) -> NDArray[np.float32]:
        found = [np.zeros(0, np.float32)]
        for first in range(0, len(documents), AT_ONCE):
            parts = self._parts(asked, documents[first : first + AT_ONCE])
            total = np.zeros(parts.shape[1])
            for part in parts:  # one after the other, whatever the number of documents
                total += part
            found.append(np.clip(total, -LARGEST, LARGEST).astype(np.float32))
        return np.concatenate(found)

    def _parts(self, asked: _Asked, documents: Ints) -> Reals:
        """Return what each word (row) brings to each document's score (column)."""
        from aboutness.kernels.language import likelihoods

        parts = np.empty((len(asked.terms), len(documents)))
        likelihoods(
            asked.vectors, asked.weights, asked.known, self._seen(asked, documents), self.model.lam,
            np.asarray(self.space.rows), np.asarray(self.normalisers), documents, parts,
        )  # fmt: skip
        np.maximum(parts, asked.weights[:, None] * math.log(LEAST), out=parts)  # where exp of a product is 0
        return parts

    def _seen(self, asked: _Asked, documents: Ints) -> Reals:
        """Return P_QL of each word (row) in each of some documents (column)."""
        mu = self.model.mu
        counts = counts_in(self.view, asked.terms, documents)
        return np.asarray((counts + mu * asked.collection[:, None]) / (self.lengths[documents] + mu))

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the ranking of each question, several at the same time."""
        k = checked_k(k)
        check_match(match)
        living = listed(self.view, match, allowed)
        mask = allowed_mask(self.view, allowed) if living is None else None

        def rank(question: Question) -> Ranking:
            asked = self._ask(question)
            if mask is None:
                documents = living
            else:
                documents = np.flatnonzero(mask if match == "all" else mask & matching(self.view, question, match))
            assert documents is not None
            documents = documents if len(asked.terms) else documents[:0]
            return best(documents, self._scores(asked, documents), k)

        threads = min(checked_threads(threads), len(questions))
        if threads <= 1:
            return [rank(question) for question in questions]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(rank, questions))

    def floor(self, question: Question) -> float:
        """Return the score of a document that has no word of the question and could not be trained worse."""
        asked, lam, mu = self._ask(question), self.model.lam, self.model.mu
        longest = self.extremes[0]
        total = 0.0
        for i in range(len(asked.terms)):
            least = (1 - lam) * mu * float(asked.collection[i]) / (longest + mu)
            lowest = self._lowest(float(np.linalg.norm(asked.vectors[i]))) if asked.known[i] else -math.inf
            trained = math.log(lam) + lowest if lam > 0 else -math.inf
            total += float(asked.weights[i]) * float(np.logaddexp(math.log(max(least, LEAST)), trained))
        return rounded(total)

    def _lowest(self, length: float) -> float:
        """Return what ln P_T of a word whose vector has a length is not below."""
        _, longest, most = self.extremes
        return -length * longest - most if math.isfinite(most) else -math.inf

    @cached_property
    def extremes(self) -> tuple[float, ...]:  # type: ignore[override]
        """Return the lengths of the longest document and of the longest row, and the greatest normaliser.

        Only those that live count: others may have their rows still, or, in a shard, have lost them.
        """
        alive, most = self.view.alive, math.inf
        if len(self.normalisers):
            most = float(np.asarray(self.normalisers)[alive].max(initial=-math.inf))
        longest = float(norms(self.space.rows)[alive].max(initial=0.0))
        return float(self.lengths[alive].max(initial=0.0)), longest, most

    def explain(self, question: Question, document: int) -> Explanation:
        """Return the part of each term of the question."""
        only = np.array([document], np.int64)
        check_numbers(self.view, only)
        asked = self._ask(question)
        products = asked.vectors @ self.space.rows[document].astype(np.float64)
        trained = np.exp(products - self.normalisers[document]) if len(self.normalisers) else products
        values = self._parts(asked, only)[:, 0].tolist()
        seen = self._seen(asked, only)[:, 0].tolist()
        terms, counts = self.view.forward(document)
        inside = dict(zip(terms.tolist(), self.view.weigh(counts).tolist(), strict=True))
        parts = []
        for i, term in enumerate(asked.terms.tolist()):
            details = {
                "in_query": float(asked.weights[i]),
                "in_document": inside.get(term, 0.0),
                "p_in_document": seen[i],
                "p_trained": max(0.0, float(trained[i])) if asked.known[i] else 0.0,
            }
            name = self.view.term(term)
            parts.append(Part(name, values[i], details, name if inside.get(term) else None))
        score = float(self._scores(asked, only)[0])
        return Explanation(score, tuple(parts), "sum of in query * ln P(word | document)")
