"""How fast the rows of word matrices go where a text pulls them: what is needed to merge those of several shards.

Near its goal a row w moves as in a bowl, whose bend is, for each update by a vector h at a rate, s(1 - s) h h^T,
with s the predicted probability. So what matters is how often each row is updated, and the second moments of the
vectors that do it: for a word that is predicted those of the documents or words that predict it, and the other way
round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.vectors.pv import ParagraphTrainer, ParagraphTraining
from aboutness.vectors.training import ROUND, Training
from aboutness.vectors.word2vec import SKIP_GRAM, Word2Vec, WordTraining
from aboutness.vectors.words import IN, OUT

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

MOST_ROWS = 1 << 13  # of which moments are taken, in all shards together: these stand for all


@dataclass(frozen=True)
class Bend:
    """How often each row of a matrix was updated, and by what: the mean of h h^T."""

    updates: F64
    moments: F64


def bends(training: Training, seen: NDArray[np.int64]) -> dict[str, Bend]:
    """Return how the word matrices of a training were bent by some text, in which each word stood so often."""
    if isinstance(training, ParagraphTraining):
        return _of_paragraphs(training, seen)
    assert isinstance(training, WordTraining)
    how, of = training.settings, Moments.of(training)
    read = _read(training.keep, seen)
    told_from = _negatives(training.vocabulary.counts.astype(np.float64) ** how.power, how, read)
    near = how.window + 1  # neighbours of a word, on the average
    predicted = (near if how.architecture == SKIP_GRAM else 1) * (read + told_from)
    return {
        IN: Bend(near * (1 + how.negatives) * read, of.words(training.outward, read + told_from)),
        OUT: Bend(predicted, of.words(training.inward, read)),
    }


def _of_paragraphs(training: ParagraphTraining, seen: NDArray[np.int64]) -> dict[str, Bend]:
    how, objective, of = training.settings, training.objective, Moments.of(training)
    read = _read(training.keep, seen)
    predicted = read + _negatives(training.noise, how, read)
    by = of.documents(training.rows, training.lengths.astype(np.float64))
    found: dict[str, Bend] = {}
    if objective.in_context:  # by the mean of a document and of words
        by = np.asarray(by + of.words(training.inward, read)) / 2
        found[IN] = Bend((how.window + 1) * (1 + how.negatives) * read, of.words(training.outward, predicted))
    if objective.joint:
        pairs = objective.joint * 2 * how.window
        by = np.asarray(by + pairs * of.words(training.context, predicted))
        found["context"] = Bend(pairs * predicted, of.words(training.outward, read))
    return {OUT: Bend(predicted, by), **found}


def _read(keep: NDArray[np.uint64], seen: NDArray[np.int64]) -> F64:
    """Return how often words are trained, where frequent ones are left out by chance."""
    return np.asarray(seen.astype(np.float64) * (keep.astype(np.float64) / ROUND))


def _negatives(noise: F64, how: Word2Vec | ParagraphTrainer, read: F64) -> F64:
    """Return how often each word is drawn by chance, so that others are told from it."""
    return np.asarray(how.negatives * read.sum() * noise / noise.sum())


@dataclass(frozen=True)
class Moments:
    """A shard's part of second moments: those of all words, or of all documents, are the mean over all shards."""

    shard: int
    shards: int

    @classmethod
    def of(cls, training: Training) -> Moments:
        """Return the part of the shard that a training reads."""
        whole = training.text.whole
        return cls(whole.shard, whole.shards) if whole else cls(0, 1)

    def words(self, matrix: F32, weights: F64) -> F64:
        """Return the weighted mean of r r^T over the first rows r, the most frequent words: some in each shard."""
        mine = slice(self.shard, MOST_ROWS, self.shards)
        return _moments(matrix[mine], weights[mine] * self.shards / max(float(weights[:MOST_ROWS].sum()), 1e-9))

    def documents(self, rows: F32, weights: F64) -> F64:
        """Return the weighted mean of r r^T over rows r, of which some stand for all."""
        some = slice(None, None, -(-len(rows) * self.shards // MOST_ROWS) or 1)
        return _moments(rows[some], weights[some] / max(float(weights[some].sum()), 1e-9))


def _moments(matrix: F32, weights: F64) -> F64:
    from aboutness.kernels.moments import add_moments

    found = np.zeros((matrix.shape[1], matrix.shape[1]))
    add_moments(np.ascontiguousarray(matrix), weights, found)
    return found
