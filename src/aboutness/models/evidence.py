"""What each word of a document brings to the product of its vector with a question's."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from aboutness.models.ranking import Part

F64 = NDArray[np.float64]


def word_parts(names: Iterable[str], counts: F64, words: F64, shares: F64, vector: F64) -> list[Part]:
    """Return the part of each word where a document's vector is the sum of share x word.

    `similarity` is the cosine of the word with the question, `weight` the length of what it adds.
    """
    products, lengths = words @ vector, np.linalg.norm(words, axis=1)
    whole = lengths * np.linalg.norm(vector)
    similarities = np.divide(products, whole, out=np.zeros_like(products), where=whole > 0)
    rows = zip(
        names, (shares * products).tolist(), counts.tolist(), similarities.tolist(), (shares * whole).tolist(),
        strict=True,
    )  # fmt: skip
    return [
        Part(name, value, {"in_document": count, "similarity": similarity, "weight": weight}, name)
        for name, value, count, similarity, weight in rows
    ]
