"""Latent semantic analysis (LSA): documents and words in few dimensions, by the SVD of the documents' words.

Deerwester, Dumais, Furnas, Landauer, Harshman: Indexing by latent semantic analysis, 1990; mitra2016 (section 3.3)
compares with it. X has a row for each document and a column for each word:

    X = U S V',   X(d, t) = local(tf(d, t)) * weight(t),   of which the `dim` largest singular values S are kept

    weighting     local(tf)         weight(t)
    tfidf         tf                ln((1 + n) / (1 + df)), as in galke2017
    log-entropy   ln(1 + tf)        1 + sum over documents of p ln p / ln n,   p = tf / sum of tf
    bm25          tf / (tf + k1 L)  ln(1 + (n - df + .5) / (df + .5)),   L = 1 - b + b |d| / average; k1 1.2, b .75
    counts        tf                1

tf is weighted over fields; n, df and |d| are of the documents trained on, and of words that have vectors. With
documents=unit rows of X are scaled to length 1 first, so that long documents do not count more than others.
The SVD is exact but for rounding (`aboutness.vectors.singular`).
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from aboutness._version import __version__
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Choice, Whole
from aboutness.core.parameters import parameter
from aboutness.core.threads import checked_threads
from aboutness.index.view import LayerView
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.text.strings import StringTable
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.documents import DocumentSpace, Texts
from aboutness.vectors.postprocess import norms
from aboutness.vectors.singular import LOOKS, ROUNDING, largest
from aboutness.vectors.trainer import DEFAULT_ANALYZER, DocumentTrainer, Progress, Tell, plain, register
from aboutness.vectors.training_text import Source, TrainingText, chosen_documents
from aboutness.vectors.vocabulary import Vocabulary
from aboutness.vectors.words import IN, WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

TFIDF, LOG_ENTROPY, BM25, COUNTS = WEIGHTINGS = ("tfidf", "log-entropy", "bm25", "counts")
UNIT, RAW = LENGTHS = ("unit", "raw")
WEIGHTS, SINGULAR_VALUES, AVERAGE_LENGTH = "weights", "singular_values", "average_length"
SCALING = 0.5  # of the rows that are kept: measured to rank best, as are unit vectors of words
K1, B = 1.2, 0.75
SHARE = 4096  # texts that a thread works on at a time


@dataclass(frozen=True, repr=False)
class LatentSpace(DocumentSpace):
    """Documents as sums of the vectors of their words, scaled to length 1, in the dimensions of an SVD.

    row(d) = normalise( sum over words t of  X(d, t) w(t) ),   w(t) = v(t) S^scaling

    v(t) is IN of a word, its row of V. Where `terms` is "unit" each w(t) is scaled to length 1. With scaling 0 and
    raw terms, rows have the directions of X V = U S; with scaling -1 those of U, Deerwester's folding. `own` has
    the words' weights, the singular values, and the average length of a document.
    """

    weighted: ClassVar[bool] = True

    scaling: float = SCALING
    terms: str = UNIT

    def in_form(self, scaling: float, terms: str) -> Self:
        """Return the same with other vectors of words; documents' rows are then to be inferred."""
        if (scaling, terms) == (self.scaling, self.terms):
            return self
        return replace(self.with_rows(self.rows[:0], self.arrivals[:0]), scaling=scaling, terms=terms)

    @cached_property
    def vectors(self) -> F32:
        """Return w(t) for each word; 0 for one that is in none of the dimensions."""
        values = self.own[SINGULAR_VALUES]
        relative = values / values[0] if values[0] else np.ones_like(values)
        made = self.words.space(IN) * (relative**self.scaling).astype(np.float32)
        if self.terms == UNIT:
            lengths = norms(made)
            made /= np.where(lengths > 0, lengths, 1.0)[:, None]
        return made

    def weigh(self, texts: Texts) -> F64:
        """Return X(d, t) for each word of each text, not scaled."""
        return np.asarray(self._local(texts) * self.own[WEIGHTS][texts.words])

    def _local(self, texts: Texts) -> F64:
        return local_weights(texts, self.provenance["parameters"]["weighting"], float(self.own[AVERAGE_LENGTH][0]))

    def infer(self, texts: Texts, threads: int | None = None) -> F32:
        """Return a row for each text (see `DocumentSpace.infer`)."""
        from aboutness.kernels.centroids import centroids

        places, weights, vectors = self._frozen
        local, everything, nothing = self._local(texts), np.ones(len(texts), np.bool_), np.zeros(0)
        rows = np.zeros((len(texts), self.dim), np.float32)

        def fold(first: int) -> None:
            last = min(first + SHARE, len(texts))
            start, end = int(texts.ends[first - 1]) if first else 0, int(texts.ends[last - 1])
            centroids(
                texts.ends[first:last] - start, texts.words[start:end], local[start:end], places, weights,
                vectors, everything[first:last], False, nothing, rows[first:last],
            )  # fmt: skip

        shares = range(0, len(texts), SHARE)
        if len(shares) == 1:
            fold(0)
        elif shares:
            with ThreadPoolExecutor(checked_threads(threads)) as pool:
                list(pool.map(fold, shares))
        return rows

    @cached_property
    def _frozen(self) -> tuple[I64, F64, F32]:
        """Return the place, weight and vector of each word, none of them mapped: the kernel is compiled once."""
        return np.arange(len(self.words)), np.array(self.own[WEIGHTS]), self.vectors


def local_weights(texts: Texts, weighting: str, average: float) -> F64:
    """Return local(tf) for each word of each text."""
    counts = texts.weights.astype(np.float64)
    if weighting == LOG_ENTROPY:
        return np.log1p(counts)
    if weighting == BM25:
        of = _places(texts)
        lengths = np.bincount(of, counts, minlength=len(texts))
        return np.asarray(counts / (counts + K1 * (1 - B + B * lengths[of] / average)))
    return counts


def word_weights(texts: Texts, weighting: str, words: int) -> F64:
    """Return weight(t) for each of some words, from the texts to train on."""
    n, df = len(texts), np.bincount(texts.words, minlength=words)
    if weighting == TFIDF:
        return np.asarray(np.log((1 + n) / (1 + df)))
    if weighting == BM25:
        return np.asarray(np.log(1 + (n - df + 0.5) / (df + 0.5)))
    if weighting == LOG_ENTROPY and n > 1:
        counts = texts.weights.astype(np.float64)
        shares = counts / np.bincount(texts.words, counts, minlength=words)[texts.words]
        entropies = np.bincount(texts.words, shares * np.log(shares), minlength=words)
        found = 1 + entropies / np.log(n)
        return np.where(found > 8 * n * ROUNDING, found, 0.0)  # what rounding leaves would fill rows of length 1
    return np.ones(words)


@register
@dataclass(frozen=True)
class LSA(DocumentTrainer):
    """Latent semantic analysis: the truncated SVD of the weighted matrix of documents and words.

    Where documents and words have fewer than `dim` dimensions, there are as many as they have (`space.dim`). The
    same seed gives the same bytes, whatever the number of threads (numpy's own may change the last bits); another
    seed gives the same rows but for rounding. No checkpoint is read or written: 100,000 titles take half a minute.

    >>> space = LSA(dim=2).train(["the sun", "the moon", "sun and moon", "a city", "city of the sun"])
    >>> space.rows.shape, space.words.dim
    ((5, 2), 2)
    """

    name: ClassVar[str] = "lsa"
    summary: ClassVar[str] = "latent semantic analysis: truncated SVD of documents x words"
    source: ClassVar[str] = "Deerwester et al. 1990; mitra2016 §3.3"
    space = LatentSpace

    dim: int = parameter(200, Whole(1, 10_000), "dimensions, at most")
    weighting: str = parameter(TFIDF, Choice(WEIGHTINGS), "how much a word counts in a document")
    documents: str = parameter(
        UNIT, Choice(LENGTHS), "documents are scaled to length 1 before the SVD, or taken as long as they are"
    )
    min_count: int = parameter(1, Whole(1, 1 << 40), "rarer words get no vector")
    sample: int = parameter(
        0, Whole(0, 1 << 40), "train on so many documents, drawn by chance, and infer the others; 0: on all"
    )
    seed: int = parameter(1, Whole(0, (1 << 63) - 1), "where chance starts; same seed, same bytes")

    def train(
        self,
        source: Source,
        *,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        threads: int | None = None,
        checkpoint: Checkpoint | str | Path | None = None,  # noqa: ARG002 - see the class
        tell: Tell | None = None,
    ) -> LatentSpace:
        """Train on the documents of a view, or on texts (see `DocumentTrainer.train`)."""
        threads = checked_threads(threads)
        text = TrainingText.of(source, named_analyzer(analyzer))
        chosen = chosen_documents(text.documents, self.sample, self.seed)
        sampled = text if chosen.all() else text.some(chosen)
        vocabulary = Vocabulary.of(sampled, self.min_count)
        some = _bags(source, text, vocabulary.number_of, chosen)
        average = float(some.weights.sum(dtype=np.float64)) / len(some)
        weights = word_weights(some, self.weighting, len(vocabulary))
        matrix = self._matrix(some, local_weights(some, self.weighting, average), weights)
        values, vectors = self._decompose(matrix, sampled.tokens, tell or (lambda _: None))
        made = LatentSpace(
            WordVectors(StringTable.of(vocabulary.words), {IN: vectors}, vocabulary.counts),
            np.zeros((0, len(values)), np.float32),
            text.arrivals[:0],
            {WEIGHTS: weights, SINGULAR_VALUES: values, AVERAGE_LENGTH: np.array([average])},
            {
                "training": self.name,
                "parameters": plain(self),
                "threads": threads,
                "tokens": sampled.tokens,
                "dim": len(values),
                **({"analyzer": text.analyzer.to_json()} if text.analyzer else {}),
                "software": f"aboutness {__version__}",
            },
        )
        if chosen.all():
            return made.with_rows(made.infer(some, threads), text.arrivals)
        del some, matrix  # so that they are not held beside the rows, which may be many
        rows = np.empty((text.documents, len(values)), np.float32)
        for portion in text.in_portions(np.ones(text.documents, np.bool_)):
            rows[portion] = made.infer(_bags(source, text, vocabulary.number_of, portion), threads)
        return made.with_rows(rows, text.arrivals)

    def _matrix(self, texts: Texts, local: F64, weights: F64) -> csr_array:
        """Return X."""
        from scipy.sparse import csr_array

        values = local * weights[texts.words]
        if self.documents == UNIT:
            of = _places(texts)
            lengths = np.sqrt(np.bincount(of, values * values, minlength=len(texts)))
            values = np.divide(values, lengths[of], out=np.zeros_like(values), where=lengths[of] > 0)
        ends = np.concatenate([[0], texts.ends])
        return csr_array((values, texts.words, ends), shape=(len(texts), len(weights)))

    def dimensions(self, documents: int) -> int:  # noqa: ARG002 - others go by them
        """Return how many dimensions so many documents get, at most."""
        return self.dim

    def _decompose(self, matrix: csr_array, tokens: int, tell: Tell) -> tuple[F64, F32]:
        """Return the largest singular values and V, telling how far it is."""
        dim = self.dimensions(matrix.shape[0])
        total, began = tokens * LOOKS * dim, time.monotonic()
        done = 0

        def told(more: int, most: int) -> None:
            nonlocal done
            done = min(done + more, most)
            tell(Progress(done, total, done / max(time.monotonic() - began, 1e-9)))

        try:
            values, vectors = largest(matrix, dim, self.seed, lambda: told(tokens, total - tokens))
        except MemoryError:
            size = 8 * 2 * min(matrix.shape) * dim / 1e9
            raise UsageError(
                f"{matrix.shape[0]:,} documents and {matrix.shape[1]:,} words at dim {dim} need about "
                f"{size:,.1f} GB, which is more memory than there is; choose a lower dim or a sample"
            ) from None
        told(total, total)
        return values, vectors.astype(np.float32)


def _bags(source: Source, text: TrainingText, number_of: NDArray[np.int32], chosen: NDArray[np.bool_]) -> Texts:
    """Return the known words of chosen documents, each once, in order of appearance, with (weighted) counts."""
    if isinstance(source, LayerView):
        terms, counts, ends = source.bags(np.flatnonzero(source.alive)[chosen])
        numbers, of = number_of[terms], _rows(ends)
        known = (numbers >= 0) & (counts != 0)
        words, counts, of = numbers[known], counts[known], of[known]
    else:
        tokens = (text if chosen.all() else text.some(chosen)).texts(number_of)
        of = _rows(tokens.ends)
        pairs = of * len(number_of) + tokens.words
        _, first, counted = np.unique(pairs, return_index=True, return_counts=True)
        order = np.argsort(first)
        words, counts, of = tokens.words[first[order]], counted[order], of[first[order]]
    return Texts(words, counts.astype(np.float32), np.bincount(of, minlength=int(chosen.sum())).cumsum())


def _places(texts: Texts) -> I64:
    """Return for each word of each text the place of the text."""
    return _rows(texts.ends)


def _rows(ends: I64) -> I64:
    return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
