"""Texts to vectors, as scikit-learn's transformers do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from aboutness.app.layers import DEFAULT_ANALYZER
from aboutness.core.algebra import Ranker
from aboutness.interop.estimator import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_is_fitted,
)
from aboutness.interop.fitting import By, chance_of, indexed, ranker_or_training, texts_in, train_by, train_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aboutness.app.needed import Vectors
    from aboutness.text.analyzer import Analyzer


class TextVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns texts into vectors by any representation of this package.

    `by` says which: a ranker that compares vectors ("wcs", "iwcs", "ketos", "desm-in-out", "lsa", "doc2vec", with
    parameters as in "iwcs[idf=malina]"), or what is trained on documents ("pv", "epv", "lda", "edges", "walks", or
    such an object: `ab.PV(dim=50)`). `fit` learns from its texts what is needed: frequencies, topics, words'
    vectors ("word2vec", unless `vectors` says otherwise: another way of training, a file, or vectors that are
    loaded). `dim` and `random_state` are for what is trained by its name. One thread trains, so that the same
    texts always give the same vectors.

    `transform` gives a text the vector that it would have as one more document of those that were fitted: the row
    that the ranker compares, or the training's own, by inference. A text without a known word has zeros.

    >>> texts = ["the sun and the moon", "the moon and the stars", "a city by the sea", "a city and a harbour"]
    >>> TextVectorizer("lsa", dim=2).fit_transform(texts).shape
    (4, 2)
    """

    def __init__(
        self,
        by: By = "iwcs",
        *,
        vectors: Vectors | None = None,
        dim: int | None = None,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        random_state: int = 1,
    ) -> None:
        self.by = by
        self.vectors = vectors
        self.dim = dim
        self.analyzer = analyzer
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401, ARG002, N803 - as scikit-learn has it
        """Learn from texts all that their vectors need."""
        chance = chance_of(self.dim, self.random_state)
        chosen = ranker_or_training(self.by, chance)
        index = indexed(texts_in(X), self.analyzer)
        if isinstance(chosen, Ranker):
            train_for(index, chosen, self.vectors, chance)
            how: dict[str, Any] = {"ranker": str(chosen)}
        else:
            how = {"vectors": train_by(index, chosen, self.vectors)}
        self._n_features_out = index.text_vectors([], **how).shape[1]
        self._how = how
        self.index_ = index
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:  # noqa: ANN401, N803 - as scikit-learn has it
        """Return a row for each text."""
        check_is_fitted(self)
        return self.index_.text_vectors(texts_in(X), **self._how)

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn's
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags
