"""Our estimators of texts, made to take scikit-learn's numbers: a row becomes a text with a word for each number.

scikit-learn's checks make their data themselves, and pass over estimators of texts; so they can be run all the same.
"""

# ruff: noqa: N803, ARG002 - names are scikit-learn's

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from aboutness.interop.searcher import TextSearcher
from aboutness.interop.vectorizer import TextVectorizer


def texts_of(rows) -> list[str]:
    """Rows of numbers as texts: column 3 with about 1.5 is the word c3v3; every text has a word in common."""
    rounded = np.rint(2 * np.nan_to_num(rows.astype(np.float64))).astype(np.int64)
    return [" ".join(["all", *(f"c{i}v{n}".replace("-", "m") for i, n in enumerate(row))]) for row in rounded]


class OfNumbers:
    """What both have in common."""

    def _texts(self, X, *, reset):
        if not reset:
            check_is_fitted(self)
        return texts_of(validate_data(self, X, reset=reset))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.two_d_array = True
        return tags


class NumbersVectorizer(OfNumbers, TextVectorizer):
    def fit(self, X, y=None):
        return super().fit(self._texts(X, reset=True))

    def transform(self, X):
        return super().transform(self._texts(X, reset=False))


class NumbersSearcher(OfNumbers, TextSearcher):
    def fit(self, X, y=None):
        return super().fit(self._texts(X, reset=True), y)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        return super().kneighbors(X if X is None else self._texts(X, reset=False), n_neighbors, return_distance)
