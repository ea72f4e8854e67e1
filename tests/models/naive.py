"""The numbers that term models are made of, counted from the documents in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aboutness.core.record import Document


@dataclass(frozen=True)
class Counts:
    """Weighted counts of words: `tf` of each document, `length` of each, `df` and `cf` over all."""

    tf: list[dict[str, float]]

    @classmethod
    def of(cls, documents: Sequence[Document], weights: Mapping[str, float]) -> Counts:
        return cls([weighted(document.fields, weights) for document in documents])

    @property
    def n(self) -> int:
        return len(self.tf)

    @property
    def length(self) -> list[float]:
        return [math.fsum(tf.values()) for tf in self.tf]

    @property
    def total(self) -> float:
        return math.fsum(self.length)

    @property
    def average(self) -> float:
        return self.total / self.n

    @property
    def df(self) -> Counter[str]:
        return Counter(word for tf in self.tf for word in tf)

    @property
    def cf(self) -> dict[str, float]:
        return {word: math.fsum(tf.get(word, 0.0) for tf in self.tf) for word in self.df}

    def query(self, text: str) -> dict[str, float]:
        """The words of a text that some document has, with their counts."""
        return {word: float(count) for word, count in Counter(text.split()).items() if self.df[word]}


def weighted(texts: Mapping[str, str], weights: Mapping[str, float]) -> dict[str, float]:
    tf: dict[str, float] = {}
    for name, weight in weights.items():
        for word in texts.get(name, "").split():
            tf[word] = tf.get(word, 0.0) + weight
    return tf


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The cosine of two vectors; 0 where one of them is nothing."""
    norms = math.sqrt(math.fsum(x * x for x in one.values()) * math.fsum(x * x for x in other.values()))
    return math.fsum(x * other.get(word, 0.0) for word, x in one.items()) / norms if norms else 0.0
