"""Texts as vectors: those that they would have as documents of an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from aboutness.app.exporting import rows_by
from aboutness.app.generation import Generation
from aboutness.app.passages import passage_fields, passages_of
from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError, shown

F32 = NDArray[np.float32]


def text_vectors(
    generation: Generation,
    texts: Iterable[str | Mapping[str, str]],
    ranker: str | Ranker | None = None,
    vectors: str | None = None,
) -> F32:
    """Return a row for each text: the one that it would have as a document of the index, which stays as it is.

    What is trained on documents gives each text its row by inference, also one that it was trained on. Words are
    weighted by the index's statistics.
    """
    lender = generation.snapshot
    if isinstance(texts, str | Mapping) or not isinstance(texts, Iterable):
        raise UsageError(f"several texts are needed, got {shown(texts)}; put one in a list")
    given = [passage_fields(number, text, lender) for number, text in enumerate(texts)]
    if not given:
        return rows_by(generation.here.bound, lender, ranker, vectors)[1][:0].copy()
    with passages_of(given, lender) as passages:
        _, rows = rows_by(Generation(passages).bound, passages, ranker, vectors)
        return np.array(rows[: len(given)])
