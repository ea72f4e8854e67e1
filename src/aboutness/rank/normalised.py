"""Scores brought to one scale, so that rankers with scores of different sizes can be added.

Each is made of one ranker and works question by question, over all documents that the ranker finds: those that
match and pass the filter, and of a cut ranker those that it keeps. So a score depends on what else is found.
Behind `>>` that is what came through the first ranker. Scores are rounded as all scores are: such as differ by
less than about a ten-millionth of the whole scale become equal, and equal ones are in order of arrival.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from aboutness.core.kinds import Number
from aboutness.core.parameters import parameter
from aboutness.index.snapshot import Snapshot
from aboutness.rank.combination import Combination, register
from aboutness.rank.combined import F64, Combined, Member, Scale
from aboutness.rank.searching import Searcher


def minmax(scores: F64) -> F64:
    """Return scores between those of the worst, 0, and the best, 1; all 1 where they are equal."""
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if low < high else np.ones_like(scores)


def of_best(scores: F64) -> F64:
    """Return scores as shares of the best one; where some are below 0, all are lifted first, the worst to 0."""
    low, high = min(0.0, float(scores.min())), float(scores.max())
    return (scores - low) / (high - low) if low < high else np.ones_like(scores)


def zscore(scores: F64) -> F64:
    """Return how many standard deviations scores lie above their mean; all 0 where they are equal."""
    if scores.min() == scores.max():
        return np.zeros_like(scores)
    return np.asarray((scores - scores.mean()) / scores.std())


def softmax(scores: F64, temperature: float = 1.0) -> F64:
    """Return shares of one that are in proportion to exp(score / temperature)."""
    shares = np.exp((scores - scores.max()) / temperature)
    return np.asarray(shares / shares.sum())


def ranks(scores: F64) -> F64:
    """Return the rank of each score, from 1; equal ones in their order."""
    bits = (0.0 - scores).astype(np.float32).view(np.int32)  # never -0.0
    ordered = bits ^ (bits >> 31 & 0x7FFFFFFF)  # as whole numbers, the best the least
    keys = ordered.astype(np.int64) << 32 | np.arange(len(scores))  # these are sorted twice as fast as floats
    keys.sort()
    made = np.empty(len(scores))
    made[keys & 0xFFFFFFFF] = np.arange(1.0, len(scores) + 1)
    return made


def by_rank(scores: F64) -> F64:
    """Return (n - rank + 1) / n of each of n scores."""
    return (len(scores) + 1 - ranks(scores)) / len(scores)


SCALES = {
    "minmax": Scale("min-max", minmax, linear=True),
    "best": Scale("share of the best", of_best, linear=True),
    "zscore": Scale("z-score", zscore, linear=True, lowest=True),
    "softmax": Scale("softmax", softmax),
    "rank": Scale("(n - rank + 1)/n", by_rank),
}


@dataclass(frozen=True)
class Normalisation(Combination):
    """One ranker with its scores brought to a scale; it knows the questions that the ranker knows.

    Paper: none; beyond the papers.

    Differs from the paper: there is none.

    Unknown words: as in the ranker; where nothing is found, everything counts 0.

    Cost: the ranker's; all documents that it finds are scored, however few are wanted.
    """

    source: ClassVar[str] = "beyond the papers"

    @property
    @abstractmethod
    def scale(self) -> Scale:
        """Return the scale."""

    def bound(self, searchers: Sequence[Searcher], snapshot: Snapshot) -> Searcher:
        """Return it bound to an index."""
        return Combined(str(self), [Member(1.0, searchers[0], "", self.scale)], snapshot.size)


@register
@dataclass(frozen=True)
class MinMax(Normalisation):
    """Min-max normalisation: the best document that the ranker finds has 1, the worst 0.

        (score - lowest) / (highest - lowest)

    Symbols: score is the ranker's for a document; lowest and highest run over all documents that it finds,
    question by question. One found document has 1, and so have all where their scores are equal.

    Empty documents: a document that is not found counts 0.

    >>> from aboutness import BM25, QL, MinMax
    >>> print(MinMax.of(BM25()) + 0.3 * MinMax.of(QL()))
    minmax(bm25) + 0.3*minmax(ql)
    """

    name: ClassVar[str] = "minmax"
    summary: ClassVar[str] = "scores from 0, the worst that is found, to 1, the best"

    @property
    def scale(self) -> Scale:
        """Return the scale."""
        return SCALES["minmax"]


@register
@dataclass(frozen=True)
class OfBest(Normalisation):
    """Scores as shares of the best one that the ranker finds.

        score / highest;   where some are below 0:   (score - lowest) / (highest - lowest)

    Symbols: score is the ranker's for a document; lowest and highest run over all documents that it finds,
    question by question. One found document has 1, and so have all where none has a score above 0.

    Empty documents: a document that is not found counts 0, as one of which a ranker on words finds no word.
    """

    name: ClassVar[str] = "best"
    summary: ClassVar[str] = "shares of the best score that is found"

    @property
    def scale(self) -> Scale:
        """Return the scale."""
        return SCALES["best"]


@register
@dataclass(frozen=True)
class ZScore(Normalisation):
    """Z-score normalisation: how many standard deviations a score lies above the mean.

        (score - mean) / deviation

    Symbols: score is the ranker's for a document; mean and deviation run over all n documents that it finds,
    question by question (the deviation by n, not n - 1). One found document has 0, and so have all where their
    scores are equal.

    Empty documents: a document that is not found counts as the lowest that is.
    """

    name: ClassVar[str] = "zscore"
    summary: ClassVar[str] = "standard deviations above the mean of what is found"

    @property
    def scale(self) -> Scale:
        """Return the scale."""
        return SCALES["zscore"]


@register
@dataclass(frozen=True)
class Softmax(Normalisation):
    """Softmax normalisation: shares of one, which grow exponentially with the score.

        exp(score / t) / sum over all documents that the ranker finds of exp(score / t)

    Symbols: score is the ranker's for a document; t is `temperature`: the higher, the more alike are shares. One
    found document has 1; where scores are equal, all have 1/n.

    Empty documents: a document that is not found counts 0, and so does one whose share is below 1e-45.
    """

    name: ClassVar[str] = "softmax"
    summary: ClassVar[str] = "shares of one, by the exponential of the score"

    temperature: float = parameter(
        1.0, Number(1e-9, 1e9), "by what scores are divided first: the higher, the more alike", symbol="t"
    )

    @property
    def scale(self) -> Scale:
        """Return the scale."""
        return Scale("softmax", partial(softmax, temperature=self.temperature))


@register
@dataclass(frozen=True)
class Rank(Normalisation):
    """Rank normalisation: only the order counts.

        (n - rank + 1) / n

    Symbols: n documents are found by the ranker; rank is 1 for the first, which so has 1, and n for the last,
    which has 1/n. Documents with equal scores have different ranks, by arrival, as in the ranking itself.

    Empty documents: a document that is not found counts 0.
    """

    name: ClassVar[str] = "rank"
    summary: ClassVar[str] = "from 1, the first that is found, down to 1/n in equal steps"

    @property
    def scale(self) -> Scale:
        """Return the scale."""
        return SCALES["rank"]
