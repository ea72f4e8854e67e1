"""The documents of an index as vectors: where they lie, with which labels, and how they lie to queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.index.snapshot import Snapshot
from aboutness.index.view import LayerView
from aboutness.models.centroids import to_length_one
from aboutness.models.dense import DenseScorer
from aboutness.models.question import Question
from aboutness.models.trained import on_all
from aboutness.rank.bound import Searcher, bind
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.report.projection import principal_axes
from aboutness.vectors.documents import KIND as ROWS
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.kept import space_of
from aboutness.vectors.words import WordVectors

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

TOGETHER = 256  # documents that are read together


@dataclass(frozen=True)
class DocumentVectors:
    """Documents by number, ascending, that have a vector; and these, in the same order."""

    name: str
    numbers: I64
    rows: F32

    def some(self, most: int, seed: int) -> DocumentVectors:
        """Return at most so many of them, drawn by a seed."""
        if len(self.numbers) <= most:
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self.numbers), most, replace=False))
        return DocumentVectors(self.name, self.numbers[chosen], self.rows[chosen])


def document_vectors(snapshot: Snapshot, by: str | Ranker | None = None) -> DocumentVectors:
    """Return the vectors of an index's documents: of a training by its name, or those that a ranker compares."""
    by = chosen_vectors(snapshot, by)
    trained = by in snapshot.trained.of_kind(ROWS)
    rows = trained_rows(snapshot, str(by))[1].rows if trained else dense_scorer(snapshot, by).rows.rows
    numbers = drawable(snapshot, rows, by)
    return DocumentVectors(str(by), numbers, rows[numbers])


def chosen_vectors(snapshot: Snapshot, by: str | Ranker | None = None) -> str | Ranker:
    """Return what documents are drawn by: what is named, or the first training of documents, or else `wcs`."""
    if by is not None:
        return by
    trained = list(snapshot.trained.of_kind(ROWS))
    if not trained and not snapshot.trained.of_kind(WordVectors.kind):
        raise NotFound(
            f"{snapshot.folder} has no vectors of documents; train some: aboutness train {snapshot.folder} pv "
            "(or lsa, lda, word2vec)"
        )
    return trained[0] if trained else "wcs"


def drawable(snapshot: Snapshot, rows: F32, by: str | Ranker) -> I64:
    """Return the living documents, ascending, whose row is not 0; raise where there are none."""
    numbers = np.flatnonzero(snapshot.alive & rows.any(axis=1))
    if not len(numbers):
        raise UsageError(f"no document has a vector by {by}")
    return numbers


def trained_rows(snapshot: Snapshot, name: str) -> tuple[LayerView, DocumentSpace]:
    """Return what was trained with a row for every document number, by inference where a document came later.

    The view is the one that was trained on.
    """
    made = snapshot.trained.of_kind(ROWS)[name].parameters
    own = snapshot.manifest.fields
    weights: Mapping[str, float | None] = made.get("weights") or dict.fromkeys(made["fields"])
    fields = {field: own.get(field, 1.0) if weight is None else weight for field, weight in weights.items()}
    view = snapshot.view(made["layer"], fields)
    return view, on_all(view, space_of(snapshot.trained, name))


def dense_scorer(
    snapshot: Snapshot, by: str | Ranker, bound: Callable[[Ranker], Searcher] | None = None
) -> DenseScorer:
    """Return a ranker that compares a question's vector with those of documents, bound; raise for any other.

    `bound` binds rankers, where the caller keeps such.
    """
    trained = ", ".join(snapshot.trained.of_kind(ROWS)) or "none"
    ranker = named_ranker(by)
    scorer = bind(ranker, snapshot) if bound is None else bound(ranker)
    if not isinstance(scorer, DenseScorer):
        raise UsageError(
            f"{by} has no vectors of documents; use wcs, iwcs, desm-in-out, doc2vec, ketos or such, or what was "
            f"trained on documents (here: {trained})"
        )
    return scorer


def labels_of(
    snapshot: Snapshot, numbers: Sequence[int], key: str, groups: Mapping[str, str] | None = None
) -> list[str | None]:
    """Return for each document what its metadata say under a key; of several labels, the most frequent one.

    With `groups`, labels are replaced by the group that they are in, and those in none by nothing.
    """
    every, keys = [], Counter[str]()
    parts = (np.array(numbers[first : first + TOGETHER], np.int64) for first in range(0, len(numbers), TOGETHER))
    for document in (one for some in parts for one in snapshot.documents_of(some)):
        metadata = document.metadata
        keys.update(list(metadata))
        value = metadata.get(key)
        found = [
            str(one) for one in (value if isinstance(value, list | tuple) else [value]) if one not in (None, "")
        ]
        every.append(found if groups is None else [groups[one] for one in found if one in groups])
    if len(numbers) and key not in keys:
        known = ", ".join(name for name, _ in keys.most_common()) or "none at all"
        raise UsageError(f"no document has the metadata {shown(key)}; they have: {known}")
    counts = Counter(label for labels in every for label in labels)
    return [min(labels, key=lambda one: (-counts[one], one), default=None) for labels in every]


def around_query(
    scorer: DenseScorer, questions: Sequence[Question], documents: I64, relevant: NDArray[np.bool_]
) -> tuple[F64, NDArray[np.bool_], tuple[float, float]]:
    """Return documents in the plane, each as its difference to its query, which is the origin; mitra2016, fig. 1.

    Queries and documents have length 1 first, so that near means a large cosine. What has no vector is left out.
    """
    vectors: dict[int, F64 | None] = {}
    differences, kept = [], []
    for place, (question, number) in enumerate(zip(questions, documents.tolist(), strict=True)):
        if id(question) not in vectors:
            vectors[id(question)] = scorer.vector(question)
        vector, row = vectors[id(question)], scorer.rows.rows[number].astype(np.float64)
        if vector is not None and row.any():
            differences.append(to_length_one(row) - to_length_one(vector))
            kept.append(place)
    if not kept:
        raise UsageError("no query and document have vectors to be drawn")
    points = np.array(differences)
    axes, shares = principal_axes(points)
    return points @ axes, relevant[kept], shares
