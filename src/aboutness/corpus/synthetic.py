"""A collection of any size out of chance: `synthetic:5000000`, to see what a machine holds before it is filled.

The text is no language, but counts like one. Words follow Zipf's law with two slopes, 1 for the 8,192 most
frequent and 1.8 for the others, so that the vocabulary grows with the text as Heaps' law says (with the power
0.56: about two million words in 5 million documents). Lengths are log-normal, with a median of 50 words and a mean
of 60. Each document is about one of 500 topics: 4 in 10 of its words, but for the 64 most frequent, are those
that its topic prefers among 64 of about the same frequency. A query is one to five words that a topic prefers;
documents of that topic are what it asks for.

A document depends on its number and the seed alone: `synthetic:1000` are the first of `synthetic:5000000`, and
`synthetic:1000-2000` those after them. Words are syllables (`bakodi`) that no list of stop words has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import BadInput
from aboutness.core.record import Document, Query
from aboutness.corpus.reader import Reader

PREFIX = "synthetic:"
FORM = re.compile(r"(?:(\d{1,10})-)?(\d{1,10})(?::(\d{1,18}))?", re.ASCII)
MOST = 2_000_000_000  # numbers of documents
SEED = 1
QUERY_SEED = 1 << 62  # apart from those of documents, so that no query has the chance of a document
AT_ONCE = 4096  # documents or queries that are made together
ROOM = 1 << 22  # bytes for them


@dataclass(frozen=True)
class Synthetic:
    """The documents from number `first` to `last` - 1 of a seed.

    >>> made = Synthetic.of("synthetic:20-22")
    >>> [document.id for document in made.documents()], len(made)
    (['20', '21'], 2)
    """

    last: int
    first: int = 0
    seed: int = SEED

    @classmethod
    def of(cls, source: str) -> Synthetic:
        """Read `synthetic:LAST`, `synthetic:FIRST-LAST`, each also with `:SEED` after it."""
        found = FORM.fullmatch(source.removeprefix(PREFIX)) if source.startswith(PREFIX) else None
        first, last, seed = (found[1] or 0, found[2], found[3] or SEED) if found else (0, 0, 0)
        if not found or not int(first) <= int(last) <= MOST:
            raise BadInput(
                f"{source}: what is made by chance is named synthetic:NUMBER (of documents), synthetic:FIRST-LAST "
                f"(those from one number to before another), or either with :SEED; at most {MOST:,}"
            )
        return cls(int(last), int(first), int(seed))

    def __len__(self) -> int:
        return self.last - self.first

    def documents(self) -> Iterator[Document]:
        """Make the documents, some thousands at a time."""
        from aboutness.kernels.synthetic import write_documents

        out, ends = np.empty(ROOM, np.uint8), np.empty(AT_ONCE, np.int64)
        seed, number = np.uint64(self.seed), self.first
        while number < self.last:
            count = int(write_documents(seed, number, min(number + AT_ONCE, self.last), out, ends))
            for text in _texts(out, ends[:count]):
                yield Document(str(number), {"text": text})
                number += 1

    def queries(self) -> Iterator[Query]:
        """Make queries with the same numbers, each about one topic."""
        from aboutness.kernels.synthetic import write_queries

        out, ends = np.empty(ROOM, np.uint8), np.empty(AT_ONCE, np.int64)
        for number in range(self.first, self.last, AT_ONCE):
            count = min(AT_ONCE, self.last - number)
            write_queries(np.uint64(self.seed + QUERY_SEED), number, number + count, out, ends)
            for i, text in enumerate(_texts(out, ends[:count])):
                yield Query(str(number + i), text)


def _texts(out: NDArray[np.uint8], ends: NDArray[np.int64]) -> Iterator[str]:
    """Return texts that are written end to end, each with a space at its end, which is left out."""
    stops = ends.tolist()
    whole = out[: stops[-1] if stops else 0].tobytes().decode("ascii")
    start = 0
    for stop in stops:
        yield whole[start : stop - 1]
        start = stop


READER = Reader(
    name="synthetic",
    about="documents made by chance, as many as one likes, whose words count as those of a language do",
    sources="names that start with synthetic:, such as synthetic:5000000",
    recognises=lambda source: source.startswith(PREFIX),
    read=lambda source, _keys, _on_bad: Synthetic.of(source).documents(),
)
