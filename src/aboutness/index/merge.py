"""Neighbouring segments to one, without their dead documents: the same arrays that indexing would have made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.builder import joined
from aboutness.index.layer import LayerWork, TokenStream, cells_of
from aboutness.index.metadata import metadata_arrays
from aboutness.index.segment import DOCUMENTS, Segment, document_arrays
from aboutness.text.strings import GrowingTable, StringTable, take

Arrays = dict[str, NDArray[Any]]
Ends = NDArray[np.int64]
Kept = Sequence[NDArray[np.int64]]

LARGEST_MERGED = 1 << 27  # tokens of all layers; larger segments are merged only when that is asked for


def merge_run(segments: Sequence[Segment]) -> int:
    """Return how many of the last segments should be merged now: 0, or at least 2.

    Going back from the newest, a segment joins while it is smaller than twice all that came after it. So
    sizes about double from one segment to the next older, and a document is rewritten about log2(n) times.
    """
    count, documents, tokens = 0, 0, 0
    for segment in reversed(segments):
        size = sum(len(layer.tokens) for layer in segment.layers.values())
        if count and (segment.live > 2 * documents or tokens + size > LARGEST_MERGED):
            break
        count, documents, tokens = count + 1, documents + segment.live, tokens + size
    return count if count > 1 else 0


def hollow(segments: Sequence[Segment]) -> int:
    """Return the place of a segment of which more than half is dead, or -1."""
    return next((i for i, segment in enumerate(segments) if 2 * len(segment.dead) > len(segment)), -1)


def merged_roles(segments: Sequence[Segment], fields: int) -> dict[str, Callable[[], Arrays]]:
    """Return for each file of one segment that replaces these neighbours a function that makes its arrays."""
    kept = [np.flatnonzero(~segment.dead_mask()) for segment in segments]
    layers = [
        LayerWork(name, partial(_merged_stream, segments, kept, fields, name)) for name in segments[0].layers
    ]
    return {
        **{layer.stream_role: layer.stream_arrays for layer in layers},
        DOCUMENTS: partial(_merged_documents, segments, kept, fields),
        **{layer.posting_role: layer.posting_arrays for layer in layers},
    }


def _merged_documents(segments: Sequence[Segment], kept: Kept, fields: int) -> Arrays:
    ids, texts = [], []
    for segment, keep in zip(segments, kept, strict=True):
        ids.append(take(segment.ids.data, segment.ids.ends, keep))
        texts.append(take(segment.data, segment.ends, cells_of(keep, segment.fields, fields)))
    arrivals = np.concatenate([segment.arrivals[keep] for segment, keep in zip(segments, kept, strict=True)])
    metadata = _merged_metadata(segments, kept)
    return document_arrays(StringTable.of_packed(*joined(ids)), *joined(texts), metadata, arrivals)


def _merged_stream(segments: Sequence[Segment], kept: Kept, fields: int, name: str) -> TokenStream:
    streams, terms = [], []
    for segment, keep in zip(segments, kept, strict=True):
        layer = segment.layers[name]
        streams.append(take(layer.tokens, layer.token_ends, cells_of(keep, layer.fields, fields)))
        terms.append((layer.new_terms.data, layer.new_terms.ends))
    table = StringTable.of_packed(*joined(terms))
    return TokenStream(table, segments[0].layers[name].first_term + len(table), *joined(streams), fields)


def _merged_metadata(segments: Sequence[Segment], kept: Kept) -> Arrays:
    values = GrowingTable()
    parts = []
    for segment, keep in zip(segments, kept, strict=True):
        numbers = values.add(segment.values.data, segment.values.ends).astype(np.int32)
        entries, ends = take(segment.entries, segment.entry_ends, keep)
        parts.append((numbers[entries], ends))
    return metadata_arrays(StringTable.of_packed(*values.packed()), *joined(parts))
