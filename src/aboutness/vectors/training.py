"""Training in steps over the blocks of a text, again and again, with progress, checkpoints and resume."""

from __future__ import annotations

import contextlib
import math
import time
from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import Diverged, StorageError, UsageError
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.threads import Work
from aboutness.vectors.trainer import Progress, Tell
from aboutness.vectors.training_text import Block, TrainingText

F32 = NDArray[np.float32]

LARGEST = 1e3  # a number in a vector, at most; those of sound vectors are below 10
PATIENCE = 10  # the time between two checkpoints is at least so many times what one takes
LEAST_EPOCHS, MOST_EPOCHS = 5, 20
PLENTY = 20_000_000  # tokens, over all epochs
LANES = 8  # rows are filled up with zeros to a multiple of this: whole registers
ROUND = 2.0**32
SHARD = 1 << 40  # blocks that a shard may have, over all epochs, before it has the chance of the next


class Settings(Protocol):
    """What every such training declares."""

    @property
    def rate(self) -> float:
        """Return the learning rate at the beginning."""
        ...

    @property
    def last_rate(self) -> float:
        """Return the learning rate at the end."""
        ...

    @property
    def seed(self) -> int:
        """Return where chance starts."""
        ...


def enough_epochs(tokens: int, most: int = MOST_EPOCHS) -> int:
    """Return how often to read a text of so many tokens: `PLENTY` in all, but from 5 to 20 times, or to `most`.

    >>> enough_epochs(200_000), enough_epochs(2_000_000), enough_epochs(9_000_000)
    (20, 10, 5)
    """
    return min(most, max(LEAST_EPOCHS, -(-PLENTY // max(1, tokens))))


def kept_share(counts: NDArray[np.int64], threshold: float) -> NDArray[np.uint64]:
    """Return, for each word, below which of 2^32 numbers it is kept when frequent words are left out by chance."""
    if threshold == 0:
        return np.full(len(counts), ROUND, np.uint64)
    rarity = threshold / (np.maximum(counts, 1) / counts.sum())
    return np.asarray(np.minimum(1.0, np.sqrt(rarity) + rarity) * ROUND).astype(np.uint64)


def alias_table(weights: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return a table from which numbers are drawn in proportion to weights."""
    from aboutness.kernels.chance import fill_alias

    table = np.zeros(len(weights), np.uint64)
    fill_alias(weights, np.zeros(len(weights), np.int64), np.zeros(len(weights)), table)
    return table


def empty_rows(count: int, dim: int) -> F32:
    """Return rows of zeros, as wide as kernels want them."""
    return np.zeros((count, -(-dim // LANES) * LANES), np.float32)


def chance_of(seed: int, number: int) -> NDArray[np.uint64]:
    """Return the state from which the chance of one piece of work is drawn."""
    from aboutness.kernels.chance import scramble

    own = int(scramble(np.uint64(seed))) ^ (number + 1)
    return np.array([scramble(np.uint64(own))], np.uint64)


class Training(ABC):
    """The state of one training: its matrices, which a subclass makes, and which block is next."""

    def __init__(self, settings: Settings, text: TrainingText, epochs: int, threads: int) -> None:
        self.settings = settings
        self.text = text
        self.tokens = text.tokens
        self.epochs = epochs or enough_epochs(self.tokens)
        self.last_rate = min(settings.rate, settings.last_rate)
        self.blocks = text.blocks()
        self.threads = min(threads, max(1, len(self.blocks)))

    @abstractmethod
    def matrices(self) -> dict[str, F32]:
        """Return all that is trained, by name."""

    @abstractmethod
    def _train(self, block: Block, chance: NDArray[np.uint64], rate: float, slope: float) -> float:
        """Train on a block; return the sum of all products. The rate falls by `slope` for each token."""

    def _chance(self, number: int) -> NDArray[np.uint64]:
        """Return the state from which the chance of one block is drawn; that of block -1 is for the start."""
        return chance_of(self.settings.seed, number + SHARD * (self.text.whole.shard if self.text.whole else 0))

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

    def run_some(self, first: int, last: int) -> None:
        """Read some blocks, as they are counted over all epochs, one after the other."""
        self._compile()
        for number in range(first, last):
            self._block(number)
        self._check()

    def _check(self) -> None:
        """Raise where vectors have grown beyond what training makes of text: they would be of no use."""
        for matrix in self.matrices().values():
            if not (matrix.max(initial=0) <= LARGEST and matrix.min(initial=0) >= -LARGEST):  # so for NaN, too
                raise self._diverged()

    def _done(self, number: int) -> int:
        """Return how many tokens come before a block, over all epochs."""
        epoch, block = divmod(number, max(1, len(self.blocks)))
        return epoch * self.tokens + (self.blocks[block].before if block else 0)

    def _block(self, number: int) -> None:
        block: Block = self.blocks[number % len(self.blocks)]
        slope = (self.settings.rate - self.last_rate) / (self.tokens * self.epochs)
        total = self._train(block, self._chance(number), self.settings.rate - slope * self._done(number), slope)
        if not math.isfinite(total):
            raise self._diverged()

    def _compile(self) -> None:
        """Have the kernel compiled, or its code loaded, before time is taken."""
        nothing = np.zeros(0, np.int64)
        for block in self.blocks[:1]:
            self._train(
                Block(block.tokens, nothing, nothing, nothing, 0), self._chance(0), self.settings.rate, 0.0
            )

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
            for name, matrix in self.matrices().items():
                matrix[:] = kept[name]
            return int(kept["next"][0])
        except (LookupError, ValueError) as error:
            raise UsageError(
                f"the checkpoint is damaged ({error!r}); start anew with restart (--restart)"
            ) from None

    def _save(self, checkpoint: Checkpoint, number: int) -> float:
        """Write the checkpoint; return how many seconds that took."""
        self._check()
        began, next_ = time.monotonic(), np.array([number], np.int64)
        checkpoint.save(self._about(), {**self.matrices(), "next": next_})
        return time.monotonic() - began
