"""A shard: some neighbouring segments of an index, as a snapshot of its own with what all of the index knows.

Terms have the same numbers in all segments, so that a shard needs no more of the others than their vocabulary and
the statistics of the whole. Its documents are numbered from 0; `first` is the number of the first in the index.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError
from aboutness.index.layer import LayerSegment
from aboutness.index.segment import Segment
from aboutness.index.snapshot import Snapshot
from aboutness.index.statistics import Statistics
from aboutness.index.view import LayerView

Weights = NDArray[np.float64]
ViewKey = tuple[str, tuple[float, ...]]  # a layer, and how much each field counts
Gather = Callable[[str, Weights], Statistics]


def cut(whole: Snapshot, count: int | None = None) -> list[range]:
    """Return the segments of an index in at most `count` groups of neighbours (each its own), about as large.

    A segment is never cut; a group ends where it has its share of the documents that are left.
    """
    sizes = [len(segment) for segment in whole.segments]
    if count is None or count >= len(sizes):
        return [range(place, place + 1) for place in range(len(sizes))]
    if count < 1:
        raise UsageError(f"the number of shards must be at least 1, got {count}")
    groups, start, left = [], 0, sum(sizes)
    for groups_left in range(count, 0, -1):
        end, held = start + 1, sizes[start]
        while len(sizes) - end >= groups_left and held + sizes[end] / 2 <= left / groups_left:
            held += sizes[end]
            end += 1
        end = len(sizes) if groups_left == 1 else end
        groups.append(range(start, end))
        start, left = end, left - held
    return groups


def key_of(view: LayerView) -> ViewKey:
    """Return what tells a view of an index from others."""
    return view.layer, tuple(view.weights.tolist())


class Shard(Snapshot):
    """Some neighbouring segments of an index; what is known of the whole is given, or looked up there."""

    def __init__(self, whole: Snapshot, segments: range) -> None:
        chosen = whole.segments[segments.start : segments.stop]
        self.first = chosen[0].first if chosen else 0  # the number of its first document in the index
        self.given: dict[ViewKey, Statistics] = {}  # to be filled before a view asks for its own
        self._whole = whole
        manifest = replace(whole.manifest, segments=whole.manifest.segments[segments.start : segments.stop])
        super().__init__(whole.folder, manifest, [_moved(one, self.first) for one in chosen], whole.trained)

    @property
    def lender(self) -> Snapshot:
        """Return the whole index."""
        return self._whole

    def _made_view(self, layer: str, weights: Weights) -> LayerView:
        of_whole = self._whole.view(layer, dict(zip(self.fields, weights.tolist(), strict=True)))
        return ShardView(self.segments, of_whole, lambda: self.given.get(key_of(of_whole)))


def _moved(segment: Segment, first: int) -> Segment:
    """Return a segment whose documents are numbered as if the one with the number `first` were the first."""
    moved = copy.copy(segment)
    moved.first = segment.first - first
    return moved


class ShardView(LayerView):
    """The matrix of a shard's documents, with the vocabulary and the statistics of the whole."""

    def __init__(
        self, segments: Sequence[Segment], whole: LayerView, given: Callable[[], Statistics | None]
    ) -> None:
        super().__init__(segments, whole.layer, whole.analyzer, whole.weights, whole.field_names, whole.trained)
        self.whole = whole
        self._given = given

    @cached_property
    def vocabulary(self) -> Sequence[LayerSegment]:
        """Return the parts of the whole in which terms first stood."""
        return self.whole.vocabulary

    @cached_property
    def statistics(self) -> Statistics:
        """Return what is known of the whole."""
        found = self._given()
        return self.whole.statistics if found is None else found

    def forward(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a document's terms and counts; without documents of its own, those of one of the whole."""
        return super().forward(number) if self.segments else self.whole.forward(number)


class Assembled(Snapshot):
    """A whole index that is read here and there, with statistics that were added up where its shards are."""

    def __init__(self, whole: Snapshot, gather: Gather) -> None:
        super().__init__(whole.folder, whole.manifest, whole.segments, whole.trained)
        self._gather = gather

    def _made_view(self, layer: str, weights: Weights) -> LayerView:
        return _AssembledView(self, layer, weights, self._gather)


class _AssembledView(LayerView):
    def __init__(self, snapshot: Snapshot, layer: str, weights: Weights, gather: Gather) -> None:
        analyzer, trained = snapshot.analyzer(layer), snapshot.trained
        super().__init__(snapshot.segments, layer, analyzer, weights, snapshot.fields, trained)
        self._gather = gather

    @cached_property
    def statistics(self) -> Statistics:
        return self._gather(self.layer, self.weights)

    @cached_property
    def df(self) -> NDArray[np.int64]:
        return self.statistics.df

    @cached_property
    def cf(self) -> NDArray[np.float64]:
        return self.statistics.cf
