"""The posting lists of one segment over the chosen fields: what a term model reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.layer import LayerSegment
from aboutness.index.segment import Segment


@dataclass(frozen=True)
class PostingLists:
    """For each of `terms`, which ascend, the documents that have it in a chosen field, and how often.

    Documents count from 0 in the segment, whose first has the number `first` in the index; dead ones are there.
    """

    first: int
    size: int
    dead: NDArray[np.bool_]
    terms: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    documents: NDArray[np.int32]
    field_counts: NDArray[Any]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, segment: Segment, part: LayerSegment, weights: NDArray[np.float64]) -> PostingLists:
        """Return the lists of a segment; without a copy where all its fields are chosen."""
        chosen = weights[: part.fields]
        terms, ends = part.terms, part.posting_ends
        documents, counts = part.posting_documents, part.posting_counts
        if not chosen.all():
            present = np.asarray(counts[np.flatnonzero(chosen)].any(axis=0))
            running = np.concatenate([[0], present.cumsum()])
            kept = running[ends] > np.concatenate([[0], running[ends][:-1]])
            terms, ends = terms[kept], running[ends][kept]
            documents, counts = documents[present], np.ascontiguousarray(counts[:, present])
        starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])[: len(ends)]
        return cls(
            segment.first, len(segment), segment.dead_mask(), terms, starts, ends, documents, counts, chosen
        )

    def find(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which list is that of each term, or -1."""
        if not len(self.terms):
            return np.full(len(terms), -1, np.int64)
        at = np.searchsorted(self.terms, terms.astype(np.int32))  # of the same type, else all would be copied
        at[at == len(self.terms)] = 0
        return np.where(self.terms[at] == terms, at, -1)

    def counts(self, places: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """Return the weighted counts of some postings, summed over fields one after the other."""
        return weighted_sum(self.weights, self.field_counts[:, places])


def weighted_sum(weights: NDArray[np.float64], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weighted sum over rows, one after the other: a product's last bits would vary."""
    total = np.zeros(counts.shape[1], np.float64)
    for weight, row in zip(weights, counts, strict=False):
        if weight:
            total += weight * row
    return total
