"""Word centroid similarity with rare words counting more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Choice
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.centroids import CentroidModel, Recipe, to_length_one, weighted_vectors
from aboutness.models.lexicon import AskedWords, Lexicon
from aboutness.models.model import register
from aboutness.models.rarity import IDF, rarity_of_rows, rarity_of_words
from aboutness.vectors.words import IN

Reals = NDArray[np.float64]


@register
@dataclass(frozen=True)
class IWCS(CentroidModel):
    """Word centroid similarity in which rare words count more: counts are multiplied by idf first.

    Paper: galke2017 (§3, "IWCS", second and third formula).

        score(q, d) = cos(q W, C_d),   C = X' W,   X'(d, t) = X(d, t) idf(t),   idf(t) = ln((1 + n) / (1 + df(t)))

    Symbols: X (documents x words) holds the counts, weighted over fields; W (words x dim) the words' IN vectors; q
    (words,) the counts of the query's words; df and idf (terms,); n documents; C (documents x dim) is `rows`. With
    n documents now, all vectors change when documents come or go: they are the same as in an index made anew.

    Differs from the paper: nothing, with unknown=matched: it matches first and scores second, and keeps queries
    whose words lack vectors. It weighs the documents' words alone; with query=idf, as in its authors' code, the
    query's are weighed too, also those that no document has. `idf` chooses another formula, as in `tfidf`.

    Empty documents: a document without any word that has a vector, or whose words all have an idf of 0, has -1 and
    comes last.
    """

    name: ClassVar[str] = "iwcs"
    summary: ClassVar[str] = "word centroid similarity, words weighted by idf"
    source: ClassVar[str] = "galke2017 §3"

    idf: str = parameter("galke", Choice(tuple(IDF)), "which idf")
    query: str = parameter("count", Choice(("count", "idf")), "the query's words as they are, or times idf")

    def recipe(self) -> Recipe:
        """Return what documents' vectors are made of."""
        return Recipe(IN, f"idf {self.idf}", uses_statistics=True)

    def factors(self, view: LayerView, lexicon: Lexicon) -> Reals:
        """Return the idf of each word."""
        return rarity_of_rows(view, lexicon, self.idf)

    def asks(self, view: LayerView) -> Callable[[AskedWords], Reals]:
        """Return what makes the direction of a question."""

        def ask(asked: AskedWords) -> Reals:
            rarity = rarity_of_words(view, asked.words, self.idf) if self.query == "idf" else 1.0
            return to_length_one(weighted_vectors(asked, IN, asked.weights * rarity))

        return ask
