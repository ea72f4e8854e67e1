"""One analyzer's arrays over the documents of one segment: vocabulary, stream, forward view, postings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aboutness.text.strings import StringTable

Arrays = dict[str, NDArray[Any]]
Numbers = NDArray[np.int32]
Ends = NDArray[np.int64]

MOST_SMALL = np.iinfo(np.uint16).max


class TokenStream(NamedTuple):
    """What a layer is made of: the terms of a segment's documents, in order.

    `new_terms` are those that first stand in this segment; `vocabulary` counts all terms up to and with these.
    Cell c is field c % fields of document c // fields, and ends at `ends[c]`.
    """

    new_terms: StringTable
    vocabulary: int
    tokens: Numbers
    ends: Ends
    fields: int


class LayerWork:
    """Makes the arrays of a layer in two parts, which may be made and written side by side."""

    def __init__(self, name: str, prepare: Callable[[], TokenStream]) -> None:
        self.stream_role, self.posting_role = layer_roles(name)
        self._prepare = prepare
        self._lock = Lock()
        self._stream: TokenStream | None = None
        self._df: Ends = np.zeros(0, np.int64)
        self._forward: Arrays = {}

    def stream_arrays(self) -> Arrays:
        """Return the token stream and the forward view."""
        stream = self._ready()
        return {"stream.tokens": stream.tokens, "stream.ends": stream.ends, **self._forward}

    def posting_arrays(self) -> Arrays:
        """Return the new terms and the postings."""
        from aboutness.kernels.invert import fill_postings, sum_counts

        stream = self._ready()
        ends, forward_terms, forward_counts = (self._forward[f"forward.{n}"] for n in ("ends", "terms", "counts"))
        terms = np.flatnonzero(self._df).astype(np.int32)
        posting_ends = self._df[terms].cumsum()
        documents = np.empty(len(forward_terms), np.int32)
        counts = np.empty_like(forward_counts)
        fill_postings(ends, forward_terms, forward_counts, self._df.cumsum() - self._df, documents, counts)
        totals = np.empty((stream.fields, len(terms)), np.int64)
        sum_counts(posting_ends, counts, totals)
        return {
            "terms.data": stream.new_terms.data,
            "terms.ends": stream.new_terms.ends,
            "terms.slots": stream.new_terms.slots,
            "postings.terms": terms,
            "postings.ends": posting_ends,
            "postings.documents": documents,
            "postings.counts": counts,
            "postings.totals": totals,
        }

    def _ready(self) -> TokenStream:
        """Return the stream, after the forward view has been made by whoever came first."""
        with self._lock:
            if self._stream is None:
                self._stream = self._prepare()
                self._make_forward(self._stream)
            return self._stream

    def _make_forward(self, stream: TokenStream) -> None:
        from aboutness.kernels.invert import count_pairs, fill_forward

        counted = counting(int(np.diff(stream.ends, prepend=0).max(initial=0)))
        self._df = np.zeros(stream.vocabulary, np.int64)
        pairs = count_pairs(stream.tokens, stream.ends, stream.fields, self._df)
        ends = np.empty(len(stream.ends) // stream.fields, np.int64)
        terms = np.empty(pairs, np.int32)
        counts = np.zeros((stream.fields, pairs), counted)
        fill_forward(stream.tokens, stream.ends, stream.vocabulary, ends, terms, counts)
        self._forward = {"forward.ends": ends, "forward.terms": terms, "forward.counts": counts}


def layer_arrays(new_terms: StringTable, vocabulary: int, tokens: Numbers, ends: Ends, fields: int) -> Arrays:
    """Return all arrays of a layer."""
    work = LayerWork("", lambda: TokenStream(new_terms, vocabulary, tokens, ends, fields))
    return {**work.stream_arrays(), **work.posting_arrays()}


def counting(longest: int) -> np.dtype[Any]:
    """Return the type of the counts of words in texts of which the longest has so many tokens."""
    return np.dtype(np.uint16 if longest <= MOST_SMALL else np.uint32)


def layer_roles(name: str) -> tuple[str, str]:
    """Return the roles of the two files of a layer: token stream and forward view, terms and postings."""
    return f"stream:{name}", f"postings:{name}"


def cells_of(documents: NDArray[np.int64], had: int, fields: int) -> NDArray[np.int64]:
    """Return the cells of documents that had fewer fields; -1 stands for the cells they did not have."""
    field = np.arange(fields)
    return np.where(field < had, documents[:, None] * had + field, -1).ravel()


class LayerSegment:
    """A layer of one segment, as mapped from its file. Document numbers here count from 0 in the segment."""

    def __init__(self, arrays: Arrays, first_term: int) -> None:
        self.first_term = first_term
        self.new_terms = StringTable(arrays["terms.data"], arrays["terms.ends"], arrays["terms.slots"])
        self.tokens: Numbers = arrays["stream.tokens"]
        self.token_ends: Ends = arrays["stream.ends"]
        self.forward_ends: Ends = arrays["forward.ends"]
        self.forward_terms: Numbers = arrays["forward.terms"]
        self.forward_counts: NDArray[Any] = arrays["forward.counts"]
        self.terms: Numbers = arrays["postings.terms"]
        self.posting_ends: Ends = arrays["postings.ends"]
        self.posting_documents: Numbers = arrays["postings.documents"]
        self.posting_counts: NDArray[Any] = arrays["postings.counts"]
        self.totals: NDArray[np.int64] = arrays["postings.totals"]

    @property
    def fields(self) -> int:
        """Return how many fields the documents had when the segment was written."""
        return len(self.totals)

    def postings(self, term: int) -> tuple[Numbers, NDArray[Any]]:
        """Return the documents with a term, ascending, and the counts in each of their fields."""
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return self.posting_documents[:0], self.posting_counts[:, :0]
        span = slice(int(self.posting_ends[at - 1]) if at else 0, int(self.posting_ends[at]))
        return self.posting_documents[span], self.posting_counts[:, span]

    def forward(self, document: int) -> tuple[Numbers, NDArray[Any]]:
        """Return a document's terms, in order of first appearance, and the counts in each of its fields."""
        span = slice(int(self.forward_ends[document - 1]) if document else 0, int(self.forward_ends[document]))
        return self.forward_terms[span], self.forward_counts[:, span]

    def stream(self, document: int) -> list[Numbers]:
        """Return a document's tokens, field by field."""
        first = document * self.fields
        bounds = [
            int(self.token_ends[first - 1]) if first else 0,
            *self.token_ends[first : first + self.fields],
        ]
        return [self.tokens[a:b] for a, b in pairwise(bounds)]
