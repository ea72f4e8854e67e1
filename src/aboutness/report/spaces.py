"""The documents of an index as vectors: where they lie, with which labels, and how they lie to queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.index.snapshot import Snapshot
from aboutness.models.centroids import to_length_one
from aboutness.models.dense import DenseScorer
from aboutness.models.question import Question
from aboutness.models.trained import on_all
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.report.projection import principal_axes
from aboutness.vectors.documents import KIND as ROWS
from aboutness.vectors.kept import space_of
from aboutness.vectors.words import WordVectors

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


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
    """Return the vectors of an index's documents: of a training by its name, or those that a ranker compares.

    Without one, the first training of documents is taken, or else centroids of word vectors (`wcs`).
    """
    trained = list(snapshot.trained.of_kind(ROWS))
    if by is None:
        if not trained and not snapshot.trained.of_kind(WordVectors.kind):
            raise NotFound(
                f"{snapshot.folder} has no vectors to draw; train some: aboutness train {snapshot.folder} pv "
                "(or lsa, lda, word2vec)"
            )
        by = trained[0] if trained else "wcs"
    rows = _trained_rows(snapshot, str(by)) if by in trained else dense_scorer(snapshot, by).rows.rows
    there = snapshot.alive & rows.any(axis=1)
    numbers = np.flatnonzero(there)
    if not len(numbers):
        raise UsageError(f"no document has a vector by {by}")
    return DocumentVectors(str(by), numbers, rows[numbers])


def _trained_rows(snapshot: Snapshot, name: str) -> F32:
    """Return the row of every document number in what was trained, by inference where a document came later."""
    made = snapshot.trained.of_kind(ROWS)[name].parameters
    own = snapshot.manifest.fields
    weights: Mapping[str, float | None] = made.get("weights") or dict.fromkeys(made["fields"])
    fields = {field: own.get(field, 1.0) if weight is None else weight for field, weight in weights.items()}
    return on_all(snapshot.view(made["layer"], fields), space_of(snapshot.trained, name)).rows


def dense_scorer(snapshot: Snapshot, by: str | Ranker) -> DenseScorer:
    """Return a ranker that compares a question's vector with those of documents, bound; raise for any other."""
    trained = ", ".join(snapshot.trained.of_kind(ROWS)) or "none"
    scorer = bind(named_ranker(by), snapshot)
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
    for number in numbers:
        metadata = snapshot.document(int(number)).metadata
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
