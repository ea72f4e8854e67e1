"""Paragraph vectors as a ranker: the angle between the vector of a query, by inference, and a document's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.centroids import to_length_one
from aboutness.models.dense import DenseScorer
from aboutness.models.dense_rows import DenseRows
from aboutness.models.evidence import word_parts
from aboutness.models.model import Scorer, check_numbers, register, unknown_parameter
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Part
from aboutness.models.trained import TrainedModel, on_all, text_of
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.postprocess import norms
from aboutness.vectors.pv import EPV, PV, ParagraphTrainer
from aboutness.vectors.words import OUT

F64 = NDArray[np.float64]

FORMULA = "cosine of the query's and the document's vectors, by the words that the latter is made up of"
COMMON, REST = "(common to all)", "(not of its words)"
MOST_WORDS = 300  # of a document that its vector is made up of


@dataclass(frozen=True)
class DocumentAngle(TrainedModel):
    """A model that compares the row of a document with that of a query by their angle.

        score(q, d) = q . d / (‖q‖ ‖d‖)

    Symbols: d is the document's row (documents x dim), as trained; q (dim,) the row that is inferred for the
    query's words, with all words' OUT vectors (words x dim) as they are, or the row of the document that asks.

    Unknown words: words that were not trained are left out. A query without any known word finds nothing; with
    unknown=matched, it finds the documents that match it, all with the lowest score and in order of arrival.

    Empty documents: a document without any known word has -1, and comes last.

    Cost: training, and inference of a query; then, as in `wcs`, a query reads a byte for each number of each
    document's row, and few rows.
    """

    unknown: str = unknown_parameter()

    def scorer(self, view: LayerView) -> Scorer:
        """Return a scorer for a view."""
        scorer = super().scorer(view)
        scorer.unknown = self.unknown
        return scorer

    def scorer_with(self, view: LayerView, space: DocumentSpace) -> AngleScorer:
        """Return a scorer for a view and what was trained."""
        return AngleScorer(view, on_all(view, space), space)


@register
@dataclass(frozen=True)
class Doc2Vec(DocumentAngle):
    """Paragraph vectors: the angle between the vector that is inferred for a query and a document's own.

    Paper: Le and Mikolov (2014), as ranker in galke2017 (§4) and malina2016; PV-DBOW or PV-DM, as was said in
    training (`aboutness train DIR pv --architecture dm`).

    Inference is deterministic. The explanation says of which of the document's words its vector is made up, by
    least squares, and what of it is of none.

    Differs from the paper: galke2017's vectors were trained on another corpus; here it is the documents
    themselves. It matches first and scores second, and keeps queries whose words lack vectors: that is
    unknown=matched.
    """

    name: ClassVar[str] = "doc2vec"
    summary: ClassVar[str] = "cosine of paragraph vectors, the query's by inference"
    source: ClassVar[str] = "galke2017 §4; malina2016"

    def wanted(self) -> tuple[str, ParagraphTrainer]:
        """Return what has to be trained."""
        return PV.name, PV()

    def accepts(self, made: Mapping[str, Any]) -> bool:
        """Tell whether something that was trained so will do where it is named: enhanced vectors, too."""
        return made["training"] in (PV.name, EPV.name)


class AngleScorer(DenseScorer):
    """Ranks documents by the angle of their row with the question's."""

    def __init__(self, view: LayerView, everything: DocumentSpace, space: DocumentSpace) -> None:
        self.space = space
        self._everything = everything  # held so that others find it
        rows = view.shared((AngleScorer, everything.token), lambda: DenseRows(_directions(everything.rows)))
        super().__init__(view, rows, -1.0)

    def own_vector(self, question: Question) -> F64 | None:
        """Return the direction of a question, or None where no word of it is known."""
        if question.document is not None:
            row = self.rows.some(np.array([question.document]))[0].astype(np.float64)
        else:
            row = self.space.infer_question(text_of(self.view, question, self.space))[0].astype(np.float64)
        return to_length_one(row) if row.any() else None

    def explain(self, question: Question, document: int) -> Explanation:
        """Return what each word of the document brings, as far as its row is a sum of their vectors."""
        only = np.array([document], np.int64)
        check_numbers(self.view, only)
        score = float(self.scores(question, only)[0])
        vector = self.vector(question)
        if vector is None or not self.rows.present[document]:
            return Explanation(score, (), f"{self.lowest:g}: nothing is known to compare")
        terms, counts = self.view.forward(document)
        weights = self.view.weigh(counts)
        names = [self.view.term(term) for term in terms.tolist()]
        vectors, known = self.space.words.look_up(names, OUT)
        known &= weights > 0
        usual = self._usual()
        words = vectors[known].astype(np.float64) - usual
        row = self.rows.rows[document].astype(np.float64)
        shares, common = _shares(words, usual, row)
        here = [name for name, one in zip(names, known.tolist(), strict=True) if one]
        parts = word_parts(here, weights[known], words, shares, vector)
        rest = float((row - shares @ words - common * usual) @ vector)
        others = [Part(COMMON, common * float(usual @ vector)), Part(REST, rest)]
        return Explanation(score, (*parts, *others), FORMULA)

    def _usual(self) -> F64:
        """Return the mean of all words: the vectors of documents all keep away from it."""

        def make() -> F64:
            every = self.space.words
            counts = np.ones(len(every)) if every.counts is None else every.counts
            return np.asarray(counts @ every.space(OUT).astype(np.float64) / counts.sum())

        return self.view.once((AngleScorer, self.space.token), make)


def _shares(words: F64, usual: F64, row: F64) -> tuple[F64, float]:
    """Return of how much of each word, none of it below 0, and of what is usual a row is made up."""
    from scipy.optimize import nnls

    chosen = np.argsort(-(words @ row), kind="stable")[:MOST_WORDS]
    found, _ = nnls(np.vstack([words[chosen], usual, -usual]).T, row)
    shares = np.zeros(len(words))
    shares[chosen] = found[:-2]
    return shares, float(found[-2] - found[-1])


def _directions(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows scaled to length 1; 0 stays as it is."""
    lengths = norms(rows)
    scaled = np.zeros_like(rows)
    np.divide(rows, lengths[:, None], out=scaled, where=lengths[:, None] > 0)
    return scaled
