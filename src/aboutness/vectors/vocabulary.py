"""The words that a training gives vectors to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError
from aboutness.vectors.training_text import TrainingText


@dataclass(frozen=True)
class Vocabulary:
    """The terms that are frequent enough, by falling count and then by spelling.

    The frequent ones together stay in the cache; and how terms are numbered makes no difference.
    """

    words: list[str]
    counts: NDArray[np.int64]
    number_of: NDArray[np.int32]  # by term number: that of the word, or -1

    @classmethod
    def of(cls, text: TrainingText, least: int) -> Vocabulary:
        """Return the terms that stand in a text, or in all of which it is a shard, at least so many times."""
        if text.whole is not None:
            return text.whole.vocabulary
        terms, counts = text.terms(), text.counts.tolist()
        frequent = np.flatnonzero(text.counts >= max(least, 1)).tolist()
        if not frequent:
            tokens = int(text.counts.sum())
            cure = "train on more text, or lower min_count (--min-count)" if tokens else "add documents with words"
            raise UsageError(
                f"no word stands at least min_count={least} times in the {tokens:,} tokens of the text: {cure}"
            )
        frequent.sort(key=lambda number: (-counts[number], terms[number]))
        order = np.array(frequent, np.int64)
        number_of = np.full(len(counts), -1, np.int32)
        number_of[order] = np.arange(len(order))
        return cls([terms[number] for number in frequent], text.counts[order], number_of)

    def __len__(self) -> int:
        return len(self.counts)
