"""Random collections, and their terms as an index has them, for other programs to score."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
from numpy.typing import NDArray

from aboutness.app.index import Index
from aboutness.models.model import Model
from aboutness.models.question import Question

WORDS = [f"w{n}" for n in range(30)]


@cache
def random_index(seed: int) -> Index:
    """Between 5 and 60 documents, some of them empty."""
    chance = random.Random(seed)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    documents = [
        {"id": f"d{n}", "text": " ".join(chance.choices(WORDS, weights, k=chance.choice([0, 1, 3, 10, 40])))}
        for n in range(chance.randrange(5, 60))
    ]
    documents.append({"id": "last", "text": " ".join(WORDS)})
    return Index.build(documents, analyzer="plain")


def random_queries(seed: int) -> list[list[str]]:
    chance = random.Random(-seed)
    return [chance.choices([*WORDS, "unknown"], k=size) for size in (1, 1, 2, 3, 5, 9)]


@cache
def cranfield(folder: str) -> Index:
    import aboutness

    return aboutness.Index.build(aboutness.read(folder), analyzer="english")


def tokens_of(index: Index) -> list[list[str]]:
    """The terms of each document, all fields one after the other."""
    analyzer = index.view().analyzer
    return [[term for text in document.fields.values() for term in analyzer.terms(text)] for document in index]


def scores(model: Model, index: Index, terms: list[str]) -> NDArray[np.float64]:
    """The score of every document for a query of terms."""
    counts: dict[str, float] = {}
    for term in terms:
        counts[term] = counts.get(term, 0.0) + 1.0
    numbers = index.snapshot.live_numbers()
    return model.bind(index.snapshot).scores(Question(terms=counts), numbers).astype(np.float64)
