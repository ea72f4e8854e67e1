"""What word vectors are trained on: pieces of text as runs of term numbers, read where they lie."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError, shown
from aboutness.index.view import LayerView
from aboutness.text.analyzer import Analyzer
from aboutness.text.batch import BatchAnalyzer
from aboutness.text.strings import GrowingTable, pack

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

LONGEST_PIECE = 10_000  # tokens; a longer text is cut
BLOCK = 20_000  # tokens that are trained in one go, or more
BATCH = 1 << 12  # texts that are analysed at a time


@dataclass(frozen=True)
class Part:
    """Pieces of text: piece p has the term numbers `tokens[starts[p]:ends[p]]`."""

    tokens: I32
    starts: I64
    ends: I64


@dataclass(frozen=True)
class Block:
    """Some neighbouring pieces, which are trained in one go, and the tokens that come before them."""

    tokens: I32
    starts: I64
    ends: I64
    before: int


@dataclass(frozen=True)
class TrainingText:
    """Pieces of text in parts, and how often each term number stands in them."""

    parts: Sequence[Part]
    counts: I64
    terms: Callable[[], Sequence[str]]  # all terms by number

    @classmethod
    def of_view(cls, view: LayerView) -> TrainingText:
        """Take the living documents of an index, each chosen field of each as a piece; nothing is copied."""
        fields = len(view.weights)
        chosen = np.asarray(view.weights > 0)
        parts = []
        for tokens, ends in view.streams():
            here = np.tile(chosen, len(ends) // fields)
            parts.append(_part(tokens, _starts(ends)[here], ends[here]))
        return cls(parts, view.field_cf[view.chosen].sum(axis=0), view.terms)

    @classmethod
    def of_texts(cls, texts: Iterable[str] | Iterable[Sequence[str]], analyzer: Analyzer) -> TrainingText:
        """Analyse texts, each as a piece; where they are lists of terms already, take them as they are."""
        if isinstance(texts, str):
            raise UsageError(f"training takes several texts, got the one string {shown(texts)}")
        batch, table = BatchAnalyzer(analyzer), GrowingTable()
        known = table
        parts = []
        stream = iter(texts)
        while some := list(islice(stream, BATCH)):
            if all(isinstance(text, str) for text in some):
                known = batch.vocabulary
                tokens, ends = batch.analyze([str(text) for text in some])
            else:
                known = table
                tokens, ends = _numbered(some, table)
            parts.append(_part(tokens, _starts(ends), ends))
        if len(batch.vocabulary) and len(table):
            raise UsageError("the texts to train on must be all strings or all lists of terms, got both")
        counts = np.zeros(len(known), np.int64)
        for part in parts:
            counts += np.bincount(part.tokens, minlength=len(known))
        return cls(parts, counts, known.strings)

    @classmethod
    def of(cls, source: Source, analyzer: Analyzer) -> TrainingText:
        """Take the view of an index, or analyse texts."""
        if isinstance(source, TrainingText):
            return source
        return cls.of_view(source) if isinstance(source, LayerView) else cls.of_texts(source, analyzer)

    @property
    def tokens(self) -> int:
        """Return how many tokens there are."""
        return sum(int((part.ends - part.starts).sum()) for part in self.parts)

    def blocks(self) -> list[Block]:
        """Return all pieces in blocks of about the same size."""
        blocks, before = [], 0
        for part in self.parts:
            running = np.cumsum(part.ends - part.starts)
            first = 0
            while first < len(running):
                done = int(running[first - 1]) if first else 0
                last = int(np.searchsorted(running, done + BLOCK)) + 1
                blocks.append(Block(part.tokens, part.starts[first:last], part.ends[first:last], before + done))
                first = last
            before += int(running[-1]) if len(running) else 0
        return blocks

    @cached_property
    def checksum(self) -> int:
        """Return a number that another text hardly has."""
        value = 0
        for part in self.parts:
            for array in (part.tokens, part.starts, part.ends):
                value = zlib.crc32(np.ascontiguousarray(array).data.cast("B"), value) if array.size else value
        return zlib.crc32(self.counts.data.cast("B"), value) if self.counts.size else value


def _part(tokens: I32, starts: I64, ends: I64) -> Part:
    """Leave out empty pieces, and cut those that are too long."""
    some = ends > starts
    starts, ends = starts[some], ends[some]
    if not len(starts) or (ends - starts).max() <= LONGEST_PIECE:
        return Part(tokens, starts, ends)
    cuts = -(-(ends - starts) // LONGEST_PIECE)
    which = np.repeat(np.arange(len(starts)), cuts)
    within = np.arange(len(which)) - np.repeat(np.cumsum(cuts) - cuts, cuts)
    cut_starts = starts[which] + within * LONGEST_PIECE
    return Part(tokens, cut_starts, np.minimum(cut_starts + LONGEST_PIECE, ends[which]))


def _numbered(texts: Sequence[Any], table: GrowingTable) -> tuple[I32, I64]:
    """Number the terms of texts that are lists of terms."""
    for text in texts:
        if isinstance(text, str) or not (
            isinstance(text, Sequence) and all(isinstance(term, str) for term in text)
        ):
            raise UsageError(f"the texts to train on must be all strings or all lists of terms, got {shown(text)}")
    terms = [term for text in texts for term in text]
    return table.add(*pack(terms)).astype(np.int32), np.cumsum([len(text) for text in texts], dtype=np.int64)


def _starts(ends: I64) -> I64:
    return np.concatenate([[0], ends[:-1]]).astype(np.int64)


Source: TypeAlias = TrainingText | LayerView | Iterable[str] | Iterable[Sequence[str]]
