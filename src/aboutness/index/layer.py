"""One analyzer's arrays over the documents of one segment: vocabulary, stream, forward view, postings."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.text.strings import StringTable

Arrays = dict[str, NDArray[Any]]
Numbers = NDArray[np.int32]
Ends = NDArray[np.int64]

MOST_SMALL = np.iinfo(np.uint16).max


def layer_arrays(new_terms: StringTable, vocabulary: int, tokens: Numbers, ends: Ends, fields: int) -> Arrays:
    """Return the arrays of a layer, made from its token stream.

    `new_terms` are those that first stand in this segment; `vocabulary` counts all terms up to and with these.
    Cell c of the stream is field c % fields of document c // fields, and ends at `ends[c]`.
    """
    from aboutness.kernels.invert import count_pairs, fill_forward, fill_postings, sum_counts

    documents = len(ends) // fields
    longest = int(np.diff(ends, prepend=0).max(initial=0))
    counted = np.uint16 if longest <= MOST_SMALL else np.uint32
    df = np.zeros(vocabulary, np.int64)
    pairs = count_pairs(tokens, ends, fields, df)

    forward_ends = np.empty(documents, np.int64)
    forward_terms = np.empty(pairs, np.int32)
    forward_counts = np.zeros((fields, pairs), counted)
    fill_forward(tokens, ends, vocabulary, forward_ends, forward_terms, forward_counts)

    terms = np.flatnonzero(df).astype(np.int32)
    posting_ends = df[terms].cumsum()
    posting_documents = np.empty(pairs, np.int32)
    posting_counts = np.empty((fields, pairs), counted)
    starts = df.cumsum() - df
    fill_postings(forward_ends, forward_terms, forward_counts, starts, posting_documents, posting_counts)
    totals = np.empty((fields, len(terms)), np.int64)
    sum_counts(posting_ends, posting_counts, totals)
    return {
        "terms.data": new_terms.data,
        "terms.ends": new_terms.ends,
        "terms.slots": new_terms.slots,
        "stream.tokens": tokens,
        "stream.ends": ends,
        "forward.ends": forward_ends,
        "forward.terms": forward_terms,
        "forward.counts": forward_counts,
        "postings.terms": terms,
        "postings.ends": posting_ends,
        "postings.documents": posting_documents,
        "postings.counts": posting_counts,
        "postings.totals": totals,
    }


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
