"""Ketos: documents and queries alike as sums of word vectors weighted by TF-IDF."""

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
from aboutness.models.rarity import rarity_of_rows, rarity_of_words
from aboutness.vectors.words import IN

Reals = NDArray[np.float64]
VARIANT = "malina"


@register
@dataclass(frozen=True)
class Ketos(CentroidModel):
    """Documents and queries alike as sums of word vectors weighted by TF-IDF, compared by their angle.

    Paper: malina2016 ("Algorithm 1", third formula).

        score(q, d) = D(q) . D(d),   D(d) = normalise( sum over words w of d:  tfidf(w, d) embedding(w) )
        tfidf(w, d) = tf(w, d) / max tf(d) * ln(n / df(w))

    Symbols: tf an entry of X (documents x words), weighted over fields; df (terms,); n documents; embedding(w) is
    the IN vector of w (dim,), as it is; D (documents x dim) is `rows`. malina2016 asks with documents, so a query
    is made into a vector as a document is.

    Differs from the paper: its tf-idf is printed with idf below the fraction line, where its text means the
    inverse of a frequency; here it multiplies. Dividing by the largest count does not change a direction, and is
    left out. It asks with documents of the collection, so that the choice of `unknown` does not arise there.

    Empty documents: a document without any word that has a vector, or whose words are in all documents, has -1 and
    comes last; such a query counts as one without known words.
    """

    name: ClassVar[str] = "ketos"
    summary: ClassVar[str] = "cosine of TF-IDF weighted sums of word vectors (Algorithm 1)"
    source: ClassVar[str] = "malina2016"

    def recipe(self) -> Recipe:
        """Return what documents' vectors are made of."""
        return Recipe(IN, f"idf {VARIANT}", uses_statistics=True)

    def factors(self, view: LayerView, lexicon: Lexicon) -> Reals:
        """Return the idf of each word."""
        return rarity_of_rows(view, lexicon, VARIANT)

    def asks(self, view: LayerView) -> Callable[[AskedWords], Reals]:
        """Return what makes the direction of a question."""

        def ask(asked: AskedWords) -> Reals:
            return to_length_one(
                weighted_vectors(asked, IN, asked.weights * rarity_of_words(view, asked.words, VARIANT))
            )

        return ask
