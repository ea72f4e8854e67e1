"""Documents of an index in the plane, by PCA or t-SNE, and where other vectors belong among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aboutness.app.generation import Generation
from aboutness.app.map_space import MapSpace, map_space
from aboutness.core.errors import UsageError, shown
from aboutness.core.record import Document
from aboutness.models.question import Question
from aboutness.report.projection import neighbour_map, principal_axes
from aboutness.report.spaces import drawable

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

PCA, TSNE = METHODS = ("pca", "tsne")
DRAWN = 3000  # documents, unless said
FEWEST_DRAWN, MOST_DRAWN = 2, 20_000
AROUND = 10  # documents whose places tell where a vector belongs on a map by t-SNE
SHOWN = 100  # characters of a title
LENGTH_ERROR = 1e-3
TOGETHER = 256  # documents that are read together


@dataclass(frozen=True)
class Choice:
    """Which documents are drawn, and how: by which vectors, which way, how many at most, by which seed."""

    by: str | None = None
    method: str = PCA
    most: int = DRAWN
    seed: int = 1

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(f"method must be one of {', '.join(METHODS)}, got {shown(self.method)}")
        if isinstance(self.most, bool) or not FEWEST_DRAWN <= self.most <= MOST_DRAWN:
            raise UsageError(
                f"most must be a whole number from {FEWEST_DRAWN} to {MOST_DRAWN:,}, got {shown(self.most)}"
            )


class Plane:
    """Documents of one generation in the plane; of the index it keeps nothing but what is drawn."""

    def __init__(self, generation: Generation, choice: Choice) -> None:
        space = map_space(generation, choice.by)
        self.choice = choice
        self.name = space.name
        self.every = drawable(generation.snapshot, space.rows, space.name)
        self.numbers = _sample(self.every, choice)
        rows = space.rows[self.numbers].astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        self._alike_long = bool((np.abs(lengths - 1) < LENGTH_ERROR).all())
        self._middle = rows.mean(axis=0)
        self._axes, self.shares = principal_axes(rows)
        self._directions = np.zeros((0, rows.shape[1]), np.float32)
        if choice.method == PCA:
            self.places = self._flat(rows)
        else:
            self._directions = (rows / lengths[:, None]).astype(np.float32)
            self.places = neighbour_map(rows, seed=choice.seed)
        self._tell(generation)

    def _tell(self, generation: Generation) -> None:
        self.ids: list[str] = []
        self.titles: list[str] = []
        keys = Counter[str]()
        for first in range(0, len(self.numbers), TOGETHER):  # their texts may be long
            for document in generation.snapshot.documents_of(self.numbers[first : first + TOGETHER]):
                self.ids.append(document.id)
                self.titles.append(title_of(document))
                keys.update(list(document.metadata))
        self.keys = [key for key, _ in keys.most_common()]

    @cached_property
    def span(self) -> float:
        """Return how wide the map is, or how high, whichever is more."""
        return float(np.ptp(self.places, axis=0).max())

    def place(self, vectors: F64) -> F64:
        """Return where vectors belong: by PCA exactly, by t-SNE amid the drawn documents they are most like."""
        if self.choice.method == PCA:
            return self._flat(vectors)
        like = vectors.astype(np.float32) @ self._directions.T
        found: F64 = np.median(self.places[np.argsort(-like, axis=1, kind="stable")[:, :AROUND]], axis=1)
        return found

    def place_question(self, space: MapSpace, question: Question) -> F64 | None:
        """Return where a question belongs, or None where it has no known word.

        Where all documents have length 1, it is taken with length 1 too.
        """
        vector = space.vector(question)
        if vector is None:
            return None
        scaled = vector / np.linalg.norm(vector) if self._alike_long else vector
        found: F64 = self.place(scaled[None])[0]
        return found

    def place_documents(self, space: MapSpace, numbers: I64) -> tuple[F64, NDArray[np.bool_]]:
        """Return where documents with a row are, or belong, and whether they are drawn."""
        at = np.searchsorted(self.numbers, numbers)
        at[at == len(self.numbers)] = 0
        drawn = self.numbers[at] == numbers
        places = self.place(space.rows[numbers].astype(np.float64))
        places[drawn] = self.places[at[drawn]]
        return places, drawn

    def _flat(self, vectors: F64) -> F64:
        return np.asarray((vectors - self._middle) @ self._axes, np.float64)


def _sample(numbers: I64, choice: Choice) -> I64:
    """Return the documents that are drawn, ascending: the same as on the figure `map`."""
    if len(numbers) <= choice.most:
        return numbers
    return numbers[np.sort(np.random.default_rng(choice.seed).choice(len(numbers), choice.most, replace=False))]


def title_of(document: Document) -> str:
    """Return the title of a document on a line, not too long, or where there is none the beginning of its text."""
    text = document.fields.get("title") or next(iter(document.fields.values()), "")
    line = " ".join(text[: 4 * SHOWN].split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
