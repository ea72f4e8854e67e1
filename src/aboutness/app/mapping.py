"""A map of documents: where they lie in the plane, what they are labelled, and a query among them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.app.generation import Generation
from aboutness.app.map_plane import DRAWN, MOST_DRAWN, PCA, TSNE, Choice, Plane, title_of
from aboutness.app.map_space import MapSpace, map_space, vectors_here
from aboutness.app.search import checked_question
from aboutness.app.shared_work import SharedWork
from aboutness.models.question import Question
from aboutness.report.spaces import labels_of

__all__ = [
    "DRAWN", "MOST_DRAWN", "PCA", "TSNE", "Choice", "Maps", "Near", "Points", "document_points", "methods_here",
    "vectors_here",
]  # fmt: skip

NEAREST = 20  # documents that are listed for a query
MOST_LABELS = 100  # that have a name of their own
DIGITS = 6  # of a place, of the width of the map: less than a pixel, also when it is enlarged
PLANES, LABELLINGS = 6, 12  # that are kept

Labels: TypeAlias = "tuple[list[str], list[int]]"


@dataclass(frozen=True)
class Near:
    """A document near to the query: its rank among all, its score, its place, and whether it is drawn."""

    rank: int
    id: str
    title: str
    score: float
    x: float
    y: float
    drawn: bool


@dataclass(frozen=True)
class Points:
    """What a map shows. `labels` are names, the most frequent first, and for each document the number of its own.

    A document without a label has -1, and one whose label is too rare to be named the number after the last.
    """

    plane: Plane
    generation: int
    labels: Labels | None = None
    relevance: list[float] | None = None
    query: tuple[float, float] | None = None
    nearest: tuple[Near, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self, *, places: bool = True) -> dict[str, Any]:
        """Return the map in plain values; without `places`, only what depends on the query."""
        plane = self.plane
        return {
            "method": plane.choice.method,
            "methods": methods_here(),
            "by": plane.name,
            "generation": self.generation,
            "documents": len(plane.numbers),
            "of": len(plane.every),
            "keys": plane.keys,
            **(self._drawn() if places else {}),
            "relevance": self.relevance,
            "query": None if self.query is None else {"x": self.query[0], "y": self.query[1]},
            "nearest": [asdict(one) for one in self.nearest],
            "note": ". ".join(self.notes),
        }

    def _drawn(self) -> dict[str, Any]:
        plane = self.plane
        x, y = (_rounded(values, plane.span) for values in plane.places.T)
        names, numbers = (None, None) if self.labels is None else self.labels
        return {"ids": plane.ids, "titles": plane.titles, "x": x, "y": y, "labels": names, "label": numbers}


class Maps:
    """Maps of any indexes; what takes long is kept, for as long as others are not wanted more."""

    def __init__(self) -> None:
        self._planes: dict[str, SharedWork[Plane]] = {
            PCA: SharedWork(PLANES, at_once=2),
            TSNE: SharedWork(PLANES, at_once=1),
        }
        self._labels: SharedWork[Labels] = SharedWork(LABELLINGS, at_once=2)

    def points(
        self,
        generation: Generation,
        choice: Choice,
        *,
        query: str | None = None,
        label: str | None = None,
        patience: float | None = None,
    ) -> Points:
        """Return a map, with a query among the documents, and their labels: what metadata say under a key.

        Raise TimeoutError where a part of it takes longer than `patience` seconds; that goes on, so ask again.
        """
        plane = self._planes[choice.method].result(
            _key(generation, choice), partial(Plane, generation, choice), patience
        )
        labels = label and self._labels.result(
            (_key(generation, choice), label), partial(_labels, generation, plane, label), patience
        )
        return _with_query(generation, plane, query or "", labels or None)


def document_points(
    generation: Generation,
    method: str = PCA,
    by: str | None = None,
    *,
    most: int = DRAWN,
    seed: int = 1,
    query: str | None = None,
    label: str | None = None,
) -> Points:
    """Return documents in the plane by their vectors, as the figure `map` draws them; `label` is a metadata key.

    `by` is a ranker with vectors, or what was trained on documents. `most` of the documents are drawn, by a seed.
    """
    return Maps().points(generation, Choice(by, method, most, seed), query=query, label=label)


def methods_here() -> list[str]:
    """Return the ways of drawing a map that are installed."""
    return [PCA, TSNE] if find_spec("openTSNE") else [PCA]


def _key(generation: Generation, choice: Choice) -> Hashable:
    """Return what a map depends on; an index that was removed and built again is another."""
    manifest = generation.snapshot.manifest
    return generation.snapshot.folder, manifest.created, manifest.generation, choice


def _labels(generation: Generation, plane: Plane, key: str) -> Labels:
    every = labels_of(generation.snapshot, plane.numbers.tolist(), key)
    counts = Counter(label for label in every if label is not None)
    names = sorted(counts, key=lambda one: (-counts[one], one))[:MOST_LABELS]
    numbers = {name: number for number, name in enumerate(names)}
    return names, [-1 if label is None else numbers.get(label, len(names)) for label in every]


def _with_query(generation: Generation, plane: Plane, query: str, labels: Labels | None) -> Points:
    notes, number = _notes(plane), generation.snapshot.generation
    if not query.strip():
        return Points(plane, number, labels, notes=notes)
    space, question = map_space(generation, plane.choice.by), checked_question(generation, query)
    place = plane.place_question(space, question)
    if place is None:
        return Points(plane, number, labels, notes=(*notes, "No word of the query has a vector; try other words"))
    x, y = _rounded(place, plane.span)
    relevance = [float(f"{score:.4g}") for score in space.scores(question, plane.numbers).tolist()]
    how = (
        "The query is projected as documents are"
        if plane.choice.method == PCA
        else "The query stands amid the ten documents it is most like"
    )
    nearest = tuple(_nearest(generation, plane, space, question))
    return Points(plane, number, labels, relevance, (x, y), nearest, (*notes, how))


def _nearest(generation: Generation, plane: Plane, space: MapSpace, question: Question) -> list[Near]:
    numbers = space.best(question, plane.every, NEAREST)
    scores = space.scores(question, numbers).tolist()
    places, drawn = plane.place_documents(space, numbers)
    documents = generation.snapshot.documents_of(numbers)
    found = []
    for at, document in enumerate(documents):
        x, y = _rounded(places[at], plane.span)
        found.append(Near(at + 1, document.id, title_of(document), scores[at], x, y, bool(drawn[at])))
    return found


def _notes(plane: Plane) -> tuple[str, ...]:
    drawn, every = len(plane.numbers), len(plane.every)
    which = (
        f"All {every:,} documents with a vector"
        if drawn == every
        else f"{drawn:,} of {every:,} documents, drawn by seed {plane.choice.seed}"
    )
    if plane.choice.method == TSNE:
        return which, "Near points are alike; distances between groups say little"
    return which, f"The two axes hold {plane.shares[0] + plane.shares[1]:.0%} of all differences"


def _rounded(values: NDArray[np.float64], span: float) -> list[float]:
    digits = DIGITS - math.ceil(math.log10(span)) if span > 0 else DIGITS
    found: list[float] = np.round(values, digits).tolist()
    return found
