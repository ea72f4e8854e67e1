"""What is asked of a ranker: a text, a document, or weighted terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError, shown

T = TypeVar("T")

MOST_WEIGHT = 1e15
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Question:
    """One of: a text; the texts of the fields of a document; the number of a document of the index; or terms,
    analysed already, with their weights. Each ranker analyses it as its own layer does.

    Terms may come with what models on vectors take in their place: a question that is moved, or the vector itself,
    which one model has made of the question where its documents are not.

    What is derived from a question (its terms in a layer, its vector for a model) is computed once, and kept with
    it.
    """

    text: str = ""
    fields: Mapping[str, str] | None = None
    document: int | None = None
    terms: Mapping[str, float] | None = None
    moved: Moved | None = None
    vector: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
    _memos: WeakKeyDictionary[Any, dict[str, Any]] = field(
        default_factory=WeakKeyDictionary, init=False, compare=False, repr=False
    )

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

    def derived(self, owner: object, name: str, compute: Callable[[], T]) -> T:
        """Return what an object makes of the question, computed at its first use and kept while both exist."""
        values = self._memos.setdefault(owner, {})
        if name not in values:
            values[name] = compute()
        value: T = values[name]
        return value

    def memo(self, owner: object) -> dict[str, Any]:
        """Return what an object keeps of the question, which must not refer to either."""
        return self._memos.setdefault(owner, {})

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_memos"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state, _memos=WeakKeyDictionary())


@dataclass(frozen=True)
class Moved:
    """A question whose vector is moved towards those of documents of the index, or away from them.

    Its own direction counts `weight`, and that of each document what it says by number, which may be below 0.
    """

    question: Question
    weight: float
    documents: Mapping[int, float]
