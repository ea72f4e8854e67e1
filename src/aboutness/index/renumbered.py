"""A segment of an index of its own to one of a larger index: other numbers of terms, other fields, same documents.

A shard is analysed with a vocabulary of its own, beside others. Its terms get the numbers that they have in the
whole; what is made here is what indexing would have made if all had been indexed one after the other. Which
documents have a term, and how often, stays the same: so lists of postings are put in another order, not made anew.
What is large is made as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.arrays import Array, Blocks
from aboutness.index.layer import LayerSegment, layer_roles
from aboutness.index.runs import AT_ONCE, Part, Runs
from aboutness.index.segment import DOCUMENTS, Segment, document_arrays
from aboutness.text.strings import StringTable, take

Arrays = Mapping[str, Array | Blocks]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Numbering:
    """What the terms of a layer are called in the whole, by number here, and which first stand in this segment."""

    numbers: NDArray[np.int32]
    new_terms: StringTable


def renumbered_roles(
    segment: Segment, numberings: Mapping[str, Numbering], places: Places, arrived: int
) -> dict[str, Callable[[], Arrays]]:
    """Return for each file of the segment in the whole a function that makes its arrays.

    `places` says for each field of the whole which one it is here, or -1, ascending but for these; `arrived`
    counts the documents before.
    """
    places = np.where(places < segment.fields, places, -1)  # a field may have come after this segment
    streams, postings = {}, {}
    for name, numbering in numberings.items():
        layer = segment.layers[name]
        stream_role, posting_role = layer_roles(name)
        streams[stream_role] = partial(_stream, layer, numbering, places)
        postings[posting_role] = partial(_postings, layer, numbering, places)
    return {**streams, DOCUMENTS: partial(_documents, segment, places, arrived), **postings}


def _documents(segment: Segment, places: Places, arrived: int) -> Arrays:
    texts = segment.data, segment.ends
    if not _same(places, segment.fields):
        texts = take(*texts, _cells(len(segment), segment.fields, places))
    arrivals = np.arange(arrived, arrived + len(segment), dtype=np.int64)
    return document_arrays(segment.ids, *texts, segment.metadata_arrays(), arrivals)


def _stream(layer: LayerSegment, numbering: Numbering, places: Places) -> Arrays:
    ends = layer.token_ends
    if not _same(places, layer.fields):
        cells = _cells(len(layer.forward_ends), layer.fields, places)
        ends = np.where(cells >= 0, np.diff(ends, prepend=0)[cells], 0).cumsum()
    return {
        "stream.tokens": _renamed(layer.tokens, numbering.numbers),
        "stream.ends": ends,
        "forward.ends": layer.forward_ends,
        "forward.terms": _renamed(layer.forward_terms, numbering.numbers),
        "forward.counts": _rows(layer.forward_counts, places, lambda row: iter([row])),
    }


def _postings(layer: LayerSegment, numbering: Numbering, places: Places) -> Arrays:
    terms = numbering.numbers[layer.terms]
    order = np.argsort(terms)
    lists = Runs([Part(layer.posting_ends, order)])
    return {
        "terms.data": numbering.new_terms.data,
        "terms.ends": numbering.new_terms.ends,
        "terms.slots": numbering.new_terms.slots,
        "postings.terms": terms[order],
        "postings.ends": lists.ends,
        "postings.documents": lists.items([layer.posting_documents]),
        "postings.counts": _rows(layer.posting_counts, places, lambda row: lists.items([row]).make()),
        "postings.totals": _rows(layer.totals, places, lambda row: iter([row[order]])),
    }


def _renamed(terms: NDArray[np.int32], numbers: NDArray[np.int32]) -> Blocks:
    """Return terms under their numbers in the whole, made as they are written."""
    starts = range(0, len(terms), AT_ONCE)
    return Blocks(terms.shape, terms.dtype, lambda: (numbers[terms[i : i + AT_ONCE]] for i in starts))


def _rows(rows: NDArray[Any], places: Places, made: Callable[[NDArray[Any]], Iterator[NDArray[Any]]]) -> Blocks:
    """Return the rows of fields, each as `made` makes it, in the order of the whole; zeros where there is none."""

    def all_rows() -> Iterator[NDArray[Any]]:
        for place in places:
            yield from made(rows[place]) if place >= 0 else (np.zeros(rows.shape[1], rows.dtype),)

    return Blocks((len(places), rows.shape[1]), rows.dtype, all_rows)


def _same(places: Places, fields: int) -> bool:
    return np.array_equal(places, np.arange(fields))


def _cells(documents: int, had: int, places: Places) -> NDArray[np.int64]:
    """Return the cells of all documents as the fields of the whole want them; -1 for those that are not here."""
    return np.where(places >= 0, np.arange(documents)[:, None] * had + places, -1).ravel()
