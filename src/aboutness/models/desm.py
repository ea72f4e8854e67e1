"""The dual embedding space model: query words in one space, documents in the same or the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Choice, Number
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.centroids import CentroidModel, Recipe, weighted_vectors
from aboutness.models.lexicon import AskedWords, Lexicon
from aboutness.models.model import register
from aboutness.vectors.postprocess import norms
from aboutness.vectors.words import IN, OUT

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class DualEmbedding(CentroidModel):
    """The dual embedding space model: query words in one space, documents in the same or the other.

    Paper: mitra2016 (§2.2, eq. 5 to 8).

        DESM(Q, D) = 1/|Q| sum over words q of Q:  cos(q, D̄),     D̄ = 1/|D| sum over words d of D:  d / ‖d‖

    IN-OUT (eq. 7) is high for words that stand together in texts, IN-IN (eq. 8) for words of the same kind.

    Symbols: q and d are vectors (dim,) of the spaces `spaces`, the query's and the documents'; D̄ (documents x
    dim) is `rows`. |Q| counts the query's words that have a vector (not of zeros), each as often as it stands
    there; |D| the document's that have one, weighted over fields.

    Options that the paper discusses and leaves: similarity=dot is the product of the raw vectors, q . mean of d,
    in place of all cosines; pivot divides scores by 1 - pivot + pivot L / average L (Singhal et al. 1996), where L
    counts all words of a document, also those without a vector.

    Differs from the paper: nothing. Words without a vector are left out, as there; it re-ranks all documents that
    a first ranker retrieves, and so keeps them for queries of unknown words: that is unknown=matched.

    Empty documents: a document without any word that has a vector has -1 (dot: the product of the longest vectors,
    negative; with a pivot both divided by what the shortest document there could be would have), and comes last.
    """

    query_space: ClassVar[str] = IN
    document_space: ClassVar[str] = OUT
    source: ClassVar[str] = "mitra2016 eq. 5-8"

    similarity: str = parameter("cosine", Choice(("cosine", "dot")), "angles, or products of the raw vectors")
    pivot: float = parameter(0.0, Number(0, 1), "how much long documents lose: 0 for not at all")

    @property
    def spaces(self) -> tuple[str, str]:
        """Return the spaces of the query's words and of the documents'."""
        return self.query_space, self.document_space

    def recipe(self) -> Recipe:
        """Return what documents' vectors are made of."""
        raw = self.similarity == "dot"
        return Recipe(self.document_space, "count" if raw else "unit", self.pivot > 0, mean=raw, pivot=self.pivot)

    def factors(self, view: LayerView, lexicon: Lexicon) -> Reals:  # noqa: ARG002 - the contract's
        """Return what makes each word's vector unit length, or 1."""
        matrix = lexicon.matrix(self.document_space)
        return np.ones(len(matrix)) if self.similarity == "dot" else _inverse(norms(matrix))

    def asks(self, view: LayerView) -> Callable[[AskedWords], Reals]:  # noqa: ARG002 - the contract's
        """Return what makes the mean of a question's words."""

        def ask(asked: AskedWords) -> Reals:
            lengths = norms(asked.vectors(self.query_space))
            count = asked.weights[lengths > 0].sum()
            if not count:
                return np.zeros(0)
            factors = asked.weights / count * (1.0 if self.similarity == "dot" else _inverse(lengths))
            return weighted_vectors(asked, self.query_space, factors)

        return ask


def _inverse(lengths: Reals) -> Reals:
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


@register
@dataclass(frozen=True)
class DESMInIn(DualEmbedding):  # noqa: D101 - the same for all four
    __doc__ = DualEmbedding.__doc__

    name: ClassVar[str] = "desm-in-in"
    summary: ClassVar[str] = "dual embedding space: query IN, documents IN (words of the same kind)"
    document_space: ClassVar[str] = IN


@register
@dataclass(frozen=True)
class DESMInOut(DualEmbedding):  # noqa: D101 - the same for all four
    __doc__ = DualEmbedding.__doc__

    name: ClassVar[str] = "desm-in-out"
    summary: ClassVar[str] = "dual embedding space: query IN, documents OUT (words that stand together)"


@register
@dataclass(frozen=True)
class DESMOutOut(DualEmbedding):  # noqa: D101 - the same for all four
    __doc__ = DualEmbedding.__doc__

    name: ClassVar[str] = "desm-out-out"
    summary: ClassVar[str] = "dual embedding space: query OUT, documents OUT"
    query_space: ClassVar[str] = OUT


@register
@dataclass(frozen=True)
class DESMOutIn(DualEmbedding):  # noqa: D101 - the same for all four
    __doc__ = DualEmbedding.__doc__

    name: ClassVar[str] = "desm-out-in"
    summary: ClassVar[str] = "dual embedding space: query OUT, documents IN"
    query_space: ClassVar[str] = OUT
    document_space: ClassVar[str] = IN


_SPACES: dict[str, type[DualEmbedding]] = {
    "in-in": DESMInIn,
    "in-out": DESMInOut,
    "out-out": DESMOutOut,
    "out-in": DESMOutIn,
}


def DESM(space: str = "in-out", **parameters: Any) -> DualEmbedding:  # noqa: ANN401, N802 - a model's name
    """Return the dual embedding space model of two spaces, the query's and the documents'.

    >>> str(DESM()), str(DESM(space="in-in", pivot=0.5))
    ('desm-in-out', 'desm-in-in[pivot=0.5]')
    """
    if space not in _SPACES:
        raise UsageError(f"space must be one of {', '.join(_SPACES)}, got {shown(space)}")
    return _SPACES[space](**parameters)
