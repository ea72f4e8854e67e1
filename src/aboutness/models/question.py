"""What is asked of a ranker: a text, a document, or weighted terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError, shown

MOST_WEIGHT = 1e15
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Question:
    """One of: a text; the texts of the fields of a document; the number of a document of the index; or terms,
    analysed already, with their weights. Each ranker analyses it as its own layer does.

    Terms may come with what models on vectors take in their place: a question that is moved, or the vector itself,
    which one model has made of the question where its documents are not.
    """

    text: str = ""
    fields: Mapping[str, str] | None = None
    document: int | None = None
    terms: Mapping[str, float] | None = None
    moved: Moved | None = None
    vector: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", SURROGATE.sub("\ufffd", self.text))
        weights: Mapping[Any, Any] = self.terms or {}
        for term, weight in weights.items():
            if not isinstance(term, str):
                raise UsageError(f"a term must be a text, got {shown(term)}")
            if not isinstance(weight, Real) or not 0 <= weight <= MOST_WEIGHT:  # type: ignore[operator]
                raise UsageError(
                    f"the weight of {shown(term)} must be a number from 0 to {MOST_WEIGHT:g}, got {shown(weight)}"
                )


@dataclass(frozen=True)
class Moved:
    """A question whose vector is moved towards those of documents of the index, or away from them.

    Its own direction counts `weight`, and that of each document what it says by number, which may be below 0.
    """

    question: Question
    weight: float
    documents: Mapping[int, float]
