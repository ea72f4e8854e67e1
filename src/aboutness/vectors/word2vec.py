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

import contextlib
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness._version import __version__
from aboutness.core.errors import Diverged, StorageError, UsageError
from aboutness.core.kinds import Choice, Number, Whole
from aboutness.core.parameters import parameter
from aboutness.core.threads import checked_threads
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.text.strings import StringTable
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.threads import Work
from aboutness.vectors.trainer import DEFAULT_ANALYZER, Progress, Tell, Trainer, plain, register
from aboutness.vectors.training_text import Block, Source, TrainingText
from aboutness.vectors.words import IN, OUT, WordVectors

F32 = NDArray[np.float32]

SKIP_GRAM, CBOW = "skip-gram", "cbow"
SHARED, PLAIN = "shared", "plain"
START = 4.0  # IN starts evenly between -START/dim and START/dim, OUT at 0
SUCCESSIVE = 4  # words that share their negatives in CBOW
LARGEST = 1e3  # a number in a vector, at most; those of sound vectors are below 10
PATIENCE = 10  # the time between two checkpoints is at least so many times what one takes
LEAST_EPOCHS, MOST_EPOCHS = 5, 20
PLENTY = 20_000_000  # tokens, over all epochs
LANES = 8  # rows are filled up with zeros to a multiple of this: whole registers
ROUND = 2.0**32


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
        training = _Training(self, text, checked_threads(threads))
        training.run(checkpoint, tell or (lambda _: None))
        return WordVectors(
            StringTable.of(training.words),
            {IN: training.vectors(training.inward), OUT: training.vectors(training.outward)},
            counts=training.counts,
            provenance={
                "training": self.name,
                "parameters": plain(self),
                "threads": training.threads,
                "tokens": training.tokens,
                "epochs": training.epochs,
                **({"analyzer": text.analyzer.to_json()} if text.analyzer else {}),
                "software": f"aboutness {__version__}",
            },
        )


def _frequent(text: TrainingText, least: int) -> tuple[list[str], NDArray[np.int64]]:
    """Return the terms that are frequent enough, by falling count and then by spelling, and their numbers.

    The frequent ones together stay in the cache; and how terms are numbered makes no difference.
    """
    terms, counts = text.terms(), text.counts.tolist()
    frequent = np.flatnonzero(text.counts >= least).tolist()
    frequent.sort(key=lambda number: (-counts[number], terms[number]))
    return [terms[number] for number in frequent], np.array(frequent, np.int64)


def enough_epochs(tokens: int) -> int:
    """Return how often to read a text of so many tokens: `PLENTY` in all, but from 5 to 20 times.

    >>> enough_epochs(200_000), enough_epochs(2_000_000), enough_epochs(9_000_000)
    (20, 10, 5)
    """
    return min(MOST_EPOCHS, max(LEAST_EPOCHS, -(-PLENTY // max(1, tokens))))


class _Training:
    """The state of one training: which words, their two matrices, and which block is next."""

    def __init__(self, settings: Word2Vec, text: TrainingText, threads: int) -> None:
        self.settings = settings
        self.last_rate = min(settings.rate, settings.last_rate)
        self.tokens = text.tokens
        self.epochs = settings.epochs or enough_epochs(self.tokens)
        self.text = text
        self.words, self.order = _frequent(text, settings.min_count)
        self.counts = text.counts[self.order]
        if not len(self.order):
            raise UsageError(
                f"no word stands at least min_count={settings.min_count} times in the {self.tokens:,} tokens of "
                "the text: train on more text, or lower min_count"
            )
        self.number_of = np.full(len(text.counts), -1, np.int32)
        self.number_of[self.order] = np.arange(len(self.order))
        self.blocks = text.blocks()
        self.threads = min(threads, len(self.blocks))
        self.keep = self._keep()
        self.table = self._table()
        self.inward, self.outward = self._start()

    def _keep(self) -> NDArray[np.uint64]:
        """Return, for each word, below which of 2^32 numbers it is kept."""
        sample = self.settings.sample
        if sample == 0:
            return np.full(len(self.order), ROUND, np.uint64)
        rarity = sample / (self.counts / self.counts.sum())
        return np.asarray(np.minimum(1.0, np.sqrt(rarity) + rarity) * ROUND).astype(np.uint64)

    def _table(self) -> NDArray[np.uint64]:
        from aboutness.kernels.chance import fill_alias

        weights = self.counts.astype(np.float64) ** self.settings.power
        table = np.zeros(len(weights), np.uint64)
        fill_alias(weights, np.zeros(len(weights), np.int64), np.zeros(len(weights)), table)
        return table

    def _start(self) -> tuple[F32, F32]:
        from aboutness.kernels.chance import fill_evenly

        dim = self.settings.dim
        shape = len(self.order), -(-dim // LANES) * LANES
        try:
            inward, outward = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        except MemoryError:
            size = 2 * 4 * math.prod(shape) / 1e9
            raise UsageError(
                f"two matrices of {shape[0]:,} words x {dim} need {size:,.1f} GB, which is more memory than there "
                "is; choose a lower dim or a higher min_count"
            ) from None
        fill_evenly(self._chance(-1), np.float32(START / dim), dim, inward)
        return inward, outward

    def _chance(self, number: int) -> NDArray[np.uint64]:
        """Return the state from which the chance of one block is drawn; that of block -1 is for the start."""
        from aboutness.kernels.chance import scramble

        own = int(scramble(np.uint64(self.settings.seed))) ^ (number + 1)
        return np.array([scramble(np.uint64(own))], np.uint64)

    def run(self, checkpoint: Checkpoint | None, tell: Tell) -> None:
        """Read all blocks in all epochs."""
        self._compile()
        work = Work(self._block, self._resume(checkpoint), len(self.blocks) * self.epochs, self.threads)
        first, began = self._done(work.next), time.monotonic()

        def told() -> None:
            done, seconds = self._done(work.next), time.monotonic() - began
            tell(Progress(done, self.tokens * self.epochs, (done - first) / seconds if seconds else 0.0))

        wait = checkpoint.every if checkpoint else math.inf
        try:
            while not work.run(wait, told):
                assert checkpoint
                wait = max(checkpoint.every, PATIENCE * self._save(checkpoint, work.next))
        except KeyboardInterrupt:
            if checkpoint:
                self._save(checkpoint, work.next)
            raise
        self._check()
        if checkpoint:
            with contextlib.suppress(StorageError):  # what is trained may still be kept elsewhere
                self._save(checkpoint, work.next)

    def _check(self) -> None:
        """Raise where vectors have grown beyond what training makes of text: they would be of no use."""
        for matrix in (self.inward, self.outward):
            if not (matrix.max() <= LARGEST and matrix.min() >= -LARGEST):  # so for NaN, too
                raise self._diverged()

    def _done(self, number: int) -> int:
        """Return how many tokens come before a block, over all epochs."""
        epoch, block = divmod(number, len(self.blocks))
        return epoch * self.tokens + (self.blocks[block].before if block else 0)

    def _block(self, number: int) -> None:
        settings = self.settings
        block: Block = self.blocks[number % len(self.blocks)]
        slope = (settings.rate - self.last_rate) / (self.tokens * self.epochs)
        total = self._train(
            block.tokens, block.starts, block.ends, self._chance(number),
            settings.rate - slope * self._done(number), slope,
        )  # fmt: skip
        if not math.isfinite(total):
            raise self._diverged()

    def _train(
        self,
        tokens: NDArray[np.int32],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        chance: NDArray[np.uint64],
        rate: float,
        slope: float,
    ) -> float:
        """Train on some pieces; return the sum of all products."""
        from aboutness.kernels import word2vec

        settings = self.settings
        if settings.architecture == SKIP_GRAM:
            train, shared = word2vec.skip_gram, 2 * settings.window
        else:
            train, shared = word2vec.cbow, SUCCESSIVE
        _, total = train(
            tokens, starts, ends, self.number_of, self.keep, self.table, chance, settings.window,
            settings.negatives, shared if settings.draw == SHARED else 1, rate, slope, self.inward, self.outward,
        )  # fmt: skip
        return float(total)

    def _compile(self) -> None:
        """Have the kernel compiled, or its code loaded, before time is taken."""
        nothing = np.zeros(0, np.int64)
        self._train(self.blocks[0].tokens, nothing, nothing, self._chance(0), self.settings.rate, 0.0)

    def _diverged(self) -> Diverged:
        return Diverged(
            f"the training diverged: vectors grew beyond all bounds with rate={self.settings.rate:g}; choose a "
            "lower rate (0.025 is usual)"
        )

    # --- checkpoints -----------------------------------------------------------------------------------

    def _about(self) -> dict[str, Any]:
        """Return what makes this training this one; the number of threads does not."""
        return {"training": str(self.settings), "tokens": self.tokens, "text": self.text.checksum, "format": 1}

    def _resume(self, checkpoint: Checkpoint | None) -> int:
        """Take over what a checkpoint holds; return the block with which to go on."""
        kept = checkpoint.load(self._about()) if checkpoint else None
        if kept is None:
            return 0
        try:
            self.inward[:], self.outward[:] = kept[IN], kept[OUT]
            return int(kept["next"][0])
        except (LookupError, ValueError) as error:
            raise UsageError(
                f"the checkpoint is damaged ({error!r}); start anew with restart (--restart)"
            ) from None

    def _save(self, checkpoint: Checkpoint, number: int) -> float:
        """Write the checkpoint; return how many seconds that took."""
        self._check()
        began, next_ = time.monotonic(), np.array([number], np.int64)
        checkpoint.save(self._about(), {IN: self.inward, OUT: self.outward, "next": next_})
        return time.monotonic() - began

    def vectors(self, padded: F32) -> F32:
        """Return a matrix without the zeros at the end of its rows."""
        return np.ascontiguousarray(padded[:, : self.settings.dim])
