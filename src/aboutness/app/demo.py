"""The main job on what every machine has: the documentation of Python's own standard library."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aboutness.app.index import Index
from aboutness.app.sources import Sources

WORDS = ("compress", "timezone", "regular expression")


@dataclass(frozen=True)
class Found:
    """The documents in which all terms of a phrase stand, the shortest first."""

    phrase: str
    terms: list[str]
    documents: int
    titles: list[str]


def build_demo(path: str | None = None) -> Index:
    """Index the standard library's documentation."""
    return Index.build(Sources(["stdlib"]).documents(), path)


def look_up(index: Index, phrase: str, most: int = 5) -> Found:
    """Find the documents that have every term of a phrase."""
    view = index.view()
    terms = view.analyzer.terms(phrase)
    numbers = [view.postings(int(number))[0] for number in view.term_numbers(terms) if number >= 0]
    common = numbers[0] if len(numbers) == len(terms) and numbers else np.zeros(0, np.int64)
    for others in numbers[1:]:
        common = np.intersect1d(common, others)
    order = np.argsort(view.lengths[common], kind="stable")[:most]
    titles = [index.snapshot.document(int(number)).fields.get("title", "") for number in common[order]]
    return Found(phrase, terms, len(common), titles)
