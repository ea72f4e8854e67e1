"""Neighbouring segments to one, without their dead documents: the same arrays that indexing would have made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.arrays import Array, Blocks
from aboutness.index.builder import joined
from aboutness.index.layer import LayerSegment, cells_of, counting, layer_roles
from aboutness.index.merged_postings import MergedPostings
from aboutness.index.metadata import metadata_arrays
from aboutness.index.runs import Part, Runs
from aboutness.index.segment import DOCUMENTS, Segment
from aboutness.text.strings import GrowingTable, StringTable, take

Arrays = Mapping[str, Array | Blocks]
Kept = Sequence[NDArray[np.int64]]

SHARD = "shard-"  # how the names of segments begin that make up shards
LARGEST_MERGED = 1 << 27  # tokens of all layers; larger segments are merged only when that is asked for


def merge_run(segments: Sequence[Segment]) -> int:
    """Return how many of the last segments should be merged now: 0, or at least 2.

    Going back from the newest, a segment joins while it is smaller than twice all that came after it. So
    sizes about double from one segment to the next older, and a document is rewritten about log2(n) times.
    Shards stay what they are: segments that came later are merged only with one another.
    """
    count, documents, tokens = 0, 0, 0
    for segment in reversed(segments):
        if is_shard(segment):
            break
        size = sum(len(layer.tokens) for layer in segment.layers.values())
        if count and (segment.live > 2 * documents or tokens + size > LARGEST_MERGED):
            break
        count, documents, tokens = count + 1, documents + segment.live, tokens + size
    return count if count > 1 else 0


def is_shard(segment: Segment) -> bool:
    """Tell whether a segment is a shard, or a part of one, of an index that was built in shards."""
    return segment.name.startswith(SHARD)


def hollow(segments: Sequence[Segment]) -> int:
    """Return the place of a segment of which more than half is dead, or -1."""
    return next((i for i, segment in enumerate(segments) if 2 * len(segment.dead) > len(segment)), -1)


def merged_roles(segments: Sequence[Segment], fields: int) -> dict[str, Callable[[], Arrays]]:
    """Return for each file of one segment that replaces these neighbours a function that makes its arrays.

    What is as long as the text (texts, tokens, rows, postings) is made block by block while it is written.
    """
    kept = [np.flatnonzero(~segment.dead_mask()) for segment in segments]
    roles: dict[str, Callable[[], Arrays]] = {DOCUMENTS: partial(_merged_documents, segments, kept, fields)}
    for name in segments[0].layers:
        stream, postings = layer_roles(name)
        layers = [segment.layers[name] for segment in segments]
        roles[stream] = partial(_merged_stream, layers, kept, fields)
        roles[postings] = partial(_merged_postings, layers, kept, fields)
    return roles


def _merged_documents(segments: Sequence[Segment], kept: Kept, fields: int) -> Arrays:
    pairs = list(zip(segments, kept, strict=True))
    ids = StringTable.of_packed(
        *joined([take(segment.ids.data, segment.ids.ends, keep) for segment, keep in pairs])
    )
    cells = Runs([Part(segment.ends, cells_of(keep, segment.fields, fields)) for segment, keep in pairs])
    metadata = _merged_metadata(segments, kept)
    return {
        "ids.data": ids.data,
        "ids.ends": ids.ends,
        "ids.slots": ids.slots,
        "cells.data": cells.items([segment.data for segment in segments]),
        "cells.ends": cells.ends,
        "checksums": np.concatenate([segment.checksums[keep] for segment, keep in pairs]),
        "arrivals": np.concatenate([segment.arrivals[keep] for segment, keep in pairs]),
        **metadata,
    }


def _merged_stream(layers: Sequence[LayerSegment], kept: Kept, fields: int) -> Arrays:
    tokens = _cells(layers, kept, fields)
    rows = Runs([Part(layer.forward_ends, keep) for layer, keep in zip(layers, kept, strict=True)])
    counts = [layer.forward_counts for layer in layers]
    return {
        "stream.tokens": tokens.items([layer.tokens for layer in layers]),
        "stream.ends": tokens.ends,
        "forward.ends": rows.ends,
        "forward.terms": rows.items([layer.forward_terms for layer in layers]),
        "forward.counts": rows.rows(counts, fields, counting(tokens.longest)),
    }


def _merged_postings(layers: Sequence[LayerSegment], kept: Kept, fields: int) -> Arrays:
    terms = StringTable.of_packed(*joined([(layer.new_terms.data, layer.new_terms.ends) for layer in layers]))
    numbers, first = [], 0
    for layer, keep in zip(layers, kept, strict=True):
        of_segment = np.full(len(layer.forward_ends), -1, np.int32)
        of_segment[keep] = np.arange(first, first + len(keep), dtype=np.int32)
        numbers.append(of_segment)
        first += len(keep)
    postings = MergedPostings(layers, numbers, fields, layers[0].first_term + len(terms))
    return {
        "terms.data": terms.data,
        "terms.ends": terms.ends,
        "terms.slots": terms.slots,
        "postings.terms": postings.terms,
        "postings.ends": postings.ends,
        "postings.documents": postings.documents(),
        "postings.counts": postings.counts(counting(_cells(layers, kept, fields).longest)),
        "postings.totals": postings.totals(),
    }


def _cells(layers: Sequence[LayerSegment], kept: Kept, fields: int) -> Runs:
    """Return the tokens of the kept documents, field by field."""
    pairs = zip(layers, kept, strict=True)
    return Runs([Part(layer.token_ends, cells_of(keep, layer.fields, fields)) for layer, keep in pairs])


def _merged_metadata(segments: Sequence[Segment], kept: Kept) -> dict[str, NDArray[Any]]:
    values = GrowingTable()
    parts = []
    for segment, keep in zip(segments, kept, strict=True):
        numbers = values.add(segment.values.data, segment.values.ends).astype(np.int32)
        entries, ends = take(segment.entries, segment.entry_ends, keep)
        parts.append((numbers[entries], ends))
    return metadata_arrays(StringTable.of_packed(*values.packed()), *joined(parts))
