"""Indexes with word vectors made by hand, and sums of vectors worked out word by word."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

import aboutness as ab
from aboutness.index.manifest import ArtefactEntry, FileEntry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.model import Model
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation
from aboutness.text.strings import StringTable
from aboutness.vectors.kept import KIND
from aboutness.vectors.load import load_vectors
from aboutness.vectors.words import WordVectors
from models.drawing import UNKNOWN, WORDS, texts

Vectors = Mapping[str, NDArray[np.float64]]  # of some words, in one space

ASKED = texts([*WORDS, *UNKNOWN, "unheard"])  # no document has "unheard", but it has a vector
SPACES = ("in", "out")


def vectors_of(spaces: Mapping[str, Mapping[str, Sequence[float]]], **more: Any) -> WordVectors:
    """Vectors of the same words in some spaces."""
    words = list(next(iter(spaces.values())))
    matrices = {name: np.array([space[word] for word in words], np.float32) for name, space in spaces.items()}
    return WordVectors(StringTable.of(words), matrices, **more)


def in_vectors(more: Mapping[str, Any] | None = None, **words: Sequence[float]) -> WordVectors:
    return vectors_of({"in": words}, **(more or {}))


def with_vectors(snapshot: Snapshot, **vectors: WordVectors) -> Snapshot:
    """The same documents with other vectors, which are only in memory."""
    entries = {
        name: ArtefactEntry(name, KIND, dict(one.provenance), None, 1, "", FileEntry(f"{name}.file", 0, 0))
        for name, one in vectors.items()
    }
    arrays = {name: dict(one.arrays()) for name, one in vectors.items()}
    trained = Trained(snapshot.folder, entries, arrays)
    return Snapshot(snapshot.folder, snapshot.manifest, snapshot.segments, trained)


def scored(model: Model, snapshot: Snapshot, question: str | Question) -> list[float]:
    """The score of every living document, in order of arrival."""
    asked = Question(question) if isinstance(question, str) else question
    return [float(score) for score in model.bind(snapshot).scores(asked, snapshot.live_numbers())]


def explained(model: Model, snapshot: Snapshot, question: str | Question) -> list[Explanation]:
    """Why every living document has its score."""
    asked = Question(question) if isinstance(question, str) else question
    return [model.bind(snapshot).explain(asked, number) for number in snapshot.live_numbers().tolist()]


def turned(vectors: WordVectors, seed: int) -> WordVectors:
    """The vectors of all spaces after the same rotation."""
    chance = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(chance.normal(size=(vectors.dim, vectors.dim)))
    return changed(vectors, lambda matrix: matrix @ rotation)


def changed(vectors: WordVectors, change: Any) -> WordVectors:
    """The vectors after a change in float64."""
    made = {name: change(matrix.astype(np.float64)).astype(np.float32) for name, matrix in vectors.spaces.items()}
    return vectors.with_spaces(made)


def assert_same_ranking(one: Sequence[float], other: Sequence[float], within: float = 2e-5) -> None:
    """Scores differ by rounding alone, and documents whose scores differ by more stand in the same order."""
    np.testing.assert_allclose(one, other, rtol=within, atol=within)
    a, b = np.array(one), np.array(other)
    apart = a[:, None] - a[None, :] > 2 * within
    assert (b[:, None] > b[None, :])[apart].all()


# --- word by word ----------------------------------------------------------------------------------------------


def by_word(vectors: WordVectors, space: str = "in") -> Vectors:
    return {word: row.astype(np.float64) for word, row in zip(vectors, vectors.spaces[space], strict=True)}


def query_of(text: str, vectors: Vectors) -> dict[str, float]:
    """The words of a text that have vectors, whether or not any document has them."""
    return {word: float(count) for word, count in Counter(text.split()).items() if word in vectors}


def centroid(weights: Mapping[str, float], vectors: Vectors) -> NDArray[np.float64]:
    """C = X W for one row of X, which is made unit length first, as galke2017 does."""
    length = math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
    return added((weight / length * vectors[word] for word, weight in weights.items() if word in vectors), vectors)


def added(some: Iterable[NDArray[np.float64]], vectors: Vectors) -> NDArray[np.float64]:
    return sum(some, np.zeros(len(next(iter(vectors.values())))))


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """The cosine, or None where one of the two has no direction."""
    lengths = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / lengths if lengths else None


def idf(variant: str, n: int, df: Mapping[str, int], word: str) -> float:
    """How rare a word is. Where no document has it, ln(n / df) has a pole, and it counts as if one had it."""
    if variant in ("slides", "malina"):
        return math.log(n / max(df.get(word, 0), 1))
    return math.log((1 + n) / (1 + df.get(word, 0))) + (1 if variant == "sklearn" else 0)


# --- a real collection -----------------------------------------------------------------------------------------

REAL_QUERIES = ["shock waves", "the heat transfer of a blunt body", "supersonic zzz flow flow flow"]


@dataclass(frozen=True)
class Real:
    """A collection and vectors of its words, to be multiplied as dense matrices."""

    snapshot: Snapshot
    vectors: WordVectors

    @cached_property
    def places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.vectors)}

    def matrix(self, space: str) -> NDArray[np.float64]:
        return self.vectors.space(space).astype(np.float64)

    @cached_property
    def fields(self) -> dict[str, NDArray[np.float64]]:
        """X over the words that have vectors, for each field."""
        documents = list(self.snapshot)
        return {
            name: np.array([self.counts_of(document.fields.get(name, "")) for document in documents])
            for name in self.snapshot.fields
        }

    def counts(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """X over the words that have vectors."""
        return sum((weight * self.fields[name] for name, weight in weights.items()), np.zeros(()))

    def counts_of(self, text: str) -> NDArray[np.float64]:
        known = [self.places[term] for term in self.snapshot.analyzer().terms(text) if term in self.places]
        return np.bincount(known, minlength=len(self.places)).astype(np.float64)


@cache
def cranfield(documents: Path, glove: Path) -> Real:
    """Cranfield with GloVe vectors in one space, and the same in another order in the other."""
    for folder in (documents, glove):
        if not folder.is_dir():
            pytest.skip(f"{folder} is not there")
    index = ab.Index.build(ab.read(documents), analyzer="plain")
    loaded = load_vectors(glove / "vectors.f16.npy", vocab=glove / "vocab.txt")
    numbers = loaded.numbers(index.view().terms())
    kept = numbers[numbers >= 0]
    matrix = np.ascontiguousarray(loaded.space()[kept], dtype=np.float32)
    words = StringTable.of([loaded.words[number] for number in kept.tolist()])
    vectors = WordVectors(words, {"in": matrix, "out": matrix[::-1].copy()})
    index.keep_vectors(vectors, "glove")
    MEMORY.append(index)
    return Real(index.snapshot, vectors)


MEMORY: list[ab.Index] = []  # an index in memory is gone when nobody holds it
seeds_of_rotation = st.integers(0, 1 << 32)
