"""How rare words are: the idf of terms, and of words that no document has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.lexicon import Lexicon

Reals = NDArray[np.float64]
Formula = Callable[[float, Reals], Reals]


def _log_ratio(n: float, df: Reals) -> Reals:
    """Return ln(n / df), which has a pole at 0: a word that no document has counts as if one had it."""
    return np.asarray(np.log(max(n, 1) / np.maximum(df, 1)))


IDF: dict[str, Formula] = {
    "galke": lambda n, df: np.log((1 + n) / (1 + df)),
    "slides": _log_ratio,
    "malina": _log_ratio,
    "sklearn": lambda n, df: np.log((1 + n) / (1 + df)) + 1,
}


def rarity(view: LayerView, variant: str) -> Reals:
    """Return the idf of each term of a view."""
    return _idf(view, variant, view.statistics.df)


def rarity_of_rows(view: LayerView, lexicon: Lexicon, variant: str) -> Reals:
    """Return the idf of each word of a lexicon, by its row."""
    found = np.zeros(len(lexicon.matrix()), np.float64)
    known = lexicon.rows >= 0
    found[lexicon.rows[known]] = rarity(view, variant)[known]
    return found


def rarity_of_words(view: LayerView, words: Sequence[str], variant: str) -> Reals:
    """Return the idf of some words."""
    return _idf(view, variant, np.array([df for _, df in view.look_up(words)], np.int64))


def _idf(view: LayerView, variant: str, df: NDArray[np.int64]) -> Reals:
    return IDF[variant](view.statistics.documents, df.astype(np.float64))
