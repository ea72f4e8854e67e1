"""How much of a text has vectors: the words that a vocabulary does not know, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.text.analyzer import Analyzer
from aboutness.vectors.words import EXACT, IN, WordVectors

EVERYTHING = "all"
EXAMPLES = 10
LOOKED_UP = 10_000  # words at a time, so that their vectors take little room


@dataclass(frozen=True)
class Coverage:
    """How many tokens and types (different tokens) of some text have no vector, and the most frequent of them.

    >>> Coverage("title", tokens=8, unknown_tokens=2, types=4, unknown_types=1, examples=("zyzzyva",)).token_ratio
    0.25
    """

    name: str
    tokens: int
    unknown_tokens: int
    types: int
    unknown_types: int
    examples: tuple[str, ...]  # the most frequent first, equally frequent ones by their spelling

    @property
    def token_ratio(self) -> float:
        """Return the share of tokens without a vector; 0 where there are none."""
        return self.unknown_tokens / self.tokens if self.tokens else 0.0

    @property
    def type_ratio(self) -> float:
        """Return the share of types without a vector; 0 where there are none."""
        return self.unknown_types / self.types if self.types else 0.0


def of_fields(view: LayerView, vectors: WordVectors, case: str = EXACT) -> list[Coverage]:
    """Return how much of each chosen field has vectors, and of "all" of them together, in living documents."""
    counts = view.field_cf[view.chosen]
    used = np.flatnonzero(counts.any(axis=0))
    names = view.terms()
    terms = [names[number] for number in used.tolist()]
    counts = counts[:, used]
    known = _known(terms, vectors, case)
    rows = [*counts, counts.sum(axis=0)]
    fields = [*(view.field_names[field] for field in view.chosen.tolist()), EVERYTHING]
    return [_coverage(name, terms, row, known) for name, row in zip(fields, rows, strict=True)]


def known_share(view: LayerView, vectors: WordVectors, case: str = EXACT) -> float:
    """Return the share of a view's words, as they stand in living documents, that have a vector."""
    return 1 - of_fields(view, vectors, case)[-1].token_ratio


def of_queries(
    name: str, texts: Iterable[str], analyzer: Analyzer, vectors: WordVectors, case: str = EXACT
) -> Coverage:
    """Return how much of some texts has vectors, their tokens as an analyzer gives them."""
    counted = Counter(term for text in texts for term in analyzer.terms(text))
    terms = list(counted)
    counts = np.array([counted[term] for term in terms], np.int64)
    return _coverage(name, terms, counts, _known(terms, vectors, case))


def _known(terms: Sequence[str], vectors: WordVectors, case: str) -> NDArray[np.bool_]:
    """Return which terms have a vector: their own or, with subwords, one made of their pieces."""
    known = vectors.numbers(terms, case) >= 0
    if vectors.subwords is not None and IN in vectors.spaces:
        missing = np.flatnonzero(~known)
        for start in range(0, len(missing), LOOKED_UP):
            part = missing[start : start + LOOKED_UP]
            known[part] = vectors.look_up([terms[i] for i in part.tolist()], IN, case)[1]
    return known


def _coverage(name: str, terms: Sequence[str], counts: NDArray[np.int64], known: NDArray[np.bool_]) -> Coverage:
    unknown = np.flatnonzero(~known & (counts > 0))
    examples = sorted(unknown.tolist(), key=lambda i: (-counts[i], terms[i]))[:EXAMPLES]
    return Coverage(
        name,
        tokens=int(counts.sum()),
        unknown_tokens=int(counts[unknown].sum()),
        types=int(np.count_nonzero(counts)),
        unknown_types=len(unknown),
        examples=tuple(terms[i] for i in examples),
    )
