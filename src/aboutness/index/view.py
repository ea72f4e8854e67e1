"""The term-document matrix X of one layer over chosen, weighted fields, and its statistics.

All counts are sums of integers over segments, less what is dead; nothing global is stored, so they equal those
of an index built anew from the living documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.layer import LayerSegment, cells_of
from aboutness.index.postings import PostingLists, weighted_sum
from aboutness.index.segment import Segment, pack_ids
from aboutness.index.statistics import Statistics
from aboutness.index.trained import Once, Trained, WhileUsed
from aboutness.text.analyzer import Analyzer
from aboutness.text.strings import take

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_KNOWN = 100_000  # terms that have been looked up and are remembered


class LayerView:
    """X = sum over fields of weight x counts, with df, cf and lengths. Arrays are made at first use and kept."""

    def __init__(
        self,
        segments: Sequence[Segment],
        layer: str,
        analyzer: Analyzer,
        weights: NDArray[np.float64],
        fields: Sequence[str] = (),
        trained: Trained | None = None,
    ) -> None:
        self.segments = tuple(segments)
        self.layer = layer
        self.analyzer = analyzer
        self.weights = weights  # of all fields of the index; 0 for those not chosen
        self.field_names = tuple(fields)
        self.trained = trained or Trained()
        self.lent = False  # whether what is trained belongs to other documents
        self.once = Once()  # for what models derive from the view, and share
        self.shared = WhileUsed()  # the same, for what is large
        self._known: dict[str, tuple[int, int]] = {}

    @cached_property
    def parts(self) -> list[tuple[Segment, LayerSegment]]:
        """Return each segment with its arrays of this layer."""
        return [(segment, segment.layers[self.layer]) for segment in self.segments]

    @cached_property
    def vocabulary(self) -> Sequence[LayerSegment]:
        """Return, in their order, the parts in which terms first stood: these have all terms by number."""
        return [part for _, part in self.parts]

    @cached_property
    def size(self) -> int:
        """Return how many document numbers there are, the dead included."""
        return sum(len(segment) for segment in self.segments)

    @property
    def documents(self) -> int:
        """Return n, the number of living documents."""
        return sum(segment.live for segment in self.segments)

    @property
    def vocabulary_size(self) -> int:
        """Return how many term numbers have been given; a term of dead documents keeps its number."""
        return sum(len(part.new_terms) for part in self.vocabulary)

    def term_numbers(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each term, or -1."""
        packed = pack_ids(terms)
        found = np.full(len(terms), -1, np.int64)
        for part in self.vocabulary:
            here = part.new_terms.find_all(*packed)
            found[here >= 0] = here[here >= 0] + part.first_term
        return found

    def look_up(self, terms: Sequence[str]) -> list[tuple[int, int]]:
        """Return the number and df of each term, or -1 and 0; what has been looked up is found at once."""
        known = self._known
        missing = [term for term in terms if term not in known]
        if missing:
            if len(known) + len(missing) > MOST_KNOWN:
                self._known = known = {}
                missing = list(terms)
            numbers = self.term_numbers(missing)
            df = np.where(numbers >= 0, self.statistics.df[numbers], 0) if len(self.statistics.df) else numbers * 0
            known.update(zip(missing, zip(numbers.tolist(), df.tolist(), strict=True), strict=True))
        return [known[term] for term in terms]

    def term(self, number: int) -> str:
        """Return the term with a number."""
        for part in self.vocabulary:
            if part.first_term <= number < part.first_term + len(part.new_terms):
                return part.new_terms[number - part.first_term]
        raise IndexError(number)

    def terms(self) -> list[str]:
        """Return all terms by number."""
        return [term for part in self.vocabulary for term in part.new_terms]

    @cached_property
    def chosen(self) -> NDArray[np.intp]:
        """Return the positions of the chosen fields."""
        return np.flatnonzero(self.weights)

    @cached_property
    def df(self) -> NDArray[np.int64]:
        """Return for each term the living documents that have it in any chosen field."""
        df = np.zeros(self.vocabulary_size, np.int64)
        for segment, part in self.parts:
            if self.weights[: part.fields].all():
                df[part.terms] += np.diff(part.posting_ends, prepend=0)
                dead, _ = self._dead_rows(segment, part)
                np.subtract.at(df, dead, 1)
            else:
                present = self._some(part.posting_counts) & ~segment.dead_mask()[part.posting_documents]
                running = np.concatenate([[0], present.cumsum()])
                df[part.terms] += np.diff(running[part.posting_ends], prepend=0)
        return df

    @cached_property
    def field_cf(self) -> NDArray[np.int64]:
        """Return for each field and term how often it stands in living documents."""
        cf = np.zeros((len(self.weights), self.vocabulary_size), np.int64)
        for segment, part in self.parts:
            cf[: part.fields, part.terms] += part.totals
            dead, counts = self._dead_rows(segment, part)
            for field in range(part.fields):
                np.subtract.at(cf[field], dead, counts[field].astype(np.int64))
        return cf

    @cached_property
    def cf(self) -> NDArray[np.float64]:
        """Return for each term its weighted count over all living documents."""
        return weighted_sum(self.weights, self.field_cf)

    @cached_property
    def field_lengths(self) -> NDArray[np.int64]:
        """Return for each field and document number its tokens; those of dead documents are 0."""
        lengths = np.zeros((len(self.weights), self.size), np.int64)
        for segment, part in self.parts:
            cells = np.diff(part.token_ends, prepend=0).reshape(-1, part.fields)
            cells[segment.dead] = 0
            lengths[: part.fields, segment.first : segment.first + len(segment)] = cells.T
        return lengths

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Return the weighted length of each document number."""
        return weighted_sum(self.weights, self.field_lengths)

    @property
    def total_length(self) -> float:
        """Return the weighted length of all living documents together."""
        return float(weighted_sum(self.weights, self.field_lengths.sum(axis=1, keepdims=True))[0])

    @cached_property
    def statistics(self) -> Statistics:
        """Return what models know of the whole collection."""
        return Statistics(self.documents, self.df, self.cf, self.total_length)

    @cached_property
    def lists(self) -> list[PostingLists]:
        """Return the posting lists of each segment over the chosen fields."""
        return [PostingLists.of(segment, part, self.weights) for segment, part in self.parts]

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Return for each document number whether it is alive."""
        return ~np.concatenate([np.zeros(0, np.bool_), *(segment.dead_mask() for segment in self.segments)])

    @cached_property
    def arrivals(self) -> NDArray[np.int64]:
        """Return for each document number one that stays the same for good; they ascend."""
        return np.concatenate([np.zeros(0, np.int64), *(segment.arrivals for segment in self.segments)])

    def rows(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]]:
        """Yield, for each segment, where each document's terms end, the terms, and their weighted counts.

        The dead are among the documents, and the count of a term that stands in no chosen field is 0.
        """
        for _, part in self.parts:
            yield part.forward_ends, part.forward_terms, weighted_sum(self.weights, part.forward_counts)

    def bags(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
        """Return the terms of some documents, whose numbers ascend, their weighted counts, and where each ends."""
        terms, counts, ends = [np.zeros(0, np.int32)], [np.zeros(0, np.float64)], [np.zeros(0, np.int64)]
        total = 0
        for segment, part in self.parts:
            low, high = np.searchsorted(numbers, [segment.first, segment.first + len(segment)])
            here = numbers[low:high] - segment.first
            found, of_part = take(part.forward_terms, part.forward_ends, here)
            fields = [take(row, part.forward_ends, here)[0] for row in part.forward_counts]
            terms.append(found)
            counts.append(weighted_sum(self.weights, np.stack(fields)))
            ends.append(of_part + total)
            total += len(found)
        return np.concatenate(terms), np.concatenate(counts), np.concatenate(ends)

    def postings(self, term: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the living documents with a term in a chosen field, and its count in every field."""
        documents, counts = [np.zeros(0, np.int64)], [np.zeros((len(self.weights), 0), np.int64)]
        for segment, part in self.parts:
            here, raw = part.postings(term)
            keep = self._some(raw) & ~segment.dead_mask()[here]
            padded = np.zeros((len(self.weights), int(keep.sum())), np.int64)
            padded[: part.fields] = raw[:, keep]
            documents.append(here[keep].astype(np.int64) + segment.first)
            counts.append(padded)
        return np.concatenate(documents), np.concatenate(counts, axis=1)

    def forward(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a document's terms in order of first appearance, and the count of each in every field."""
        segment, part = self._locate(number)
        terms, counts = part.forward(number - segment.first)
        padded = np.zeros((len(self.weights), len(terms)), np.int64)
        padded[: part.fields] = counts
        return terms.astype(np.int64), padded

    def stream(self, number: int) -> list[NDArray[np.int32]]:
        """Return a document's tokens in order, field by field."""
        segment, part = self._locate(number)
        tokens = part.stream(number - segment.first)
        return tokens + [part.tokens[:0]] * (len(self.weights) - len(tokens))

    def streams(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """Yield, for each segment, the tokens of its living documents end to end, and where each field ends.

        Document d of the segment's living ones has the cells d * fields to (d + 1) * fields - 1, all fields of
        the index in their order; a segment without dead documents and with all fields is not copied.
        """
        fields = len(self.weights)
        for segment, part in self.parts:
            if not len(segment.dead) and part.fields == fields:
                yield part.tokens, part.token_ends
            else:
                living = np.flatnonzero(~segment.dead_mask())
                yield take(part.tokens, part.token_ends, cells_of(living, part.fields, fields))

    def weigh(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the weighted counts of columns with one count for each field."""
        return weighted_sum(self.weights, counts)

    def _locate(self, number: int) -> tuple[Segment, LayerSegment]:
        for segment, part in self.parts:
            if segment.first <= number < segment.first + len(segment):
                return segment, part
        raise IndexError(number)

    def matrix(self) -> csr_array:
        """Return X as a sparse matrix: living documents in order of arrival x term numbers.

        Row r is the r-th living document; where some are dead its number is another (`Snapshot.live_numbers`).
        """
        from scipy.sparse import csr_array

        ends, terms, values = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.float64)]
        total = 0
        for segment, part in self.parts:
            rows = np.repeat(np.arange(len(segment)), np.diff(part.forward_ends, prepend=0))
            keep = self._some(part.forward_counts) & ~segment.dead_mask()[rows]
            per_row = np.bincount(rows[keep], minlength=len(segment))[~segment.dead_mask()]
            ends.append(per_row.cumsum() + total)
            total += int(per_row.sum())
            terms.append(part.forward_terms[keep])
            values.append(weighted_sum(self.weights, part.forward_counts[:, keep]))
        shape = (self.documents, self.vocabulary_size)
        return csr_array((np.concatenate(values), np.concatenate(terms), np.concatenate(ends)), shape=shape)

    def _some(self, counts: NDArray[Any]) -> NDArray[np.bool_]:
        """Return for each column of counts whether a chosen field has any."""
        fields = self.chosen[self.chosen < len(counts)]
        return np.asarray(counts[fields].any(axis=0))

    @staticmethod
    def _dead_rows(segment: Segment, part: LayerSegment) -> tuple[NDArray[np.int32], NDArray[Any]]:
        """Return the terms and counts of all dead documents of a segment."""
        if not len(segment.dead):
            return part.forward_terms[:0], part.forward_counts[:, :0]
        terms, _ = take(part.forward_terms, part.forward_ends, segment.dead)
        counts = [take(counts, part.forward_ends, segment.dead)[0] for counts in part.forward_counts]
        return terms, np.stack(counts)
