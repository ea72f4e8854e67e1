"""Documents to term numbers, for all layers of an index, beside the reading of the next documents.

Batches take turns between two lanes, each with a thread and analyzers of its own; compiled code runs without the
interpreter's lock, so both cores are used. A term's number is decided in the order of batches, so it is that of
the term's first appearance, however many lanes there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.text.analyzer import Analyzer
from aboutness.text.batch import BatchAnalyzer
from aboutness.text.strings import Bytes, GrowingTable, StringTable

Numbers: TypeAlias = NDArray[np.int32]
Ends: TypeAlias = NDArray[np.int64]
Stream: TypeAlias = tuple[Numbers, Ends]

LANES = 2
MOST_REMEMBERED = 1 << 20  # distinct tokens that a lane keeps from one segment to the next


@dataclass
class Streams:
    """The analysed batches of one segment: of each layer the tokens (maybe still on their way), and ends."""

    parts: dict[str, list[tuple[Future[Numbers], Ends]]]
    tokens: int = 0

    def of_layer(self, layer: str) -> list[Stream]:
        """Return the batches of a layer."""
        return [(tokens.result(), ends) for tokens, ends in self.parts[layer]]


class _Lane:
    """A thread with its own analyzers, and the index's numbers of their terms."""

    def __init__(self, analyzers: Mapping[str, Analyzer], number: int) -> None:
        self.thread = ThreadPoolExecutor(1, f"aboutness-analyze-{number}")
        self.batches = {layer: BatchAnalyzer(analyzer) for layer, analyzer in analyzers.items()}
        self.numbers = {layer: np.zeros(0, np.int32) for layer in analyzers}

    def forget(self, most: int) -> None:
        """Begin anew where more than so many tokens are kept; the index's numbers of terms stay what they are."""
        for layer, batch in self.batches.items():
            if batch.remembered > most:
                self.batches[layer] = BatchAnalyzer(batch.analyzer)
                self.numbers[layer] = np.zeros(0, np.int32)

    def analyze(self, cells: Sequence[str], packed: tuple[Bytes, Ends]) -> dict[str, Stream]:
        return {layer: batch.analyze(cells, packed) for layer, batch in self.batches.items()}


@dataclass
class _Pending:
    lane: _Lane
    result: Future[dict[str, Stream]]
    streams: Streams = field(repr=False)


class Analysis:
    """The term numbers of all layers: those the index has, then new ones as they come."""

    def __init__(
        self, analyzers: Mapping[str, Analyzer], known: Mapping[str, Sequence[StringTable]] | None = None
    ) -> None:
        self.terms = {layer: GrowingTable() for layer in analyzers}
        for layer, tables in (known or {}).items():
            for table in tables:
                self.terms[layer].add(table.data, table.ends)
        self._lanes = [_Lane(analyzers, number) for number in range(LANES)]
        self._turn = 0
        self._pending: deque[_Pending] = deque()

    def streams(self) -> Streams:
        """Return a place for the batches of one segment."""
        return Streams({layer: [] for layer in self.terms})

    def submit(self, cells: Sequence[str], packed: tuple[Bytes, Ends], streams: Streams) -> None:
        """Analyse a batch; it stands in `streams` at the latest when `finish` has returned."""
        lane = self._lanes[self._turn % LANES]
        self._turn += 1
        while any(pending.lane is lane for pending in self._pending):
            self._settle()
        self._pending.append(_Pending(lane, lane.thread.submit(lane.analyze, cells, packed), streams))

    def finish(self) -> None:
        """Wait for all batches that have been submitted, as at the end of a segment."""
        while self._pending:
            self._settle()
        for lane in self._lanes:
            lane.forget(MOST_REMEMBERED)

    def _settle(self) -> None:
        """Give the new terms of the oldest batch their numbers; one that failed stays, and fails again."""
        pending = self._pending[0]
        lane = pending.lane
        analysed = pending.result.result()
        self._pending.popleft()
        for layer, (tokens, ends) in analysed.items():
            fresh = lane.batches[layer].vocabulary.packed(len(lane.numbers[layer]))
            if len(fresh[1]):
                numbers = self.terms[layer].add(*fresh).astype(np.int32)
                lane.numbers[layer] = np.concatenate([lane.numbers[layer], numbers])
            renamed = lane.thread.submit(lane.numbers[layer].take, tokens)
            pending.streams.parts[layer].append((renamed, ends))
            pending.streams.tokens += len(tokens)

    def close(self) -> None:
        """Forget what is pending and end the threads."""
        self._pending.clear()
        for lane in self._lanes:
            lane.thread.shutdown()
