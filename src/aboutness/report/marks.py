"""Which words of a document a score comes from: what each adds, and how similar it is to the query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from aboutness.models.ranking import Explanation
from aboutness.text.analyzer import Analyzer
from aboutness.text.spans import Span, joined, spans

SIMILARITY = "similarity"  # the detail of a part: the cosine of its word with the query
PERCENTILE = 90  # of similarities: words above it are evidence, unless said otherwise


@dataclass(frozen=True)
class Reading:
    """What a model reads: how text becomes terms, and its fields with their weights."""

    analyzer: Analyzer
    fields: tuple[tuple[str, float], ...]

    def weight(self, field: str) -> float:
        """Return how much a field counts; 0 where it is not read."""
        return next((weight for name, weight in self.fields if name == field), 0.0)


@dataclass(frozen=True)
class Reason:
    """Why a document has its score with one ranker; what is read, by the rankers that parts come from."""

    ranker: str
    explanation: Explanation
    readings: Mapping[str, Reading]


@dataclass(frozen=True)
class Explained:
    """A document, and why it has its scores."""

    id: str
    fields: Mapping[str, str]
    reasons: Sequence[Reason]


Term: TypeAlias = tuple[int, str]  # the number of a reading, and what it made
Kind: TypeAlias = tuple[str, tuple[Term, ...]]  # the field that a word stands in, and its terms


@dataclass(frozen=True)
class Mark:
    """What one occurrence of a word is to a score: its share, its similarity, and the numbers of its parts."""

    share: float
    similarity: float | None
    own: bool  # a word of the query itself
    parts: tuple[int, ...]


@dataclass(frozen=True)
class Marked:
    """The words of a document that mean something to a score; words of one kind are marked alike."""

    words: Mapping[str, Sequence[tuple[int, int, int]]]  # by field: start, end and kind of each, in order
    counts: Sequence[int]  # by kind: how often it occurs
    marks: Sequence[Sequence[Mark]]  # by reason and kind


def marked(document: Explained, query: str) -> Marked:
    """Return where the words lie that a score comes from, or that are the query's, and what each is to it.

    The parts of a score that are about a word are spread over its occurrences, by the weights of their fields.
    """
    readings = list(dict.fromkeys(reading for reason in document.reasons for reading in reason.readings.values()))
    asked = {(number, term) for number, one in enumerate(readings) for term in one.analyzer.terms(query)}
    parts = [_parts_by_term(reason, readings) for reason in document.reasons]
    wanted = asked.union(*parts)
    kinds: dict[Kind, int] = {}
    words = {name: _words(name, text, readings, wanted, kinds) for name, text in document.fields.items()}
    found = Counter(kind for of_field in words.values() for _, _, kind in of_field)
    counts = [found[kind] for kind in range(len(kinds))]
    marks = [
        _marks(reason, by_term, dict(zip(kinds, counts, strict=True)), readings, asked)
        for reason, by_term in zip(document.reasons, parts, strict=True)
    ]
    return Marked(words, counts, marks)


def threshold(documents: Sequence[Marked], reason: int) -> tuple[float, float, float] | None:
    """Return above which similarity words are evidence, and the least and greatest there is; None without any.

    It is a percentile over all words of the documents that have a similarity and are not the query's own.
    """
    similarities = [
        mark.similarity
        for one in documents
        for mark, count in zip(one.marks[reason], one.counts, strict=True)
        if mark.similarity is not None and not mark.own
        for _ in range(count)
    ]
    if not similarities:
        return None
    return float(np.percentile(similarities, PERCENTILE)), min(similarities), max(similarities)


def _words(
    field: str, text: str, readings: Sequence[Reading], wanted: set[Term], kinds: dict[Kind, int]
) -> list[tuple[int, int, int]]:
    """Return start, end and kind of the words of a field that are wanted, by all that read it, and add new kinds.

    Words that overlap are one. What a reading makes of a word is worked with by number, for words occur again.
    """
    made: dict[tuple[int, tuple[str, ...]], int] = {}
    reading_it = [(number, reading.analyzer) for number, reading in enumerate(readings) if reading.weight(field)]
    tokens = {analyzer: spans(analyzer, text) for analyzer in {analyzer for _, analyzer in reading_it}}
    found = [
        Span(start, end, (made.setdefault((number, terms), len(made)),))
        for number, analyzer in reading_it
        for start, end, terms in tokens[analyzer]
    ]
    terms_of = [[(number, term) for term in terms] for number, terms in made]
    known: dict[tuple[int, ...], int | None] = {}
    words = []
    for start, end, which in joined(sorted(found, key=lambda span: span.start)):
        if which not in known:
            terms = tuple(term for one in which for term in terms_of[one])
            known[which] = None if wanted.isdisjoint(terms) else kinds.setdefault((field, terms), len(kinds))
        kind = known[which]
        if kind is not None:
            words.append((start, end, kind))
    return words


def _parts_by_term(reason: Reason, readings: Sequence[Reading]) -> dict[Term, list[int]]:
    """Return the numbers of the parts that are about each term."""
    numbers = {by: readings.index(reading) for by, reading in reason.readings.items()}
    found: dict[Term, list[int]] = {}
    for place, part in enumerate(reason.explanation.parts):
        if part.word is not None and part.by in numbers:
            found.setdefault((numbers[part.by], part.word), []).append(place)
    return found


def _marks(
    reason: Reason,
    by_term: Mapping[Term, list[int]],
    counts: Mapping[Kind, int],
    readings: Sequence[Reading],
    asked: set[Term],
) -> list[Mark]:
    parts = reason.explanation.parts
    values = {term: math.fsum(parts[place].value for place in places) for term, places in by_term.items()}
    weights = dict.fromkeys(by_term, 0.0)
    for (field, terms), count in counts.items():
        for term in by_term.keys() & terms:
            weights[term] += count * readings[term[0]].weight(field)
    own_readings = [number for number, reading in enumerate(readings) if reading in reason.readings.values()]
    marks = []
    for field, terms in counts:
        mine = [term for term in dict.fromkeys(terms) if term in by_term]
        places = tuple(place for term in mine for place in by_term[term])
        share = math.fsum(values[term] / weights[term] * readings[term[0]].weight(field) for term in mine)
        similar = [parts[place].details.get(SIMILARITY, math.nan) for place in places]
        own = any(
            is_own([term in asked for term in terms if term[0] == number], readings[number])
            for number in own_readings
        )
        marks.append(Mark(share, max(filter(math.isfinite, similar), default=None), own, places))
    return marks


def is_own(there: Sequence[bool], reading: Reading) -> bool:
    """Tell whether a word is one of a text's, by which of its terms are there.

    A piece of it says little, where terms are pieces of words.
    """
    return bool(there) and (all(there) if reading.analyzer.letters != (0, 0) else any(there))
