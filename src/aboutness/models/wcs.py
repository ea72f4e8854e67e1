"""Word centroid similarity: the angle between the sums of a query's and a document's word vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.centroids import CentroidModel, Recipe, to_length_one, weighted_vectors
from aboutness.models.lexicon import AskedWords, Lexicon
from aboutness.models.model import register
from aboutness.vectors.words import IN

Reals = NDArray[np.float64]


@register
@dataclass(frozen=True)
class WCS(CentroidModel):
    """Word centroid similarity: the angle between the sums of a query's and a document's word vectors.

    Paper: galke2017 (§3, "WCS", first formula).

        score(q, d) = cos(q W, C_d),   C = X W

    Symbols: X (documents x words) holds the counts of words in documents, weighted over fields; W (words x dim)
    their IN vectors, as they are; q (words,) the counts of the query's words; C (documents x dim) is `rows`.

    Differs from the paper: nothing, with unknown=matched: it matches first and scores second, and keeps queries
    whose words lack vectors. It makes the rows of X unit length first, which does not change an angle.
    """

    name: ClassVar[str] = "wcs"
    summary: ClassVar[str] = "word centroid similarity: cosine of summed word vectors"
    source: ClassVar[str] = "galke2017 §3"

    def recipe(self) -> Recipe:
        """Return what documents' vectors are made of."""
        return Recipe(IN, "count")

    def factors(self, view: LayerView, lexicon: Lexicon) -> Reals:  # noqa: ARG002 - the contract's
        """Return 1 for each word."""
        return np.ones(len(lexicon.matrix(IN)))

    def asks(self, view: LayerView) -> Callable[[AskedWords], Reals]:  # noqa: ARG002 - the contract's
        """Return what makes the direction of a question."""
        return lambda asked: to_length_one(weighted_vectors(asked, IN, asked.weights))
