"""The words of a view that have vectors: where terms meet word vectors."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.bags import words_of
from aboutness.models.question import Question
from aboutness.vectors.kept import entry_of, vectors_of
from aboutness.vectors.postprocess import norms
from aboutness.vectors.words import EXACT, IN, SPACES, WordVectors

F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

IGNORE, RANDOM = "ignore", "random"
OOV = (IGNORE, RANDOM)  # what becomes of words without a vector


@dataclass(frozen=True)
class AskedWords:
    """The words of a question that have vectors, each once, in their order, with their weights (above 0)."""

    words: list[str]
    weights: Reals
    spaces: dict[str, F32]

    def __len__(self) -> int:
        return len(self.words)

    def vectors(self, space: str = IN) -> F32:
        """Return the vectors of the words in a space."""
        return self.spaces[space]


class Lexicon:
    """The vectors of a view's terms, and of the words of questions, also of those that no document has.

    A word is looked up as it is, or with `case` "any" also lower-cased and capitalised. One without a vector has
    the mean of its pieces where these are known (fastText, IN alone); else it is left out, or with `oov` "random",
    if any document has it, has a random vector, as long as the others are on the average, that depends on nothing
    but the word.
    """

    def __init__(self, view: LayerView, vectors: WordVectors, case: str = EXACT, oov: str = IGNORE) -> None:
        self.view = view
        self.vectors = vectors
        self.case = case
        self.oov = oov
        numbers = self._numbers()
        numbers[view.df == 0] = -1  # what no document has needs no row
        known = numbers >= 0
        self._places = numbers[known]
        self._others: list[str] = []  # terms without a vector of their own that are given one
        self.rows = np.where(known, known.cumsum() - 1, -1)  # by term number: the row of `matrix`, or -1
        if oov == RANDOM or vectors.subwords is not None:
            terms, df = view.terms(), np.where(view.df > 0, view.statistics.df, 0)
            for number in np.flatnonzero(~known).tolist():
                if self._is_given(terms[number], df[number]):
                    self.rows[number] = len(self._places) + len(self._others)
                    self._others.append(terms[number])

    def _numbers(self) -> Ints:
        """Return for each term of the view its number among the vectors, or -1."""
        if self.case != EXACT:
            return self.vectors.numbers(self.view.terms(), self.case)
        tables = [part.new_terms for part in self.view.vocabulary]
        found = [self.vectors.words.find_all(table.data, table.ends) for table in tables]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def _is_given(self, word: str, df: int) -> bool:
        """Tell whether a word that is not there, and in so many documents, is given a vector."""
        if self.oov == RANDOM and df:
            return True
        return self.vectors.subwords is not None and self.vectors.subwords.vector(word) is not None

    def matrix(self, space: str = IN) -> F32:
        """Return the vectors of the view's terms that have one; 0 where a space has none."""

        def make() -> F32:
            own = self.vectors.space(space)[self._places]
            return np.concatenate([own, self._look_up(self._others, space)]) if self._others else own

        return self.view.once((self, space), make)

    def longest(self, space: str = IN) -> float:
        """Return a length that no vector of a space exceeds, whichever words the documents have."""

        def measure() -> float:
            found = self.vectors.bound.lengths(space).max(initial=0.0)
            pieces = self.vectors.subwords.rows if self.vectors.subwords is not None and space == IN else None
            return float(found if pieces is None else max(found, norms(pieces).max(initial=0.0)))

        return self.view.once((self, space, "longest"), measure)

    def asked(self, question: Question) -> AskedWords:
        """Return the words of a question that have vectors."""
        return question.derived(self, "words", lambda: self._asked(question))

    def _asked(self, question: Question) -> AskedWords:
        weights = words_of(self.view, question)
        words = list(weights)
        numbers = self.vectors.numbers(words, self.case).tolist()
        found = zip(words, numbers, self.view.look_up(words), strict=True)
        words = [word for word, number, (_, df) in found if number >= 0 or self._is_given(word, df)]
        spaces = {space: self._look_up(words, space) for space in self.vectors.spaces}
        return AskedWords(words, np.array([weights[word] for word in words], np.float64), spaces)

    def _look_up(self, words: Sequence[str], space: str) -> F32:
        vectors, known = self.vectors.look_up(words, space, self.case)
        missing = np.flatnonzero(~known)
        if self.oov == RANDOM and len(missing):
            vectors[missing] = self._random([words[i] for i in missing.tolist()], space)
        return vectors

    def _random(self, words: Sequence[str], space: str) -> F32:
        """Return a vector for each word that points anywhere."""
        length = self.view.once((self, space, "length"), lambda: _mean_length(self.vectors.space(space)))
        made = np.empty((len(words), self.vectors.dim), np.float32)
        for i, word in enumerate(words):
            seed = [zlib.crc32(word.encode()), len(word), SPACES.index(space)]
            row = np.random.default_rng(seed).normal(size=self.vectors.dim)
            made[i] = row * (length / np.linalg.norm(row))
        return made


def _mean_length(matrix: F32) -> float:
    return float(norms(matrix).mean()) if len(matrix) else 1.0


def lexicon_of(view: LayerView, name: str | None, case: str = EXACT, oov: str = IGNORE) -> Lexicon:
    """Return the lexicon of a view and some word vectors of its index (the only ones); it is made once."""
    chosen = entry_of(view.trained, name).name
    return view.once(
        (Lexicon, chosen, case, oov), lambda: Lexicon(view, vectors_of(view.trained, chosen), case, oov)
    )
