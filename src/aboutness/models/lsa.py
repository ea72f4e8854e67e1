"""Latent semantic analysis as a ranker: the angle between a query and a document in few dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Choice, Number
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.doc2vec import AngleScorer, DocumentAngle
from aboutness.models.evidence import word_parts
from aboutness.models.model import check_numbers, register
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation
from aboutness.models.trained import on_all, text_of
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.lsa import LENGTHS, LSA, SCALING, UNIT, LatentSpace

Reals = NDArray[np.float64]

FORMULA = "sum over the document's words of weight * similarity with the query, in the latent dimensions"


@register
@dataclass(frozen=True)
class LSARanker(DocumentAngle):
    """Latent semantic analysis: the angle between a query and a document in few dimensions, those of an SVD.

    Paper: Deerwester et al. (1990); a baseline of mitra2016 (§3.3).

        score(q, d) = cos( sum over t of X(q, t) w(t),  sum over t of X(d, t) w(t) ),   w(t) = v(t) S^scaling

        terms   scaling   documents    mean nDCG@10 of six collections
        raw     0         U S          .360   Deerwester et al.: the space in which they compare documents
        raw     -1        U            .339   their folding, q' V / S, as it is often taken
        unit    0.5                    .427   the default

    The six are cranfield, cisi, cacm, vaswani_npl, scifact and nfcorpus_preprocessed, by `ab.compare`.

    Symbols: X (documents x words) holds the words' weights that were chosen in training; v(t) is the row of V
    (words x dim) of word t, S (dim,) the singular values (`vectors/lsa.py`). A query is folded in as a document
    is. By default each w(t) is scaled to length 1.

    Differs from the paper: in that default; without it rare words, of which the first dimensions hold little,
    count for less than their weights say. mitra2016 does not say what it scales.

    Unknown words: words that were not trained are left out. A query without any, or whose words are in none of
    the dimensions, finds nothing; with unknown=matched, it finds the documents that match it, all with the lowest
    score and in order of arrival. mitra2016 re-ranks all documents that were retrieved: that is unknown=matched.

    Empty documents: a document without any known word, or with such as are in none of the dimensions, has -1 and
    comes last.

    Cost: training; a query reads a byte for each number of each document's row, and few rows. Rows of the default
    form are kept with the training, others are made when the model is bound.
    """

    name: ClassVar[str] = "lsa"
    summary: ClassVar[str] = "latent semantic analysis: cosine in the dimensions of an SVD"
    source: ClassVar[str] = "Deerwester et al. 1990; mitra2016 §3.3"

    scaling: float = parameter(
        SCALING, Number(-2, 2), "power of its singular value that each dimension is multiplied by"
    )
    terms: str = parameter(
        UNIT, Choice(LENGTHS), "vectors of words are scaled to length 1, or as long as they are"
    )

    def wanted(self) -> tuple[str, LSA]:
        """Return what has to be trained."""
        return LSA.name, LSA()

    def accepts(self, made: Mapping[str, Any]) -> bool:
        """Tell whether something that was trained so will do where it is named: also what is an SVD besides."""
        return issubclass(TRAINERS[made["training"]], LSA)

    def scorer_with(self, view: LayerView, space: DocumentSpace) -> LatentScorer:
        """Return a scorer for a view and what was trained."""
        assert isinstance(space, LatentSpace)
        made = view.shared(
            (LSARanker, space.token, self.scaling, self.terms), lambda: space.in_form(self.scaling, self.terms)
        )
        return LatentScorer(view, on_all(view, made), made)


class LatentScorer(AngleScorer):
    """Ranks documents by their angle with the question in the latent dimensions."""

    space: LatentSpace

    def explain(self, question: Question, document: int) -> Explanation:
        """Return the part of each word of the document that has a vector."""
        only = np.array([document], np.int64)
        check_numbers(self.view, only)
        score = float(self.scores(question, only)[0])
        vector = self.vector(question)
        if vector is None or not self.rows.present[document]:
            return Explanation(score, (), f"{self.lowest:g}: nothing is known to compare")
        terms, counts = self.view.forward(document)
        names = [self.view.term(term) for term in terms.tolist()]
        asked = dict(zip(names, self.view.weigh(counts).tolist(), strict=True))
        bag = text_of(self.view, Question(terms=asked), self.space)
        words: Reals = self.space.vectors[bag.words].astype(np.float64)
        weights = self.space.weigh(bag)
        weights /= np.linalg.norm(weights @ words)
        known = (self.space.words.words[word] for word in bag.words.tolist())
        parts = word_parts(known, bag.weights.astype(np.float64), words, weights, vector)
        return Explanation(score, tuple(parts), FORMULA)
