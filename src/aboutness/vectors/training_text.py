"""What vectors are trained on: pieces of text as runs of term numbers, read where they lie."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError, shown
from aboutness.index.view import LayerView
from aboutness.text.analyzer import Analyzer
from aboutness.text.batch import BatchAnalyzer
from aboutness.text.strings import GrowingTable, pack
from aboutness.vectors.documents import Texts

if TYPE_CHECKING:
    from aboutness.vectors.vocabulary import Vocabulary

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

LONGEST_PIECE = 10_000  # tokens; a longer text is cut
BLOCK = 20_000  # tokens that are trained in one go, or more
PORTION = 8_000_000  # tokens, about, that are held at a time besides
BATCH = 1 << 12  # texts that are analysed at a time


@dataclass(frozen=True)
class Part:
    """Pieces of text: piece p, of a document, has the term numbers `tokens[starts[p]:ends[p]]`."""

    tokens: I32
    starts: I64
    ends: I64
    documents: I64


@dataclass(frozen=True)
class Block:
    """Some neighbouring pieces, which are trained in one go, and the tokens that come before them."""

    tokens: I32
    starts: I64
    ends: I64
    documents: I64
    before: int


@dataclass(frozen=True)
class Whole:
    """What a shard of a text knows of all of it, and which of the shards it is."""

    vocabulary: Vocabulary
    df: I64  # documents with each word of the vocabulary
    shard: int
    shards: int
    block: int  # tokens that are trained in one go, or more
    begins: bool = True  # else matrices are filled by who goes on, and need not be by chance


@dataclass(frozen=True)
class TrainingText:
    """Pieces of text in parts, and how often each term number stands in them.

    Documents are numbered from 0, those without text among them; `arrivals` says which each is in the index.
    """

    parts: Sequence[Part]
    counts: I64
    terms: Callable[[], Sequence[str]]  # all terms by number
    arrivals: I64
    analyzer: Analyzer | None = None  # that made the terms, where one did
    whole: Whole | None = None  # of which this is a shard, where it is one

    @classmethod
    def of_view(cls, view: LayerView) -> TrainingText:
        """Take the living documents of an index, each chosen field of each as a piece; nothing is copied."""
        counts = view.field_cf[view.chosen].sum(axis=0)
        return cls(parts_of(view), counts, view.terms, view.arrivals[view.alive], view.analyzer)

    @classmethod
    def of_texts(cls, texts: Iterable[str] | Iterable[Sequence[str]], analyzer: Analyzer) -> TrainingText:
        """Analyse texts, each as a piece; where they are lists of terms already, take them as they are."""
        if isinstance(texts, str) or not isinstance(texts, Iterable):
            raise UsageError(f"training takes the view of an index, or several texts, got {shown(texts)}")
        batch = BatchAnalyzer(analyzer)
        known = batch.vocabulary
        strings: bool | None = None  # or lists of terms; not known yet
        parts, first = [], 0
        stream = iter(texts)
        while some := list(islice(stream, BATCH)):
            if strings is None and not (strings := isinstance(some[0], str)):
                known = GrowingTable()
            _check_texts(some, strings=bool(strings))
            try:
                tokens, ends = batch.analyze([str(text) for text in some]) if strings else _numbered(some, known)
            except UnicodeEncodeError as error:
                problem = f"a text to train on holds what is no character: {shown(error.object[error.start])}"
                raise UsageError(problem) from None
            parts.append(_part(tokens, _starts(ends), ends, np.arange(first, first + len(ends))))
            first += len(ends)
        counts = np.zeros(len(known), np.int64)
        for part in parts:
            counts += np.bincount(part.tokens, minlength=len(known))
        return cls(parts, counts, known.strings, np.arange(first), analyzer if strings else None)

    @classmethod
    def of(cls, source: Source, analyzer: Analyzer) -> TrainingText:
        """Take the view of an index, or analyse texts."""
        if isinstance(source, TrainingText):
            return source
        return cls.of_view(source) if isinstance(source, LayerView) else cls.of_texts(source, analyzer)

    @property
    def begins(self) -> bool:
        """Tell whether matrices are to be filled by chance."""
        return self.whole is None or self.whole.begins

    @property
    def documents(self) -> int:
        """Return how many documents there are, those without text among them."""
        return len(self.arrivals)

    @property
    def tokens(self) -> int:
        """Return how many tokens there are."""
        return sum(int((part.ends - part.starts).sum()) for part in self.parts)

    def some(self, documents: NDArray[np.bool_]) -> TrainingText:
        """Return the text of the chosen documents only, which are numbered anew."""
        numbers = documents.cumsum() - 1
        parts, counts = [], np.zeros(len(self.counts), np.int64)
        for part in self.parts:
            here = documents[part.documents]
            starts, ends = part.starts[here], part.ends[here]
            parts.append(Part(part.tokens, starts, ends, numbers[part.documents[here]]))
            counts += np.bincount(joined(part.tokens, starts, ends), minlength=len(counts))
        return replace(self, parts=parts, counts=counts, arrivals=self.arrivals[documents])

    def in_portions(self, documents: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
        """Yield the chosen documents, some at a time: so many that their words are easily held."""
        numbers = np.flatnonzero(documents)
        for few in np.array_split(numbers, self.tokens // PORTION + 1):
            some = np.zeros(len(documents), np.bool_)
            some[few] = True
            yield some

    def texts(self, number_of: I32) -> Texts:
        """Return each document as its known words in their order, numbered anew: -1 is none."""
        words, lengths = [np.zeros(0, np.int32)], np.zeros(self.documents, np.int64)
        for part in self.parts:
            numbers = number_of[joined(part.tokens, part.starts, part.ends)]
            of = np.repeat(part.documents, part.ends - part.starts)
            words.append(numbers[numbers >= 0])
            lengths += np.bincount(of[numbers >= 0], minlength=self.documents)
        together = np.concatenate(words)
        return Texts(together, np.ones(len(together), np.float32), lengths.cumsum())

    def known(self, number_of: I32) -> tuple[I64, I64]:
        """Return how many known words each document has, and in how many documents each stands by its new number.

        `number_of` gives terms new numbers; -1 is none.
        """
        from aboutness.kernels.paragraphs import count_known

        words = int(number_of.max(initial=-1)) + 1
        lengths, df = np.zeros(self.documents, np.int64), np.zeros(words, np.int64)
        last = np.full(words, -1, np.int64)
        for part in self.parts:
            count_known(part.tokens, part.starts, part.ends, part.documents, number_of, last, lengths, df)
        return lengths, df if self.whole is None else self.whole.df

    def blocks(self) -> list[Block]:
        """Return all pieces in blocks of about the same size, in which it does not matter where parts end."""
        lengths = [part.ends - part.starts for part in self.parts]
        running = np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))
        ends = np.cumsum([len(of_part) for of_part in lengths])  # pieces before the end of each part
        size = BLOCK if self.whole is None else self.whole.block
        blocks, first = [], 0
        while first < len(running):
            before = int(running[first - 1]) if first else 0
            last = min(len(running), int(np.searchsorted(running, before + size)) + 1)
            blocks.append(self._block(first, last, ends, before))
            first = last
        return blocks

    def _block(self, first: int, last: int, ends: I64, before: int) -> Block:
        """Return pieces `first` to `last` - 1; tokens that lie in several parts are copied together."""
        parts = range(int(np.searchsorted(ends, first, "right")), int(np.searchsorted(ends, last)) + 1)
        spans = []
        for number in parts:
            part, start = self.parts[number], int(ends[number - 1]) if number else 0
            here = slice(max(0, first - start), last - start)
            spans.append((part.tokens, part.starts[here], part.ends[here], part.documents[here]))
        if len(spans) == 1:
            return Block(*spans[0], before)
        tokens = [
            everything[start:end]
            for everything, starts, stops, _ in spans
            for start, end in zip(starts, stops, strict=True)
        ]
        together = np.cumsum([len(piece) for piece in tokens], dtype=np.int64)
        documents = np.concatenate([of for *_, of in spans])
        return Block(_fixed(np.concatenate(tokens)), _starts(together), together, documents, before)

    @cached_property
    def checksum(self) -> int:
        """Return a number that another text hardly has."""
        value = self.documents
        for part in self.parts:
            for array in (part.tokens, part.starts, part.ends, part.documents):
                value = zlib.crc32(np.ascontiguousarray(array).data.cast("B"), value) if array.size else value
        return zlib.crc32(self.counts.data.cast("B"), value) if self.counts.size else value


def parts_of(view: LayerView) -> list[Part]:
    """Return each chosen field of each living document as a piece; documents are numbered from 0."""
    fields = len(view.weights)
    chosen = np.asarray(view.weights > 0)
    parts, first = [], 0
    for tokens, ends in view.streams():
        documents = len(ends) // fields
        here = np.tile(chosen, documents)
        of = np.repeat(np.arange(first, first + documents), fields)[here]
        parts.append(_part(tokens, _starts(ends)[here], ends[here], of))
        first += documents
    return parts


def _part(tokens: I32, starts: I64, ends: I64, documents: I64) -> Part:
    """Leave out empty pieces, and cut those that are too long."""
    some = ends > starts
    tokens, starts, ends, documents = _fixed(tokens), starts[some], ends[some], documents[some]
    if not len(starts) or (ends - starts).max() <= LONGEST_PIECE:
        return Part(tokens, starts, ends, documents)
    cuts = -(-(ends - starts) // LONGEST_PIECE)
    which = np.repeat(np.arange(len(starts)), cuts)
    within = np.arange(len(which)) - np.repeat(np.cumsum(cuts) - cuts, cuts)
    cut_starts = starts[which] + within * LONGEST_PIECE
    return Part(tokens, cut_starts, np.minimum(cut_starts + LONGEST_PIECE, ends[which]), documents[which])


def joined(tokens: I32, starts: I64, ends: I64) -> I32:
    """Return the tokens of some pieces, end to end."""
    lengths = ends - starts
    places = np.repeat(starts - (lengths.cumsum() - lengths), lengths) + np.arange(int(lengths.sum()))
    return tokens[places]


def _check_texts(texts: Sequence[Any], *, strings: bool) -> None:
    for text in texts:
        terms = isinstance(text, Sequence) and all(isinstance(term, str) for term in text)
        if not terms or isinstance(text, str) != strings:
            raise UsageError(f"the texts to train on must be all strings or all lists of terms, got {shown(text)}")


def _numbered(texts: Sequence[Sequence[str]], table: GrowingTable) -> tuple[I32, I64]:
    """Number the terms of texts that are lists of terms."""
    terms = [term for text in texts for term in text]
    return table.add(*pack(terms)).astype(np.int32), np.cumsum([len(text) for text in texts], dtype=np.int64)


def _fixed(tokens: I32) -> I32:
    """Return tokens as an index maps them, read-only: so that kernels need to be compiled for no other kind."""
    view = tokens.view()
    view.flags.writeable = False
    return view


def _starts(ends: I64) -> I64:
    return np.concatenate([[0], ends[:-1]]).astype(np.int64)


Source: TypeAlias = TrainingText | LayerView | Iterable[str] | Iterable[Sequence[str]]


def chosen_documents(documents: int, sample: int, seed: int) -> NDArray[np.bool_]:
    """Return which documents to train on: all, or so many drawn by chance.

    >>> int(chosen_documents(10, 4, 1).sum()), int(chosen_documents(3, 4, 1).sum())
    (4, 3)
    """
    chosen = np.ones(documents, np.bool_)
    if 0 < sample < documents:
        chosen[np.random.default_rng(seed).permutation(documents)[sample:]] = False
    return chosen
