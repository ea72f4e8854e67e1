"""The words whose vectors point most nearly in the same direction.

A score is a cosine computed in float64, for each row by itself, and rounded to float32; equal scores come in
the order of the words. A product in float32 over all rows finds the few that can be among the best: its error
is bounded, so the answer is the one that computing every cosine in float64 would give.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.vectors.postprocess import F64, norms, row_blocks
from aboutness.vectors.spelling import spelt_alike
from aboutness.vectors.words import EXACT, F32, IN, OUT, WordVectors

Words = str | Sequence[str] | Mapping[str, float]
Numbers = NDArray[np.int64]

PAIRS = {"in-in": (IN, IN), "out-out": (OUT, OUT), "in-out": (IN, OUT)}
PLAIN = (1e-15, 1e15)  # lengths of rows whose products with a vector of length 1 neither vanish nor overflow


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A word and its cosine with what was asked for."""

    word: str
    score: float


class Neighbours:
    """Vectors that are asked for neighbours more than once: the length of each is worked out once."""

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors
        self._lengths: dict[str, F64] = {}

    def nearest(
        self,
        words: Words,
        k: int = 10,
        *,
        query_space: str = IN,
        space: str = IN,
        without: Iterable[str] = (),
        case: str = EXACT,
    ) -> list[Neighbour]:
        """Return the k words nearest to a word, or to a weighted sum of words, but for those words themselves.

        Each word adds its vector scaled to length 1, times its weight. Where they cancel each other out, and for a
        vector of zeros, there is no direction and so no neighbour; words whose vector is 0 are nobody's. Words in
        `without` are left out, too. An unknown word is NotFound, unless subwords give it a vector.
        """
        weights = weighted(words)
        left_out = self.vectors.numbers([*weights, *without], case)
        return self.nearest_to(self.direction(weights, query_space, case), k, space=space, without=left_out)

    def direction(self, weights: Mapping[str, float], space: str = IN, case: str = EXACT) -> F64:
        """Return the weighted sum of the words' vectors of length 1; 0 where they cancel each other out."""
        names = list(weights)
        rows, known = self.vectors.look_up(names, space, case)
        for i in np.flatnonzero(~known):
            raise NotFound(_unknown(self.vectors, names[i]))
        total = np.zeros(self.vectors.dim, np.float64)
        lengths = norms(rows)
        for row, length, weight in zip(rows, lengths.tolist(), weights.values(), strict=True):
            if length:
                total += row.astype(np.float64) * (weight / length)
        noise = 1e-12 * sum(map(abs, weights.values()))
        return total if _length(total) > noise else total * 0

    def nearest_to(
        self, direction: F64, k: int = 10, *, space: str = IN, without: Numbers | None = None
    ) -> list[Neighbour]:
        """Return the k words nearest to a vector, but for those whose numbers are in `without`."""
        _check_k(k)
        length = _length(direction)
        if not length:
            return []
        matrix, lengths = self.vectors.space(space), self.lengths(space)
        allowed = lengths > 0
        if without is not None:
            allowed[without[without >= 0]] = False
        candidates = _candidates(matrix, lengths, direction / length, allowed, k)
        scores = _cosines(matrix, lengths, candidates, direction, length)
        order = np.argsort(-scores, kind="stable")[:k]
        found = self.vectors.words.some(candidates[order])
        return [Neighbour(word, score) for word, score in zip(found, scores[order].tolist(), strict=True)]

    def lengths(self, space: str = IN) -> F64:
        """Return the length of each vector of a space."""
        if space not in self._lengths:
            self._lengths[space] = norms(self.vectors.space(space))
        return self._lengths[space]

    def side_by_side(self, words: Words, k: int = 10, case: str = EXACT) -> dict[str, list[Neighbour]]:
        """Return a word's neighbours "in-in", "out-out" and "in-out", those for which there are vectors.

        "in-out" compares the IN vector of the word with the OUT vectors of all words: it finds what stands beside
        the word, where the others find what could stand in its place (Mitra et al. 2016, table 1). As in that
        table the word itself is left out of none: it is first in "in-in" and "out-out", but in "in-out" its place
        is a finding. The words of a sum are left out.
        """
        weights = weighted(words)
        asked = list(weights)
        known = [space for space in self.vectors.spaces if self.vectors.look_up(asked, space, case)[1].all()]
        left_out = self.vectors.numbers(asked, case) if len(asked) > 1 else None
        if not known:
            self.direction(weights, next(iter(self.vectors.spaces)), case)  # says which word is unknown
        return {
            name: self.nearest_to(self.direction(weights, query, case), k, space=space, without=left_out)
            for name, (query, space) in PAIRS.items()
            if query in known and space in self.vectors.spaces
        }

    def analogy(self, a: str, b: str, c: str, k: int = 10, case: str = EXACT) -> list[Neighbour]:
        """Return the best answers to "a is to b as c is to ...": the words nearest to b - a + c (3CosAdd)."""
        weights: dict[str, float] = {}
        for word, weight in ((b, 1.0), (a, -1.0), (c, 1.0)):
            weights[word] = weights.get(word, 0.0) + weight
        return self.nearest(weights, k, case=case)


def nearest(
    vectors: WordVectors,
    words: Words,
    k: int = 10,
    *,
    query_space: str = IN,
    space: str = IN,
    without: Iterable[str] = (),
    case: str = EXACT,
) -> list[Neighbour]:
    """Return the k words nearest to a word, or to a weighted sum of words (`Neighbours.nearest`).

    >>> from aboutness.text.strings import StringTable
    >>> rows = np.array([[1, 0], [1, 1], [0, 2]], np.float32)
    >>> vectors = WordVectors(StringTable.of(["sun", "moon", "sea"]), {"in": rows})
    >>> [(found.word, round(found.score, 4)) for found in nearest(vectors, "sun")]
    [('moon', 0.7071), ('sea', 0.0)]
    """
    return Neighbours(vectors).nearest(words, k, query_space=query_space, space=space, without=without, case=case)


def side_by_side(vectors: WordVectors, words: Words, k: int = 10, case: str = EXACT) -> dict[str, list[Neighbour]]:
    """Return a word's neighbours within and across spaces (`Neighbours.side_by_side`)."""
    return Neighbours(vectors).side_by_side(words, k, case)


def analogy(vectors: WordVectors, a: str, b: str, c: str, k: int = 10, case: str = EXACT) -> list[Neighbour]:
    """Return the best answers to "a is to b as c is to ..." (`Neighbours.analogy`)."""
    return Neighbours(vectors).analogy(a, b, c, k, case)


def parsed(text: str) -> dict[str, float]:
    """Return the words of a sum and their weights; `+` and `-` count where they stand between blanks.

    >>> parsed("king - man + woman"), parsed("well-known"), parsed("new york + new york")
    ({'king': 1.0, 'man': -1.0, 'woman': 1.0}, {'well-known': 1.0}, {'new york': 2.0})
    """
    pieces = text.split()
    if len(pieces) == 1:
        return {pieces[0]: 1.0}
    weights: dict[str, float] = {}
    sign, word = 1.0, list[str]()
    for at, piece in enumerate([*pieces, "+"]):
        if piece not in {"+", "-"}:
            word.append(piece)
            continue
        if word:
            name = " ".join(word)
            weights[name] = weights.get(name, 0.0) + sign
        elif at:
            raise UsageError(f"a word is missing beside a + or - in {shown(text)}; write: king - man + woman")
        sign, word = 1.0 if piece == "+" else -1.0, []
    return weights


def weighted(words: object) -> dict[str, float]:
    """Return a word, some words or weighted words as weighted words."""
    weights: dict[str, float] = {}
    if not isinstance(words, str | Sequence | Mapping):
        raise UsageError(f"words must be a text, texts, or texts with weights, got {shown(words)}")
    if isinstance(words, str):
        weights = parsed(words) or {words: 1.0}
    elif isinstance(words, Mapping):
        weights = {word: float(weight) for word, weight in words.items()}
    else:
        for word in words:
            weights[word] = weights.get(word, 0.0) + 1.0
    if not all(isinstance(word, str) for word in weights):
        raise UsageError(f"words must be texts, got {shown(words)}")
    if not weights or not np.isfinite(list(weights.values())).all():
        raise UsageError(f"there must be at least one word, with a finite weight; got {shown(words)}")
    return weights


def _check_k(k: object) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise UsageError(f"k, how many neighbours, must be a whole number of at least 1, got {shown(k)}")


def _length(vector: F64) -> float:
    return float(np.sqrt(np.square(vector).sum()))


def _candidates(matrix: F32, lengths: F64, direction: F64, allowed: NDArray[np.bool_], k: int) -> Numbers:
    """Return, ascending, the allowed rows that can be among the k best, and perhaps a few more.

    A float32 product of rows of length n and 1 is off by less than n x (dim + 2) x 2^-24, in whatever order it
    is summed; the bound is taken twice over, so that it covers the division and the rounding of scores.
    """
    with np.errstate(all="ignore"):  # of rows that are not allowed, or odd
        scores = matrix @ direction.astype(np.float32)
        np.divide(scores, lengths, out=scores, casting="same_kind")
    odd = allowed & ((lengths < PLAIN[0]) | (lengths > PLAIN[1]))
    plain = np.flatnonzero(allowed & ~odd)
    if len(plain) > k:
        there = scores[plain]
        slack = (matrix.shape[1] + 8) * 2.0**-23
        least = np.partition(there, len(there) - k)[len(there) - k] - 2 * slack
        plain = plain[there >= least]
    return np.union1d(plain, np.flatnonzero(odd))


def _cosines(matrix: F32, lengths: F64, chosen: Numbers, direction: F64, length: float) -> F32:
    """Return the cosine of each chosen row with a vector; it does not depend on what else is chosen."""
    found = np.empty(len(chosen), np.float32)
    for block in row_blocks(len(chosen), matrix.shape[1]):
        rows = matrix[chosen[block]].astype(np.float64)
        found[block] = (rows * direction).sum(axis=1) / (lengths[chosen[block]] * length)
    return found


def _unknown(vectors: WordVectors, word: str) -> str:
    """Say that a word is not there, and which are spelt nearly so."""
    said = f"there is no word {shown(word)} among these {len(vectors):,}"
    if near := spelt_alike(vectors.words, word):
        said += f"; spelt nearly so: {', '.join(shown(one) for one in near)}"
    if " " in word:
        said += f"; for the sum of words, write: {shown(' + '.join(word.split()))}"
    return said
