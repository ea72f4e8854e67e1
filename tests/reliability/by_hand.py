"""BM25 as the paper writes it, document by document, and what a ranking must be where these are the scores."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from aboutness.core.record import Document

Terms = Callable[[str], list[str]]
K1, B = 1.2, 0.75
CLOSE = 1e-5


def words(text: str) -> list[str]:
    """Return what the analyzer `plain` makes of a text."""
    return re.findall(r"\w\w+", text.lower())


def words_and_pairs(text: str) -> list[str]:
    """Return what `plain[words=1-2]` makes of a text, in another order."""
    found = words(text)
    return found + [f"{one} {two}" for one, two in pairwise(found)]


def bm25(
    documents: Iterable[Document], query: str, terms: Terms = words, weights: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the score of every document; weights of fields are 1 unless said."""
    bags: dict[str, Counter[str]] = {}
    for document in documents:
        bag = bags[document.id] = Counter()
        for field, text in document.fields.items():
            for term in terms(text):
                bag[term] += (weights or {}).get(field, 1)
    n = len(bags)
    average = sum(bag.total() for bag in bags.values()) / max(n, 1) or 1
    df = Counter(term for bag in bags.values() for term in bag)
    asked = Counter(terms(query))

    def score(bag: Counter[str]) -> float:
        length = 1 - B + B * bag.total() / average
        return sum(
            count * math.log(1 + (n - df[term] + 0.5) / (df[term] + 0.5)) * bag[term] / (bag[term] + K1 * length)
            for term, count in asked.items()
            if bag[term]
        )

    return {identifier: score(bag) for identifier, bag in bags.items()}


def assert_ranked(found: Sequence[tuple[str, float]], expected: Mapping[str, float], k: int) -> None:
    """Assert that these are the k best of the documents that can be found, which are given in order of arrival."""
    assert len(found) == min(k, len(expected))
    arrival = {identifier: number for number, identifier in enumerate(expected)}
    keys = [(-score, arrival[identifier]) for identifier, score in found]
    assert keys == sorted(set(keys)), "not in order of score, and of arrival where scores are equal"
    for identifier, score in found:
        assert abs(score - expected[identifier]) <= CLOSE * max(1, abs(score)), (identifier, score)
    left = expected.keys() - {identifier for identifier, _ in found}
    for identifier in left if found else ():
        last, score = found[-1]
        assert score >= expected[identifier] - CLOSE, identifier
        assert expected[identifier] != expected[last] or arrival[identifier] > arrival[last], identifier
