"""Whether the numbers in a segment stay within their bounds, which compiled code takes on trust.

Files as they were written always do. Those of a foreign index, whose checksums may be made to fit, need not:
what is verified is looked through here before anything compiled touches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from aboutness.index.layer import LayerSegment
    from aboutness.index.segment import Segment
    from aboutness.text.strings import StringTable

LOW = np.uint64(0xFFFFFFFF)  # of a slot: a number from 1
COUNTS = (np.uint8, np.uint16, np.uint32)


def out_of_bounds(segment: Segment, *, derived: bool = True) -> Iterator[str]:
    """Yield the names of the arrays of a segment that are not what their readers expect.

    `derived` are those that follow from others: who makes them anew to compare them need not have them checked.
    """
    yield from _table("ids", segment.ids)
    yield from _table("metadata.values", segment.values)
    count, values = len(segment.ids), len(segment.values)
    bounds = {
        "cells.data": _is(segment.data, np.uint8),
        "cells.ends": _are_ends(segment.ends, len(segment.data)) and len(segment.ends) % max(1, count) == 0,
        "arrivals": _is(segment.arrivals, np.int64) and len(segment.arrivals) == count,
        "checksums": _is(segment.checksums, np.uint64) and len(segment.checksums) == count,
        "metadata.entries": _are_numbers(segment.entries, values),
        "metadata.ends": _are_ends(segment.entry_ends, len(segment.entries), count),
        "metadata.documents": _are_numbers(segment.value_documents, count),
        "metadata.document.ends": _are_ends(segment.value_ends, len(segment.value_documents), values),
        "the list of dead documents": _are_numbers(segment.dead, count) and _ascends(segment.dead),
    }
    yield from (name for name, within in bounds.items() if not within)
    for name, layer in segment.layers.items():
        yield from (f"{name}: {one}" for one in _layer(layer, count, derived=derived))


def _layer(layer: LayerSegment, documents: int, *, derived: bool) -> Iterator[str]:
    yield from _table("terms", layer.new_terms)
    vocabulary, fields = layer.first_term + len(layer.new_terms), layer.fields
    pairs, postings = len(layer.forward_terms), len(layer.posting_documents)
    bounds = {
        "stream.tokens": _are_numbers(layer.tokens, vocabulary),
        "stream.ends": _are_ends(layer.token_ends, len(layer.tokens), documents * fields),
    }
    following = {
        "forward.ends": _are_ends(layer.forward_ends, pairs, documents),
        "forward.terms": _are_numbers(layer.forward_terms, vocabulary),
        "forward.counts": _are_counts(layer.forward_counts, fields, pairs),
        "postings.terms": _are_numbers(layer.terms, vocabulary) and _ascends(layer.terms),
        "postings.ends": _are_ends(layer.posting_ends, postings, len(layer.terms)),
        "postings.documents": _are_numbers(layer.posting_documents, documents),
        "postings.counts": _are_counts(layer.posting_counts, fields, postings),
        "postings.totals": _is(layer.totals, np.int64, 2) and layer.totals.shape == (fields, len(layer.terms)),
    }
    checked = bounds | following if derived else bounds
    yield from (name for name, within in checked.items() if not within)


def _table(name: str, table: StringTable) -> Iterator[str]:
    if not (_is(table.data, np.uint8) and _are_ends(table.ends, len(table.data))):
        yield name
    size = len(table.slots)
    sound = _is(table.slots, np.uint64) and size > len(table) and not size & (size - 1)
    if not sound or int((table.slots & LOW).max()) > len(table) or bool((table.slots != 0).all()):
        yield f"{name}.slots"


def _is(array: NDArray[Any], kind: type[np.generic], dimensions: int = 1) -> bool:
    return array.dtype == kind and array.ndim == dimensions


def _are_ends(ends: NDArray[Any], size: int, count: int | None = None) -> bool:
    """Tell whether ends rise from 0 or more to just the size, and are as many as they should be."""
    if not _is(ends, np.int64) or (count is not None and len(ends) != count):
        return False
    if not len(ends):
        return size == 0
    return bool(ends[0] >= 0 and ends[-1] == size and np.all(ends[1:] >= ends[:-1]))


def _are_numbers(numbers: NDArray[Any], below: int) -> bool:
    if not _is(numbers, np.int32):
        return False
    return not len(numbers) or bool(numbers.min() >= 0 and int(numbers.max()) < below)


def _are_counts(counts: NDArray[Any], fields: int, size: int) -> bool:
    return counts.dtype in COUNTS and counts.shape == (fields, size)


def _ascends(numbers: NDArray[Any]) -> bool:
    return bool(np.all(numbers[1:] > numbers[:-1]))
