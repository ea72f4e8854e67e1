"""Where the terms of a text come from: each token's place in the text as it was written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from aboutness.text.analyzer import Analyzer, letter_ngrams

T = TypeVar("T")


class Span(NamedTuple, Generic[T]):
    """A piece of a text, from `start` to before `end`, and the terms that it became or had a part in."""

    start: int
    end: int
    terms: tuple[T, ...]


def spans(analyzer: Analyzer, text: str) -> list[Span[str]]:
    """Return where each token of `text` lies, in order; what the analyzer makes no term of is left out.

    A token has one term; with letter n-grams all its pieces, with word n-grams all that it is a word of. Where
    one character becomes several tokens, they are one span.

    >>> spans(Analyzer("plain", stop=("the",)), "The Mover's")
    [Span(start=4, end=9, terms=('mover',))]
    """
    places = _places(text) if analyzer.lowercase else range(len(text))
    tokens = [
        (places[found.start()], places[found.end() - 1] + 1, found[0])
        for found in analyzer.pattern.finditer(text.lower() if analyzer.lowercase else text)
        if found[0] not in analyzer.stop_set
    ]
    terms = _terms(analyzer, analyzer.stem_words([token for _, _, token in tokens]))
    return joined(Span(start, end, own) for (start, end, _), own in zip(tokens, terms, strict=True) if own)


def joined(pieces: Iterable[Span[T]]) -> list[Span[T]]:
    """Return spans, whose starts ascend, with those that overlap made one that has the terms of all of them."""
    found: list[Span[T]] = []
    for piece in pieces:
        if found and piece.start < found[-1].end:
            last = found.pop()
            found.append(Span(last.start, max(last.end, piece.end), last.terms + piece.terms))
        else:
            found.append(piece)
    return found


def _places(text: str) -> range | list[int]:
    """Return for each character of the text in lower case the place of the one that it comes from."""
    if len(text.lower()) == len(text):  # no letter's lower case is shorter than itself
        return range(len(text))
    return [place for place, letter in enumerate(text) for _ in letter.lower()]


def _terms(analyzer: Analyzer, stems: list[str]) -> list[tuple[str, ...]]:
    """Return the terms of each token by its stem and its neighbours'."""
    if analyzer.letters != (0, 0):
        pieces = {stem: tuple(letter_ngrams(stem, *analyzer.letters)) for stem in set(stems)}
        return [pieces[stem] for stem in stems]
    low, high = analyzer.words
    runs = [(first, first + size) for size in range(low, high + 1) for first in range(len(stems) - size + 1)]
    found: list[list[str]] = [[] for _ in stems]
    for first, last in runs:
        for place in range(first, last):
            found[place].append(" ".join(stems[first:last]))
    return [tuple(terms) for terms in found]
