"""Paragraph vectors: rows of documents that predict words, kept with the words' vectors.

P(w | d) = exp(w . d) / sum over words v of exp(v . d)   (ai2016 eq. 1)

The normaliser, the sum below the line, is worked out once for each document.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from aboutness.core.advance import begin, did
from aboutness.core.threads import checked_threads
from aboutness.vectors.documents import DocumentSpace, Texts
from aboutness.vectors.normalisers import log_normalisers
from aboutness.vectors.training import alias_table, empty_rows
from aboutness.vectors.words import IN, OUT

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

NORMALISERS, NOISE = "normalisers", "noise"
MOST_EPOCHS, STEPS = 200, 20_000  # how often a question is read: so many words in all (tried on three collections)
SHARE = 1 << 14  # words of texts that a thread works on at a time


@dataclass(frozen=True, repr=False)
class ParagraphSpace(DocumentSpace):
    """Rows that were trained to predict the words of documents: `words` have the vectors they predict as OUT.

    `own` has the weights by which negatives are drawn ("noise") and, where they were worked out, the logarithms of
    the documents' normalisers. `provenance["inference"]` says how a further text is trained: as the documents
    were, but with all words' vectors as they are, from 0, and with chance that depends on the text alone.
    """

    @cached_property
    def normalisers(self) -> F64:
        """Return ln of the sum over all words w of exp(w . d) for each document d."""
        if NORMALISERS in self.own:
            return self.own[NORMALISERS]
        return log_normalisers(self.rows, self.words.space(OUT))

    def normalised(self) -> Self:
        """Return the same with its normalisers worked out, to be kept."""
        return replace(self, own={**self.own, NORMALISERS: self.normalisers})

    def with_rows(self, rows: F32, arrivals: I64, places: I64 | None = None) -> Self:
        """Return the same for other documents; normalisers of those that are there already are kept."""
        own = {name: array for name, array in self.own.items() if name != NORMALISERS}
        if NORMALISERS in self.own:
            found, new = np.empty(len(rows)), np.ones(len(rows), np.bool_)
            if places is not None:
                new = places < 0
                found[~new] = self.normalisers[places[~new]]
            found[new] = log_normalisers(rows[new], self.words.space(OUT))
            own[NORMALISERS] = found
        return replace(self, rows=rows, arrivals=arrivals, own=own)

    def infer(self, texts: Texts, threads: int | None = None) -> F32:
        """Return a row for each text (see `DocumentSpace.infer`)."""
        begin("documents", len(texts))
        return self._infer(texts, threads, self.provenance["inference"]["epochs"])

    def _infer(self, texts: Texts, threads: int | None, epochs: int) -> F32:
        rows = empty_rows(len(texts), self.dim)
        starts = np.concatenate([[0], texts.ends[:-1]]).astype(np.int64)
        counts = _of_mean_one(texts.weights, starts, texts.ends)
        pieces = [*np.flatnonzero(np.diff(texts.ends // SHARE, prepend=-1)).tolist(), len(texts)]
        with ThreadPoolExecutor(checked_threads(threads)) as pool:
            done = []
            for first, last in zip([0, *pieces[:-1]], pieces, strict=True):
                if first < last:
                    here = slice(int(starts[first]), int(texts.ends[last - 1]))
                    made = pool.submit(
                        self._fold, texts.words[here], counts[here], texts.ends[first:last] - here.start,
                        epochs, rows[first:last],
                    )  # fmt: skip
                    done.append((last - first, made))
            for count, one in done:
                one.result()
                did("documents", count)
        return np.ascontiguousarray(rows[:, : self.dim])

    def infer_question(self, texts: Texts) -> F32:
        """Return a row for each text, which is read more often than documents are if it is short."""
        rows = np.empty((len(texts), self.dim), np.float32)
        for number, end in enumerate(texts.ends.tolist()):
            start = int(texts.ends[number - 1]) if number else 0
            alone = Texts(texts.words[start:end], texts.weights[start:end], np.array([end - start], np.int64))
            epochs = min(MOST_EPOCHS, STEPS // max(end - start, 1))
            rows[number] = self._infer(alone, 1, max(epochs, self.provenance["inference"]["epochs"]))[0]
        return rows

    def _fold(self, words: NDArray[np.int32], counts: F32, ends: I64, epochs: int, rows: F32) -> None:
        from aboutness.kernels import paragraphs

        how: Mapping[str, Any] = self.provenance["inference"]
        table, outward, inward = self._frozen
        seed = np.uint64(how["seed"])
        if inward is None:  # then the order of words makes no difference
            order = _mixed(words, ends)
            words, counts = words[order], counts[order]
            paragraphs.fold(
                words, counts, ends, table, seed, epochs, how["negatives"], float(how["gamma"]),
                float(how["rate"]), float(how["last_rate"]), outward, rows,
            )  # fmt: skip
        else:
            paragraphs.fold_in_context(
                words, counts, ends, table, seed, epochs, how["negatives"], how["window"],
                float(how["rate"]), float(how["last_rate"]), inward, outward, rows,
            )  # fmt: skip

    @cached_property
    def _frozen(self) -> tuple[NDArray[np.uint64], F32, F32 | None]:
        """Return the table of negatives, OUT, and IN where a text's vector predicts together with words."""
        together = "window" in self.provenance["inference"]
        inward = _wide(self.words.space(IN)) if together else None
        return alias_table(np.asarray(self.own[NOISE], np.float64)), _wide(self.words.space(OUT)), inward


def _wide(matrix: F32) -> F32:
    """Return rows as wide as kernels want them."""
    wide = empty_rows(len(matrix), matrix.shape[1])
    wide[:, : matrix.shape[1]] = matrix
    return wide


def _mixed(words: NDArray[np.int32], ends: I64) -> I64:
    """Return an order in which the words of each text are mixed, the same however they stood."""
    from aboutness.kernels.paragraphs import mix

    of = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    by_word = np.lexsort((words, of))
    keys = np.empty(len(words), np.uint64)
    mix(words[by_word], of[by_word], keys)
    return np.asarray(by_word[np.lexsort((keys, of[by_word]))])


def _of_mean_one(weights: F32, starts: I64, ends: I64) -> F32:
    """Return weights that are 1 on the average of each text, so that no text's steps are too long or short."""
    if (weights == 1).all():
        return weights
    sums = np.array([weights[s:e].sum(dtype=np.float64) for s, e in zip(starts, ends, strict=True)])
    lengths = ends - starts
    scale = np.divide(lengths, sums, out=np.ones(len(sums)), where=sums > 0)
    return np.asarray(weights * np.repeat(scale, lengths), np.float32)
