"""What one might ask of an index: queries, rankers that are ready, metadata to filter by, other spellings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from aboutness.app.index import Index
from aboutness.app.needed import needs
from aboutness.core.errors import AboutnessError, UsageError
from aboutness.index.filters import Condition
from aboutness.index.metadata import decode_entry
from aboutness.index.snapshot import Snapshot
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.known import known_rankers

LOOKED_AT = 400  # documents whose beginnings give example queries
BEGINNING = 200  # characters, where there is no title
COMMON = 0.5  # a word of more than this share of the documents says nothing
SHORTEST = 4  # characters of an example query
ENTRIES = 2_000  # metadata values, the most frequent, that are looked at
MOST_VALUES = 30  # of a key
MOST_RESPELT = 4  # words of a query that are looked up in other spellings
LONGEST = 30  # characters of such a word
MOST_TRIED = 20  # spellings that are looked for in documents
MOST_READ = 10  # documents for each of them
LETTERS = "abcdefghijklmnopqrstuvwxyz"

EXAMPLES: Mapping[str, str] = {
    "bm25 + 30*desm-in-out": "what documents are about counts besides their words (mitra2016)",
    "bm25 % 100 >> wmd": "the first 100 of BM25, ranked anew by Word Mover's Distance",
    "rrf(bm25, iwcs)": "two rankings fused by their ranks",
    "minmax(bm25) + .5*minmax(iwcs)": "two scores on one scale, weighted",
    "bm25 + ql": "two lexical scores added",
    "rm3(bm25)": "the query expanded with words of the first documents",
}


@dataclass(frozen=True)
class Key:
    """A metadata key, and its most frequent values."""

    key: str
    values: tuple[str | int | float | bool, ...]

    @property
    def conditions(self) -> list[str]:
        """Return conditions on the key, as a filter reads them; none on what cannot be written so, or is empty."""
        written = {f"{self.key}={_plain(value)}": value for value in self.values if value != ""}
        return [text for text, value in written.items() if _reads(text, self.key, value)]


def example_queries(index: Index, most: int = 6) -> list[str]:
    """Return words that several titles share, the most frequent first, as they are written there."""
    snapshot = index.snapshot
    analyzer, seen = snapshot.analyzer(), Counter[str]()
    beginnings = [text for text in map(_beginning, _spread(snapshot)) if text]
    for text in beginnings:
        words = {word for word in analyzer.pattern.findall(text.lower()) if word not in analyzer.stop_set}
        seen.update(word for word in words if len(word) >= SHORTEST and word.isalpha())
    telling = [word for word, count in seen.items() if count <= max(COMMON * len(beginnings), 1)]
    return sorted(telling, key=lambda word: (-seen[word], word))[:most]


def ready_rankers(index: Index) -> dict[str, str]:
    """Return rankers that an index has all for, and what each is; named ones first, then example expressions."""
    trained = index.snapshot.trained
    known = {name: kind.summary for name, kind in known_rankers().items()}
    return {
        text: summary
        for text, summary in {**known, **EXAMPLES}.items()
        if not needs([named_ranker(text)], trained) or text == "default"  # another one answers in its place
    }


def metadata_keys(index: Index) -> list[Key]:
    """Return the metadata keys of an index with their most frequent values, perhaps some of dead documents."""
    counts: dict[str, Counter[Any]] = {}
    for segment in index.snapshot.segments:
        sizes = np.diff(segment.value_ends, prepend=0)
        few = np.arange(len(sizes)) if len(sizes) <= ENTRIES else np.argpartition(-sizes, ENTRIES)[:ENTRIES]
        for number in few[np.argsort(-sizes[few], kind="stable")].tolist():
            key, value = decode_entry(segment.values[number])
            found = counts.setdefault(key, Counter())
            if value is not None:
                found[value] += int(sizes[number])
    return [Key(key, tuple(_telling(found))) for key, found in sorted(counts.items())]


def _telling(found: Counter[Any]) -> list[Any]:
    """Return the most frequent values; where there are many, those of a single document tell nothing."""
    return [value for value, count in found.most_common(MOST_VALUES) if count > 1 or len(found) <= MOST_VALUES]


def unknown_words(index: Index, query: str) -> list[str]:
    """Return the words of a query that no document has, as they are written there.

    These are the words of the first layer: others may have pieces of words, which are in any text.
    """
    view = index.snapshot.view()
    analyzer = view.analyzer
    words = [word for word in analyzer.pattern.findall(query.lower()) if word not in analyzer.stop_set]
    return [
        word for word in dict.fromkeys(words) if not any(df for _, df in view.look_up(view.analyzer.terms(word)))
    ]


def respelt(index: Index, query: str) -> str | None:
    """Return a query with each unknown word as the most frequent one that is nearly spelt so; None without any.

    Nearly: a letter too few, too many, other, or two swapped; or a space too few.
    """
    unknown = unknown_words(index, query)[:MOST_RESPELT]
    found = {word: near for word in unknown if (near := _nearest(index, word)) is not None}
    if not found:
        return None
    lower = query.lower()
    for word, near in found.items():
        lower = lower.replace(word, near)
    return lower


def _nearest(index: Index, word: str) -> str | None:
    """Return the most frequent of the words that are nearly spelt as one is."""
    if len(word) > LONGEST:
        return None
    view = index.snapshot.view()
    candidates = {near: terms for near in sorted(_edited(word)) if (terms := view.analyzer.terms(near))}
    terms = list(dict.fromkeys(term for some in candidates.values() for term in some))
    numbers = dict(zip(terms, view.term_numbers(terms).tolist(), strict=True))
    known = {near: some for near, some in candidates.items() if all(numbers[term] >= 0 for term in some)}
    rarest = {
        near: min((numbers[term] for term in some), key=lambda n: view.df[n]) for near, some in known.items()
    }
    frequent = sorted(rarest, key=lambda near: (-view.df[rarest[near]], len(near), near))[:MOST_TRIED]
    return next((near for near in frequent if _written(index.snapshot, rarest[near], near)), None)


def _written(snapshot: Snapshot, term: int, near: str) -> bool:
    """Tell whether a word, or words, stand so in a document: others may only have the same stem."""
    documents, _ = snapshot.view().postings(term)
    for number in documents[:MOST_READ].tolist():
        text = " ".join(snapshot.document(number).fields.values()).lower()
        if all(re.search(rf"\b{re.escape(word)}\b", text) for word in near.split()):
            return True
    return False


def _edited(word: str) -> set[str]:
    """Return what a word may have been meant to be, one step away."""
    letters = sorted({*LETTERS, *word})
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {left + right[1:] for left, right in cuts if right}
    found |= {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    found |= {left + letter + right[1:] for left, right in cuts if right for letter in letters}
    found |= {left + letter + right for left, right in cuts for letter in letters}
    found |= {f"{left} {right}" for left, right in cuts if len(left) > 1 and len(right) > 1}
    return found - {word}


def _spread(snapshot: Snapshot) -> Iterator[Mapping[str, str]]:
    """Yield the texts of some documents from everywhere in an index; what cannot be read is left out."""
    numbers = snapshot.live_numbers()
    for number in numbers[:: max(len(numbers) // LOOKED_AT, 1)][:LOOKED_AT].tolist():
        try:
            yield snapshot.document(number).fields
        except AboutnessError:
            continue


def _beginning(fields: Mapping[str, str]) -> str:
    texts: Iterable[str] = fields.values()
    return fields.get("title") or next((text[:BEGINNING] for text in texts if text), "")


def _plain(value: str | float) -> str:
    """Return a value as a condition reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _reads(text: str, key: str, value: str | float) -> bool:
    """Tell whether a text is read as the condition that a key has a value."""
    try:
        read = Condition.parse(text)
    except UsageError:
        return False
    return (read.key, read.sign) == (key, "=") and value in read.values
