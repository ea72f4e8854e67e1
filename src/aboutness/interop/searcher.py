"""A searcher of texts, as scikit-learn's neighbours are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from aboutness.app.layers import DEFAULT_ANALYZER
from aboutness.app.needed import needs
from aboutness.app.search import How
from aboutness.core.errors import UsageError, shown
from aboutness.interop.estimator import BaseEstimator, check_is_fitted
from aboutness.interop.fitting import chance_of, indexed, texts_in, train_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aboutness.app.hits import Hits
    from aboutness.app.needed import Vectors
    from aboutness.core.algebra import Ranker
    from aboutness.text.analyzer import Analyzer

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

NONE = -1  # in the place of a neighbour, where fewer are found


class TextSearcher(BaseEstimator):  # type: ignore[misc]
    """Finds the texts nearest to others, by any ranker of this package.

    `fit` takes texts, records with ids (mappings, `Document` objects) or a data frame, and trains what the ranker
    needs, as `TextVectorizer` does; `match` says which texts are ranked, as in `Index.search`. `search` gives hits
    with ids, scores and explanations; `kneighbors` gives places and distances, as scikit-learn's neighbours do: a
    distance is minus the score. With labels (`fit(texts, labels)`), `score(texts, labels)` is the share of the
    neighbours found that have the label, so that rankers can be chosen by a grid search.

    >>> searcher = TextSearcher("bm25", n_neighbors=1).fit(["the sun and the moon", "a city by the sea"])
    >>> searcher.kneighbors(["cities"], return_distance=False).tolist()
    [[1]]
    """

    def __init__(
        self,
        ranker: str | Ranker = "default",
        *,
        n_neighbors: int = 5,
        match: str | Ranker = "or",
        vectors: Vectors | None = None,
        dim: int | None = None,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        random_state: int = 1,
    ) -> None:
        self.ranker = ranker
        self.n_neighbors = n_neighbors
        self.match = match
        self.vectors = vectors
        self.dim = dim
        self.analyzer = analyzer
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401, N803 - as scikit-learn has it
        """Index texts or records, and train what the ranker needs; `y` are labels, one for each, if any."""
        chance = chance_of(self.dim, self.random_state)
        ranker = self._ranker()
        index = indexed(X, self.analyzer)
        labels = None if y is None else _labels(y, len(index))
        train_for(index, ranker, self.vectors, chance)
        self.labels_ = labels
        self.index_ = index
        return self

    def search(self, X: Any, k: int | None = None) -> list[Hits]:  # noqa: ANN401, N803 - as scikit-learn has it
        """Return the hits of each text, the best first: `n_neighbors`, or k."""
        self._check_fitted()
        k = self.n_neighbors if k is None else k
        return self.index_.search_many(texts_in(X), k, self.ranker, match=self.match)

    def kneighbors(
        self,
        X: Any = None,  # noqa: ANN401, N803 - as scikit-learn has it
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> tuple[F64, I64] | I64:
        """Return distances to the neighbours of each text, the nearest first, and their places among those fitted.

        Without X, those of the fitted texts, of which none is its own. Where fewer are found, places are -1 and
        distances infinite.
        """
        self._check_fitted()
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        found: Sequence[Hits]
        if X is None:
            found = [
                self.index_.search(like=document.id, k=k, ranker=self.ranker, match=self.match)
                for document in self.index_
            ]
        else:
            found = self.search(X, k)
        places = np.full((len(found), min(k, len(self.index_) - (X is None))), NONE, np.int64)
        distances = np.full(places.shape, np.inf)
        for row, hits in enumerate(found):
            places[row, : len(hits)] = hits.ranking.documents
            distances[row, : len(hits)] = -hits.ranking.scores.astype(np.float64)
        return (distances, places) if return_distance else places

    def score(self, X: Any, y: Any) -> float:  # noqa: ANN401, N803 - as scikit-learn has it
        """Return the share of the neighbours of texts that have the same label; one that is missing has none."""
        check_is_fitted(self)
        if self.labels_ is None:
            raise UsageError(
                "the texts were fitted without labels, by which neighbours could be judged: fit(X, y)"
            )
        places = self.kneighbors(X, return_distance=False)
        assert isinstance(places, np.ndarray)
        if not places.size:
            raise UsageError("there must be at least one text to score, and one to find; got none")
        asked = _labels(y, len(places))
        same = (places != NONE) & (self.labels_[places] == asked[:, None])
        return float(same.mean())

    def _ranker(self) -> Ranker:
        """Return the ranker, behind the one that finds its documents, if there is one."""
        return How(self.ranker, match=self.match).expression

    def _check_fitted(self) -> None:
        check_is_fitted(self)
        missing = needs([self._ranker()], self.index_.snapshot.trained)
        if missing:
            raise UsageError(f"{self.ranker} needs {', '.join(missing)}, which was not trained: fit again")

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn's
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _labels(given: Any, count: int) -> NDArray[Any]:  # noqa: ANN401 - anything may come
    """Return labels, one for each text."""
    labels = np.asarray(given)
    if labels.shape != (count,):
        raise UsageError(f"there must be a label for each of {count:,} texts, got the shape {shown(labels.shape)}")
    return labels
