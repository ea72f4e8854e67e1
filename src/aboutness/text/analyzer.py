"""An analyzer says how text becomes terms; it is a record that is stored in the index it made.

The steps, each optional: lower case, split into tokens, leave out stop words, stem, join neighbours to
word n-grams or cut tokens into letter n-grams. `Analyzer.terms` is the definition, in plain Python;
`aboutness.text.batch` does the same to many texts at once with compiled code.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from aboutness.core.errors import UsageError
from aboutness.text.stemmers import StemWords, check_stemmer, stem_words

LONGEST_NGRAM = 12


@dataclass(frozen=True)
class Analyzer:
    r"""How text becomes terms.

    >>> Analyzer("plain").terms("The Word Mover's Distance")
    ['the', 'word', 'mover', 'distance']
    """

    name: str
    lowercase: bool = True
    token: str = r"\w"  # noqa: S105 - one character of a token, as a regular expression
    solo: str = ""  # one character that is a token by itself
    shortest: int = 2  # characters a token has at least
    stop: tuple[str, ...] = ()  # tokens left out, before stemming
    stemmer: str = ""  # a Snowball language, or krovetz
    words: tuple[int, int] = (1, 1)  # word n-grams: shortest and longest
    letters: tuple[int, int] = (0, 0)  # letter n-grams in place of words; (0, 0) for none
    _local: threading.local = field(default_factory=threading.local, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.shortest < 1:
            raise UsageError(f"the shortest token must have at least 1 character, got {self.shortest}")
        try:
            _ = self.pattern
        except re.error as error:
            raise UsageError(f"token {self.token!r} or solo {self.solo!r} is no expression: {error}") from None
        _check_span("words", self.words, lowest=1)
        if self.letters != (0, 0):
            _check_span("letters", self.letters, lowest=1)
            if self.words != (1, 1):
                raise UsageError("an analyzer makes word n-grams or letter n-grams, not both")
        check_stemmer(self.stemmer)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, f.name) for f in fields(self) if f.compare))

    def terms(self, text: str) -> list[str]:
        """Return the terms of `text`, in order."""
        if self.lowercase:
            text = text.lower()
        tokens = [token for token in self.pattern.findall(text) if token not in self.stop_set]
        stems = self.stem_words(tokens)
        if self.letters != (0, 0):
            return [piece for stem in stems for piece in letter_ngrams(stem, *self.letters)]
        return stems if self.words == (1, 1) else word_ngrams(stems, *self.words)

    def stopped(self, text: str) -> list[str]:
        """Return the stop words of `text`, in order."""
        tokens = self.pattern.findall(text.lower() if self.lowercase else text)
        return [token for token in tokens if token in self.stop_set]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the expression that finds tokens in text that is already lower-cased."""
        one = f"(?!{self.solo})(?:{self.token})" if self.solo else self.token
        run = f"(?:{one}){{{self.shortest},}}"
        return re.compile(f"(?:{self.solo})|{run}" if self.solo else run)

    @cached_property
    def stop_set(self) -> frozenset[str]:
        """Return the stop words as a set."""
        return frozenset(self.stop)

    @property
    def stem_words(self) -> StemWords:
        """Return this thread's stemmer."""
        if not hasattr(self._local, "stem"):
            self._local.stem = stem_words(self.stemmer)
        return self._local.stem  # type: ignore[no-any-return]

    def to_json(self) -> dict[str, Any]:
        """Return everything that defines this analyzer as plain values."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Analyzer:
        """Make the analyzer that `to_json` described."""
        spans = {name: tuple(values[name]) for name in ("stop", "words", "letters")}
        return cls(**{**values, **spans})

    def __reduce__(self) -> tuple[Any, ...]:
        return Analyzer.from_json, (self.to_json(),)


def word_ngrams(tokens: list[str], low: int, high: int) -> list[str]:
    """Return all runs of `low` to `high` neighbouring tokens, by the place of their last token.

    >>> word_ngrams(["new", "york", "city"], 1, 2)
    ['new', 'york', 'new york', 'city', 'york city']
    """
    return [
        " ".join(tokens[last + 1 - size : last + 1])
        for last in range(len(tokens))
        for size in range(low, high + 1)
        if size <= last + 1
    ]


def letter_ngrams(token: str, low: int, high: int) -> list[str]:
    """Return all pieces of `low` to `high` letters of a token with a blank at either end.

    A token that is shorter than a piece, blanks included, is one piece by itself, once.

    >>> letter_ngrams("cat", 3, 4)
    [' ca', 'cat', 'at ', ' cat', 'cat ']
    >>> letter_ngrams("it", 5, 6)
    [' it ']
    """
    padded = f" {token} "
    pieces: list[str] = []
    for size in range(low, high + 1):
        pieces += [padded[at : at + size] for at in range(max(1, len(padded) - size + 1))]
        if size >= len(padded):
            break
    return pieces


def each_letter_ngram(token: str, low: int, high: int) -> Iterator[str]:
    """Yield the same one by one, which is slower, but a token may be as long as a file."""
    padded = f" {token} "
    for size in range(low, high + 1):
        yield from (padded[at : at + size] for at in range(max(1, len(padded) - size + 1)))
        if size >= len(padded):
            break


def _check_span(name: str, span: tuple[int, int], *, lowest: int) -> None:
    low, high = span
    if not lowest <= low <= high <= LONGEST_NGRAM:
        raise UsageError(
            f"{name} must be n or low-high with {lowest} <= low <= high <= {LONGEST_NGRAM}, got {low}-{high}"
        )
