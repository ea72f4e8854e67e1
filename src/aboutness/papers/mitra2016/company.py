"""Which words stand together in a text, and which stand in the same company: counts alone, no vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Reals = NDArray[np.float64]
Numbers = NDArray[np.int64]

LETTERS = 4  # of a word that is chosen, at least
FEW = 25  # a word need not stand in more than this part of all documents to be chosen
SHARE = 0.1  # of all documents that may have it, at most: others are everywhere


@dataclass(frozen=True)
class Company:
    """How often the words of an index stand together: within a window of words, and in the same document."""

    view: LayerView
    window: int
    least: int  # documents that a word must stand in to be chosen

    @cached_property
    def pairs(self) -> csr_array:
        """Return how often each word stands within the window of each other: words x words."""
        from scipy.sparse import coo_array, csr_array

        size = self.view.vocabulary_size
        total = csr_array((size, size), dtype=np.float64)
        for tokens, ends in self.view.streams():
            piece = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
            for apart in range(1, self.window + 1):
                together = piece[:-apart] == piece[apart:]
                one, other = tokens[:-apart][together], tokens[apart:][together]
                found = coo_array((np.ones(len(one)), (one, other)), (size, size)).tocsr()
                total = total + found + found.T
        return csr_array(total)

    @cached_property
    def associations(self) -> csr_array:
        """Return positive pointwise mutual information within the window: words x words."""
        from scipy.sparse import csr_array

        pairs = self.pairs.tocoo()
        sums = np.asarray(self.pairs.sum(axis=1)).ravel()
        values = np.log(pairs.data * self.pairs.sum() / (sums[pairs.row] * sums[pairs.col]))
        more = values > 0
        return csr_array((values[more], (pairs.row[more], pairs.col[more])), self.pairs.shape)

    @cached_property
    def present(self) -> Any:  # noqa: ANN401 - sparse, documents by column
        """Return which documents have which word, by word."""
        matrix = self.view.matrix()
        matrix.data[:] = 1.0
        return matrix.tocsc()

    def near(self, word: int, others: Numbers) -> Reals:
        """Return normalised mutual information within the window: 1 always together, 0 by chance, -1 never."""
        sums = self._sums
        together = self.pairs[[word]].toarray().ravel()[others]
        return _normalised(together, sums[word], sums[others], float(sums.sum()))

    def in_documents(self, word: int, others: Numbers) -> Reals:
        """Return the same by documents that have both words."""
        together = np.asarray((self.present[:, [word]].T @ self.present[:, others]).todense()).ravel()
        df = self.view.df.astype(np.float64)
        return _normalised(together, df[word], df[others], float(self.view.documents))

    def alike(self, word: int, others: Numbers) -> Reals:
        """Return how alike words' company is: the cosine of what they stand together with more than by chance."""
        rows = self.associations[others]
        products = np.asarray((rows @ self.associations[[word]].T).todense()).ravel()
        lengths = self._lengths[others] * self._lengths[word]
        found: Reals = np.divide(products, lengths, out=np.zeros(len(others)), where=lengths > 0)
        return found

    @cached_property
    def _sums(self) -> Reals:
        return np.asarray(self.pairs.sum(axis=1), np.float64).ravel()

    @cached_property
    def _lengths(self) -> Reals:
        return np.sqrt(np.asarray(self.associations.multiply(self.associations).sum(axis=1), np.float64).ravel())

    @cached_property
    def words(self) -> list[str]:
        """Return all words by number."""
        return self.view.terms()

    @cached_property
    def frequent(self) -> Numbers:
        """Return the words that are frequent enough to be trained, and not everywhere.

        Those with letters alone come first that stand most often in the documents they stand in: words that a
        document is about are repeated there (the two-Poisson model, on which BM25 is built).
        """
        df, cf = self.view.df, self.view.field_cf[self.view.chosen].sum(axis=0)
        enough = np.flatnonzero((df >= self.least) & (df <= SHARE * self.view.documents))
        plain = [n for n in enough.tolist() if len(self.words[n]) >= LETTERS and self.words[n].isalpha()]
        return np.array(sorted(plain, key=lambda n: (-cf[n] / df[n], self.words[n])), np.int64)

    def drawn(self, count: int, seed: int) -> Numbers:
        """Return some of the frequent words, drawn by a seed."""
        every = np.sort(self.frequent)
        return np.random.default_rng(seed).choice(every, min(count, len(every)), replace=False)

    def topics_among(self, words: Sequence[str], count: int) -> list[str]:
        """Return the first of the frequent words that are among some words."""
        wanted = set(words)
        return [word for number in self.frequent.tolist() if (word := self.words[number]) in wanted][:count]


def company_of(view: LayerView, window: int, least: int) -> Company:
    """Return the company of an index's words; in a small index, words that stand in fewer documents are chosen."""
    return Company(view, window, max(2, min(least, view.documents // FEW)))


def _normalised(together: Reals, one: float, others: Reals, total: float) -> Reals:
    """Return normalised pointwise mutual information; -1 for what is never together."""
    found = np.full(len(others), -1.0)
    some = together > 0
    information = np.log(together[some] * total / (one * others[some]))
    rarity = -np.log(together[some] / total)
    found[some] = np.divide(information, rarity, out=np.ones(int(some.sum())), where=rarity > 0)
    return found
