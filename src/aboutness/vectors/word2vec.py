"""word2vec: words that stand among the same words get similar vectors; both spaces, IN and OUT, are kept.

Mikolov, Sutskever, Chen, Corrado, Dean: Distributed representations of words and phrases and their
compositionality, 2013, eq. 4; as used by mitra2016 (section 2), which needs OUT as well as IN.

    log s(OUT_w . h) + sum over k negatives n ~ P of log s(-OUT_n . h),   s(x) = 1 / (1 + exp(-x))

h is IN of a neighbour of the word w (skip-gram), or the mean of IN over all its neighbours (CBOW). P(n) is in
proportion to count^power; a word of relative frequency f is kept with probability sqrt(t/f) + t/f, t = `sample`.

It differs from the original program in these points. Negatives come from an alias table, not from a large table
in which the rarest words may be missing. With `draw=shared` (the default) they are drawn once for all
neighbours of a word (skip-gram), or once for some successive words (CBOW), which makes products of small matrices
of what were products of vectors: the expected step is the same, the speed several times higher; `plain` draws
them anew each time. The function s is computed, not looked up. Vectors start larger (`START`): measured, this is
better where there is little text. CBOW's neighbours make the whole step of their mean, as in the original.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness._version import __version__
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Choice, Number, Whole
from aboutness.core.parameters import parameter
from aboutness.core.threads import checked_threads
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.text.strings import StringTable
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.trainer import DEFAULT_ANALYZER, Tell, Trainer, plain, register
from aboutness.vectors.training import Training, alias_table, empty_rows, kept_share
from aboutness.vectors.training_text import Block, Source, TrainingText
from aboutness.vectors.vocabulary import Vocabulary
from aboutness.vectors.words import IN, OUT, WordVectors

F32 = NDArray[np.float32]

SKIP_GRAM, CBOW = "skip-gram", "cbow"
SHARED, PLAIN = "shared", "plain"
START = 4.0  # IN starts evenly between -START/dim and START/dim, OUT at 0
SUCCESSIVE = 4  # words that share their negatives in CBOW


@register
@dataclass(frozen=True)
class Word2Vec(Trainer):
    """Skip-gram or CBOW with negative sampling.

    >>> vectors = Word2Vec(dim=8, seed=3).train(["the sun and the moon"] * 20, threads=1)
    >>> list(vectors.words), sorted(vectors.spaces), vectors.dim
    (['the', 'and', 'moon', 'sun'], ['in', 'out'], 8)
    """

    name: ClassVar[str] = "word2vec"
    summary: ClassVar[str] = "word vectors by skip-gram or CBOW with negative sampling; IN and OUT are kept"
    source: ClassVar[str] = "Mikolov et al. 2013; mitra2016"

    architecture: str = parameter(
        SKIP_GRAM, Choice((SKIP_GRAM, CBOW)), "predict neighbours from a word, or a word from its neighbours"
    )
    dim: int = parameter(200, Whole(1, 10_000), "numbers in a vector")
    window: int = parameter(5, Whole(1, 1_000), "how far away neighbours may be, at most")
    epochs: int = parameter(
        0, Whole(0, 100_000), "how often the text is read; 0: 5 to 20 times, more often where there is little"
    )
    negatives: int = parameter(5, Whole(1, 1_000), "other words drawn by chance to tell a word from", symbol="k")
    draw: str = parameter(SHARED, Choice((SHARED, PLAIN)), "draw negatives for several pairs at once, or for each")
    power: float = parameter(0.75, Number(0, 10), "negatives are drawn by count^power; 0: all words alike")
    sample: float = parameter(1e-3, Number(0, 1), "frequent words are left out by chance; 0: never", symbol="t")
    min_count: int = parameter(2, Whole(1, 1 << 40), "rarer words get no vector")
    rate: float = parameter(0.025, Number(1e-6, 10), "learning rate at the beginning")
    last_rate: float = parameter(1e-4, Number(0, 10), "learning rate at the end, to which it falls evenly")
    seed: int = parameter(
        1, Whole(0, (1 << 63) - 1), "where chance starts; with one thread, same seed, same bytes"
    )

    def train(
        self,
        source: Source,
        *,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        threads: int | None = None,
        checkpoint: Checkpoint | str | Path | None = None,
        tell: Tell | None = None,
    ) -> WordVectors:
        """Train on the view of an index, or on texts (see `Trainer.train`)."""
        if isinstance(checkpoint, str | Path):
            checkpoint = Checkpoint(checkpoint)
        text = TrainingText.of(source, named_analyzer(analyzer))
        training = self.training(text, checked_threads(threads))
        training.run(checkpoint, tell or (lambda _: None))
        return training.made()

    def training(self, text: TrainingText, threads: int) -> WordTraining:
        """Return the training of a text, at its start."""
        return WordTraining(self, text, threads)


class WordTraining(Training):
    """Words and their two matrices."""

    settings: Word2Vec

    def __init__(self, settings: Word2Vec, text: TrainingText, threads: int) -> None:
        self.vocabulary = Vocabulary.of(text, settings.min_count)
        super().__init__(settings, text, settings.epochs, threads)
        self.keep = kept_share(self.vocabulary.counts, settings.sample)
        self.table = alias_table(self.vocabulary.counts.astype(np.float64) ** settings.power)
        self.inward, self.outward = self._start()

    def matrices(self) -> dict[str, F32]:
        """Return IN and OUT."""
        return {IN: self.inward, OUT: self.outward}

    def _start(self) -> tuple[F32, F32]:
        from aboutness.kernels.chance import fill_evenly

        dim = self.settings.dim
        words = len(self.vocabulary)
        try:
            inward, outward = empty_rows(words, dim), empty_rows(words, dim)
        except MemoryError:
            size = 2 * 4 * words * dim / 1e9
            raise UsageError(
                f"two matrices of {words:,} words x {dim} need {size:,.1f} GB, which is more memory than there "
                "is; choose a lower dim or a higher min_count"
            ) from None
        if self.text.begins:
            fill_evenly(self._chance(-1), np.float32(START / dim), dim, inward)
        return inward, outward

    def _train(self, block: Block, chance: NDArray[np.uint64], rate: float, slope: float) -> float:
        from aboutness.kernels import word2vec

        settings = self.settings
        if settings.architecture == SKIP_GRAM:
            train, shared = word2vec.skip_gram, 2 * settings.window
        else:
            train, shared = word2vec.cbow, SUCCESSIVE
        _, total = train(
            block.tokens, block.starts, block.ends, self.vocabulary.number_of, self.keep, self.table, chance,
            settings.window, settings.negatives, shared if settings.draw == SHARED else 1, rate, slope,
            self.inward, self.outward,
        )  # fmt: skip
        return float(total)

    def made(self) -> WordVectors:
        """Return what has been trained."""
        text = self.text
        return WordVectors(
            StringTable.of(self.vocabulary.words),
            {IN: self._narrow(self.inward), OUT: self._narrow(self.outward)},
            counts=self.vocabulary.counts,
            provenance={
                "training": self.settings.name,
                "parameters": plain(self.settings),
                "threads": self.threads,
                "tokens": self.tokens,
                "epochs": self.epochs,
                **({"analyzer": text.analyzer.to_json()} if text.analyzer else {}),
                "software": f"aboutness {__version__}",
            },
        )

    def _narrow(self, padded: F32) -> F32:
        """Return a matrix without the zeros at the end of its rows."""
        return np.ascontiguousarray(padded[:, : self.settings.dim])
