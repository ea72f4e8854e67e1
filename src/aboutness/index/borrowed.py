"""Passages beside an index: documents of their own, with the statistics and what is trained of another index.

So a model gives a passage the score that it would give it as one more document of that index, but for the
counts that the passage itself would add. Searching, lengths and document numbers are the passages' own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError
from aboutness.index.layer import LayerSegment, layer_arrays
from aboutness.index.metadata import MetadataColumns
from aboutness.index.segment import Segment, document_arrays
from aboutness.index.snapshot import Snapshot
from aboutness.index.statistics import Statistics
from aboutness.index.view import LayerView
from aboutness.text.strings import StringTable, pack


def borrowing(passages: Snapshot, lender: Snapshot) -> Snapshot:
    """Return the documents of `passages` with the statistics and what is trained of `lender`.

    The passages must be analysed as the lender's documents are, and have no other fields; these count as they do
    there. Sums over fields have the same last bits where the fields also stand in the same order.
    """
    for layer, analyzer in lender.manifest.layers.items():
        if passages.manifest.layers.get(layer) != analyzer:
            raise UsageError(f"the passages are not analysed as the index does in its layer {layer!r}")
    known = lender.manifest.fields
    for name in passages.fields:
        if name not in known:
            raise UsageError(f"the index has no field {name!r}. It has: {', '.join(known)}")
    return _Borrower(passages, lender)


class _Borrower(Snapshot):
    """A snapshot whose views have borrowed statistics.

    It has the lender's name, so that errors tell what to do there. Its last segment has no documents, but the
    lender's terms that the passages have not: a query may have them.
    """

    def __init__(self, passages: Snapshot, lender: Snapshot) -> None:
        self._lender = lender
        known = lender.manifest.fields
        fields = {name: known[name] for name in passages.fields} | dict(known)
        manifest = replace(passages.manifest, fields=fields, layers=lender.manifest.layers)
        segments = (*passages.segments, _other_terms(passages, lender))
        super().__init__(lender.folder, manifest, segments, lender.trained)

    @property
    def lender(self) -> Snapshot:
        """Return the index whose statistics and trained artefacts these are."""
        return self._lender

    def _made_view(self, layer: str, weights: NDArray[np.float64]) -> LayerView:
        chosen = dict(zip(self.fields, weights.tolist(), strict=True))
        lender = self.lender.view(layer, chosen)
        return _LentView(self.segments, lender, weights, self.fields)


class _LentView(LayerView):
    """The matrix of some passages, with the statistics and what is trained of another view."""

    def __init__(
        self, segments: Sequence[Segment], lender: LayerView, weights: NDArray[np.float64], fields: Sequence[str]
    ) -> None:
        super().__init__(segments, lender.layer, lender.analyzer, weights, fields, lender.trained)
        self.lender = lender
        self.lent = True

    @cached_property
    def statistics(self) -> Statistics:
        """Return what the lender knows of its documents; 0 for terms that it has not."""
        lent = self.lender.statistics
        numbers = self.lender.term_numbers(self.terms())
        known = numbers >= 0
        df, cf = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.float64)
        df[known], cf[known] = lent.df[numbers[known]], lent.cf[numbers[known]]
        return replace(lent, df=df, cf=cf)


def _other_terms(passages: Snapshot, lender: Snapshot) -> Segment:
    """Return a segment without documents, with the terms of each layer that only the lender has."""
    layers = {}
    for layer in lender.manifest.layers:
        own = passages.view(layer)
        terms = lender.view(layer).terms()
        missing = np.flatnonzero(own.term_numbers(terms) < 0).tolist()
        table = StringTable.of([terms[number] for number in missing])
        first = own.vocabulary_size
        nothing = np.zeros(0, np.int32), np.zeros(0, np.int64)
        layers[layer] = LayerSegment(layer_arrays(table, first + len(table), *nothing, 1), first)
    none = np.zeros(0, np.int64)
    arrays = document_arrays(StringTable.of([]), *pack([]), MetadataColumns().arrays(), none)
    return Segment("", passages.size, arrays, layers, np.zeros(0, np.int32))
